#include <cuda_runtime.h>
#include <cstdint>
#include <cstdio>
#include <vector>
#include "part.cuh"

// Seam search on strips of the energy image: the dynamic programme runs down
// a strip in shared memory, the best seam is traced back by one thread.

namespace seam {

template <int WIDTH_, int ROWS_, int PAD_>
struct Strip {
  static constexpr int WIDTH = WIDTH_, ROWS = ROWS_, PAD = PAD_;
  static constexpr int PITCH = WIDTH + PAD;
  static constexpr size_t kBytes = smem::Layout()
                                       .template add<float>(size_t(ROWS) * PITCH)
                                       .template add<int8_t>(size_t(ROWS) * WIDTH)
                                       .template add<float>(WIDTH)
                                       .bytes();
};

struct Job {
  const float* energy;
  int width, height;
  int* seamX;  // ROWS entries for each strip
  float* cost;
};

template <class S>
__global__ void __launch_bounds__(S::WIDTH) findSeams(Job job) {
  extern __shared__ __align__(16) unsigned char raw[];
  smem::Arena arena(raw);
  float* total = arena.take<float>(size_t(S::ROWS) * S::PITCH);
  int8_t* back = arena.take<int8_t>(size_t(S::ROWS) * S::WIDTH);
  float* best = arena.take<float>(S::WIDTH);

  const int x = threadIdx.x;
  const int gx = blockIdx.x * S::WIDTH + x;
  const int y0 = blockIdx.y * S::ROWS;
  auto energy = [&](int r) { return gx < job.width && y0 + r < job.height ? job.energy[(y0 + r) * job.width + gx] : 1e6f; };

  for (int r = 0; r < S::ROWS; ++r) {
    total[r * S::PITCH + x] = energy(r);
    back[r * S::WIDTH + x] = 0;
  }
  __syncthreads();
  for (int r = 1; r < S::ROWS; ++r) {
    const float* prev = total + (r - 1) * S::PITCH;
    float m = prev[x];
    int8_t dir = 0;
    if (x > 0 && prev[x - 1] < m) m = prev[x - 1], dir = -1;
    if (x + 1 < S::WIDTH && prev[x + 1] < m) m = prev[x + 1], dir = 1;
    total[r * S::PITCH + x] += m;
    back[r * S::WIDTH + x] = dir;
    __syncthreads();
  }

  best[x] = total[(S::ROWS - 1) * S::PITCH + x];
  __syncthreads();
  if (x == 0) {
    int at = 0;
    for (int i = 1; i < S::WIDTH; ++i)
      if (best[i] < best[at]) at = i;
    const int id = blockIdx.y * gridDim.x + blockIdx.x;
    job.cost[id] = best[at];
    for (int r = S::ROWS - 1; r >= 0; --r) {
      job.seamX[id * S::ROWS + r] = blockIdx.x * S::WIDTH + at;
      if (r > 0) at += back[r * S::WIDTH + at];
    }
  }
}

template <class S>
cudaError_t launch(const Job& job, cudaStream_t s) {
  const cudaError_t e =
      cudaFuncSetAttribute(findSeams<S>, cudaFuncAttributeMaxDynamicSharedMemorySize, int(S::kBytes));
  if (e != cudaSuccess) return e;
  const dim3 grid((job.width + S::WIDTH - 1) / S::WIDTH, (job.height + S::ROWS - 1) / S::ROWS);
  findSeams<S><<<grid, S::WIDTH, S::kBytes, s>>>(job);
  return cudaGetLastError();
}

cudaError_t run(const Job& job, bool wide, cudaStream_t s) {
  return wide ? launch<Strip<256, 64, 1>>(job, s) : launch<Strip<96, 64, 0>>(job, s);
}

}  // namespace seam

int main() {
  seam::Job job{};
  job.width = 2000, job.height = 1100;
  std::vector<float> h(size_t(job.width) * job.height);
  for (size_t i = 0; i < h.size(); ++i) h[i] = float((i * 7919) % 1000) * 1e-3f;
  float* e;
  cudaMalloc(&e, h.size() * sizeof(float));
  cudaMemcpy(e, h.data(), h.size() * sizeof(float), cudaMemcpyHostToDevice);
  job.energy = e;
  const int strips = (job.width / 96 + 1) * (job.height / 64 + 1);
  cudaMalloc(&job.seamX, sizeof(int) * strips * 64);
  cudaMalloc(&job.cost, sizeof(float) * strips);
  for (bool wide : {false, true}) {
    cudaError_t err = seam::run(job, wide, 0);
    if (err == cudaSuccess) err = cudaDeviceSynchronize();
    printf("wide=%d %s\n", wide, cudaGetErrorString(err));
  }
  return 0;
}
