#include <cuda_runtime.h>
#include <cstdint>
#include <cstdio>
#include <vector>

// Connected component labelling of binary masks: iterate inside tiles, then
// link the tiles along their borders with a union-find on the label image.

#define TILE_X 32
#define TILE_Y 8

struct ImageSize {
  int w, h;
};

__device__ __forceinline__ bool inside(const ImageSize& s, int x, int y) { return x < s.w && y < s.h; }

struct TileState {
  int label[TILE_Y + 2][TILE_X + 2];
  int changed;
};

// Smallest label among the pixel and its four neighbours, background is -1.
__device__ __forceinline__ int smallest(const TileState& t, int ly, int lx) {
  int m = t.label[ly][lx];
  const int nb[4] = {t.label[ly - 1][lx], t.label[ly + 1][lx], t.label[ly][lx - 1], t.label[ly][lx + 1]};
#pragma unroll
  for (int i = 0; i < 4; ++i)
    if (nb[i] >= 0 && nb[i] < m) m = nb[i];
  return m;
}

__global__ void labelTiles(const uint8_t* mask, int* labels, ImageSize size) {
  __shared__ TileState t;
  const int x = blockIdx.x * TILE_X + threadIdx.x;
  const int y = blockIdx.y * TILE_Y + threadIdx.y;
  const int tid = threadIdx.y * TILE_X + threadIdx.x;
  const int lx = threadIdx.x + 1, ly = threadIdx.y + 1;

  for (int i = tid; i < (TILE_Y + 2) * (TILE_X + 2); i += TILE_X * TILE_Y)
    t.label[i / (TILE_X + 2)][i % (TILE_X + 2)] = -1;
  __syncthreads();
  const bool fg = inside(size, x, y) && mask[y * size.w + x] != 0;
  if (fg) t.label[ly][lx] = y * size.w + x;
  __syncthreads();

  while (true) {
    if (tid == 0) t.changed = 0;
    const int now = fg ? t.label[ly][lx] : -1;
    const int low = fg ? smallest(t, ly, lx) : -1;
    __syncthreads();
    if (low < now) {
      t.label[ly][lx] = low;
      atomicOr(&t.changed, 1);
    }
    __syncthreads();
    if (!t.changed) break;
  }

  if (inside(size, x, y)) labels[y * size.w + x] = t.label[ly][lx];
}

__device__ int findRoot(const int* labels, int i) {
  int p = *(volatile const int*)(labels + i);
  while (p != i) {
    i = p;
    p = *(volatile const int*)(labels + i);
  }
  return i;
}

__device__ void unite(int* labels, int a, int b) {
  while (true) {
    a = findRoot(labels, a);
    b = findRoot(labels, b);
    if (a == b) return;
    if (a > b) {
      const int c = a;
      a = b;
      b = c;
    }
    const int old = atomicMin(labels + b, a);
    if (old == b) return;
    b = old;
  }
}

__global__ void linkBorders(const uint8_t* mask, int* labels, ImageSize size) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (!inside(size, x, y)) return;
  const int i = y * size.w + x;
  if (!mask[i]) return;
  if (x > 0 && x % TILE_X == 0 && mask[i - 1]) unite(labels, i, i - 1);
  if (y > 0 && y % TILE_Y == 0 && mask[i - size.w]) unite(labels, i, i - size.w);
}

__global__ void flatten(const int* labels, int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = labels[i] < 0 ? -1 : findRoot(labels, i);
}

cudaError_t labelComponents(const uint8_t* mask, int* work, int* out, ImageSize size, cudaStream_t s) {
  const dim3 block(TILE_X, TILE_Y);
  const dim3 grid((size.w + TILE_X - 1) / TILE_X, (size.h + TILE_Y - 1) / TILE_Y);
  const int n = size.w * size.h;
  labelTiles<<<grid, block, 0, s>>>(mask, work, size);
  linkBorders<<<grid, block, 0, s>>>(mask, work, size);
  flatten<<<(n + 255) / 256, 256, 0, s>>>(work, out, n);
  return cudaGetLastError();
}

int main() {
  const ImageSize size{1001, 703};
  const size_t n = size_t(size.w) * size.h;
  std::vector<uint8_t> h(n);
  for (size_t i = 0; i < n; ++i) h[i] = ((i * 2654435761u) >> 28) < 9;
  uint8_t* m;
  int *work, *out;
  cudaMalloc(&m, n);
  cudaMalloc(&work, n * sizeof(int));
  cudaMalloc(&out, n * sizeof(int));
  cudaMemcpy(m, h.data(), n, cudaMemcpyHostToDevice);
  cudaError_t e = labelComponents(m, work, out, size, 0);
  if (e == cudaSuccess) e = cudaDeviceSynchronize();
  printf("%s\n", cudaGetErrorString(e));
  return e != cudaSuccess;
}
