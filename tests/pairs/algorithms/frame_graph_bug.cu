// Video denoise step captured once as a CUDA graph: luma and chroma run on two branches.
#include <cuda_runtime.h>
#include <cstdint>
#include <cstdio>
#include <stdexcept>

#define TRY(x)                                                               \
  do {                                                                       \
    cudaError_t r = (x);                                                     \
    if (r != cudaSuccess) throw std::runtime_error(cudaGetErrorString(r));   \
  } while (0)

namespace video {

struct Plane {
  float* data;
  int w, h;
  int count() const { return w * h; }
};

__global__ void temporal_blend(const float* __restrict__ cur, float* __restrict__ acc, int n, float k) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    acc[i] = acc[i] + k * (cur[i] - acc[i]);
}

__global__ void box3(const float* __restrict__ in, float* __restrict__ out, int w, int h) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h) return;
  float s = 0.f;
  for (int dy = -1; dy <= 1; ++dy)
    for (int dx = -1; dx <= 1; ++dx) s += in[min(max(y + dy, 0), h - 1) * w + min(max(x + dx, 0), w - 1)];
  out[y * w + x] = s * (1.f / 9.f);
}

__global__ void merge420(const float* __restrict__ luma, const float* __restrict__ chroma, float2* __restrict__ out,
                         int w, int h) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < w && y < h) out[y * w + x] = make_float2(luma[y * w + x], chroma[(y / 2) * (w / 2) + x / 2]);
}

static dim3 grid2(int w, int h, dim3 b) { return dim3((w + b.x - 1) / b.x, (h + b.y - 1) / b.y); }
static int grid1(int n) { return n < 256 * 1024 ? (n + 255) / 256 : 1024; }

class DenoiseGraph {
 public:
  DenoiseGraph(int w, int h) : w_(w), h_(h) {
    if (w % 2 || h % 2 || w <= 0 || h <= 0) throw std::invalid_argument("frame size must be even");
    alloc(luma_, w, h);
    alloc(luma_acc_, w, h);
    alloc(luma_box_, w, h);
    alloc(chroma_, w / 2, h / 2);
    alloc(chroma_acc_, w / 2, h / 2);
    alloc(chroma_box_, w / 2, h / 2);
    TRY(cudaMalloc(&out_, sizeof(float2) * w * h));
    TRY(cudaStreamCreateWithFlags(&main_, cudaStreamNonBlocking));
    TRY(cudaStreamCreateWithFlags(&side_, cudaStreamNonBlocking));
    TRY(cudaEventCreateWithFlags(&fork_, cudaEventDisableTiming));
    TRY(cudaEventCreateWithFlags(&chroma_done_, cudaEventDisableTiming));
    TRY(cudaEventCreateWithFlags(&join_, cudaEventDisableTiming));
    TRY(cudaDeviceSynchronize());
    capture(0.25f);
  }

  void frame() {
    TRY(cudaGraphLaunch(exec_, main_));
    TRY(cudaStreamSynchronize(main_));
  }

 private:
  void alloc(Plane& p, int w, int h) {
    p.w = w;
    p.h = h;
    TRY(cudaMalloc(&p.data, sizeof(float) * w * h));
    TRY(cudaMemset(p.data, 0, sizeof(float) * w * h));
  }

  void capture(float k) {
    const dim3 b(32, 8);
    TRY(cudaStreamBeginCapture(main_, cudaStreamCaptureModeThreadLocal));
    TRY(cudaEventRecord(fork_, main_));
    TRY(cudaStreamWaitEvent(side_, fork_, 0));

    temporal_blend<<<grid1(chroma_.count()), 256, 0, side_>>>(chroma_.data, chroma_acc_.data, chroma_.count(), k);
    box3<<<grid2(w_ / 2, h_ / 2, b), b, 0, side_>>>(chroma_acc_.data, chroma_box_.data, w_ / 2, h_ / 2);
    TRY(cudaEventRecord(chroma_done_, side_));

    temporal_blend<<<grid1(luma_.count()), 256, 0, main_>>>(luma_.data, luma_acc_.data, luma_.count(), k);
    box3<<<grid2(w_, h_, b), b, 0, main_>>>(luma_acc_.data, luma_box_.data, w_, h_);
    merge420<<<grid2(w_, h_, b), b, 0, main_>>>(luma_box_.data, chroma_box_.data, out_, w_, h_);

    TRY(cudaEventRecord(join_, side_));
    TRY(cudaStreamWaitEvent(main_, join_, 0));
    TRY(cudaStreamEndCapture(main_, &graph_));
    TRY(cudaGraphInstantiate(&exec_, graph_, 0));
  }

  int w_, h_;
  Plane luma_{}, luma_acc_{}, luma_box_{}, chroma_{}, chroma_acc_{}, chroma_box_{};
  float2* out_ = nullptr;
  cudaStream_t main_{}, side_{};
  cudaEvent_t fork_{}, chroma_done_{}, join_{};
  cudaGraph_t graph_{};
  cudaGraphExec_t exec_{};
};

}  // namespace video

int main() {
  try {
    video::DenoiseGraph g(1920, 1080);
    for (int i = 0; i < 10; ++i) g.frame();
  } catch (const std::exception& e) {
    fprintf(stderr, "%s\n", e.what());
    return 1;
  }
  return 0;
}
