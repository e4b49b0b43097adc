#include "md/system.h"
#include "md/device.cuh"

namespace md {

// Leapfrog; vel.w is the inverse mass.
template <int NT>
__global__ void leapfrog_kernel(float4* __restrict__ posq, float4* __restrict__ vel,
                                const float4* __restrict__ force, float* __restrict__ ekin, int n,
                                float dt, float box) {
  float ke = 0.f;
  for (int i = blockIdx.x * NT + threadIdx.x; i < n; i += gridDim.x * NT) {
    float4 p = posq[i], v = vel[i];
    const float4 f = force[i];
    v.x += dt * v.w * f.x;
    v.y += dt * v.w * f.y;
    v.z += dt * v.w * f.z;
    p.x += dt * v.x;
    p.y += dt * v.y;
    p.z += dt * v.z;
    p.x -= box * floorf(p.x / box);
    p.y -= box * floorf(p.y / box);
    p.z -= box * floorf(p.z / box);
    posq[i] = p;
    vel[i] = v;
    ke += 0.5f * (v.x * v.x + v.y * v.y + v.z * v.z) / v.w;
  }
  ke = block_sum<NT>(ke);
  if (threadIdx.x == 0) atomicAdd(ekin, ke);
}

void System::integrate(cudaStream_t s) {
  constexpr int kBlock = 256;
  const int blocks = grid(kBlock) < 1024 ? grid(kBlock) : 1024;
  leapfrog_kernel<kBlock><<<blocks, kBlock, 0, s>>>(posq.get(), vel.get(), force.get(), energy.get() + 1, cfg.n, cfg.dt, cfg.box);
  MD_CHECK(cudaGetLastError());
}

}  // namespace md
