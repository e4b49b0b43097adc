#include <cuda/atomic>
#include <cuda_runtime.h>

using Flag = cuda::atomic_ref<unsigned, cuda::thread_scope_device>;
constexpr int kItem = 1024;
constexpr int kThreads = 128;

__global__ void __launch_bounds__(kThreads) queue_kernel(const float* in, float* ring, unsigned* ready, unsigned* freed, float* out, int items_per_pair, int depth) {
  const int pairs = gridDim.x / 2;
  const bool is_producer = blockIdx.x < pairs;
  const int pair = is_producer ? blockIdx.x : blockIdx.x - pairs;
  float* my_ring = ring + (size_t)pair * depth * kItem;
  unsigned* my_ready = ready + (size_t)pair * depth;
  unsigned* my_freed = freed + (size_t)pair * depth;
  for (int i = 0; i < items_per_pair; ++i) {
    const int s = i % depth;
    const unsigned lap = i / depth;
    float* slot = my_ring + (size_t)s * kItem;
    if (is_producer) {
      if (threadIdx.x == 0) {
        Flag f(my_freed[s]);
        while (f.load(cuda::memory_order_acquire) != lap) __nanosleep(20);
      }
      __syncthreads();
      const float* src = in + ((size_t)pair * items_per_pair + i) * kItem;
      for (int e = threadIdx.x; e < kItem; e += kThreads) slot[e] = src[e] * 2.f;
      __syncthreads();
      if (threadIdx.x == 0) Flag(my_ready[s]).store(lap + 1, cuda::memory_order_release);
    } else {
      if (threadIdx.x == 0) {
        Flag f(my_ready[s]);
        while (f.load(cuda::memory_order_acquire) != lap + 1) __nanosleep(20);
      }
      __syncthreads();
      float* dst = out + ((size_t)pair * items_per_pair + i) * kItem;
      for (int e = threadIdx.x; e < kItem; e += kThreads) dst[e] = slot[kItem - 1 - e];
      __syncthreads();
      if (threadIdx.x == 0) Flag(my_freed[s]).store(lap + 1, cuda::memory_order_release);
    }
  }
}

void launch_queue(const float* in, float* ring, unsigned* ready, unsigned* freed, float* out, int items_per_pair, int depth, cudaStream_t st) {
  int pairs = 64;
  cudaMemsetAsync(ready, 0, sizeof(unsigned) * pairs * depth, st);
  cudaMemsetAsync(freed, 0, sizeof(unsigned) * pairs * depth, st);
  void* args[] = {&in, &ring, &ready, &freed, &out, &items_per_pair, &depth};
  cudaLaunchCooperativeKernel((void*)queue_kernel, dim3(2 * pairs), dim3(kThreads), args, 0, st);
}

int main() {
  const int pairs = 64, items = 40, depth = 4;
  float *in, *ring, *out;
  unsigned *ready, *freed;
  cudaMalloc(&in, sizeof(float) * pairs * items * kItem);
  cudaMalloc(&out, sizeof(float) * pairs * items * kItem);
  cudaMalloc(&ring, sizeof(float) * pairs * depth * kItem);
  cudaMalloc(&ready, sizeof(unsigned) * pairs * depth);
  cudaMalloc(&freed, sizeof(unsigned) * pairs * depth);
  launch_queue(in, ring, ready, freed, out, items, depth, 0);
  return cudaDeviceSynchronize() != cudaSuccess;
}
