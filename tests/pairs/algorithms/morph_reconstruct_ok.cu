// Greyscale morphological reconstruction: tile-local propagation until stable.
#include <cuda_runtime.h>
#include <cstdint>
#include <cstdio>
#include <utility>

namespace morph {

constexpr int T = 16;

struct Image {
  uint8_t* data;
  int w, h, pitch;
};

template <bool EightConn>
__device__ __forceinline__ uint8_t neighbour_max(const uint8_t (&m)[T + 2][T + 2], int x, int y) {
  uint8_t v = m[y][x];
  v = max(v, m[y - 1][x]);
  v = max(v, m[y + 1][x]);
  v = max(v, m[y][x - 1]);
  v = max(v, m[y][x + 1]);
  if (EightConn) {
    v = max(v, m[y - 1][x - 1]);
    v = max(v, m[y - 1][x + 1]);
    v = max(v, m[y + 1][x - 1]);
    v = max(v, m[y + 1][x + 1]);
  }
  return v;
}

template <bool EightConn>
__global__ void __launch_bounds__(T* T)
reconstruct_tile(const uint8_t* __restrict__ marker, uint8_t* __restrict__ out, const uint8_t* __restrict__ mask,
                 int w, int h, int pitch, int* changed) {
  __shared__ uint8_t m[T + 2][T + 2];
  const int tid = threadIdx.y * T + threadIdx.x;
  for (int i = tid; i < (T + 2) * (T + 2); i += T * T) {
    const int lx = i % (T + 2), ly = i / (T + 2);
    const int gx = (int)blockIdx.x * T + lx - 1, gy = (int)blockIdx.y * T + ly - 1;
    m[ly][lx] = gx >= 0 && gx < w && gy >= 0 && gy < h ? marker[(size_t)gy * pitch + gx] : 0;
  }
  __syncthreads();

  const int x = blockIdx.x * T + threadIdx.x, y = blockIdx.y * T + threadIdx.y;
  const int lx = threadIdx.x + 1, ly = threadIdx.y + 1;
  const bool inside = x < w && y < h;
  const uint8_t limit = inside ? mask[(size_t)y * pitch + x] : 0;
  const uint8_t first = m[ly][lx];

  bool again = true;
  while (again) {
    const uint8_t cur = m[ly][lx];
    const uint8_t v = inside ? min(neighbour_max<EightConn>(m, lx, ly), limit) : cur;
    const bool grew = v > cur;
    again = __syncthreads_or(inside && grew);
    if (grew) m[ly][lx] = v;
    __syncthreads();
  }

  if (inside) {
    out[(size_t)y * pitch + x] = m[ly][lx];
    if (m[ly][lx] != first) atomicOr(changed, 1);
  }
}

class Reconstructor {
 public:
  Reconstructor() { cudaMalloc(&changed_, sizeof(int)); }
  ~Reconstructor() { cudaFree(changed_); }

  // marker and scratch have the same pitch; the result is in the returned buffer
  uint8_t* run(Image marker, uint8_t* scratch, const uint8_t* mask, bool eight, int max_rounds, cudaStream_t s) {
    const dim3 block(T, T), grid((marker.w + T - 1) / T, (marker.h + T - 1) / T);
    uint8_t *src = marker.data, *dst = scratch;
    if (grid.x == 0 || grid.y == 0) return src;
    for (int r = 0; r < max_rounds; ++r) {
      int h = 0;
      cudaMemsetAsync(changed_, 0, sizeof(int), s);
      if (eight)
        reconstruct_tile<true><<<grid, block, 0, s>>>(src, dst, mask, marker.w, marker.h, marker.pitch, changed_);
      else
        reconstruct_tile<false><<<grid, block, 0, s>>>(src, dst, mask, marker.w, marker.h, marker.pitch, changed_);
      cudaMemcpyAsync(&h, changed_, sizeof(int), cudaMemcpyDeviceToHost, s);
      if (cudaStreamSynchronize(s) != cudaSuccess) return nullptr;
      std::swap(src, dst);
      if (!h) break;
    }
    return src;
  }

 private:
  int* changed_ = nullptr;
};

}  // namespace morph

int main() {
  const int w = 1001, h = 700, pitch = 1024;
  uint8_t *a, *b, *k;
  cudaMalloc(&a, pitch * h);
  cudaMalloc(&b, pitch * h);
  cudaMalloc(&k, pitch * h);
  cudaMemset(a, 0, pitch * h);
  cudaMemset(b, 0, pitch * h);
  cudaMemset(k, 200, pitch * h);
  morph::Reconstructor r;
  return r.run({a, w, h, pitch}, b, k, true, 100, 0) == nullptr;
}
