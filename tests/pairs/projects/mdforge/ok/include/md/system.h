#pragma once
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <utility>

#define MD_CHECK(x)                                                                          \
  do {                                                                                       \
    cudaError_t r = (x);                                                                     \
    if (r != cudaSuccess) {                                                                  \
      std::fprintf(stderr, "CUDA error %s at %s:%d\n", cudaGetErrorString(r), __FILE__, __LINE__); \
      std::exit(1);                                                                          \
    }                                                                                        \
  } while (0)

namespace md {

template <typename T>
class DeviceBuffer {
 public:
  explicit DeviceBuffer(size_t n = 0) : n_(n) {
    if (n) MD_CHECK(cudaMalloc(&p_, n * sizeof(T)));
  }
  ~DeviceBuffer() { cudaFree(p_); }
  DeviceBuffer(const DeviceBuffer&) = delete;
  DeviceBuffer& operator=(const DeviceBuffer&) = delete;
  T* get() const { return p_; }
  size_t size() const { return n_; }
  void zero(cudaStream_t s) { MD_CHECK(cudaMemsetAsync(p_, 0, n_ * sizeof(T), s)); }

 private:
  T* p_ = nullptr;
  size_t n_ = 0;
};

struct SimConfig {
  int n = 0;
  int block = 128;
  float dt = 0.002f;
  float cutoff = 1.0f;
  float box = 8.0f;
};

class System {
 public:
  explicit System(const SimConfig& c)
      : cfg(c), posq(c.n), vel(c.n), force(c.n), hash(c.n), energy(4) {}
  int grid(int block) const { return (cfg.n + block - 1) / block; }

  void compute_nonbonded(cudaStream_t s);
  void compute_neighbour_forces(const int* neigh, const int* numneigh, int max_neigh, cudaStream_t s);
  void compute_bonds(const int2* bonds, const float2* par, int nb, cudaStream_t s);
  void compute_angles(const int4* angles, const float2* par, int na, cudaStream_t s);
  void apply_lincs(const int* ncoupled, const int* coupled, const float* coef, const float* rhs,
                   float* lambda, int nc, int max_coupled, int order, cudaStream_t s);
  void integrate(cudaStream_t s);
  void find_cells(int* start, int* end, int* occupied, cudaStream_t s);

  SimConfig cfg;
  DeviceBuffer<float4> posq, vel;
  DeviceBuffer<float4> force;
  DeviceBuffer<unsigned> hash;
  DeviceBuffer<float> energy;
};

}  // namespace md
