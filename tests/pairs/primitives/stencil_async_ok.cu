#include <cuda_runtime.h>
#include <cuda_pipeline.h>
#include <cstdio>
#include <cstdlib>
#include <utility>

// Acoustic wave propagation, 4th order in space. A block marches along z and
// stages the planes it needs through shared memory.

#define RADIUS 2

struct Volume {
  int nx, ny, nz;  // without the border
  int pitch;       // elements in a padded row, RADIUS on each side
  __host__ __device__ size_t plane() const { return size_t(pitch) * (ny + 2 * RADIUS); }
  __host__ __device__ size_t cells() const { return plane() * (nz + 2 * RADIUS); }
};

struct WaveStep {
  const float* cur;
  float* next;  // holds the field before cur on entry
  float c2dt2;
};

__constant__ float kCoef[RADIUS + 1] = {-2.5f, 4.f / 3.f, -1.f / 12.f};

template <int BX, int BY>
struct PlaneTile {
  float c[BY + 2 * RADIUS][BX + 2 * RADIUS];
};

template <int BX, int BY>
class PlaneLoader {
 public:
  __device__ PlaneLoader(const float* src, const Volume& v)
      : v_(v), src_(src + (size_t(blockIdx.y) * BY + RADIUS) * v.pitch + blockIdx.x * BX + RADIUS) {}

  __device__ void issue(PlaneTile<BX, BY>& t, int z) const {
    const float* p = src_ + size_t(z + RADIUS) * v_.plane();
    const int tx = threadIdx.x, ty = threadIdx.y;
    copy(t, p, tx, ty);
    if (tx < RADIUS) {
      copy(t, p, tx - RADIUS, ty);
      copy(t, p, tx + BX, ty);
    }
    if (ty < RADIUS) {
      copy(t, p, tx, ty - RADIUS);
      copy(t, p, tx, ty + BY);
    }
    __pipeline_commit();
  }

 private:
  __device__ __forceinline__ void copy(PlaneTile<BX, BY>& t, const float* p, int x, int y) const {
    __pipeline_memcpy_async(&t.c[y + RADIUS][x + RADIUS], p + ptrdiff_t(y) * v_.pitch + x, sizeof(float));
  }

  Volume v_;
  const float* src_;
};

template <int BX, int BY>
__global__ void __launch_bounds__(BX* BY) propagate(WaveStep w, Volume v) {
  __shared__ PlaneTile<BX, BY> tile[2];
  const PlaneLoader<BX, BY> loader(w.cur, v);
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int x = blockIdx.x * BX + tx, y = blockIdx.y * BY + ty;
  const size_t col = size_t(y + RADIUS) * v.pitch + x + RADIUS;
  const size_t plane = v.plane();

  loader.issue(tile[0], 0);
  for (int z = 0; z < v.nz; ++z) {
    if (z + 1 < v.nz) {
      loader.issue(tile[(z + 1) & 1], z + 1);
      __pipeline_wait_prior(1);
    } else {
      __pipeline_wait_prior(0);
    }
    __syncthreads();

    const PlaneTile<BX, BY>& t = tile[z & 1];
    const size_t at = size_t(z + RADIUS) * plane + col;
    float lap = 3.f * kCoef[0] * t.c[ty + RADIUS][tx + RADIUS];
#pragma unroll
    for (int k = 1; k <= RADIUS; ++k) {
      lap += kCoef[k] * (t.c[ty + RADIUS][tx + RADIUS - k] + t.c[ty + RADIUS][tx + RADIUS + k] +
                         t.c[ty + RADIUS - k][tx + RADIUS] + t.c[ty + RADIUS + k][tx + RADIUS] +
                         __ldg(w.cur + at - k * plane) + __ldg(w.cur + at + k * plane));
    }
    w.next[at] = 2.f * t.c[ty + RADIUS][tx + RADIUS] - w.next[at] + w.c2dt2 * lap;
    __syncthreads();
  }
}

static cudaError_t step(const WaveStep& w, const Volume& v, cudaStream_t s) {
  if (v.nx % 64 == 0)
    propagate<64, 8><<<dim3(v.nx / 64, v.ny / 8), dim3(64, 8), 0, s>>>(w, v);
  else
    propagate<32, 8><<<dim3(v.nx / 32, v.ny / 8), dim3(32, 8), 0, s>>>(w, v);
  return cudaGetLastError();
}

int main(int argc, char** argv) {
  Volume v{argc > 1 ? atoi(argv[1]) : 256, 160, 120, 0};
  if (v.nx % 32 != 0) return 1;
  v.pitch = v.nx + 2 * RADIUS;
  float *a, *b;
  cudaMalloc(&a, v.cells() * sizeof(float));
  cudaMalloc(&b, v.cells() * sizeof(float));
  cudaMemset(a, 0, v.cells() * sizeof(float));
  cudaMemset(b, 0, v.cells() * sizeof(float));
  for (int t = 0; t < 100; ++t) {
    if (step({a, b, 0.1f}, v, 0) != cudaSuccess) return 1;
    std::swap(a, b);
  }
  printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
  cudaFree(a);
  cudaFree(b);
  return 0;
}
