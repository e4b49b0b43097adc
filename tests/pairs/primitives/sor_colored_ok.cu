#include <cooperative_groups.h>
#include <cuda_runtime.h>
#include <algorithm>
#include <cstdio>
#include <vector>

namespace cg = cooperative_groups;

// Multicolour successive over-relaxation on an unstructured matrix. Rows are
// sorted by colour; all sweeps run in one cooperative launch.

namespace sor {

constexpr int kMaxColors = 16;
constexpr int kBlock = 128;

struct Coloring {
  int colors;
  int begin[kMaxColors + 1];
};

struct System {
  const int* ptr;
  const int* col;
  const float* val;
  const float* invDiag;
  const float* b;
  float* x;
};

struct Control {
  float omega;
  int sweeps;
  float* change;  // one entry for each sweep
};

struct Share {
  int first, last;
  __device__ bool empty() const { return first >= last; }
};

// Contiguous rows of a colour for this block.
__device__ Share shareOf(const Coloring& c, int color) {
  const int rows = c.begin[color + 1] - c.begin[color];
  const int chunk = ((rows + int(gridDim.x) - 1) / int(gridDim.x) + kBlock - 1) / kBlock * kBlock;
  const int first = c.begin[color] + int(blockIdx.x) * chunk;
  return Share{first, min(first + chunk, c.begin[color + 1])};
}

__device__ float relaxRow(const System& s, int row, float omega) {
  float acc = s.b[row];
  for (int p = s.ptr[row]; p < s.ptr[row + 1]; ++p)
    if (s.col[p] != row) acc -= s.val[p] * __ldcg(s.x + s.col[p]);
  const float old = __ldcg(s.x + row);
  const float upd = omega * (acc * s.invDiag[row] - old);
  __stcg(s.x + row, old + upd);
  return fabsf(upd);
}

__device__ void recordChange(float mine, float* slot) {
  __shared__ float part[kBlock / 32];
  for (int o = 16; o > 0; o >>= 1) mine = fmaxf(mine, __shfl_xor_sync(0xffffffffu, mine, o));
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = mine;
  __syncthreads();
  if (threadIdx.x == 0) {
    float m = part[0];
    for (int w = 1; w < kBlock / 32; ++w) m = fmaxf(m, part[w]);
    atomicMax(reinterpret_cast<int*>(slot), __float_as_int(m));
  }
  __syncthreads();
}

__global__ void __launch_bounds__(kBlock) sweepAll(System s, Coloring c, Control ctl) {
  cg::grid_group grid = cg::this_grid();
  for (int k = 0; k < ctl.sweeps; ++k) {
    float change = 0.f;
    for (int color = 0; color < c.colors; ++color) {
      const Share sh = shareOf(c, color);
      if (!sh.empty()) {
        for (int row = sh.first + threadIdx.x; row < sh.last; row += kBlock)
          change = fmaxf(change, relaxRow(s, row, ctl.omega));
      }
      grid.sync();
    }
    recordChange(change, ctl.change + k);
  }
}

cudaError_t solve(System s, Coloring c, Control ctl, cudaStream_t st) {
  int dev = 0, sms = 0, perSm = 0;
  cudaGetDevice(&dev);
  cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, dev);
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&perSm, sweepAll, kBlock, 0);
  int widest = 0;
  for (int i = 0; i < c.colors; ++i) widest = std::max(widest, c.begin[i + 1] - c.begin[i]);
  const int blocks = std::min(sms * perSm, (widest + kBlock - 1) / kBlock);
  cudaMemsetAsync(ctl.change, 0, sizeof(float) * ctl.sweeps, st);
  void* args[] = {&s, &c, &ctl};
  return cudaLaunchCooperativeKernel((void*)sweepAll, dim3(blocks), dim3(kBlock), args, 0, st);
}

}  // namespace sor

template <typename T>
static T* put(const std::vector<T>& v) {
  T* d = nullptr;
  cudaMalloc(&d, v.size() * sizeof(T));
  cudaMemcpy(d, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice);
  return d;
}

int main() {
  const int sizes[4] = {60000, 50000, 9000, 700};
  sor::Coloring c{};
  c.colors = 4;
  for (int i = 0; i < 4; ++i) c.begin[i + 1] = c.begin[i] + sizes[i];
  const int n = c.begin[4];
  std::vector<int> ptr(1, 0), col;
  std::vector<float> val;
  for (int color = 0; color < 4; ++color)
    for (int r = c.begin[color]; r < c.begin[color + 1]; ++r) {
      for (int other = 0; other < 4; ++other)
        if (other != color) col.push_back(c.begin[other] + (r * 7) % sizes[other]), val.push_back(-0.2f);
      col.push_back(r), val.push_back(1.f);
      ptr.push_back(int(col.size()));
    }
  const std::vector<float> ones(n, 1.f), zero(n, 0.f);
  sor::System s{put(ptr), put(col), put(val), put(ones), put(ones), put(zero)};
  sor::Control ctl{1.3f, 50, put(std::vector<float>(50))};
  cudaError_t e = sor::solve(s, c, ctl, 0);
  if (e == cudaSuccess) e = cudaDeviceSynchronize();
  printf("%s\n", cudaGetErrorString(e));
  return e != cudaSuccess;
}
