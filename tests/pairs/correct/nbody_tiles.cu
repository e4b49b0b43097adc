// All-pairs N-body integrator; several threads share a body, tiles of bodies in shared memory.
#include <cuda_runtime.h>
#include <cmath>
#include <utility>
#include <stdexcept>
#include <optional>

namespace nbody {

template <int BODIES, int SPLIT>
struct Config {
  static constexpr int kBodies = BODIES;     // bodies per block (threadIdx.x)
  static constexpr int kSplit = SPLIT;       // threads per body (threadIdx.y)
};

__device__ __forceinline__ float3 pull(float3 a, float4 me, float4 other, float eps2) {
  const float dx = other.x - me.x, dy = other.y - me.y, dz = other.z - me.z;
  const float inv = rsqrtf(dx * dx + dy * dy + dz * dz + eps2);
  const float s = other.w * inv * inv * inv;
  return make_float3(a.x + dx * s, a.y + dy * s, a.z + dz * s);
}

template <typename C>
__global__ void integrate(const float4* __restrict__ pos, float4* __restrict__ out, float4* __restrict__ vel, int n, float dt, float eps2) {
  extern __shared__ float4 tile[];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int me = blockIdx.x * C::kBodies + tx;
  const float4 p = pos[min(me, n - 1)];
  float3 acc = make_float3(0, 0, 0);
  const int span = C::kBodies * C::kSplit;
  for (int base = 0; base < n; base += span) {
    const int j = base + ty * C::kBodies + tx;
    tile[ty * C::kBodies + tx] = j < n ? pos[j] : make_float4(0, 0, 0, 0);
    __syncthreads();
    const float4* mine = tile + ty * C::kBodies;
#pragma unroll 8
    for (int k = 0; k < C::kBodies; ++k) acc = pull(acc, p, mine[k], eps2);
    __syncthreads();
  }
  if constexpr (C::kSplit > 1) {
    float3* part = reinterpret_cast<float3*>(tile);
    part[ty * C::kBodies + tx] = acc;
    __syncthreads();
    if (ty != 0) return;
    for (int s = 1; s < C::kSplit; ++s) {
      const float3 o = part[s * C::kBodies + tx];
      acc = make_float3(acc.x + o.x, acc.y + o.y, acc.z + o.z);
    }
  }
  if (me < n) {
    float4 v = vel[me];
    v.x += acc.x * dt;
    v.y += acc.y * dt;
    v.z += acc.z * dt;
    vel[me] = v;
    out[me] = make_float4(p.x + v.x * dt, p.y + v.y * dt, p.z + v.z * dt, p.w);
  }
}

class System {
 public:
  explicit System(int n, std::optional<float> softening = std::nullopt) : n_(n), eps2_(softening.value_or(1e-2f)) {
    if (n < 1 || n > (1 << 24)) throw std::invalid_argument("n");
    for (float4** p : {&pos_, &next_, &vel_}) {
      if (cudaMalloc(p, sizeof(float4) * n) != cudaSuccess) throw std::bad_alloc();
      cudaMemset(*p, 0, sizeof(float4) * n);
    }
  }
  ~System() {
    cudaFree(pos_);
    cudaFree(next_);
    cudaFree(vel_);
  }
  System(const System&) = delete;
  void step(float dt) {
    if (n_ < 2000) launch<Config<32, 8>>(dt);
    else if (n_ < 20000) launch<Config<64, 4>>(dt);
    else launch<Config<256, 1>>(dt);
    std::swap(pos_, next_);
  }
  const float4* positions() const { return pos_; }

 private:
  template <typename C>
  void launch(float dt) {
    const dim3 block(C::kBodies, C::kSplit);
    integrate<C><<<(n_ + C::kBodies - 1) / C::kBodies, block, sizeof(float4) * block.x * block.y>>>(pos_, next_, vel_, n_, dt, eps2_);
  }
  int n_;
  float eps2_;
  float4 *pos_ = nullptr, *next_ = nullptr, *vel_ = nullptr;
};

}  // namespace nbody

int main() {
  nbody::System a(100), b(5000, 0.1f), c(30000);
  for (int i = 0; i < 3; ++i) {
    a.step(0.01f);
    b.step(0.01f);
    c.step(0.01f);
  }
  return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}
