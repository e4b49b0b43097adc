#include <cuda/barrier>
#include <cstdio>
#include <utility>
#pragma nv_diag_suppress static_var_with_dynamic_init

using block_barrier = cuda::barrier<cuda::thread_scope_block>;
constexpr int kTile = 512;

__device__ void produce(block_barrier* ready, block_barrier* filled, float (*buf)[kTile], const float* in, int tiles, int lane) {
  for (int i = 0; i < tiles; ++i) {
    const int s = i & 1;
    auto tok = ready[s].arrive();
    ready[s].wait(std::move(tok));
    const float* src = in + (size_t)i * kTile;
    for (int e = lane; e < kTile; e += 32) buf[s][e] = src[e];
    auto unused = filled[s].arrive();
    (void)unused;
  }
}

__device__ float consume(block_barrier* ready, block_barrier* filled, float (*buf)[kTile], int tiles, int tid, int nthr) {
  auto a = ready[0].arrive();
  auto b = ready[1].arrive();
  (void)a;
  (void)b;
  float acc = 0.f;
  for (int i = 0; i < tiles; ++i) {
    const int s = i & 1;
    auto tok = filled[s].arrive();
    filled[s].wait(std::move(tok));
    for (int e = tid; e < kTile; e += nthr) acc += buf[s][kTile - 1 - e] * buf[s][e];
    auto unused = ready[s].arrive();
    (void)unused;
  }
  return acc;
}

__global__ void __launch_bounds__(160) dot_rows(const float* in, float* out, int tiles_per_row) {
  __shared__ float buf[2][kTile];
  __shared__ block_barrier ready[2];
  __shared__ block_barrier filled[2];
  if (threadIdx.x == 0) {
    for (int i = 0; i < 2; ++i) {
      init(&ready[i], blockDim.x);
      init(&filled[i], blockDim.x);
    }
  }
  __syncthreads();
  const float* row = in + (size_t)blockIdx.x * tiles_per_row * kTile;
  if (threadIdx.x < 32) {
    produce(ready, filled, buf, row, tiles_per_row, threadIdx.x);
  } else {
    float v = consume(ready, filled, buf, tiles_per_row, threadIdx.x - 32, blockDim.x - 32);
    for (int o = 16; o > 0; o >>= 1) v += __shfl_down_sync(0xffffffffu, v, o);
    if ((threadIdx.x & 31) == 0) atomicAdd(&out[blockIdx.x], v);
  }
}

void run_dot_rows(const float* in, float* out, int rows, int tiles_per_row, cudaStream_t st) {
  cudaMemsetAsync(out, 0, rows * sizeof(float), st);
  dot_rows<<<rows, 160, 0, st>>>(in, out, tiles_per_row);
}

int main() {
  float *in, *out;
  const int rows = 64, tiles = 19;
  cudaMalloc(&in, sizeof(float) * rows * tiles * kTile);
  cudaMalloc(&out, sizeof(float) * rows);
  cudaMemset(in, 0, sizeof(float) * rows * tiles * kTile);
  run_dot_rows(in, out, rows, tiles, 0);
  return cudaDeviceSynchronize() != cudaSuccess;
}
