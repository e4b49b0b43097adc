// N-body forces, body tiles staged with cuda::pipeline and memcpy_async.
#include <cuda_runtime.h>
#include <cuda/pipeline>
#include <cooperative_groups.h>
#include <cstdio>
#include <cstdlib>

namespace cg = cooperative_groups;

namespace nbody {

constexpr int kTile = 128;
constexpr int kStages = 2;

struct System {
  const float4* pos;  // xyz + mass, padded to kTile with zero mass
  float3* acc;
  int n;
  int ntile;
  float eps2;
};

__device__ __forceinline__ float3 pair(float3 a, float4 pi, float4 pj, float eps2) {
  const float dx = pj.x - pi.x, dy = pj.y - pi.y, dz = pj.z - pi.z;
  const float r2 = dx * dx + dy * dy + dz * dz + eps2;
  const float inv = rsqrtf(r2);
  const float w = pj.w * inv * inv * inv;
  return make_float3(a.x + w * dx, a.y + w * dy, a.z + w * dz);
}

__device__ __forceinline__ float3 tile_force(const float4 (&tile)[kTile], float4 me, float3 a, float eps2) {
#pragma unroll 16
  for (int j = 0; j < kTile; ++j) a = pair(a, me, tile[j], eps2);
  return a;
}

__global__ void __launch_bounds__(kTile) forces(System s) {
  __shared__ alignas(16) float4 tile[kStages][kTile];
  auto block = cg::this_thread_block();
  cuda::pipeline<cuda::thread_scope_thread> pipe = cuda::make_pipeline();
  const int i = blockIdx.x * kTile + threadIdx.x;
  const float4 me = i < s.n ? s.pos[i] : make_float4(0.f, 0.f, 0.f, 0.f);

  auto stage_in = [&](int t) {
    pipe.producer_acquire();
    if (t < s.ntile)
      cuda::memcpy_async(&tile[t % kStages][threadIdx.x], &s.pos[t * kTile + threadIdx.x],
                         cuda::aligned_size_t<16>(sizeof(float4)), pipe);
    pipe.producer_commit();
  };

  for (int t = 0; t < kStages; ++t) stage_in(t);

  float3 a = make_float3(0.f, 0.f, 0.f);
  for (int t = 0; t < s.ntile; ++t) {
    pipe.consumer_wait();
    a = tile_force(tile[t % kStages], me, a, s.eps2);
    pipe.consumer_release();
    block.sync();
    stage_in(t + kStages);
  }
  if (i < s.n) s.acc[i] = a;
}

class Integrator {
 public:
  Integrator(int n, float eps) : n_(n), eps2_(eps * eps) {
    ntile_ = (n + kTile - 1) / kTile;
    const size_t padded = (size_t)ntile_ * kTile;
    if (cudaMalloc(&pos_, padded * sizeof(float4)) || cudaMalloc(&acc_, n * sizeof(float3))) {
      fprintf(stderr, "nbody: out of memory\n");
      exit(1);
    }
    cudaMemset(pos_, 0, padded * sizeof(float4));
  }
  ~Integrator() {
    cudaFree(pos_);
    cudaFree(acc_);
  }
  cudaError_t compute(cudaStream_t st = 0) {
    if (n_ == 0) return cudaSuccess;
    System s{pos_, acc_, n_, ntile_, eps2_};
    forces<<<ntile_, kTile, 0, st>>>(s);
    return cudaGetLastError();
  }
  float4* positions() { return pos_; }

 private:
  int n_, ntile_;
  float eps2_;
  float4* pos_ = nullptr;
  float3* acc_ = nullptr;
};

}  // namespace nbody

int main(int argc, char** argv) {
  nbody::Integrator sys(argc > 1 ? atoi(argv[1]) : 50000, 1e-2f);
  if (sys.compute() != cudaSuccess) return 1;
  return cudaDeviceSynchronize() != cudaSuccess;
}
