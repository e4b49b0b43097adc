// 27-point box filter on a volume, 2.5D blocking: the block marches along z and
// keeps a ring of planes in shared memory.
#include <cuda_runtime.h>
#include <cstdio>
#include <stdexcept>
#include <vector>

constexpr int BX = 32;
constexpr int BY = 8;
constexpr int RING = 3;

struct Dim3i { int nx, ny, nz; };

__device__ __forceinline__ int clampi(int v, int hi) {
  return v < 0 ? 0 : (v > hi ? hi : v);
}

__device__ void loadPlane(float (*dst)[BX + 2], const float* __restrict__ in,
                          Dim3i d, int z, int x0, int y0) {
  const int zc = clampi(z, d.nz - 1);
  const int tid = threadIdx.y * BX + threadIdx.x;
  for (int e = tid; e < (BX + 2) * (BY + 2); e += BX * BY) {
    const int lx = e % (BX + 2), ly = e / (BX + 2);
    const int gx = clampi(x0 + lx - 1, d.nx - 1);
    const int gy = clampi(y0 + ly - 1, d.ny - 1);
    dst[ly][lx] = in[((size_t)zc * d.ny + gy) * d.nx + gx];
  }
}

__global__ void box27(const float* __restrict__ in, float* __restrict__ out, Dim3i d) {
  __shared__ float ring[RING][BY + 2][BX + 2];
  const int x0 = blockIdx.x * BX, y0 = blockIdx.y * BY;
  const int x = x0 + threadIdx.x, y = y0 + threadIdx.y;
  const bool inside = x < d.nx && y < d.ny;

  loadPlane(ring[0], in, d, -1, x0, y0);
  loadPlane(ring[1], in, d, 0, x0, y0);

  for (int z = 0; z < d.nz; ++z) {
    loadPlane(ring[(z + 2) % RING], in, d, z + 1, x0, y0);
    __syncthreads();
    float s = 0.f;
    for (int k = 0; k < 3; ++k) {
      const float(*p)[BX + 2] = ring[(z + k) % RING];
      for (int j = 0; j < 3; ++j)
        for (int i = 0; i < 3; ++i)
          s += p[threadIdx.y + j][threadIdx.x + i];
    }
    if (inside) out[((size_t)z * d.ny + y) * d.nx + x] = s * (1.f / 27.f);
  }
}

void boxFilter(const float* in, float* out, Dim3i d, cudaStream_t st) {
  if (d.nx < 1 || d.ny < 1 || d.nz < 1) throw std::invalid_argument("empty volume");
  dim3 block(BX, BY);
  dim3 grid((d.nx + BX - 1) / BX, (d.ny + BY - 1) / BY);
  box27<<<grid, block, 0, st>>>(in, out, d);
  if (cudaGetLastError() != cudaSuccess) throw std::runtime_error("box27 launch");
}

int main() {
  const Dim3i d{300, 217, 64};
  const size_t n = (size_t)d.nx * d.ny * d.nz;
  std::vector<float> h(n);
  for (size_t i = 0; i < n; ++i) h[i] = (float)(i % 101);
  float *a, *b;
  cudaMalloc(&a, n * sizeof(float));
  cudaMalloc(&b, n * sizeof(float));
  cudaMemcpy(a, h.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  for (int it = 0; it < 10; ++it) {
    boxFilter(a, b, d, 0);
    float* t = a; a = b; b = t;
  }
  cudaMemcpy(h.data(), a, n * sizeof(float), cudaMemcpyDeviceToHost);
  std::printf("%f\n", h[n / 2]);
  cudaFree(a);
  cudaFree(b);
  return 0;
}
