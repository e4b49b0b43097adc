#include <cub/block/block_scan.cuh>
#include <cuda_runtime.h>
#include <cstdint>

namespace pq {

constexpr int decode_block_size = 128;

struct PageDesc {
  const uint8_t* def_levels;
  int num_values;
  int row_base;
  int max_def_level;
  int32_t* nz_idx;        // [num_values]
  uint32_t* valid_words;  // [ceil(num_values / 32)]
  int* valid_count;
};

using block_scan = cub::BlockScan<int, decode_block_size, cub::BLOCK_SCAN_WARP_SCANS>;

__device__ int update_validity_flat(PageDesc const& page, block_scan::TempStorage& scan_storage)
{
  int const t     = threadIdx.x;
  int value_count = 0;
  int valid_count = 0;

  while (value_count < page.num_values) {
    int const idx      = value_count + t;
    bool const in_page = idx < page.num_values;
    int const is_valid = in_page && page.def_levels[idx] >= page.max_def_level;

    uint32_t const warp_validity = __ballot_sync(0xffffffffu, is_valid);
    if ((t % 32) == 0 && in_page) { page.valid_words[idx / 32] = warp_validity; }

    int thread_valid_count, block_valid_count;
    block_scan(scan_storage).ExclusiveSum(is_valid, thread_valid_count, block_valid_count);
    __syncthreads();
    if (is_valid) { page.nz_idx[valid_count + thread_valid_count] = page.row_base + idx; }

    valid_count += block_valid_count;
    value_count += decode_block_size;
  }
  return valid_count;
}

__global__ void __launch_bounds__(decode_block_size)
decode_page_validity(PageDesc const* pages)
{
  __shared__ block_scan::TempStorage scan_storage;
  PageDesc const page = pages[blockIdx.x];
  int const valid     = update_validity_flat(page, scan_storage);
  if (threadIdx.x == 0) { *page.valid_count = valid; }
}

struct PageBatch {
  PageDesc const* d_pages;
  int num_pages;
};

void decode_validity(PageBatch const& batch, cudaStream_t stream)
{
  constexpr int max_pages_per_launch = 1 << 16;
  for (int first = 0; first < batch.num_pages; first += max_pages_per_launch) {
    int const left  = batch.num_pages - first;
    int const pages = left < max_pages_per_launch ? left : max_pages_per_launch;
    decode_page_validity<<<pages, decode_block_size, 0, stream>>>(batch.d_pages + first);
  }
}

}  // namespace pq
