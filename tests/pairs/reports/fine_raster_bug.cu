#include <cuda_runtime.h>
#include <cstdint>

namespace raster {

constexpr int kTile = 8;
constexpr int kPixels = kTile * kTile;
constexpr int kWarps = 4;

struct Fragment {
  uint32_t pixel;   // index in the tile
  uint32_t depth;   // 24 bit
  uint32_t color;   // alpha in the top byte
};

struct TileRange {
  int begin;
  int end;
};

struct Target {
  uint32_t* color;
  uint32_t* depth;
  int tiles_x;
  int tiles;
  int stride;
};

__device__ __forceinline__ bool alpha_pass(uint32_t color, uint32_t ref) {
  return (color >> 24) > ref;
}

__device__ __forceinline__ uint32_t order_key(uint32_t depth, int lane) {
  return ((depth & 0x00ffffffu) << 5) | lane;
}

__global__ void __launch_bounds__(32 * kWarps)
fine_raster(const Fragment* frags, const TileRange* ranges, Target rt, uint32_t alpha_ref,
            uint32_t clear_color) {
  __shared__ uint32_t zbuf[kWarps][kPixels];
  __shared__ uint32_t cbuf[kWarps][kPixels];

  const int lane = threadIdx.x;
  const int w = threadIdx.y;
  const int tile = blockIdx.x * kWarps + w;
  if (tile >= rt.tiles) return;

  for (int i = lane; i < kPixels; i += 32) {
    zbuf[w][i] = 0xffffffffu;
    cbuf[w][i] = clear_color;
  }
  __syncwarp();

  const TileRange rg = ranges[tile];
  for (int base = rg.begin; base < rg.end; base += 32) {
    Fragment f = {0u, 0u, 0u};
    if (base + lane < rg.end) f = frags[base + lane];
    const bool covered = base + lane < rg.end && alpha_pass(f.color, alpha_ref);
    if (covered) {
      const uint32_t key = order_key(f.depth, lane);
      volatile uint32_t* z = &zbuf[w][f.pixel];
      const uint32_t rop_mask = __activemask();
      atomicMin(const_cast<uint32_t*>(z), key);
      __syncwarp(rop_mask);
      if (*z == key) cbuf[w][f.pixel] = f.color;
    }
    __syncwarp();
  }

  const int tx = (tile % rt.tiles_x) * kTile;
  const int ty = (tile / rt.tiles_x) * kTile;
  for (int i = lane; i < kPixels; i += 32) {
    const size_t at = (size_t)(ty + i / kTile) * rt.stride + tx + i % kTile;
    rt.color[at] = cbuf[w][i];
    rt.depth[at] = zbuf[w][i] >> 5;
  }
}

void draw(const Fragment* frags, const TileRange* ranges, uint32_t* color, uint32_t* depth,
          int width, int height, uint32_t alpha_ref, cudaStream_t s) {
  Target rt;
  rt.color = color;
  rt.depth = depth;
  rt.tiles_x = width / kTile;
  rt.tiles = rt.tiles_x * (height / kTile);
  rt.stride = width;
  if (rt.tiles == 0) return;
  dim3 block(32, kWarps);
  fine_raster<<<(rt.tiles + kWarps - 1) / kWarps, block, 0, s>>>(frags, ranges, rt, alpha_ref,
                                                                 0xff000000u);
}

}  // namespace raster
