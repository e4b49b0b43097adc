// Rotated-free NMS: pairwise IoU bit mask, then greedy selection in one block.
#include <cuda_runtime.h>
#include <algorithm>
#include <cstdint>

using u64 = unsigned long long;
constexpr int kBits = 64;

struct Box {
  float x1, y1, x2, y2;
};

__device__ inline bool iou_above(const Box &a, const Box &b, float thr) {
  const float l = fmaxf(a.x1, b.x1), r = fminf(a.x2, b.x2);
  const float t = fmaxf(a.y1, b.y1), d = fminf(a.y2, b.y2);
  const float inter = fmaxf(r - l, 0.f) * fmaxf(d - t, 0.f);
  const float sa = (a.x2 - a.x1) * (a.y2 - a.y1);
  const float sb = (b.x2 - b.x1) * (b.y2 - b.y1);
  return inter > thr * (sa + sb - inter);
}

// grid (col_blocks, col_blocks), kBits threads
__global__ void nms_mask(const Box *boxes, int n, float thr, u64 *mask) {
  const int rb = blockIdx.y, cb = blockIdx.x;
  const int col_blocks = (n + kBits - 1) / kBits;
  const int tid = threadIdx.x;
  if (rb > cb) {
    // lower triangle: nothing to suppress, but the words have to be defined
    if (rb * kBits + tid < n) mask[(size_t)(rb * kBits + tid) * col_blocks + cb] = 0;
    return;
  }
  __shared__ Box sb[kBits];
  const int cols = min(n - cb * kBits, kBits);
  const int rows = min(n - rb * kBits, kBits);
  if (tid < cols) sb[tid] = boxes[cb * kBits + tid];
  __syncthreads();
  if (tid < rows) {
    const Box me = boxes[rb * kBits + tid];
    u64 bits = 0;
    for (int i = rb == cb ? tid + 1 : 0; i < cols; ++i)
      if (iou_above(me, sb[i], thr)) bits |= 1ULL << i;
    mask[(size_t)(rb * kBits + tid) * col_blocks + cb] = bits;
  }
}

// one block; boxes are sorted by score
__global__ void gather_keep(const u64 *mask, int n, int col_blocks, bool *keep, int *num_keep) {
  extern __shared__ u64 removed[];
  for (int j = threadIdx.x; j < col_blocks; j += blockDim.x) removed[j] = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x) keep[i] = false;
  __syncthreads();

  int kept = 0;
  for (int nblock = 0; nblock < col_blocks; ++nblock) {
    u64 removed_val = removed[nblock];
    __syncthreads();
    const int first = nblock * kBits;
    const int limit = min(kBits, n - first);
    for (int in = 0; in < limit; ++in) {
      if (removed_val & (1ULL << in)) continue;
      const int i = first + in;
      if (threadIdx.x == 0) keep[i] = true;
      ++kept;
      const u64 *row = mask + (size_t)i * col_blocks;
      for (int j = threadIdx.x; j < col_blocks; j += blockDim.x)
        if (j >= nblock) removed[j] |= row[j];
      __syncthreads();
      removed_val = removed[nblock];
    }
  }
  if (threadIdx.x == 0) *num_keep = kept;
}

cudaError_t nms(const float *boxes_sorted, int n, float thr, u64 *mask_ws, bool *keep, int *num_keep,
                cudaStream_t stream) {
  if (n <= 0) return cudaMemsetAsync(num_keep, 0, sizeof(int), stream);
  if (n > 64 * 4096) return cudaErrorInvalidValue;  // removed[] would not fit
  const int col_blocks = (n + kBits - 1) / kBits;
  dim3 grid(col_blocks, col_blocks);
  nms_mask<<<grid, kBits, 0, stream>>>(reinterpret_cast<const Box *>(boxes_sorted), n, thr, mask_ws);
  const int threads = std::min(1024, std::max(64, (col_blocks + 31) / 32 * 32));
  gather_keep<<<1, threads, col_blocks * sizeof(u64), stream>>>(mask_ws, n, col_blocks, keep,
                                                                num_keep);
  return cudaGetLastError();
}
