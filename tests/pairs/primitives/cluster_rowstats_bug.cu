#include <cooperative_groups.h>
#include <cuda_runtime.h>
#include <cfloat>
#include <cstdio>
#include <vector>

namespace cg = cooperative_groups;

// Row statistics (mean, deviation, extrema) of wide spectrogram rows. A row is
// spread over the blocks of one cluster.

namespace spectro {

constexpr int kThreads = 256;
constexpr int kWarps = kThreads / 32;

struct Stats {
  float n, mean, m2, lo, hi;

  __host__ __device__ static Stats none() { return Stats{0.f, 0.f, 0.f, FLT_MAX, -FLT_MAX}; }

  __device__ void add(float v) {
    n += 1.f;
    const float d = v - mean;
    mean += d / n;
    m2 += d * (v - mean);
    lo = fminf(lo, v);
    hi = fmaxf(hi, v);
  }

  __device__ void join(const Stats& o) {
    if (o.n == 0.f) return;
    const float total = n + o.n, d = o.mean - mean;
    m2 += o.m2 + d * d * n * o.n / total;
    mean += d * o.n / total;
    n = total;
    lo = fminf(lo, o.lo);
    hi = fmaxf(hi, o.hi);
  }
};

__device__ __forceinline__ Stats shuffle(const Stats& s, int o) {
  Stats r;
  r.n = __shfl_down_sync(0xffffffffu, s.n, o);
  r.mean = __shfl_down_sync(0xffffffffu, s.mean, o);
  r.m2 = __shfl_down_sync(0xffffffffu, s.m2, o);
  r.lo = __shfl_down_sync(0xffffffffu, s.lo, o);
  r.hi = __shfl_down_sync(0xffffffffu, s.hi, o);
  return r;
}

struct Shared {
  Stats warp[kWarps];
  Stats block;
};

// The result is complete in thread 0 and in s.block.
__device__ void reduceBlock(Stats v, Shared& s) {
  for (int o = 16; o > 0; o >>= 1) v.join(shuffle(v, o));
  if (threadIdx.x % 32 == 0) s.warp[threadIdx.x / 32] = v;
  __syncthreads();
  if (threadIdx.x == 0) {
    Stats t = s.warp[0];
    for (int w = 1; w < kWarps; ++w) t.join(s.warp[w]);
    s.block = t;
  }
  __syncthreads();
}

template <int BLOCKS>
__global__ void __launch_bounds__(kThreads) normalise(const float* in, float* out, int width) {
  __shared__ Shared sh;
  cg::cluster_group cluster = cg::this_cluster();
  const int rank = BLOCKS > 1 ? int(cluster.block_rank()) : 0;
  const size_t row = size_t(blockIdx.x / BLOCKS) * width;
  const int first = rank * kThreads + threadIdx.x;

  Stats mine = Stats::none();
  for (int i = first; i < width; i += BLOCKS * kThreads) mine.add(in[row + i]);
  reduceBlock(mine, sh);

  Stats all = sh.block;
  if constexpr (BLOCKS > 1) {
    cluster.sync();
    all = Stats::none();
    for (int b = 0; b < BLOCKS; ++b) all.join(*cluster.map_shared_rank(&sh.block, b));
  }

  const float scale = rsqrtf(all.m2 / all.n + 1e-6f);
  const float lo = (all.lo - all.mean) * scale, hi = (all.hi - all.mean) * scale;
  for (int i = first; i < width; i += BLOCKS * kThreads)
    out[row + i] = ((in[row + i] - all.mean) * scale - lo) / (hi - lo + 1e-6f);
}

template <int BLOCKS>
cudaError_t launch(const float* in, float* out, int rows, int width, cudaStream_t s) {
  cudaLaunchConfig_t cfg{};
  cfg.gridDim = dim3(unsigned(rows) * BLOCKS);
  cfg.blockDim = dim3(kThreads);
  cfg.stream = s;
  cudaLaunchAttribute attr{};
  attr.id = cudaLaunchAttributeClusterDimension;
  attr.val.clusterDim.x = BLOCKS;
  attr.val.clusterDim.y = attr.val.clusterDim.z = 1;
  cfg.attrs = &attr;
  cfg.numAttrs = BLOCKS > 1 ? 1 : 0;
  return cudaLaunchKernelEx(&cfg, normalise<BLOCKS>, in, out, width);
}

cudaError_t normaliseRows(const float* in, float* out, int rows, int width, cudaStream_t s) {
  if (rows == 0) return cudaSuccess;
  if (width <= 8192) return launch<1>(in, out, rows, width, s);
  if (width <= 65536) return launch<4>(in, out, rows, width, s);
  return launch<8>(in, out, rows, width, s);
}

}  // namespace spectro

int main() {
  const int rows = 64;
  for (int width : {4000, 40000, 200000}) {
    std::vector<float> h(size_t(rows) * width);
    for (size_t i = 0; i < h.size(); ++i) h[i] = float((i * 31) % 1009);
    float *a, *b;
    cudaMalloc(&a, h.size() * sizeof(float));
    cudaMalloc(&b, h.size() * sizeof(float));
    cudaMemcpy(a, h.data(), h.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaError_t e = spectro::normaliseRows(a, b, rows, width, 0);
    if (e == cudaSuccess) e = cudaDeviceSynchronize();
    printf("%d: %s\n", width, cudaGetErrorString(e));
    cudaFree(a);
    cudaFree(b);
  }
  return 0;
}
