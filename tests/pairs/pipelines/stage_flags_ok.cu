#include <cuda/atomic>
#include <cuda_runtime.h>

using Flag = cuda::atomic_ref<int, cuda::thread_scope_device>;
constexpr int kThreads = 128;

__global__ void __launch_bounds__(kThreads) block_pipeline(const float* in, float* stage_data, int* flags, float* out, int items, int width) {
  const int stage = blockIdx.x, last = gridDim.x - 1;
  for (int it = 0; it < items; ++it) {
    const float* src = stage == 0 ? in + (size_t)it * width : stage_data + ((size_t)(stage - 1) * items + it) * width;
    float* dst = stage == last ? out + (size_t)it * width : stage_data + ((size_t)stage * items + it) * width;
    if (stage > 0) {
      if (threadIdx.x == 0) {
        Flag f(flags[stage - 1]);
        while (f.load(cuda::memory_order_acquire) <= it) {
        }
      }
      __syncthreads();
    }
    for (int e = threadIdx.x; e < width; e += kThreads) {
      const float v = src[width - 1 - e];
      dst[e] = v * 0.5f + 1.f;
    }
    __syncthreads();
    if (threadIdx.x == 0) Flag(flags[stage]).store(it + 1, cuda::memory_order_release);
  }
}

void launch_block_pipeline(const float* in, float* stage_data, int* flags, float* out, int items, int width, cudaStream_t st) {
  const int stages = 32;
  cudaMemsetAsync(flags, 0, sizeof(int) * stages, st);
  void* args[] = {&in, &stage_data, &flags, &out, &items, &width};
  cudaLaunchCooperativeKernel((void*)block_pipeline, dim3(stages), dim3(kThreads), args, 0, st);
}
