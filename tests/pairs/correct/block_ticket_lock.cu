// Blocks merge local top lists into a global one under a fair ticket lock.
#include <cuda_runtime.h>
#include <cuda/atomic>
#include <cfloat>
#include <algorithm>

constexpr int K = 32;
constexpr int kThreads = 128;

class TicketLock {
 public:
  unsigned next, serving;

  __device__ void lock() {
    cuda::atomic_ref<unsigned, cuda::thread_scope_device> n(next), s(serving);
    const unsigned me = n.fetch_add(1, cuda::memory_order_relaxed);
    while (s.load(cuda::memory_order_acquire) != me) __nanosleep(64);
  }
  __device__ void unlock() {
    cuda::atomic_ref<unsigned, cuda::thread_scope_device> s(serving);
    s.fetch_add(1, cuda::memory_order_release);
  }
};

class BlockGuard {
 public:
  __device__ explicit BlockGuard(TicketLock* l) : l_(l) {
    if (threadIdx.x == 0) l_->lock();
    __syncthreads();
  }
  __device__ ~BlockGuard() {
    __syncthreads();
    if (threadIdx.x == 0) l_->unlock();
  }
 private:
  TicketLock* l_;
};

struct Best {
  float v[K];   // descending
  int tag[K];
};

__device__ void rank_merge(Best& out, const float* va, const int* ta, const float* vb, const int* tb) {
  for (int i = threadIdx.x; i < 2 * K; i += kThreads) {
    const bool first = i < K;
    const float v = first ? va[i] : vb[i - K];
    const int tag = first ? ta[i] : tb[i - K];
    int rank = first ? i : i - K;
    for (int j = 0; j < K; ++j) rank += first ? (vb[j] > v) : (va[j] >= v);
    if (rank < K) {
      out.v[rank] = v;
      out.tag[rank] = tag;
    }
  }
}

__global__ void __launch_bounds__(kThreads) top_k(const float* __restrict__ x, int n, Best* global, TicketLock* lock) {
  __shared__ Best local, old;
  __shared__ float chunk[kThreads];
  if (threadIdx.x < K) {
    local.v[threadIdx.x] = -FLT_MAX;
    local.tag[threadIdx.x] = -1;
  }
  for (int base = blockIdx.x * kThreads; base < n; base += gridDim.x * kThreads) {
    const int i = base + threadIdx.x;
    const float v = i < n ? fmaxf(x[i], -FLT_MAX) : -FLT_MAX;
    chunk[threadIdx.x] = v;
    __syncthreads();
    int rank = 0;
    for (int j = 0; j < kThreads; ++j) rank += chunk[j] > v || (chunk[j] == v && j < threadIdx.x);
    __shared__ Best fresh;
    if (rank < K) {
      fresh.v[rank] = v;
      fresh.tag[rank] = i < n ? i : -1;
    }
    if (threadIdx.x < K) {
      old.v[threadIdx.x] = local.v[threadIdx.x];
      old.tag[threadIdx.x] = local.tag[threadIdx.x];
    }
    __syncthreads();
    rank_merge(local, old.v, old.tag, fresh.v, fresh.tag);
    __syncthreads();
  }
  {
    BlockGuard guard(lock);
    if (threadIdx.x < K) {
      old.v[threadIdx.x] = global->v[threadIdx.x];
      old.tag[threadIdx.x] = global->tag[threadIdx.x];
    }
    __syncthreads();
    rank_merge(*global, old.v, old.tag, local.v, local.tag);
  }
}

__global__ void top_k_init(Best* g, TicketLock* l) {
  if (threadIdx.x == 0) l->next = l->serving = 0;
  g->v[threadIdx.x] = -FLT_MAX;
  g->tag[threadIdx.x] = -1;
}

bool find_top(const float* x, int n, Best* host) {
  if (n <= 0 || n > (1 << 30)) return false;
  struct Mem { Best best; TicketLock lock; }* m = nullptr;
  if (cudaMalloc(&m, sizeof(Mem)) != cudaSuccess) return false;
  top_k_init<<<1, K>>>(&m->best, &m->lock);
  top_k<<<std::min((n + kThreads - 1) / kThreads, 128), kThreads>>>(x, n, &m->best, &m->lock);
  const bool ok = cudaMemcpy(host, &m->best, sizeof(Best), cudaMemcpyDeviceToHost) == cudaSuccess;
  cudaFree(m);
  return ok;
}
