#include "md/system.h"
#include "md/device.cuh"

namespace md {

__global__ void bond_kernel(const float4* __restrict__ posq, const int2* __restrict__ bonds,
                            const float2* __restrict__ par, int nb, float box, float4* force) {
  const int b = blockIdx.x * blockDim.x + threadIdx.x;
  if (b >= nb) return;
  const int2 ij = bonds[b];
  const float3 d = min_image(posq[ij.x] - posq[ij.y], box);
  const float r = sqrtf(dot(d, d));
  const float fs = -par[b].x * (r - par[b].y) / r;
  atomic_add3(force + ij.x, fs * d);
  atomic_add3(force + ij.y, -fs * d);
}

__global__ void angle_kernel(const float4* __restrict__ posq, const int4* __restrict__ angles,
                             const float2* __restrict__ par, int na, float box, float4* force) {
  const int a = blockIdx.x * blockDim.x + threadIdx.x;
  if (a >= na) return;
  const int4 t = angles[a];
  const float3 u = min_image(posq[t.x] - posq[t.y], box);
  const float3 v = min_image(posq[t.z] - posq[t.y], box);
  const float iu = rsqrtf(dot(u, u)), iv = rsqrtf(dot(v, v));
  const float c = fminf(1.f, fmaxf(-1.f, dot(u, v) * iu * iv));
  const float s = fmaxf(1e-4f, sqrtf(1.f - c * c));
  const float k = par[a].x * (acosf(c) - par[a].y) / s;
  float3 fi = (k * iu * iv) * v, fk = (k * iu * iv) * u;
  axpy(fi, -k * c * iu * iu, u);
  axpy(fk, -k * c * iv * iv, v);
  float3 fj = -1.f * fi;
  axpy(fj, -1.f, fk);
  atomic_add3(force + t.x, fi);
  atomic_add3(force + t.y, fj);
  atomic_add3(force + t.z, fk);
}

void System::compute_bonds(const int2* bonds, const float2* par, int nb, cudaStream_t s) {
  if (nb == 0) return;
  bond_kernel<<<(nb + 255) / 256, 256, 0, s>>>(posq.get(), bonds, par, nb, cfg.box, force.get());
  MD_CHECK(cudaGetLastError());
}

void System::compute_angles(const int4* angles, const float2* par, int na, cudaStream_t s) {
  if (na == 0) return;
  angle_kernel<<<(na + 255) / 256, 256, 0, s>>>(posq.get(), angles, par, na, cfg.box, force.get());
  MD_CHECK(cudaGetLastError());
}

}  // namespace md
