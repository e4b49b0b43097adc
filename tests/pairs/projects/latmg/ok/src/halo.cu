#include "mg/device.cuh"

namespace mg {
namespace {

// Copies the boundary plane z into the ghost plane of the neighbour GPU and
// raises its flag when all blocks are done.
template <int NT>
__global__ void halo_push_kernel(Level l, int z, HaloPeer peer, unsigned epoch) {
  const int64_t src = static_cast<int64_t>(z + 1) * l.plane();
  const int n = l.plane();
  real* ghost = peer.remote_ghost[epoch & 1];
  for (int i = blockIdx.x * NT + threadIdx.x; i < n; i += gridDim.x * NT) ghost[i] = l.u[src + i];
  __threadfence_system();
  __syncthreads();
  if (threadIdx.x == 0) {
    if (atomicAdd(peer.arrivals, 1u) == gridDim.x - 1) {
      *peer.arrivals = 0;
      __threadfence_system();
      atomicExch_system(peer.remote_flag, epoch);
    }
  }
}

template <int NT>
__global__ void halo_wait_kernel(Level l, int ghost_z, HaloPeer peer, unsigned epoch) {
  if (threadIdx.x == 0) {
    while (atomicAdd_system(peer.local_flag, 0u) < epoch) {
    }
    __threadfence_system();
  }
  __syncthreads();
  const int64_t dst = static_cast<int64_t>(ghost_z + 1) * l.plane();
  const real* ghost = peer.local_ghost[epoch & 1];
  for (int i = blockIdx.x * NT + threadIdx.x; i < l.plane(); i += gridDim.x * NT) l.u[dst + i] = __ldcv(ghost + i);
}

}  // namespace

void halo_exchange(const Level& l, const HaloPeer& lower, const HaloPeer& upper, unsigned epoch, cudaStream_t st) {
  constexpr int kThreads = 256;
  const int blocks = (l.plane() + 4 * kThreads - 1) / (4 * kThreads);
  halo_push_kernel<kThreads><<<blocks, kThreads, 0, st>>>(l, 0, lower, epoch);
  halo_push_kernel<kThreads><<<blocks, kThreads, 0, st>>>(l, l.nz - 1, upper, epoch);
  halo_wait_kernel<kThreads><<<blocks, kThreads, 0, st>>>(l, -1, lower, epoch);
  halo_wait_kernel<kThreads><<<blocks, kThreads, 0, st>>>(l, l.nz, upper, epoch);
  MG_CUDA(cudaGetLastError());
}

}  // namespace mg
