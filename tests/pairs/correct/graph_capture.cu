// Captured fork/join graph: normalise two channels in parallel, then mix them in place.
#include <cuda_runtime.h>
#include <stdexcept>

#define TRY(x) do { if ((x) != cudaSuccess) throw std::runtime_error(#x); } while (0)

namespace audio {

template <int BLOCK>
__device__ float block_max(float v) {
  __shared__ float w[BLOCK / 32];
  for (int o = 16; o > 0; o >>= 1) v = fmaxf(v, __shfl_xor_sync(0xffffffffu, v, o));
  if (threadIdx.x % 32 == 0) w[threadIdx.x / 32] = v;
  __syncthreads();
  v = w[0];
#pragma unroll
  for (int i = 1; i < BLOCK / 32; ++i) v = fmaxf(v, w[i]);
  __syncthreads();
  return v;
}

template <int BLOCK>
__global__ void __launch_bounds__(BLOCK) normalise(float* frames, int frame_len) {
  float* f = frames + size_t(blockIdx.x) * frame_len;
  float peak = 0.f;
  for (int i = threadIdx.x; i < frame_len; i += BLOCK) peak = fmaxf(peak, fabsf(f[i]));
  peak = block_max<BLOCK>(peak);
  if (peak == 0.f) return;
  float energy = 0.f;
  for (int i = threadIdx.x; i < frame_len; i += BLOCK) {
    const float v = f[i] / peak;
    f[i] = v;
    energy = fmaxf(energy, v * v);
  }
  if (block_max<BLOCK>(energy) > 0.99f)
    for (int i = threadIdx.x; i < frame_len; i += BLOCK) f[i] *= 0.95f;
}

__global__ void mix(float* left, float* right, size_t n, float pan) {
  for (size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += size_t(gridDim.x) * blockDim.x) {
    const float l = left[i], r = right[i];
    left[i] = (1.f - pan) * l + pan * r;
    right[i] = pan * l + (1.f - pan) * r;
  }
}

class Graph {
 public:
  Graph(int frames, int len, float pan) : n_(size_t(frames) * len) {
    if (frames < 1 || len < 1) throw std::invalid_argument("empty");
    TRY(cudaMalloc(&buf_, 2 * n_ * sizeof(float)));
    TRY(cudaMemset(buf_, 0, 2 * n_ * sizeof(float)));
    cudaStream_t a, b;
    cudaEvent_t fork, join;
    TRY(cudaStreamCreate(&a));
    TRY(cudaStreamCreate(&b));
    TRY(cudaEventCreate(&fork));
    TRY(cudaEventCreate(&join));
    TRY(cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal));
    TRY(cudaEventRecord(fork, a));
    TRY(cudaStreamWaitEvent(b, fork, 0));
    normalise<256><<<frames, 256, 0, a>>>(left(), len);
    normalise<128><<<frames, 128, 0, b>>>(right(), len);
    TRY(cudaEventRecord(join, b));
    TRY(cudaStreamWaitEvent(a, join, 0));
    mix<<<120, 192, 0, a>>>(left(), right(), n_, pan);
    cudaGraph_t g;
    TRY(cudaStreamEndCapture(a, &g));
    TRY(cudaGraphInstantiate(&exec_, g, 0));
    cudaGraphDestroy(g);
    cudaStreamDestroy(a);
    cudaStreamDestroy(b);
    cudaEventDestroy(fork);
    cudaEventDestroy(join);
    TRY(cudaDeviceSynchronize());
  }
  ~Graph() {
    cudaDeviceSynchronize();
    cudaGraphExecDestroy(exec_);
    cudaFree(buf_);
  }
  Graph(const Graph&) = delete;
  float* left() { return buf_; }
  float* right() { return buf_ + n_; }
  void play(cudaStream_t s) { TRY(cudaGraphLaunch(exec_, s)); }

 private:
  size_t n_;
  float* buf_ = nullptr;
  cudaGraphExec_t exec_ = nullptr;
};

}  // namespace audio

int main() {
  audio::Graph g(100, 1500, 0.25f);
  for (int i = 0; i < 10; ++i) g.play(0);
  return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}
