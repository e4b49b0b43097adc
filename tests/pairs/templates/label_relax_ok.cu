#include <cuda_runtime.h>
#include <cstdint>
#include <algorithm>

namespace imgproc {

template <int TW, int TH>
struct CclTile {
  int label[TH + 2][TW + 2];
};

struct CclParams {
  const uint8_t* mask;
  int* labels;
  int width;
  int height;
  int pitch;
};

template <int TW, int TH>
__device__ __forceinline__ int min_nbr(const CclTile<TW, TH>& t, int x, int y, int own) {
  int m = own;
  const int n[4] = {t.label[y - 1][x], t.label[y + 1][x], t.label[y][x - 1], t.label[y][x + 1]};
#pragma unroll
  for (int k = 0; k < 4; ++k)
    if (n[k] >= 0) m = min(m, n[k]);
  return m;
}

template <int TW, int TH>
__global__ void __launch_bounds__(TW * TH) local_label_kernel(CclParams p) {
  __shared__ CclTile<TW, TH> tile;
  const int gx = blockIdx.x * TW + threadIdx.x;
  const int gy = blockIdx.y * TH + threadIdx.y;
  const int tid = threadIdx.y * TW + threadIdx.x;

  for (int k = tid; k < (TW + 2) * (TH + 2); k += TW * TH)
    tile.label[k / (TW + 2)][k % (TW + 2)] = -1;
  __syncthreads();

  const bool inside = gx < p.width && gy < p.height;
  const bool active = inside && p.mask[size_t(gy) * p.pitch + gx] != 0;
  const int x = threadIdx.x + 1, y = threadIdx.y + 1;
  int own = active ? tid : -1;
  tile.label[y][x] = own;

  int changed = 1;
  while (__syncthreads_or(changed)) {
    const int next = active ? min_nbr<TW, TH>(tile, x, y, own) : own;
    changed = next != own;
    __syncthreads();
    if (changed) {
      own = next;
      tile.label[y][x] = own;
    }
  }

  __syncthreads();
  if (inside) {
    const int l = tile.label[y][x];
    int out = -1;
    if (l >= 0) {
      const int lx = l % TW, ly = l / TW;
      out = (blockIdx.y * TH + ly) * p.width + blockIdx.x * TW + lx;
    }
    p.labels[size_t(gy) * p.width + gx] = out;
  }
}

template <int TW, int TH>
struct LabelLauncher {
  static cudaError_t run(const CclParams& p, cudaStream_t s) {
    const dim3 block(TW, TH);
    const dim3 grid((p.width + TW - 1) / TW, (p.height + TH - 1) / TH);
    local_label_kernel<TW, TH><<<grid, block, 0, s>>>(p);
    return cudaGetLastError();
  }
};

cudaError_t local_labels(const uint8_t* mask, int* labels, int w, int h, int pitch, cudaStream_t s) {
  if (w <= 0 || h <= 0) return cudaErrorInvalidValue;
  CclParams p{mask, labels, w, h, pitch};
  if (std::min(w, h) >= 256) return LabelLauncher<32, 16>::run(p, s);
  return LabelLauncher<16, 16>::run(p, s);
}

}  // namespace imgproc
