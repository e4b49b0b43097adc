// Permute a 3-D array (z,y,x) -> (x,y,z) with 3-D thread blocks.
#include <cuda_runtime.h>
#include <array>
#include <complex>
#include <cstdint>
#include <algorithm>

namespace nd {

using Dims = std::array<int, 3>;   // nx, ny, nz

struct Extent {
  int nx, ny, nz;
  __host__ __device__ int64_t volume() const { return int64_t(nx) * ny * nz; }
};

template <typename T> struct TileFor { static constexpr int value = sizeof(T) > 8 ? 4 : 8; };

template <typename T, int B>
__global__ void __launch_bounds__(B * B * B) permute_xyz_zyx(const T* __restrict__ in, T* __restrict__ out, Extent e) {
  __shared__ T tile[B][B][B + 1];
  const int tx = threadIdx.x, ty = threadIdx.y, tz = threadIdx.z;
  const int zb = (e.nz + B - 1) / B;
  for (int bz = blockIdx.z; bz < zb; bz += gridDim.z) {
    const int y = blockIdx.y * B + ty;
    {
      const int x = blockIdx.x * B + tx, z = bz * B + tz;
      if (x < e.nx && y < e.ny && z < e.nz) tile[tz][ty][tx] = in[(int64_t(z) * e.ny + y) * e.nx + x];
    }
    __syncthreads();
    {
      const int x = blockIdx.x * B + tz, z = bz * B + tx;
      if (x < e.nx && y < e.ny && z < e.nz) out[(int64_t(x) * e.ny + y) * e.nz + z] = tile[tx][ty][tz];
    }
    if (bz + int(gridDim.z) < zb) __syncthreads();
  }
}

template <typename T>
cudaError_t permute(const T* in, T* out, const Dims& d, cudaStream_t s = 0) {
  if (std::any_of(d.begin(), d.end(), [](int v) { return v <= 0; }) || in == out) return cudaErrorInvalidValue;
  constexpr int B = TileFor<T>::value;
  const Extent e{d[0], d[1], d[2]};
  const auto blocks = [](int n) { return unsigned((n + B - 1) / B); };
  const dim3 grid(blocks(e.nx), blocks(e.ny), std::min(blocks(e.nz), 16u));
  permute_xyz_zyx<T, B><<<grid, dim3(B, B, B), 0, s>>>(in, out, e);
  return cudaGetLastError();
}

}  // namespace nd

struct alignas(16) Quad { float v[4]; };

int main() {
  float *a, *b;
  Quad *qa, *qb;
  const nd::Dims d{37, 50, 201}, r{201, 50, 37};
  const size_t n = size_t(37) * 50 * 201;
  cudaMalloc(&a, n * sizeof(float));
  cudaMalloc(&b, n * sizeof(float));
  cudaMalloc(&qa, n * sizeof(Quad));
  cudaMalloc(&qb, n * sizeof(Quad));
  cudaMemset(a, 0, n * sizeof(float));
  cudaMemset(qa, 0, n * sizeof(Quad));
  int bad = nd::permute(a, b, d) != cudaSuccess;
  bad |= nd::permute(b, a, r) != cudaSuccess;
  bad |= nd::permute(qa, qb, d) != cudaSuccess;
  bad |= cudaDeviceSynchronize() != cudaSuccess;
  cudaFree(a); cudaFree(b); cudaFree(qa); cudaFree(qb);
  return bad;
}
