#include <cuda_runtime.h>
#include <cstdint>

namespace mdgpu {

constexpr int WARP = 32;
constexpr int BLOCK_WARPS = 4;

struct Box {
  float lx, ly, lz;
};

struct TileList {
  const int2* tiles;  // (row block, column block)
  int ntiles;
};

struct LJParams {
  const float4* xyzq;
  const float2* sig_eps;
  float* energy;       // one per tile
  float4* force;       // xyz accumulated
  int n;
  float cut2;
  Box box;
};

struct Shared {
  float x[BLOCK_WARPS][WARP];
  float y[BLOCK_WARPS][WARP];
  float z[BLOCK_WARPS][WARP];
  float sig[BLOCK_WARPS][WARP];
  float eps[BLOCK_WARPS][WARP];
};

__device__ inline float image(float d, float l) { return d - l * rintf(d / l); }

template <bool DO_FORCE>
__global__ void lj_tiles(LJParams p, TileList list) {
  __shared__ Shared sh;
  const int lane = threadIdx.x % WARP;
  const int w = threadIdx.x / WARP;
  const int nwarps = gridDim.x * BLOCK_WARPS;

  for (int t = blockIdx.x * BLOCK_WARPS + w; t < list.ntiles; t += nwarps) {
    const int2 tile = list.tiles[t];
    const int i = tile.x * WARP + lane;
    const int j = tile.y * WARP + lane;
    const int jc = min(j, p.n - 1);
    const float4 pj = p.xyzq[jc];
    const float2 sj = p.sig_eps[jc];
    __syncwarp();
    sh.x[w][lane] = pj.x;
    sh.y[w][lane] = pj.y;
    sh.z[w][lane] = pj.z;
    sh.sig[w][lane] = sj.x;
    sh.eps[w][lane] = j < p.n ? sj.y : 0.f;
    __syncwarp();

    const int ic = min(i, p.n - 1);
    const float4 pi = p.xyzq[ic];
    const float2 si = p.sig_eps[ic];
    float e = 0.f, fx = 0.f, fy = 0.f, fz = 0.f;
    for (int k = 0; k < WARP; ++k) {
      const int s = (lane + k) % WARP;
      const float dx = image(pi.x - sh.x[w][s], p.box.lx);
      const float dy = image(pi.y - sh.y[w][s], p.box.ly);
      const float dz = image(pi.z - sh.z[w][s], p.box.lz);
      const float r2 = dx * dx + dy * dy + dz * dz;
      const bool self = tile.x == tile.y && s == lane;
      if (i < p.n && !self && r2 < p.cut2 && r2 > 0.f) {
        const float sg = 0.5f * (si.x + sh.sig[w][s]);
        const float q = sg * sg / r2;
        const float q6 = q * q * q;
        const float ep = sqrtf(si.y * sh.eps[w][s]);
        e += 4.f * ep * (q6 * q6 - q6);
        const float f = 24.f * ep * (2.f * q6 * q6 - q6) / r2;
        fx += f * dx;
        fy += f * dy;
        fz += f * dz;
      }
    }
    for (int o = WARP / 2; o > 0; o >>= 1) e += __shfl_xor_sync(0xffffffffu, e, o);
    if (lane == 0) p.energy[t] = e;
    if (DO_FORCE && i < p.n) {
      atomicAdd(&p.force[i].x, fx);
      atomicAdd(&p.force[i].y, fy);
      atomicAdd(&p.force[i].z, fz);
    }
  }
}

void lj(const LJParams& p, const TileList& list, bool do_force, cudaStream_t s) {
  if (list.ntiles == 0) return;
  int sms = 0;
  cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0);
  const int need = (list.ntiles + BLOCK_WARPS - 1) / BLOCK_WARPS;
  const int grid = need < sms * 8 ? need : sms * 8;
  if (do_force)
    lj_tiles<true><<<grid, WARP * BLOCK_WARPS, 0, s>>>(p, list);
  else
    lj_tiles<false><<<grid, WARP * BLOCK_WARPS, 0, s>>>(p, list);
}

}  // namespace mdgpu
