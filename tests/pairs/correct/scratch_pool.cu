// Blocks borrow large scratch buffers from a pool guarded by per-slot flags.
#include <cuda_runtime.h>
#include <cuda/atomic>
#include <cstdint>
#include <stdexcept>

struct PoolView {
  int* busy;          // one flag per slot
  uint32_t* scratch;  // slots x words
  int slots, words;
};

class ScratchLease {
 public:
  __device__ ScratchLease(const PoolView& p, int& shared_slot) : p_(p), slot_(shared_slot) {
    if (threadIdx.x == 0) {
      int s = blockIdx.x % p.slots;
      for (;; s = s + 1 == p.slots ? 0 : s + 1) {
        int expected = 0;
        if (flag(s).compare_exchange_strong(expected, 1, cuda::memory_order_acquire, cuda::memory_order_relaxed)) break;
        __nanosleep(100);
      }
      slot_ = s;
    }
    __syncthreads();
    mem_ = p.scratch + size_t(slot_) * p.words;
  }
  __device__ void release() {
    __syncthreads();
    if (threadIdx.x == 0) flag(slot_).store(0, cuda::memory_order_release);
  }
  __device__ uint32_t* data() const { return mem_; }

 private:
  __device__ cuda::atomic_ref<int, cuda::thread_scope_device> flag(int s) { return cuda::atomic_ref<int, cuda::thread_scope_device>(p_.busy[s]); }
  const PoolView& p_;
  int& slot_;
  uint32_t* mem_;
};

// number of distinct values of each row, values < 32 * words
__global__ void distinct_per_row(const uint32_t* __restrict__ rows, int nrows, int len, int* __restrict__ result, PoolView pool) {
  __shared__ int slot;
  __shared__ int sum;
  ScratchLease lease(pool, slot);
  uint32_t* bits = lease.data();
  for (int r = blockIdx.x; r < nrows; r += gridDim.x) {
    for (int w = threadIdx.x; w < pool.words; w += blockDim.x) bits[w] = 0;
    if (threadIdx.x == 0) sum = 0;
    __syncthreads();
    const uint32_t* row = rows + size_t(r) * len;
    for (int i = threadIdx.x; i < len; i += blockDim.x) {
      const uint32_t v = row[i] % (32u * pool.words);
      atomicOr(&bits[v >> 5], 1u << (v & 31));
    }
    __syncthreads();
    int c = 0;
    for (int w = threadIdx.x; w < pool.words; w += blockDim.x) c += __popc(bits[w]);
    if (c) atomicAdd(&sum, c);
    __syncthreads();
    if (threadIdx.x == 0) result[r] = sum;
  }
  lease.release();
}

class Pool {
 public:
  Pool(int slots, int words) {
    if (slots < 1 || words < 1 || words > (1 << 24)) throw std::invalid_argument("pool");
    v_.slots = slots;
    v_.words = words;
    if (cudaMalloc(&v_.busy, sizeof(int) * slots) != cudaSuccess || cudaMalloc(&v_.scratch, sizeof(uint32_t) * size_t(slots) * words) != cudaSuccess)
      throw std::runtime_error("out of memory");
    cudaMemset(v_.busy, 0, sizeof(int) * slots);
    cudaDeviceSynchronize();
  }
  ~Pool() {
    cudaFree(v_.busy);
    cudaFree(v_.scratch);
  }
  Pool(const Pool&) = delete;
  const PoolView& view() const { return v_; }
 private:
  PoolView v_{};
};

cudaError_t distinct(const Pool& pool, const uint32_t* rows, int nrows, int len, int* out, cudaStream_t s) {
  if (nrows <= 0 || len <= 0) return cudaErrorInvalidValue;
  const int grid = nrows < 1024 ? nrows : 1024;
  distinct_per_row<<<grid, 160, 0, s>>>(rows, nrows, len, out, pool.view());
  return cudaGetLastError();
}
