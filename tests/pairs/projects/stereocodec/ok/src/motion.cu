#include "sv/common.hpp"
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/pipeline>

#pragma nv_diag_suppress static_var_with_dynamic_init

namespace cg = cooperative_groups;

namespace sv {
namespace {

constexpr int kMb = 16;      // macroblock
constexpr int kRange = 8;    // +- search range
constexpr int kWin = kMb + 2 * kRange;
constexpr int kPositions = 2 * kRange * 2 * kRange;

// A block per macroblock, a thread per candidate vector.
__global__ void __launch_bounds__(kPositions)
motion_search_kernel(const PtrStepSz<uchar> cur, const PtrStepSz<uchar> ref, short2* __restrict__ mv) {
  __shared__ __align__(16) uchar s_cur[kMb * kMb];
  __shared__ __align__(16) uchar s_ref[kWin * kWin];
  __shared__ unsigned s_best;
  cg::thread_block block = cg::this_thread_block();
  const int bx = blockIdx.x * kMb, by = blockIdx.y * kMb;
  const int wx = min(max(bx - kRange, 0), ref.cols - kWin), wy = min(max(by - kRange, 0), ref.rows - kWin);

  for (int r = 0; r < kMb; ++r) cg::memcpy_async(block, s_cur + r * kMb, cur.ptr(by + r) + bx, sizeof(uchar) * kMb);
  for (int r = 0; r < kWin; ++r) cg::memcpy_async(block, s_ref + r * kWin, ref.ptr(wy + r) + wx, sizeof(uchar) * kWin);
  if (block.thread_rank() == 0) s_best = 0xffffffffu;
  cg::wait(block);
  block.sync();

  const int dx = threadIdx.x % (2 * kRange), dy = threadIdx.x / (2 * kRange);
  unsigned sad = 0;
  for (int y = 0; y < kMb; ++y)
    for (int x = 0; x < kMb; ++x) sad = __sad(static_cast<int>(s_cur[y * kMb + x]), static_cast<int>(s_ref[(y + dy) * kWin + x + dx]), sad);

  cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);
  unsigned key = (sad << 8) | threadIdx.x;
  for (int o = 16; o > 0; o >>= 1) key = min(key, warp.shfl_xor(key, o));
  if (warp.thread_rank() == 0) atomicMin(&s_best, key);
  block.sync();
  if (threadIdx.x == (s_best & 255u))
    mv[blockIdx.y * gridDim.x + blockIdx.x] = make_short2(static_cast<short>(wx + dx - bx), static_cast<short>(wy + dy - by));
}

// Squared difference of two frames per band of rows (pitched memory, pitch a multiple of 16).
template <int NT>
__global__ void band_energy_kernel(const uchar* __restrict__ a, const uchar* __restrict__ b, int bytes_per_band, unsigned long long* __restrict__ out) {
  constexpr int kStages = 2, kChunk = NT * 4;
  __shared__ __align__(16) uchar sa[kStages][kChunk];
  __shared__ __align__(16) uchar sb[kStages][kChunk];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, kStages> state;
  cg::thread_block block = cg::this_thread_block();
  auto pipe = cuda::make_pipeline(block, &state);
  const size_t base = static_cast<size_t>(blockIdx.x) * bytes_per_band;
  const int chunks = (bytes_per_band + kChunk - 1) / kChunk;
  unsigned long long sum = 0;
  for (int k = 0, fetch = 0; k < chunks; ++k) {
    for (; fetch < chunks && fetch < k + kStages; ++fetch) {
      const int off = fetch * kChunk;
      const size_t len = min(bytes_per_band - off, static_cast<int>(kChunk));
      pipe.producer_acquire();
      cuda::memcpy_async(block, sa[fetch % kStages], a + base + off, len, pipe);
      cuda::memcpy_async(block, sb[fetch % kStages], b + base + off, len, pipe);
      pipe.producer_commit();
    }
    pipe.consumer_wait();
    const int len = min(bytes_per_band - k * kChunk, static_cast<int>(kChunk));
    for (int i = threadIdx.x; i < len; i += NT) {
      const int d = static_cast<int>(sa[k % kStages][i]) - static_cast<int>(sb[k % kStages][i]);
      sum += static_cast<unsigned>(d * d);
    }
    pipe.consumer_release();
  }
#pragma unroll
  for (int o = 16; o > 0; o >>= 1) sum += __shfl_down_sync(0xffffffffu, sum, o);
  if ((threadIdx.x & 31) == 0) atomicAdd(out + blockIdx.x, sum);
}

}  // namespace

void band_energy(const cv::cuda::GpuMat& a, const cv::cuda::GpuMat& b, int band_rows, unsigned long long* out, cv::cuda::Stream& s) {
  CV_Assert(a.step == b.step && a.step % 16 == 0 && a.rows % band_rows == 0);
  const int bands = a.rows / band_rows;
  SV_SAFE_CALL(cudaMemsetAsync(out, 0, bands * sizeof(*out), raw(s)));
  band_energy_kernel<256><<<bands, 256, 0, raw(s)>>>(a.data, b.data, static_cast<int>(a.step) * band_rows, out);
  SV_SAFE_CALL(cudaGetLastError());
}

void motion_search(const cv::cuda::GpuMat& cur, const cv::cuda::GpuMat& ref, short2* mv, cv::cuda::Stream& s) {
  CV_Assert(cur.cols % kMb == 0 && cur.rows % kMb == 0 && cur.cols >= kWin && cur.rows >= kWin);
  const dim3 grid(cur.cols / kMb, cur.rows / kMb);
  motion_search_kernel<<<grid, kPositions, 0, raw(s)>>>(cur, ref, mv);
  SV_SAFE_CALL(cudaGetLastError());
}

}  // namespace sv
