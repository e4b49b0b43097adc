#include <cuda_runtime.h>

constexpr int kThreads = 256;
constexpr int kRowsPerTicket = 8;

__device__ float warp_dot(const float* row, const float* x, int cols, int lane) {
  float s = 0.f;
  for (int c = lane; c < cols; c += 32) s += row[c] * x[c];
  for (int o = 16; o; o >>= 1) s += __shfl_xor_sync(~0u, s, o);
  return s;
}

__global__ void __launch_bounds__(kThreads) gemv_dynamic(const float* M, const float* x, float* y, int rows, int cols, unsigned* ticket) {
  __shared__ unsigned s_ticket;
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const unsigned total = (rows + kRowsPerTicket - 1) / kRowsPerTicket;
  unsigned mine = 0;
  while (mine < total) {
    if (threadIdx.x == 0) s_ticket = atomicAdd(ticket, 1u);
    __syncthreads();
    mine = s_ticket;
    const int row = mine * kRowsPerTicket + warp;
    if (mine < total && row < rows) {
      const float d = warp_dot(M + (size_t)row * cols, x, cols, lane);
      if (lane == 0) y[row] = d;
    }
  }
}

void launch_gemv_dynamic(const float* M, const float* x, float* y, int rows, int cols, unsigned* ticket, cudaStream_t st) {
  int dev = 0, sms = 0;
  cudaGetDevice(&dev);
  cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, dev);
  cudaMemsetAsync(ticket, 0, sizeof(unsigned), st);
  gemv_dynamic<<<sms * 8, kThreads, 0, st>>>(M, x, y, rows, cols, ticket);
}
