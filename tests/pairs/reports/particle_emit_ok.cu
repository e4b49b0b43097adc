#include <cuda_runtime.h>
#include <cstdint>

namespace fx {

struct Particle {
  float3 pos;
  float3 vel;
  float life;
  uint32_t seed;
};

struct SimParams {
  float dt;
  float3 gravity;
  float floor_y;
  float bounce;
  uint32_t capacity;
};

__device__ __forceinline__ uint32_t xorshift(uint32_t s) {
  s ^= s << 13;
  s ^= s >> 17;
  s ^= s << 5;
  return s;
}

__device__ bool step(Particle& p, const SimParams& sp) {
  p.vel.x += sp.gravity.x * sp.dt;
  p.vel.y += sp.gravity.y * sp.dt;
  p.vel.z += sp.gravity.z * sp.dt;
  p.pos.x += p.vel.x * sp.dt;
  p.pos.y += p.vel.y * sp.dt;
  p.pos.z += p.vel.z * sp.dt;
  if (p.pos.y < sp.floor_y) {
    p.pos.y = sp.floor_y;
    p.vel.y = -p.vel.y * sp.bounce;
  }
  p.life -= sp.dt;
  p.seed = xorshift(p.seed);
  return p.life > 0.f;
}

__device__ uint32_t append_slot(bool alive, uint32_t* counter) {
  const uint32_t lane = threadIdx.x & 31u;
  const uint32_t mask = __ballot_sync(0xffffffffu, alive);
  uint32_t slot = 0xffffffffu;
  if (alive) {
    const int leader = __ffs(mask) - 1;
    uint32_t base = 0;
    if ((int)lane == leader) base = atomicAdd(counter, (uint32_t)__popc(mask));
    base = __shfl_sync(mask, base, leader);
    slot = base + __popc(mask & ((1u << lane) - 1u));
  }
  return slot;
}

__global__ void simulate(const Particle* in, const uint32_t* in_count, Particle* out,
                         uint32_t* out_count, SimParams sp) {
  const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  const uint32_t n = min(*in_count, sp.capacity);
  Particle p = {};
  bool alive = false;
  if (i < n) {
    p = in[i];
    alive = step(p, sp);
  }
  const uint32_t slot = append_slot(alive, out_count);
  if (slot < sp.capacity) out[slot] = p;
}

class ParticleSystem {
 public:
  void advance(const SimParams& sp, cudaStream_t s) {
    const unsigned block = 128;
    const unsigned grid = (sp.capacity + block - 1) / block;
    cudaMemsetAsync(count_[1 - cur_], 0, sizeof(uint32_t), s);
    simulate<<<grid, block, 0, s>>>(buf_[cur_], count_[cur_], buf_[1 - cur_], count_[1 - cur_], sp);
    cur_ = 1 - cur_;
  }
  Particle* buf_[2];
  uint32_t* count_[2];
  int cur_ = 0;
};

void run_frames(ParticleSystem& ps, const SimParams& sp, int frames, cudaStream_t s) {
  for (int f = 0; f < frames; ++f) ps.advance(sp, s);
}

}  // namespace fx
