__global__ void k(int *o) { __shfl_down_sync(~0u, __syncthreads(), 1); o[0] = 1; }
__global__ void k2(int *o) { o[threadIdx.x] = __shfl_down_sync(~0u, (void)o, 1);  }
__global__ void k3(unsigned *o) { __reduce_add_sync(~0u, __syncthreads()); __match_any_sync(~0u, __syncthreads()); __ballot_sync(~0u, __syncthreads()); o[0] = 1; }
__global__ void k4(unsigned *o) { __shfl_sync(~0u); __shfl_sync(); atomicAdd(o, __syncthreads()); atomicAdd(__syncthreads(), 1); o[0] = min(__syncthreads(), 3); __ldg(__syncthreads()); }
