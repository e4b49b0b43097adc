// Fluent launch builder; segment means with one block per segment.
#include <cuda_runtime.h>
#include <algorithm>
#include <stdexcept>
#include <string>

class LaunchBuilder {
 public:
  explicit LaunchBuilder(int device = 0) {
    check(cudaDeviceGetAttribute(&warp_, cudaDevAttrWarpSize, device));
    check(cudaDeviceGetAttribute(&max_threads_, cudaDevAttrMaxThreadsPerBlock, device));
  }
  LaunchBuilder& threads(int t) {
    t = std::max(t, 1);
    threads_ = std::min((t + warp_ - 1) / warp_ * warp_, max_threads_);
    return *this;
  }
  LaunchBuilder& blocks(unsigned b) { blocks_ = b; return *this; }
  LaunchBuilder& on(cudaStream_t s) { stream_ = s; return *this; }
  template <typename... Formal, typename... Actual>
  void run(void (*kernel)(Formal...), Actual&&... args) const {
    if (blocks_ == 0) return;
    kernel<<<blocks_, threads_, 0, stream_>>>(std::forward<Actual>(args)...);
    check(cudaGetLastError());
  }
  static void check(cudaError_t e) { if (e != cudaSuccess) throw std::runtime_error(std::string("cuda: ") + cudaGetErrorString(e)); }

 private:
  int warp_ = 32, max_threads_ = 1024, threads_ = 32;
  unsigned blocks_ = 0;
  cudaStream_t stream_ = nullptr;
};

struct WarpSlots {
  float value[32];
  float mean;
};

__device__ float block_sum(float v, WarpSlots& s) {
  const unsigned lane = threadIdx.x % warpSize, wid = threadIdx.x / warpSize;
  const unsigned nw = blockDim.x / warpSize;
  for (int o = warpSize / 2; o; o >>= 1) v += __shfl_down_sync(~0u, v, o);
  if (lane == 0) s.value[wid] = v;
  __syncthreads();
  if (wid == 0) {
    v = lane < nw ? s.value[lane] : 0.f;
    for (int o = warpSize / 2; o; o >>= 1) v += __shfl_down_sync(~0u, v, o);
  }
  return v;  // valid in thread 0
}

__global__ void center_segments(float* data, const int* __restrict__ offsets, float* __restrict__ means) {
  __shared__ WarpSlots slots;
  const int begin = offsets[blockIdx.x], end = offsets[blockIdx.x + 1];
  if (begin >= end) {
    if (threadIdx.x == 0) means[blockIdx.x] = 0.f;
    return;
  }
  float acc = 0.f;
  for (int i = begin + threadIdx.x; i < end; i += blockDim.x) acc += data[i];
  const float total = block_sum(acc, slots);
  if (threadIdx.x == 0) {
    slots.mean = total / float(end - begin);
    means[blockIdx.x] = slots.mean;
  }
  __syncthreads();
  const float m = slots.mean;
  for (int i = begin + threadIdx.x; i < end; i += blockDim.x) data[i] -= m;
}

// offsets are a non-decreasing array of segs+1 positions, built by exclusive scan of sizes
void center(float* data, const unsigned* sizes, unsigned segs, float* means, int threads) {
  if (segs == 0 || segs > 32767) return;
  int* h = new int[segs + 1];
  h[0] = 0;
  for (unsigned i = 0; i < segs; ++i) h[i + 1] = h[i] + int(sizes[i] & 0xffff);
  int* d = nullptr;
  LaunchBuilder::check(cudaMalloc(&d, sizeof(int) * (segs + 1)));
  LaunchBuilder::check(cudaMemcpy(d, h, sizeof(int) * (segs + 1), cudaMemcpyHostToDevice));
  LaunchBuilder().threads(threads).blocks(segs).run(center_segments, data, d, means);
  LaunchBuilder::check(cudaDeviceSynchronize());
  cudaFree(d);
  delete[] h;
}
