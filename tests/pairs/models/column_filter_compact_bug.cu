// SELECT row_id WHERE lo <= col AND col < hi, column store scan with compaction.
#include <cuda_runtime.h>
#include <cstdint>
#include <cstdio>
#include <vector>

namespace colscan {

constexpr int kBlock = 256;
constexpr int kWarps = kBlock / 32;

template <typename T>
struct RangePredicate {
  T lo, hi;
  __device__ bool operator()(T v) const { return v >= lo && v < hi; }
};

template <typename T>
struct InDictionary {
  const uint32_t* bits;
  uint32_t size;
  __device__ bool operator()(T code) const {
    const uint32_t c = static_cast<uint32_t>(code);
    return c < size && ((bits[c >> 5] >> (c & 31)) & 1u);
  }
};

struct ScanScratch {
  int warp_count[kWarps];
  int total;
  unsigned long long base;
};

// rank of each selected thread inside of the block
__device__ int block_exclusive(bool sel, ScanScratch& s) {
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  const unsigned ballot = __ballot_sync(0xffffffffu, sel);
  if (lane == 0) s.warp_count[warp] = __popc(ballot);
  __syncthreads();
  if (threadIdx.x == 0) {
    int run = 0;
    for (int w = 0; w < kWarps; ++w) {
      const int c = s.warp_count[w];
      s.warp_count[w] = run;
      run += c;
    }
    s.total = run;
  }
  __syncthreads();
  return s.warp_count[warp] + __popc(ballot & ((1u << lane) - 1u));
}

template <typename T, typename Pred>
__global__ void __launch_bounds__(kBlock)
select_rows(const T* __restrict__ col, const uint32_t* __restrict__ validity, int64_t n, Pred pred,
            int64_t* __restrict__ rows, unsigned long long* __restrict__ cursor) {
  __shared__ ScanScratch s;
  const int64_t step = (int64_t)gridDim.x * kBlock;

  for (int64_t i = (int64_t)blockIdx.x * kBlock + threadIdx.x; i < n; i += step) {
    const bool valid = validity == nullptr || ((validity[i >> 5] >> (i & 31)) & 1u);
    const bool sel = valid && pred(col[i]);

    const int rank = block_exclusive(sel, s);
    // total is the same for all threads
    if (threadIdx.x == 0 && s.total > 0)
      s.base = atomicAdd(cursor, (unsigned long long)s.total);
    __syncthreads();
    if (sel) rows[s.base + rank] = i;
    __syncthreads();
  }
}

template <typename T, typename Pred>
void launch_select(const T* col, const uint32_t* validity, int64_t n, Pred pred, int64_t* rows,
                   unsigned long long* cursor, cudaStream_t st) {
  cudaMemsetAsync(cursor, 0, sizeof(*cursor), st);
  if (n <= 0) return;
  int dev = 0, sms = 1;
  cudaGetDevice(&dev);
  cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, dev);
  int64_t blocks = (n + kBlock - 1) / kBlock;
  if (blocks > 8LL * sms) blocks = 8LL * sms;
  select_rows<T, Pred><<<(unsigned)blocks, kBlock, 0, st>>>(col, validity, n, pred, rows, cursor);
}

enum class ColType { I32, I64, F64 };

cudaError_t select_range(ColType t, const void* col, const uint32_t* validity, int64_t n, double lo,
                         double hi, int64_t* rows, unsigned long long* cursor, cudaStream_t st) {
  switch (t) {
    case ColType::I32:
      launch_select((const int32_t*)col, validity, n, RangePredicate<int32_t>{(int32_t)lo, (int32_t)hi},
                    rows, cursor, st);
      break;
    case ColType::I64:
      launch_select((const int64_t*)col, validity, n, RangePredicate<int64_t>{(int64_t)lo, (int64_t)hi},
                    rows, cursor, st);
      break;
    case ColType::F64:
      launch_select((const double*)col, validity, n, RangePredicate<double>{lo, hi}, rows, cursor, st);
      break;
  }
  return cudaGetLastError();
}

cudaError_t select_in_dictionary(const int32_t* codes, const uint32_t* bits, uint32_t dict_size,
                                 int64_t n, int64_t* rows, unsigned long long* cursor,
                                 cudaStream_t st) {
  launch_select(codes, nullptr, n, InDictionary<int32_t>{bits, dict_size}, rows, cursor, st);
  return cudaGetLastError();
}

}  // namespace colscan
