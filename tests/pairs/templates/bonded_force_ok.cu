#include <cuda_runtime.h>
#include <algorithm>
#include <cmath>

namespace bonded {

struct Vec3 {
  float x, y, z;
  __host__ __device__ Vec3 operator-(const Vec3& o) const { return {x - o.x, y - o.y, z - o.z}; }
  __host__ __device__ Vec3 operator+(const Vec3& o) const { return {x + o.x, y + o.y, z + o.z}; }
  __host__ __device__ Vec3 operator*(float s) const { return {x * s, y * s, z * s}; }
};

__device__ __forceinline__ float dot(const Vec3& a, const Vec3& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

struct Box {
  Vec3 len;
  Vec3 inv;
  __device__ Vec3 min_image(Vec3 d) const {
    d.x -= len.x * rintf(d.x * inv.x);
    d.y -= len.y * rintf(d.y * inv.y);
    d.z -= len.z * rintf(d.z * inv.z);
    return d;
  }
};

struct AngleParams {
  const float4* pos;
  const int4* angles;     // i, j (centre), k, type
  const float2* coeff;    // force constant, rest angle
  float* fx;
  float* fy;
  float* fz;
  float* energy;          // one per block
  Box box;
  int n;
};

struct ForceAcc {
  float* fx;
  float* fy;
  float* fz;
  __device__ void add(int a, const Vec3& f) const {
    atomicAdd(&fx[a], f.x);
    atomicAdd(&fy[a], f.y);
    atomicAdd(&fz[a], f.z);
  }
};

struct Harmonic {
  __device__ void operator()(float theta, float2 c, float& dE, float& E) const {
    const float d = theta - c.y;
    dE = 2.f * c.x * d;
    E = c.x * d * d;
  }
};

struct CosineSq {
  __device__ void operator()(float theta, float2 c, float& dE, float& E) const {
    const float d = cosf(theta) - cosf(c.y);
    dE = -2.f * c.x * d * sinf(theta);
    E = c.x * d * d;
  }
};

__device__ __forceinline__ Vec3 xyz(const float4& p) { return {p.x, p.y, p.z}; }

template <int BLOCK, class Potential>
__global__ void __launch_bounds__(BLOCK) angle_kernel(AngleParams p, Potential pot) {
  __shared__ float warp_e[BLOCK / 32];
  const ForceAcc acc{p.fx, p.fy, p.fz};
  float e_sum = 0.f;
  for (int a = blockIdx.x * BLOCK + threadIdx.x; a < p.n; a += gridDim.x * BLOCK) {
    const int4 t = p.angles[a];
    const Vec3 rj = xyz(p.pos[t.y]);
    const Vec3 d1 = p.box.min_image(xyz(p.pos[t.x]) - rj);
    const Vec3 d2 = p.box.min_image(xyz(p.pos[t.z]) - rj);
    const float i1 = rsqrtf(dot(d1, d1)), i2 = rsqrtf(dot(d2, d2));
    const float c = fminf(fmaxf(dot(d1, d2) * i1 * i2, -0.9999f), 0.9999f);
    float dE, E;
    pot(acosf(c), p.coeff[t.w], dE, E);
    const float s = dE * rsqrtf(1.f - c * c);
    const Vec3 fi = (d2 * (i1 * i2) - d1 * (c * i1 * i1)) * s;
    const Vec3 fk = (d1 * (i1 * i2) - d2 * (c * i2 * i2)) * s;
    acc.add(t.x, fi);
    acc.add(t.z, fk);
    acc.add(t.y, (fi + fk) * -1.f);
    e_sum += E;
  }
#pragma unroll
  for (int o = 16; o > 0; o >>= 1) e_sum += __shfl_down_sync(0xffffffffu, e_sum, o);
  if (threadIdx.x % 32 == 0) warp_e[threadIdx.x / 32] = e_sum;
  __syncthreads();
  if (threadIdx.x == 0) {
    float t = 0.f;
    for (int w = 0; w < BLOCK / 32; ++w) t += warp_e[w];
    p.energy[blockIdx.x] = t;
  }
}

template <class Potential>
int launch(const AngleParams& p, int max_blocks, Potential pot, cudaStream_t s) {
  constexpr int BLOCK = 128;
  const int grid = std::max(1, std::min((p.n + BLOCK - 1) / BLOCK, max_blocks));
  angle_kernel<BLOCK><<<grid, BLOCK, 0, s>>>(p, pot);
  return grid;
}

int angles(const AngleParams& p, bool harmonic, int max_blocks, cudaStream_t s) {
  return harmonic ? launch(p, max_blocks, Harmonic{}, s) : launch(p, max_blocks, CosineSq{}, s);
}

}  // namespace bonded
