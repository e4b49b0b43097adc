#include "md/system.h"

namespace md {

// hash is sorted. start/end are filled with -1 before.
__global__ void cell_bounds_kernel(const unsigned* __restrict__ hash, int n, int* __restrict__ start,
                                   int* __restrict__ end, int* __restrict__ occupied) {
  extern __shared__ unsigned s_hash[];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned h = 0;
  bool first = false;
  if (i < n) {
    h = hash[i];
    s_hash[threadIdx.x + 1] = h;
    if (threadIdx.x == 0 && i > 0) s_hash[0] = hash[i - 1];
    __syncthreads();
    first = i == 0 || h != s_hash[threadIdx.x];
    if (first) {
      start[h] = i;
      if (i > 0) end[s_hash[threadIdx.x]] = i;
    }
    if (i == n - 1) end[h] = n;
  }
  const int cells = __syncthreads_count(first);
  if (threadIdx.x == 0 && cells) atomicAdd(occupied, cells);
}

void System::find_cells(int* start, int* end, int* occupied, cudaStream_t s) {
  int block = 0, min_grid = 0;
  MD_CHECK(cudaOccupancyMaxPotentialBlockSizeVariableSMem(
      &min_grid, &block, cell_bounds_kernel, [](int b) { return (b + 1) * sizeof(unsigned); }));
  cell_bounds_kernel<<<grid(block), block, (block + 1) * sizeof(unsigned), s>>>(hash.get(), cfg.n, start, end, occupied);
  MD_CHECK(cudaGetLastError());
}

}  // namespace md
