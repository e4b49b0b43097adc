#include <cuda/atomic>
#include <cuda_runtime.h>

struct SenseBarrier {
  unsigned remaining;
  unsigned sense;
};

__device__ void sense_wait(SenseBarrier* b, unsigned nblocks, unsigned& my_sense) {
  __syncthreads();
  my_sense ^= 1u;
  if (threadIdx.x == 0) {
    cuda::atomic_ref<unsigned, cuda::thread_scope_device> rem(b->remaining);
    cuda::atomic_ref<unsigned, cuda::thread_scope_device> sen(b->sense);
    if (rem.fetch_sub(1u, cuda::memory_order_acq_rel) == 1u) {
      rem.store(nblocks, cuda::memory_order_relaxed);
      sen.store(my_sense, cuda::memory_order_release);
    } else {
      while (sen.load(cuda::memory_order_acquire) != my_sense) {
      }
    }
  }
  __syncthreads();
}

__global__ void __launch_bounds__(256) power_iteration(const float* M, float* v, float* w, float* partial, int n, int rounds, SenseBarrier* bar) {
  __shared__ float red[256];
  unsigned sense = 0;
  for (int r = 0; r < rounds; ++r) {
    float sq = 0.f;
    for (int row = blockIdx.x * blockDim.x + threadIdx.x; row < n; row += gridDim.x * blockDim.x) {
      float s = 0.f;
      for (int c = 0; c < n; ++c) s += M[(size_t)c * n + row] * v[c];
      w[row] = s;
      sq += s * s;
    }
    red[threadIdx.x] = sq;
    __syncthreads();
    for (int o = 128; o > 0; o >>= 1) {
      if (threadIdx.x < o) red[threadIdx.x] += red[threadIdx.x + o];
      __syncthreads();
    }
    if (threadIdx.x == 0) partial[blockIdx.x] = red[0];
    sense_wait(bar, gridDim.x, sense);
    float total = 0.f;
    for (int b = 0; b < (int)gridDim.x; ++b) total += partial[b];
    const float inv = rsqrtf(total + 1e-20f);
    for (int row = blockIdx.x * blockDim.x + threadIdx.x; row < n; row += gridDim.x * blockDim.x) v[row] = w[row] * inv;
    sense_wait(bar, gridDim.x, sense);
  }
}

__global__ void init_sense(SenseBarrier* b, unsigned nblocks) {
  b->remaining = nblocks;
  b->sense = 0;
}

void run_power(const float* M, float* v, float* w, float* partial, int n, int rounds, SenseBarrier* bar, cudaStream_t st) {
  const unsigned blocks = 64;
  init_sense<<<1, 1, 0, st>>>(bar, blocks);
  void* args[] = {&M, &v, &w, &partial, &n, &rounds, &bar};
  cudaLaunchCooperativeKernel((void*)power_iteration, dim3(blocks), dim3(256), args, 0, st);
}
