#include <cuda_runtime.h>

constexpr int kThreads = 256;

__global__ void reset_ticket(int* ticket) { *ticket = 0; }

__global__ void __launch_bounds__(kThreads) dynamic_tiles(const float* __restrict__ in, float* __restrict__ out, int* ticket, int num_tiles, int tile_len) {
  extern __shared__ float tile[];
  __shared__ int s_tile;
  __shared__ float s_red[kThreads / 32];
  for (;;) {
    if (threadIdx.x == 0) s_tile = atomicAdd(ticket, 1);
    __syncthreads();
    const int t = s_tile;
    if (t >= num_tiles) break;
    const float* src = in + (size_t)t * tile_len;
    float m = -INFINITY;
    for (int e = threadIdx.x; e < tile_len; e += kThreads) {
      const float v = src[e];
      tile[e] = v;
      m = fmaxf(m, v);
    }
    for (int o = 16; o; o >>= 1) m = fmaxf(m, __shfl_xor_sync(~0u, m, o));
    if (threadIdx.x % 32 == 0) s_red[threadIdx.x / 32] = m;
    __syncthreads();
    m = s_red[0];
    for (int w = 1; w < kThreads / 32; ++w) m = fmaxf(m, s_red[w]);
    float* dst = out + (size_t)t * tile_len;
    for (int e = threadIdx.x; e < tile_len; e += kThreads) dst[e] = __expf(tile[tile_len - 1 - e] - m);
    __syncthreads();
  }
}

void run_dynamic_tiles(const float* in, float* out, int* ticket, int num_tiles, int tile_len, cudaStream_t st) {
  int dev = 0, sms = 0;
  cudaGetDevice(&dev);
  cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, dev);
  reset_ticket<<<1, 1, 0, st>>>(ticket);
  dynamic_tiles<<<sms * 4, kThreads, tile_len * sizeof(float), st>>>(in, out, ticket, num_tiles, tile_len);
}

int main() {
  float *in, *out;
  int* ticket;
  const int tiles = 5000, len = 2048;
  cudaMalloc(&in, sizeof(float) * (size_t)tiles * len);
  cudaMalloc(&out, sizeof(float) * (size_t)tiles * len);
  cudaMalloc(&ticket, sizeof(int));
  run_dynamic_tiles(in, out, ticket, tiles, len, 0);
  return cudaDeviceSynchronize() != cudaSuccess;
}
