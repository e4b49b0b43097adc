// Hough transform for straight lines. One thread per (edge pixel, theta).
#include <cuda_runtime.h>
#include <vector>
#include <cmath>

namespace hough {

constexpr int kThetaBins = 180;

struct Accumulator {
  int* votes;      // [kThetaBins][rho_bins]
  int rho_bins;
  float rho_step;
  float rho_offset;
};

__constant__ float c_sin[kThetaBins];
__constant__ float c_cos[kThetaBins];

__global__ void collect_edges(const unsigned char* edges, int w, int h, int pitch, ushort2* list, int* count) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h) return;
  if (edges[y * pitch + x] == 0) return;
  int k = atomicAdd(count, 1);
  list[k] = make_ushort2(x, y);
}

__global__ void vote(const ushort2* __restrict__ list, int n, Accumulator acc) {
  const int theta = threadIdx.x;
  if (theta >= kThetaBins) return;
  const float s = c_sin[theta], c = c_cos[theta];
  int* line = acc.votes + theta * acc.rho_bins;
  for (int i = blockIdx.x; i < n; i += gridDim.x) {
    const ushort2 p = list[i];
    const float rho = p.x * c + p.y * s;
    const int r = __float2int_rn((rho + acc.rho_offset) / acc.rho_step);
    if (r >= 0 && r < acc.rho_bins) {
      atomicAdd(&line[r], 1);
    }
  }
}

__global__ void local_maxima(Accumulator acc, int threshold, float2* lines, int max_lines, int* n_lines) {
  const int r = blockIdx.x * blockDim.x + threadIdx.x;
  const int t = blockIdx.y;
  if (r < 1 || r >= acc.rho_bins - 1) return;
  const int* row = acc.votes + t * acc.rho_bins;
  const int v = row[r];
  if (v < threshold || v < row[r - 1] || v <= row[r + 1]) return;
  const int k = atomicAdd(n_lines, 1);
  if (k < max_lines) lines[k] = make_float2(r * acc.rho_step - acc.rho_offset, t * float(M_PI) / kThetaBins);
}

void detect(const unsigned char* d_edges, int w, int h, int pitch, ushort2* d_list, int* d_counts, Accumulator acc,
            int threshold, float2* d_lines, int max_lines) {
  float hs[kThetaBins], hc[kThetaBins];
  for (int i = 0; i < kThetaBins; ++i) {
    hs[i] = sinf(i * float(M_PI) / kThetaBins);
    hc[i] = cosf(i * float(M_PI) / kThetaBins);
  }
  cudaMemcpyToSymbol(c_sin, hs, sizeof(hs));
  cudaMemcpyToSymbol(c_cos, hc, sizeof(hc));
  cudaMemset(d_counts, 0, 2 * sizeof(int));
  cudaMemset(acc.votes, 0, sizeof(int) * kThetaBins * acc.rho_bins);
  dim3 b(32, 8), g((w + 31) / 32, (h + 7) / 8);
  collect_edges<<<g, b>>>(d_edges, w, h, pitch, d_list, d_counts);
  int n = 0;
  cudaMemcpy(&n, d_counts, sizeof(int), cudaMemcpyDeviceToHost);
  if (n > 0) vote<<<std::min(n, 1024), 192>>>(d_list, n, acc);
  local_maxima<<<dim3((acc.rho_bins + 127) / 128, kThetaBins), 128>>>(acc, threshold, d_lines, max_lines, d_counts + 1);
}

}  // namespace hough
