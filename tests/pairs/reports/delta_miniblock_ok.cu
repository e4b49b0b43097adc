#include <cuda_runtime.h>
#include <cstdint>

namespace delta {

constexpr int kWarp = 32;
constexpr int kWarpsPerBlock = 4;

struct PageInfo {
  const uint8_t* bits;      // miniblock payloads, padded by 4 bytes
  const int32_t* min_delta; // one per miniblock
  const uint8_t* width;     // one per miniblock, 0..24
  int first_value;
  int num_values;           // including the first
  int64_t* total;           // sum of the decoded lengths
};

struct Decoder {
  uint32_t bit_pos;
  int mini_block;
  int cur_idx;
  int cur_min;
  int cur_width;
};

__device__ uint32_t read_bits(const uint8_t* p, uint32_t pos, int width)
{
  if (width == 0) { return 0; }
  const uint8_t* q = p + (pos >> 3);
  const uint32_t v = q[0] | (q[1] << 8) | (q[2] << 16) | ((uint32_t)q[3] << 24);
  return (v >> (pos & 7)) & ((1u << width) - 1u);
}

__device__ void setup_mini_block(Decoder& db, const PageInfo& page, int mb)
{
  db.mini_block = mb;
  db.cur_min    = page.min_delta[mb];
  db.cur_width  = page.width[mb];
}

__device__ void setup_next_mini_block(Decoder& db, const PageInfo& page)
{
  db.bit_pos += kWarp * db.cur_width;
  db.cur_idx += kWarp;
  if (db.cur_idx < page.num_values) { setup_mini_block(db, page, db.mini_block + 1); }
}

template <typename T>
__device__ T warp_scan(T v, int lane)
{
  for (int d = 1; d < kWarp; d <<= 1) {
    T o = __shfl_up_sync(0xffffffffu, v, d);
    if (lane >= d) { v += o; }
  }
  return v;
}

__global__ void total_delta_size(const PageInfo* pages, int num_pages)
{
  __shared__ Decoder decoders[kWarpsPerBlock];
  const int lane = threadIdx.x % kWarp;
  const int wid  = threadIdx.x / kWarp;
  const int pg   = blockIdx.x * kWarpsPerBlock + wid;
  if (pg >= num_pages) { return; }

  const PageInfo page = pages[pg];
  Decoder& db         = decoders[wid];
  if (lane == 0) {
    db.bit_pos = 0;
    db.cur_idx = 1;
    setup_mini_block(db, page, 0);
  }
  __syncwarp();

  int64_t last  = page.first_value;
  int64_t total = lane == 0 ? page.first_value : 0;
  for (int done = 1; done < page.num_values; done += kWarp) {
    const int idx     = db.cur_idx + lane;
    const int width   = db.cur_width;
    const uint32_t at = db.bit_pos + lane * width;
    int64_t d         = db.cur_min;
    if (idx < page.num_values) {
      d += read_bits(page.bits, at, width);
    } else {
      d = 0;
    }
    __syncwarp();
    if (lane == 0) { setup_next_mini_block(db, page); }
    const int64_t val = last + warp_scan(d, lane);
    if (idx < page.num_values) { total += val; }
    last = __shfl_sync(0xffffffffu, val, kWarp - 1);
    __syncwarp();
  }

  for (int o = kWarp / 2; o > 0; o >>= 1) { total += __shfl_down_sync(0xffffffffu, total, o); }
  if (lane == 0) { *page.total = total; }
}

void compute_page_sizes(const PageInfo* pages, int num_pages, cudaStream_t stream)
{
  if (num_pages == 0) { return; }
  const int grid = (num_pages + kWarpsPerBlock - 1) / kWarpsPerBlock;
  total_delta_size<<<grid, kWarp * kWarpsPerBlock, 0, stream>>>(pages, num_pages);
}

}  // namespace delta
