#include <cuda_runtime.h>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

// Reversible 5/3 wavelet on image rows, several levels in place in shared
// memory. Samples keep their place: level l works with stride 2^l.

namespace dwt {

template <int PAIRS>
class Line {
 public:
  static constexpr int kLength = 2 * PAIRS;

  __device__ int& at(int i, int stride) { return s_[i * stride]; }

  // Odd samples from the even neighbours, mirrored at the end.
  __device__ void predict(int i, int n, int stride, int sign) {
    if (2 * i + 1 < n) {
      const int left = at(2 * i, stride);
      const int right = 2 * i + 2 < n ? at(2 * i + 2, stride) : left;
      at(2 * i + 1, stride) -= sign * ((left + right) >> 1);
    }
  }

  // Even samples from the odd neighbours.
  __device__ void update(int i, int n, int stride, int sign) {
    if (2 * i < n) {
      const int right = 2 * i + 1 < n ? at(2 * i + 1, stride) : at(2 * i - 1, stride);
      const int left = i > 0 ? at(2 * i - 1, stride) : right;
      at(2 * i, stride) += sign * ((left + right + 2) >> 2);
    }
  }

  __device__ void load(const int16_t* row, int n) {
    for (int i = threadIdx.x; i < n; i += PAIRS) s_[i] = row[i];
    __syncthreads();
  }

  __device__ void store(int16_t* row, int n) const {
    for (int i = threadIdx.x; i < n; i += PAIRS) row[i] = int16_t(s_[i]);
  }

 private:
  int s_[kLength];
};

template <int PAIRS>
__device__ void analyse(Line<PAIRS>& line, int n, int levels) {
  int count = n;
  for (int l = 0; l < levels && count > 1; ++l) {
    line.predict(threadIdx.x, count, 1 << l, 1);
    __syncthreads();
    line.update(threadIdx.x, count, 1 << l, 1);
    __syncthreads();
    count = (count + 1) / 2;
  }
}

__device__ __forceinline__ int countAt(int n, int level) { return (n + (1 << level) - 1) >> level; }

template <int PAIRS>
__device__ void synthesise(Line<PAIRS>& line, int n, int levels) {
  for (int l = levels - 1; l >= 0; --l) {
    const int count = countAt(n, l);
    if (count < 2) continue;
    line.update(threadIdx.x, count, 1 << l, -1);
    line.predict(threadIdx.x, count, 1 << l, -1);
    __syncthreads();
  }
}

template <int PAIRS, bool INVERSE>
__global__ void __launch_bounds__(PAIRS) rows(int16_t* img, int width, int pitch, int levels) {
  __shared__ Line<PAIRS> line;
  int16_t* row = img + size_t(blockIdx.x) * pitch;
  line.load(row, width);
  if constexpr (INVERSE)
    synthesise(line, width, levels);
  else
    analyse(line, width, levels);
  line.store(row, width);
}

struct Plane {
  int16_t* px;
  int width, height, pitch;
};

template <bool INVERSE>
cudaError_t transformRows(const Plane& p, int levels, cudaStream_t s) {
  if (p.height == 0 || p.width < 2) return cudaSuccess;
  if (p.width <= 256)
    rows<128, INVERSE><<<p.height, 128, 0, s>>>(p.px, p.width, p.pitch, levels);
  else if (p.width <= 1024)
    rows<512, INVERSE><<<p.height, 512, 0, s>>>(p.px, p.width, p.pitch, levels);
  else
    return cudaErrorInvalidValue;
  return cudaGetLastError();
}

}  // namespace dwt

int main() {
  for (int w : {200, 1001}) {
    dwt::Plane p{nullptr, w, 480, (w + 15) / 16 * 16};
    const size_t n = size_t(p.pitch) * p.height;
    int16_t* ref = static_cast<int16_t*>(malloc(n * sizeof(int16_t)));
    cudaMallocManaged(&p.px, n * sizeof(int16_t));
    for (size_t i = 0; i < n; ++i) ref[i] = p.px[i] = int16_t((i * 97) % 255);
    cudaError_t e = dwt::transformRows<false>(p, 5, 0);
    if (e == cudaSuccess) e = dwt::transformRows<true>(p, 5, 0);
    if (e == cudaSuccess) e = cudaDeviceSynchronize();
    int diff = 0;
    for (int y = 0; y < p.height; ++y)
      for (int x = 0; x < w; ++x) diff += ref[y * p.pitch + x] != p.px[y * p.pitch + x];
    printf("%d: %s, %d differ\n", w, cudaGetErrorString(e), diff);
    cudaFree(p.px);
    free(ref);
  }
  return 0;
}
