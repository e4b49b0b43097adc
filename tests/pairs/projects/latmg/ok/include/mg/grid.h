#pragma once
#include <cuda_runtime.h>
#include <cstdint>
#include <stdexcept>
#include <string>

#define MG_CUDA(...)                                                                     \
  do {                                                                                   \
    cudaError_t mg_e_ = (__VA_ARGS__);                                                   \
    if (mg_e_ != cudaSuccess) throw std::runtime_error(std::string("mg: ") + cudaGetErrorString(mg_e_)); \
  } while (0)

namespace mg {

using real = float;

// One multigrid level with a ghost layer of one cell on each side.
struct Level {
  int nx, ny, nz;
  real h2;
  real* u;
  real* f;
  real* r;

  __host__ __device__ int pitch() const { return nx + 2; }
  __host__ __device__ int plane() const { return (nx + 2) * (ny + 2); }
  __host__ __device__ int64_t at(int x, int y, int z) const {
    return static_cast<int64_t>(z + 1) * plane() + (y + 1) * pitch() + (x + 1);
  }
  __host__ __device__ bool inside(int x, int y, int z) const { return x < nx && y < ny && z < nz; }
};

struct SmootherConfig {
  int sweeps = 2;
  int threads_x = 32;
  int threads_y = 8;
  real omega = 1.f;
};

struct HaloPeer {
  real* remote_ghost[2];   // ghost planes of the neighbour (peer mapped), by parity of the epoch
  const real* local_ghost[2];
  unsigned* remote_flag;
  unsigned* local_flag;
  unsigned* arrivals;   // local, zero between exchanges
};

inline dim3 grid3(const Level& l, dim3 b) {
  return dim3((l.nx + b.x - 1) / b.x, (l.ny + b.y - 1) / b.y, (l.nz + b.z - 1) / b.z);
}

}  // namespace mg
