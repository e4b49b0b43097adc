// Connected components inside tiles (iterative min propagation), labels are global pixel ids.
#include <cuda_runtime.h>
#include <cstdint>
#include <cstdio>

#define TILE_W 32
#define TILE_H 4
#define ITER_LIMIT (TILE_W * TILE_H)

struct Frame {
  const uint8_t* pix;
  int* label;
  int width;
  int height;
};

struct TileState {
  int lab[2][TILE_H][TILE_W];
  uint8_t fg[TILE_H][TILE_W];
};

__device__ __forceinline__ int visit(const TileState& t, int cur, int x, int y, int best) {
  if (x < 0 || x >= TILE_W || y < 0 || y >= TILE_H) return best;
  return t.fg[y][x] ? min(best, t.lab[cur][y][x]) : best;
}

__device__ int relax(const TileState& t, int cur, int x, int y) {
  int b = t.lab[cur][y][x];
  b = visit(t, cur, x - 1, y, b);
  b = visit(t, cur, x + 1, y, b);
  b = visit(t, cur, x, y - 1, b);
  b = visit(t, cur, x, y + 1, b);
  return b;
}

__global__ void __launch_bounds__(TILE_W* TILE_H) label_tiles(Frame f, int threshold) {
  __shared__ TileState t;
  const int lx = threadIdx.x, ly = threadIdx.y;
  const int x = blockIdx.x * TILE_W + lx, y = blockIdx.y * TILE_H + ly;
  const bool in = x < f.width && y < f.height;
  const bool fg = in && f.pix[(size_t)y * f.width + x] >= threshold;

  t.fg[ly][lx] = fg;
  t.lab[0][ly][lx] = y * f.width + x;
  __syncthreads();

  int cur = 0;
  bool moved;
  int guard = 0;
  do {
    int v = t.lab[cur][ly][lx];
    if (fg) v = relax(t, cur, lx, ly);
    moved = v != t.lab[cur][ly][lx];
    t.lab[cur ^ 1][ly][lx] = v;
    moved = __syncthreads_or(moved);
    cur ^= 1;
  } while (moved && ++guard < ITER_LIMIT);

  if (in) f.label[(size_t)y * f.width + x] = fg ? t.lab[cur][ly][lx] : -1;
}

// label chains inside a tile end at the smallest pixel id
__device__ int find_root(const int* label, int i) {
  while (label[i] != i) i = label[i];
  return i;
}

__global__ void flatten(const int* __restrict__ label, int* __restrict__ root, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    root[i] = label[i] < 0 ? -1 : find_root(label, i);
}

extern "C" int ccl_tiles(const uint8_t* pix, int* label, int* root, int w, int h, int thr, cudaStream_t s) {
  if (w <= 0 || h <= 0) return -1;
  const Frame f{pix, label, w, h};
  const dim3 block(TILE_W, TILE_H);
  const dim3 grid((w + TILE_W - 1) / TILE_W, (h + TILE_H - 1) / TILE_H);
  label_tiles<<<grid, block, 0, s>>>(f, thr);
  const int n = w * h;
  const int blocks = (n + 255) / 256 < 1024 ? (n + 255) / 256 : 1024;
  flatten<<<blocks, 256, 0, s>>>(label, root, n);
  return cudaGetLastError() == cudaSuccess ? 0 : -2;
}

int main() {
  const int w = 640, h = 481;
  uint8_t* p;
  int *l, *r;
  if (cudaMalloc(&p, w * h) || cudaMalloc(&l, sizeof(int) * w * h) || cudaMalloc(&r, sizeof(int) * w * h)) return 1;
  cudaMemset(p, 255, w * h);
  if (ccl_tiles(p, l, r, w, h, 128, 0)) return 2;
  return cudaDeviceSynchronize() != cudaSuccess;
}
