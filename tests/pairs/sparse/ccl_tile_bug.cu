// Connected components of a binary image: labels converge in every tile first,
// a second kernel merges them over the tile borders with union-find.
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr int TW = 32, TH = 8;

__device__ int findRoot(const int* label, int x) {
  int p = *(volatile const int*)(label + x);
  while (p != x) {
    x = p;
    p = *(volatile const int*)(label + x);
  }
  return x;
}

__device__ void unite(int* label, int a, int b) {
  while (true) {
    a = findRoot(label, a);
    b = findRoot(label, b);
    if (a == b) return;
    if (a < b) { int t = a; a = b; b = t; }
    // a > b: hang a below b
    const int old = atomicMin(&label[a], b);
    if (old == a) return;
    a = old;
  }
}

__global__ void labelTiles(const unsigned char* __restrict__ img, int* label, int w, int h) {
  __shared__ int s_lab[TH + 2][TW + 2];
  __shared__ int s_changed;
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int x = blockIdx.x * TW + tx, y = blockIdx.y * TH + ty;
  const int tid = ty * TW + tx;
  const bool in = x < w && y < h;
  const int g = in ? y * w + x : -1;
  const bool fg = in && img[g] != 0;

  for (int e = tid; e < (TH + 2) * (TW + 2); e += TW * TH) (&s_lab[0][0])[e] = 0x7fffffff;
  __syncthreads();
  int mine = fg ? g : 0x7fffffff;
  s_lab[ty + 1][tx + 1] = mine;

  while (true) {
    if (tid == 0) s_changed = 0;
    __syncthreads();
    int best = mine;
    if (fg) {
      best = min(best, s_lab[ty][tx + 1]);
      best = min(best, s_lab[ty + 2][tx + 1]);
      best = min(best, s_lab[ty + 1][tx]);
      best = min(best, s_lab[ty + 1][tx + 2]);
    }
    __syncthreads();
    if (best < mine) {
      mine = best;
      s_lab[ty + 1][tx + 1] = best;
      atomicExch(&s_changed, 1);
    }
    __syncthreads();
    if (!s_changed) break;
  }
  if (in) label[g] = fg ? mine : -1;
}

__global__ void mergeBorders(const unsigned char* __restrict__ img, int* label, int w, int h) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= w * h || !img[i]) return;
  const int x = i % w, y = i / w;
  if (x % TW == 0 && x > 0 && img[i - 1]) unite(label, i, i - 1);
  if (y % TH == 0 && y > 0 && img[i - w]) unite(label, i, i - w);
}

__global__ void flatten(const int* __restrict__ label, int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = label[i] < 0 ? -1 : findRoot(label, i);
}

int main(int argc, char** argv) {
  const int w = argc > 1 ? std::atoi(argv[1]) : 1000, h = argc > 2 ? std::atoi(argv[2]) : 777;
  if (w < 1 || h < 1 || w > 16384 || h > 16384) return 1;
  const int n = w * h;
  std::vector<unsigned char> img(n);
  for (int i = 0; i < n; ++i) img[i] = rand() % 100 < 57;
  unsigned char* dImg;
  int *dLab, *dOut;
  if (cudaMalloc(&dImg, n) || cudaMalloc(&dLab, n * sizeof(int)) || cudaMalloc(&dOut, n * sizeof(int))) return 2;
  cudaMemcpy(dImg, img.data(), n, cudaMemcpyHostToDevice);
  labelTiles<<<dim3((w + TW - 1) / TW, (h + TH - 1) / TH), dim3(TW, TH)>>>(dImg, dLab, w, h);
  mergeBorders<<<(n + 255) / 256, 256>>>(dImg, dLab, w, h);
  flatten<<<(n + 255) / 256, 256>>>(dLab, dOut, n);
  std::vector<int> out(n);
  cudaMemcpy(out.data(), dOut, n * sizeof(int), cudaMemcpyDeviceToHost);
  int comps = 0;
  for (int i = 0; i < n; ++i) comps += out[i] == i;
  std::printf("%d components\n", comps);
  return 0;
}
