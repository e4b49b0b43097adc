// X-engine of an FX correlator: visibilities for all station pairs of a tile.
#include <cuda_runtime.h>
#include <cstdint>
#include <cstdio>
#include <stdexcept>

namespace xeng {

constexpr int kTile = 16;     // stations per tile side
constexpr int kAhead = 2;     // time blocks in flight
constexpr int kStages = 2;    // buffers in shared memory
constexpr int kTimeBlk = 8;   // samples per time block

struct Geometry {
  int nstation;  // padded to kTile
  int nchan;
  int ntimeblk;
};

__device__ __forceinline__ float2 unpack(char2 s) { return make_float2((float)s.x, (float)s.y); }

struct Stage {
  char2 row[kTimeBlk][kTile];
  char2 col[kTimeBlk][kTile];
};

__device__ void fetch(Stage& st, const char2* __restrict__ volt, const Geometry& g, int chan, int tb,
                      int r0, int c0) {
  const int tid = threadIdx.y * kTile + threadIdx.x;
  const int half = kTimeBlk * kTile;
  const size_t base = ((size_t)chan * g.ntimeblk + tb) * kTimeBlk;
  if (tid < half) {
    const int t = tid / kTile, s = tid % kTile;
    st.row[t][s] = volt[(base + t) * g.nstation + r0 + s];
  } else {
    const int q = tid - half;
    const int t = q / kTile, s = q % kTile;
    st.col[t][s] = volt[(base + t) * g.nstation + c0 + s];
  }
}

__device__ void accumulate(const Stage& st, float2& acc) {
#pragma unroll
  for (int t = 0; t < kTimeBlk; ++t) {
    const float2 a = unpack(st.row[t][threadIdx.y]);
    const float2 b = unpack(st.col[t][threadIdx.x]);
    acc.x += a.x * b.x + a.y * b.y;
    acc.y += a.y * b.x - a.x * b.y;
  }
}

__global__ void __launch_bounds__(kTile* kTile)
correlate(const char2* __restrict__ volt, float2* __restrict__ vis, Geometry g) {
  __shared__ Stage stage[kStages];
  const int chan = blockIdx.z;
  const int r0 = blockIdx.y * kTile;
  const int c0 = blockIdx.x * kTile;
  if (c0 > r0) return;  // lower triangle of tiles only

  float2 acc = make_float2(0.f, 0.f);
  for (int tb = 0; tb < kAhead && tb < g.ntimeblk; ++tb) fetch(stage[tb % kStages], volt, g, chan, tb, r0, c0);

  for (int tb = 0; tb < g.ntimeblk; ++tb) {
    __syncthreads();
    if (tb + kAhead < g.ntimeblk)
      fetch(stage[(tb + kAhead) % kStages], volt, g, chan, tb + kAhead, r0, c0);
    accumulate(stage[tb % kStages], acc);
  }

  const int r = r0 + threadIdx.y, c = c0 + threadIdx.x;
  vis[((size_t)chan * g.nstation + r) * g.nstation + c] = acc;
}

class XEngine {
 public:
  XEngine(int nstation, int nchan, int ntimeblk) {
    g_.nstation = (nstation + kTile - 1) / kTile * kTile;
    g_.nchan = nchan;
    g_.ntimeblk = ntimeblk;
    if (nchan < 1 || nchan > 65535) throw std::invalid_argument("nchan");
  }
  void run(const char2* volt, float2* vis, cudaStream_t s) const {
    const int nt = g_.nstation / kTile;
    dim3 grid(nt, nt, g_.nchan), block(kTile, kTile);
    correlate<<<grid, block, 0, s>>>(volt, vis, g_);
    cudaError_t e = cudaGetLastError();
    if (e != cudaSuccess) throw std::runtime_error(cudaGetErrorString(e));
  }
  size_t visBytes() const { return sizeof(float2) * (size_t)g_.nchan * g_.nstation * g_.nstation; }
  size_t voltBytes() const { return sizeof(char2) * (size_t)g_.nchan * g_.ntimeblk * kTimeBlk * g_.nstation; }

 private:
  Geometry g_;
};

}  // namespace xeng

int main() {
  xeng::XEngine eng(60, 128, 32);
  char2* volt;
  float2* vis;
  if (cudaMalloc(&volt, eng.voltBytes()) || cudaMalloc(&vis, eng.visBytes())) return 1;
  cudaMemset(volt, 1, eng.voltBytes());
  eng.run(volt, vis, 0);
  return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}
