// reshape_and_cache: stores new keys / values of a decode batch in the paged KV cache.
#include <cuda_runtime.h>
#include <cuda_fp16.h>
#include <cstdint>
#include <stdexcept>
#include <vector>

struct CacheShape {
  int num_heads;
  int head_size;
  int block_size;
  int num_blocks;
};

// slot_mapping: one distinct slot per token (see SlotAllocator), -1 for padding tokens
template <typename T>
__global__ void reshape_and_cache_kernel(const T* __restrict__ key, const T* __restrict__ value, T* __restrict__ key_cache,
                                         T* __restrict__ value_cache, const int64_t* __restrict__ slot_mapping,
                                         CacheShape s) {
  const int64_t token = blockIdx.x;
  const int64_t slot = slot_mapping[token];
  if (slot < 0) return;
  const int64_t block = slot / s.block_size;
  const int64_t off = slot % s.block_size;
  const int n = s.num_heads * s.head_size;
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    const int head = i / s.head_size;
    const int d = i % s.head_size;
    const int64_t dst = ((block * s.num_heads + head) * s.block_size + off) * s.head_size + d;
    key_cache[dst] = key[token * n + i];
    value_cache[dst] = value[token * n + i];
  }
}

class SlotAllocator {
 public:
  SlotAllocator(int num_blocks, int block_size) : block_size_(block_size) {
    for (int b = num_blocks - 1; b >= 0; --b) free_.push_back(b);
  }
  // Next slot of a sequence; blocks belong to exactly one sequence.
  int64_t append(std::vector<int>& table, int& len) {
    if (len % block_size_ == 0) {
      if (free_.empty()) throw std::runtime_error("KV cache exhausted");
      table.push_back(free_.back());
      free_.pop_back();
    }
    const int64_t slot = (int64_t)table[len / block_size_] * block_size_ + len % block_size_;
    ++len;
    return slot;
  }

 private:
  int block_size_;
  std::vector<int> free_;
};

struct Sequence {
  std::vector<int> table;
  int len = 0;
  int new_tokens = 1;
};

void store_step(SlotAllocator& alloc, std::vector<Sequence>& seqs, const __half* d_key, const __half* d_value,
                __half* d_kcache, __half* d_vcache, int64_t* d_slots, int max_tokens, const CacheShape& shape,
                cudaStream_t stream) {
  std::vector<int64_t> slots;
  for (Sequence& q : seqs)
    for (int t = 0; t < q.new_tokens; ++t) slots.push_back(alloc.append(q.table, q.len));
  if ((int)slots.size() > max_tokens) throw std::runtime_error("batch too large");
  slots.resize(max_tokens, -1);   // graph capture wants a fixed grid
  cudaMemcpyAsync(d_slots, slots.data(), slots.size() * sizeof(int64_t), cudaMemcpyHostToDevice, stream);
  const int threads = shape.num_heads * shape.head_size < 512 ? shape.num_heads * shape.head_size : 512;
  reshape_and_cache_kernel<__half><<<max_tokens, threads, 0, stream>>>(d_key, d_value, d_kcache, d_vcache, d_slots, shape);
  cudaStreamSynchronize(stream);
}
