// 7-point wave equation: planes marched along z, register queue plus one shared plane.
#include <cuda_runtime.h>
#include <utility>
#include <stdexcept>

namespace wave {

struct Volume {
  int nx, ny, nz;
  __host__ __device__ size_t index(int x, int y, int z) const { return (size_t(z) * ny + y) * nx + x; }
  __host__ size_t cells() const { return size_t(nx) * ny * nz; }
};

template <int BX, int BY>
__global__ void __launch_bounds__(BX * BY) step(const float* __restrict__ cur, float* __restrict__ prev_next, Volume v, float c2) {
  __shared__ float plane[BY + 2][BX + 2];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int x = blockIdx.x * BX + tx, y = blockIdx.y * BY + ty;
  const int cx = min(x, v.nx - 1), cy = min(y, v.ny - 1);
  const bool inside = x > 0 && y > 0 && x < v.nx - 1 && y < v.ny - 1;
  float below = cur[v.index(cx, cy, 0)];
  float mid = cur[v.index(cx, cy, 1)];
  float above = cur[v.index(cx, cy, 2)];
  for (int z = 1;;) {
    plane[ty + 1][tx + 1] = mid;
    if (ty == 0) plane[0][tx + 1] = cur[v.index(cx, max(cy - 1, 0), z)];
    if (ty == BY - 1) plane[BY + 1][tx + 1] = cur[v.index(cx, min(cy + 1, v.ny - 1), z)];
    if (tx == 0) plane[ty + 1][0] = cur[v.index(max(cx - 1, 0), cy, z)];
    if (tx == BX - 1) plane[ty + 1][BX + 1] = cur[v.index(min(cx + 1, v.nx - 1), cy, z)];
    __syncthreads();
    if (inside) {
      const float lap = plane[ty + 1][tx] + plane[ty + 1][tx + 2] + plane[ty][tx + 1] + plane[ty + 2][tx + 1] + below + above - 6.f * mid;
      float& u = prev_next[v.index(x, y, z)];
      u = 2.f * mid - u + c2 * lap;
    }
    if (++z >= v.nz - 1) break;
    below = mid;
    mid = above;
    above = cur[v.index(cx, cy, z + 1)];
    __syncthreads();
  }
}

__global__ void add_source(float* f, size_t where, float amount) { f[where] += amount; }

class Solver {
 public:
  explicit Solver(Volume v) : v_(v) {
    if (v.nx < 3 || v.ny < 3 || v.nz < 3) throw std::invalid_argument("volume too small");
    for (float** p : {&a_, &b_}) {
      if (cudaMalloc(p, v.cells() * sizeof(float)) != cudaSuccess) throw std::bad_alloc();
      cudaMemset(*p, 0, v.cells() * sizeof(float));
    }
  }
  ~Solver() {
    cudaFree(a_);
    cudaFree(b_);
  }
  Solver(const Solver&) = delete;
  void advance(int steps, float c2) {
    for (int i = 0; i < steps; ++i) {
      add_source<<<1, 1>>>(a_, v_.index(v_.nx / 2, v_.ny / 2, v_.nz / 2), 1.f);
      v_.nx > 64 ? launch<32, 8>(c2) : launch<16, 16>(c2);
      std::swap(a_, b_);
    }
  }
 private:
  template <int BX, int BY>
  void launch(float c2) {
    const dim3 grid((v_.nx + BX - 1) / BX, (v_.ny + BY - 1) / BY);
    step<BX, BY><<<grid, dim3(BX, BY)>>>(a_, b_, v_, c2);
  }
  Volume v_;
  float *a_ = nullptr, *b_ = nullptr;
};

}  // namespace wave

int main() {
  wave::Solver s({100, 90, 70}), t({20, 20, 3});
  s.advance(20, 0.1f);
  t.advance(5, 0.1f);
  return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}
