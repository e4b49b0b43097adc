#include <cuda_runtime.h>
#include <algorithm>
#include <climits>

namespace traverse {

struct CsrView {
  const int* offsets;
  const int* indices;
  int vertices;
};

struct FrontierArgs {
  CsrView g;
  const int* in;          // current frontier
  const int* in_size;
  int* out;               // next frontier, room for every vertex
  int* out_size;          // zeroed before the launch
  int* depth;             // -1: not visited
  int* parent;
  int level;
};

struct Visit {
  int* depth;
  int* parent;
  int level;
  __device__ bool operator()(int src, int dst) const {
    if (depth[dst] != -1) return false;
    depth[dst] = level;
    parent[dst] = src;
    return true;
  }
};

template <int BLOCK>
struct OutQueue {
  struct TempStorage {
    int warp_total[BLOCK / 32];
    int base;
  };
  TempStorage& ts;
  __device__ explicit OutQueue(TempStorage& t) : ts(t) {}

  // All threads of the block call it; each adds at most one vertex.
  __device__ void push(bool take, int v, int* out, int* out_size) {
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    const unsigned b = __ballot_sync(0xffffffffu, take);
    if (lane == 0) ts.warp_total[warp] = __popc(b);
    __syncthreads();
    int before = 0, total = 0;
#pragma unroll
    for (int w = 0; w < BLOCK / 32; ++w) {
      before += w < warp ? ts.warp_total[w] : 0;
      total += ts.warp_total[w];
    }
    if (threadIdx.x == 0) ts.base = total ? atomicAdd(out_size, total) : 0;
    __syncthreads();
    if (take) out[ts.base + before + __popc(b & ((1u << lane) - 1u))] = v;
  }
};

template <int BLOCK, class Functor>
__global__ void __launch_bounds__(BLOCK) expand_kernel(FrontierArgs a, Functor f) {
  using Queue = OutQueue<BLOCK>;
  __shared__ typename Queue::TempStorage ts;
  Queue queue(ts);
  const int n = *a.in_size;
  for (int first = blockIdx.x * BLOCK; first < n; first += gridDim.x * BLOCK) {
    const int i = first + threadIdx.x;
    int v = -1, e = 0, end = 0;
    if (i < n) {
      v = a.in[i];
      e = a.g.offsets[v];
      end = a.g.offsets[v + 1];
    }
    while (__syncthreads_or(e < end)) {
      bool take = false;
      int nbr = -1;
      if (e < end) {
        nbr = a.g.indices[e++];
        take = f(v, nbr);
      }
      queue.push(take, nbr, a.out, a.out_size);
    }
  }
}

template <int BLOCK>
cudaError_t expand(const FrontierArgs& a, int upper_bound, int sms, cudaStream_t s) {
  const int grid = std::max(1, std::min((upper_bound + BLOCK - 1) / BLOCK, sms * 4));
  const Visit visit{a.depth, a.parent, a.level};
  expand_kernel<BLOCK><<<grid, BLOCK, 0, s>>>(a, visit);
  return cudaGetLastError();
}

cudaError_t bfs_level(const FrontierArgs& a, int upper_bound, int sms, cudaStream_t s) {
  if (a.level < 0 || a.level == INT_MAX) return cudaErrorInvalidValue;
  cudaError_t e = cudaMemsetAsync(a.out_size, 0, sizeof(int), s);
  if (e != cudaSuccess) return e;
  return upper_bound < 8192 ? expand<64>(a, upper_bound, sms, s) : expand<256>(a, upper_bound, sms, s);
}

}  // namespace traverse
