// All-pairs gravity with double buffered tiles of bodies.
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>

static const int TILE = 256;

template <typename T>
struct Vec3 { T x, y, z; };

template <typename T, typename T4>
__device__ __forceinline__ void interact(Vec3<T>& acc, const T4& pi, const T4& pj, T eps2) {
  const T dx = pj.x - pi.x, dy = pj.y - pi.y, dz = pj.z - pi.z;
  const T d2 = dx * dx + dy * dy + dz * dz + eps2;
  const T inv = T(1) / sqrt(d2);
  const T s = pj.w * inv * inv * inv;
  acc.x += dx * s;
  acc.y += dy * s;
  acc.z += dz * s;
}

__device__ __forceinline__ float4 fetchBody(const float4* pos, int j, int n) {
  // bodies past the end have no mass
  return j < n ? pos[j] : make_float4(0.f, 0.f, 0.f, 0.f);
}

__global__ void forces(const float4* __restrict__ pos, float4* __restrict__ acc, int n, float eps2) {
  __shared__ float4 tile[2][TILE];
  const int i = blockIdx.x * TILE + threadIdx.x;
  const int tiles = (n + TILE - 1) / TILE;
  const float4 me = fetchBody(pos, i, n);
  Vec3<float> a = {0.f, 0.f, 0.f};

  tile[0][threadIdx.x] = fetchBody(pos, threadIdx.x, n);

  for (int t = 0; t < tiles; ++t) {
    if (t + 1 < tiles)
      tile[(t + 1) & 1][threadIdx.x] = fetchBody(pos, (t + 1) * TILE + threadIdx.x, n);
    __syncthreads();
#pragma unroll 8
    for (int j = 0; j < TILE; ++j)
      interact<float, float4>(a, me, tile[t & 1][j], eps2);
  }
  if (i < n) acc[i] = make_float4(a.x, a.y, a.z, 0.f);
}

__global__ void kick(float4* pos, float4* vel, const float4* acc, int n, float dt) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float4 v = vel[i], p = pos[i];
  const float4 a = acc[i];
  v.x += a.x * dt; v.y += a.y * dt; v.z += a.z * dt;
  p.x += v.x * dt; p.y += v.y * dt; p.z += v.z * dt;
  vel[i] = v;
  pos[i] = p;
}

int main(int argc, char** argv) {
  const int n = argc > 1 ? std::atoi(argv[1]) : 30000;
  if (n < 1) return 1;
  std::vector<float4> h(n);
  for (int i = 0; i < n; ++i)
    h[i] = make_float4(rand() / (float)RAND_MAX, rand() / (float)RAND_MAX,
                       rand() / (float)RAND_MAX, 1.f / n);
  float4 *pos, *vel, *acc;
  const size_t bytes = n * sizeof(float4);
  if (cudaMalloc(&pos, bytes) || cudaMalloc(&vel, bytes) || cudaMalloc(&acc, bytes)) return 2;
  cudaMemcpy(pos, h.data(), bytes, cudaMemcpyHostToDevice);
  cudaMemset(vel, 0, bytes);
  const int grid = (n + TILE - 1) / TILE;
  for (int s = 0; s < 20; ++s) {
    forces<<<grid, TILE>>>(pos, acc, n, 1e-4f);
    kick<<<grid, TILE>>>(pos, vel, acc, n, 1e-3f);
  }
  cudaMemcpy(h.data(), pos, bytes, cudaMemcpyDeviceToHost);
  std::printf("%f %f %f\n", h[0].x, h[0].y, h[0].z);
  return 0;
}
