#include <cuda_runtime.h>
#include <cstdint>
#include <cstdio>
#include <vector>

// Otsu threshold in one launch: block histograms are merged in global memory
// and the block that finishes last picks the threshold.

namespace otsu {

constexpr int kBins = 256;
constexpr int kThreads = 256;

struct Frame {
  const uint8_t* px;
  int width, height, pitch;
};

struct Workspace {
  unsigned* hist;    // kBins, zero between launches
  unsigned* ticket;  // zero between launches
};

struct Split {
  float score;
  int threshold;
};

__device__ __forceinline__ Split better(Split a, Split b) {
  if (a.score != b.score) return a.score > b.score ? a : b;
  return a.threshold < b.threshold ? a : b;
}

__device__ void countPixels(const Frame& f, unsigned* bins) {
  for (int y = blockIdx.x; y < f.height; y += gridDim.x) {
    const uint8_t* row = f.px + size_t(y) * f.pitch;
    for (int x = threadIdx.x; x < f.width; x += kThreads) atomicAdd(&bins[row[x]], 1u);
  }
}

__device__ bool iAmLast(unsigned* ticket) {
  __shared__ bool last;
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) {
    last = atomicAdd(ticket, 1u) == gridDim.x - 1;
  }
  __syncthreads();
  return last;
}

// Between-class variance of every threshold, one thread each.
__device__ int chooseThreshold(unsigned* bins, Split* scratch) {
  const int t = threadIdx.x;
  float w0 = 0.f, m0 = 0.f, w1 = 0.f, m1 = 0.f;
  for (int b = 0; b < kBins; ++b) {
    const float n = float(bins[b]);
    if (b <= t) w0 += n, m0 += n * b;
    else w1 += n, m1 += n * b;
  }
  float score = -1.f;
  if (w0 > 0.f && w1 > 0.f) {
    const float d = m0 / w0 - m1 / w1;
    score = w0 * w1 * d * d;
  }
  scratch[t] = Split{score, t};
  __syncthreads();
  for (int s = kThreads / 2; s > 0; s >>= 1) {
    if (t < s) scratch[t] = better(scratch[t], scratch[t + s]);
    __syncthreads();
  }
  return scratch[0].threshold;
}

__global__ void __launch_bounds__(kThreads) otsuKernel(Frame f, Workspace ws, int* threshold) {
  __shared__ unsigned bins[kBins];
  __shared__ Split scratch[kThreads];
  bins[threadIdx.x] = 0u;
  __syncthreads();
  countPixels(f, bins);
  __syncthreads();
  if (bins[threadIdx.x]) atomicAdd(ws.hist + threadIdx.x, bins[threadIdx.x]);

  if (!iAmLast(ws.ticket)) return;

  __threadfence();
  bins[threadIdx.x] = atomicExch(ws.hist + threadIdx.x, 0u);
  __syncthreads();
  const int t = chooseThreshold(bins, scratch);
  if (threadIdx.x == 0) {
    *threshold = t;
    *ws.ticket = 0u;
  }
}

__global__ void binarize(Frame f, uint8_t* out, const int* threshold) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
  if (x < f.width) out[size_t(y) * f.pitch + x] = f.px[size_t(y) * f.pitch + x] > *threshold ? 255 : 0;
}

}  // namespace otsu

int main() {
  using namespace otsu;
  Frame f{nullptr, 1900, 1000, 1920};
  std::vector<uint8_t> img(size_t(f.pitch) * f.height);
  for (size_t i = 0; i < img.size(); ++i) img[i] = uint8_t((i % 3 ? 60 : 180) + i % 29);
  uint8_t *src, *dst;
  Workspace ws{};
  int* thr;
  cudaMalloc(&src, img.size());
  cudaMalloc(&dst, img.size());
  cudaMalloc(&ws.hist, kBins * sizeof(unsigned));
  cudaMalloc(&ws.ticket, sizeof(unsigned));
  cudaMalloc(&thr, sizeof(int));
  cudaMemset(ws.hist, 0, kBins * sizeof(unsigned));
  cudaMemset(ws.ticket, 0, sizeof(unsigned));
  cudaMemcpy(src, img.data(), img.size(), cudaMemcpyHostToDevice);
  f.px = src;
  for (int frame = 0; frame < 10; ++frame) {
    otsuKernel<<<96, kThreads>>>(f, ws, thr);
    binarize<<<dim3((f.width + 255) / 256, f.height), 256>>>(f, dst, thr);
  }
  int t = -1;
  cudaMemcpy(&t, thr, sizeof(int), cudaMemcpyDeviceToHost);
  printf("threshold %d, %s\n", t, cudaGetErrorString(cudaGetLastError()));
  return 0;
}
