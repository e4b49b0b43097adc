#include <cuda_runtime.h>
#include <cstdint>

namespace strings {

template <int BLOCK>
class BlockExclusiveScan {
 public:
  static constexpr int kWarps = BLOCK / 32;
  struct TempStorage {
    int warp_total[kWarps];
  };
  __device__ explicit BlockExclusiveScan(TempStorage& t) : t_(t) {}

  __device__ int operator()(int v, int& total) {
    const int lane = threadIdx.x % 32;
    const int warp = threadIdx.x / 32;
    int inc = v;
#pragma unroll
    for (int d = 1; d < 32; d *= 2) {
      const int up = __shfl_up_sync(0xffffffffu, inc, d);
      if (lane >= d) inc += up;
    }
    if (lane == 31) t_.warp_total[warp] = inc;
    __syncthreads();
    int before = 0;
    total = 0;
#pragma unroll
    for (int w = 0; w < kWarps; ++w) {
      const int x = t_.warp_total[w];
      if (w < warp) before += x;
      total += x;
    }
    return before + inc - v;
  }

 private:
  TempStorage& t_;
};

struct SplitView {
  const char* chars;
  const int* offsets;   // rows + 1
  char delimiter;
  int rows;
};

struct SplitOut {
  int* token_begin;     // per-block segments
  int* byte_begin;
  int2* block_totals;
};

struct RowCount {
  int tokens;
  int bytes;
};

__device__ inline RowCount count_row(const SplitView& v, int row) {
  RowCount rc{0, 0};
  const int b = v.offsets[row], e = v.offsets[row + 1];
  bool in_token = false;
  for (int k = b; k < e; ++k) {
    const bool is_delim = v.chars[k] == v.delimiter;
    if (!is_delim) {
      rc.bytes++;
      if (!in_token) rc.tokens++;
    }
    in_token = !is_delim;
  }
  return rc;
}

template <int BLOCK>
__global__ void __launch_bounds__(BLOCK) split_offsets_kernel(SplitView v, SplitOut o) {
  using Scan = BlockExclusiveScan<BLOCK>;
  __shared__ struct {
    typename Scan::TempStorage scan;
  } ts;

  const int row = blockIdx.x * BLOCK + threadIdx.x;
  RowCount rc{0, 0};
  if (row < v.rows) rc = count_row(v, row);

  int tokens = 0, bytes = 0;
  const int t0 = Scan(ts.scan)(rc.tokens, tokens);
  __syncthreads();
  const int b0 = Scan(ts.scan)(rc.bytes, bytes);

  if (row < v.rows) {
    o.token_begin[row] = t0;
    o.byte_begin[row] = b0;
  }
  if (threadIdx.x == 0) o.block_totals[blockIdx.x] = make_int2(tokens, bytes);
}

template <int BLOCK>
void split_offsets(const SplitView& v, const SplitOut& o, cudaStream_t s) {
  const int grid = (v.rows + BLOCK - 1) / BLOCK;
  if (grid == 0) return;
  split_offsets_kernel<BLOCK><<<grid, BLOCK, 0, s>>>(v, o);
}

void split_offsets_dispatch(const SplitView& v, const SplitOut& o, cudaStream_t s) {
  if (v.rows < 1024)
    split_offsets<64>(v, o, s);
  else
    split_offsets<256>(v, o, s);
}

}  // namespace strings
