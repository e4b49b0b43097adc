// Releases the KV cache blocks of finished sequences (paged attention, prefix sharing).
#include <cuda_runtime.h>
#include <cstdint>

namespace paged {

struct BlockPool {
  int32_t* ref_count;    // per physical block, >1 when a prefix is shared
  int32_t* free_list;    // stack of free block ids
  int32_t* free_top;
  int32_t num_blocks;
};

struct SequenceTable {
  const int32_t* block_table;   // [max_seqs, max_blocks_per_seq]
  const int32_t* context_len;
  int32_t max_blocks_per_seq;
  int32_t block_size;
};

__device__ __forceinline__ int32_t blocks_of(const SequenceTable& t, int seq) {
  return (t.context_len[seq] + t.block_size - 1) / t.block_size;
}

__global__ void release_kernel(SequenceTable t, BlockPool pool, const int32_t* finished, int n_finished) {
  const int s = blockIdx.x;
  if (s >= n_finished) return;
  const int seq = finished[s];
  const int32_t* row = t.block_table + (int64_t)seq * t.max_blocks_per_seq;
  const int nb = blocks_of(t, seq);
  for (int i = threadIdx.x; i < nb; i += blockDim.x) {
    const int32_t b = row[i];
    if (b < 0 || b >= pool.num_blocks) continue;
    const int32_t left = atomicSub(&pool.ref_count[b], 1) - 1;
    if (left == 0) {
      const int32_t pos = atomicAdd(pool.free_top, 1);
      pool.free_list[pos] = b;
    }
  }
}

__global__ void share_prefix_kernel(SequenceTable t, BlockPool pool, int32_t* table_rw, int src, int dst,
                                    int n_blocks) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n_blocks) return;
  const int32_t b = t.block_table[(int64_t)src * t.max_blocks_per_seq + i];
  table_rw[(int64_t)dst * t.max_blocks_per_seq + i] = b;
  atomicAdd(&pool.ref_count[b], 1);
}

void fork_sequence(const SequenceTable& t, const BlockPool& pool, int32_t* table_rw, int src, int dst,
                   int n_blocks, cudaStream_t s) {
  if (n_blocks > 0)
    share_prefix_kernel<<<(n_blocks + 63) / 64, 64, 0, s>>>(t, pool, table_rw, src, dst, n_blocks);
}

void release_sequences(const SequenceTable& t, const BlockPool& pool, const int32_t* d_finished, int n,
                       cudaStream_t s) {
  if (n == 0) return;
  release_kernel<<<n, 128, 0, s>>>(t, pool, d_finished, n);
}

}  // namespace paged
