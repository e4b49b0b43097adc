// Contact impulses against static geometry: per-body locks protect the velocity accumulators.
#include <cuda_runtime.h>
#include <algorithm>
#include <cstdio>

namespace solver {

struct Contact {
  int body;
  float3 normal;
  float3 arm;
  float depth;
};

struct BodyAccum {
  float3 lin;
  float3 ang;
  float worst;   // deepest contact seen
  int worst_id;
};

struct World {
  BodyAccum* acc;
  int* lock;
  const float* inv_mass;
  int nbody;
};

__device__ __forceinline__ float3 cross3(float3 a, float3 b) {
  return make_float3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

class BodyLock {
 public:
  __device__ explicit BodyLock(int* l) : l_(l) {}
  __device__ bool try_lock() {
    if (atomicCAS(l_, 0, 1) != 0) return false;
    __threadfence();
    return true;
  }
  __device__ void unlock() {
    __threadfence();
    atomicExch(l_, 0);
  }

 private:
  int* l_;
};

__device__ void add_impulse(volatile BodyAccum* a, const Contact& c, float im, float stiffness, int id) {
  const float p = im * stiffness * c.depth;
  const float3 t = cross3(c.arm, c.normal);
  a->lin.x = a->lin.x + p * c.normal.x;
  a->lin.y = a->lin.y + p * c.normal.y;
  a->lin.z = a->lin.z + p * c.normal.z;
  a->ang.x = a->ang.x + p * t.x;
  a->ang.y = a->ang.y + p * t.y;
  a->ang.z = a->ang.z + p * t.z;
  if (c.depth > a->worst) {
    a->worst = c.depth;
    a->worst_id = id;
  }
}

__global__ void apply_contacts(const Contact* __restrict__ contacts, int n, World w, float stiffness) {
  const int stride = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
    const Contact c = contacts[i];
    const float im = w.inv_mass[c.body];
    bool todo = im > 0.f && c.depth > 0.f;
    BodyLock lk(&w.lock[c.body]);
    while (todo) {
      if (lk.try_lock()) {
        add_impulse(&w.acc[c.body], c, im, stiffness, i);
        lk.unlock();
        todo = false;
      }
    }
  }
}

__global__ void integrate(World w, float3* vel, float3* omega, float damping) {
  const int b = blockIdx.x * blockDim.x + threadIdx.x;
  if (b >= w.nbody) return;
  const BodyAccum a = w.acc[b];
  vel[b] = make_float3((vel[b].x + a.lin.x) * damping, (vel[b].y + a.lin.y) * damping, (vel[b].z + a.lin.z) * damping);
  omega[b] = make_float3(omega[b].x + a.ang.x, omega[b].y + a.ang.y, omega[b].z + a.ang.z);
}

struct StepConfig {
  int block = 128;
  int max_grid = 1024;
  float stiffness = 0.2f;
  float damping = 0.99f;
};

cudaError_t step(const Contact* c, int nc, const World& w, float3* vel, float3* omega, const StepConfig& cfg,
                 cudaStream_t s) {
  if (w.nbody <= 0) return cudaSuccess;
  const int block = std::max(32, std::min(1024, cfg.block)) / 32 * 32;
  cudaMemsetAsync(w.acc, 0, sizeof(BodyAccum) * w.nbody, s);
  cudaMemsetAsync(w.lock, 0, sizeof(int) * w.nbody, s);
  if (nc > 0) {
    const int grid = std::max(1, std::min(cfg.max_grid, (nc + block - 1) / block));
    apply_contacts<<<grid, block, 0, s>>>(c, nc, w, cfg.stiffness);
  }
  integrate<<<(w.nbody + block - 1) / block, block, 0, s>>>(w, vel, omega, cfg.damping);
  return cudaGetLastError();
}

}  // namespace solver

int main() {
  using namespace solver;
  const int nb = 1000, nc = 8000;
  World w{};
  w.nbody = nb;
  Contact* c;
  float* im;
  float3 *v, *o;
  cudaMalloc(&w.acc, sizeof(BodyAccum) * nb);
  cudaMalloc(&w.lock, sizeof(int) * nb);
  cudaMalloc(&im, sizeof(float) * nb);
  cudaMalloc(&v, sizeof(float3) * nb);
  cudaMalloc(&o, sizeof(float3) * nb);
  cudaMalloc(&c, sizeof(Contact) * nc);
  cudaMemset(im, 0x3f, sizeof(float) * nb);
  cudaMemset(v, 0, sizeof(float3) * nb);
  cudaMemset(o, 0, sizeof(float3) * nb);
  cudaMemset(c, 0, sizeof(Contact) * nc);
  w.inv_mass = im;
  if (step(c, nc, w, v, o, StepConfig{}, 0) != cudaSuccess) return 1;
  return cudaDeviceSynchronize() != cudaSuccess;
}
