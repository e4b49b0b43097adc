// Blocked Floyd-Warshall in three phases per pivot tile, in place.
#include <cuda_runtime.h>
#include <climits>
#include <vector>
#include <stdexcept>

namespace apsp {

constexpr int B = 16;
constexpr int kInf = INT_MAX / 4;

struct Graph {
  int* d;
  int n;      // multiple of B
  __device__ int* tile(int ti, int tj) const { return d + size_t(ti) * B * n + tj * B; }
};

using Tile = int[B][B + 1];

__device__ void load(Tile& t, const int* src, int n) { t[threadIdx.y][threadIdx.x] = src[threadIdx.y * n + threadIdx.x]; }

__global__ void pivot_tile(Graph g, int k) {
  __shared__ Tile t;
  const int i = threadIdx.y, j = threadIdx.x;
  int* p = g.tile(k, k);
  load(t, p, g.n);
  __syncthreads();
  for (int m = 0; m < B; ++m) {
    const int v = min(t[i][j], t[i][m] + t[m][j]);
    __syncthreads();
    t[i][j] = v;
    __syncthreads();
  }
  p[i * g.n + j] = t[i][j];
}

__global__ void cross_tiles(Graph g, int k) {
  if (blockIdx.x == k) return;
  __shared__ Tile piv, own;
  const bool is_row = blockIdx.y == 0;
  const int i = threadIdx.y, j = threadIdx.x;
  int* p = is_row ? g.tile(k, blockIdx.x) : g.tile(blockIdx.x, k);
  load(piv, g.tile(k, k), g.n);
  load(own, p, g.n);
  int mine = own[i][j];
  for (int m = 0; m < B; ++m) {
    __syncthreads();
    const int via = is_row ? piv[i][m] + own[m][j] : own[i][m] + piv[m][j];
    mine = min(mine, via);
    __syncthreads();
    own[i][j] = mine;
  }
  p[i * g.n + j] = mine;
}

__global__ void rest_tiles(Graph g, int k) {
  if (blockIdx.x == k || blockIdx.y == k) return;
  __shared__ Tile col, row;
  const int i = threadIdx.y, j = threadIdx.x;
  load(col, g.tile(blockIdx.y, k), g.n);
  load(row, g.tile(k, blockIdx.x), g.n);
  __syncthreads();
  int* p = g.tile(blockIdx.y, blockIdx.x);
  int best = p[i * g.n + j];
#pragma unroll
  for (int m = 0; m < B; ++m) best = min(best, col[i][m] + row[m][j]);
  p[i * g.n + j] = best;
}

class Solver {
 public:
  explicit Solver(int vertices) {
    if (vertices < 1 || vertices > 20000) throw std::invalid_argument("vertices");
    g_.n = (vertices + B - 1) / B * B;
    if (cudaMalloc(&g_.d, sizeof(int) * size_t(g_.n) * g_.n) != cudaSuccess) throw std::bad_alloc();
  }
  ~Solver() { cudaFree(g_.d); }
  Solver(const Solver&) = delete;

  int stride() const { return g_.n; }
  bool run(std::vector<int>& dist) {
    if (dist.size() != size_t(g_.n) * g_.n) return false;
    for (int& v : dist)
      if (v < 0 || v > kInf) v = kInf;
    cudaMemcpy(g_.d, dist.data(), dist.size() * sizeof(int), cudaMemcpyHostToDevice);
    const int t = g_.n / B;
    const dim3 block(B, B);
    for (int k = 0; k < t; ++k) {
      pivot_tile<<<1, block>>>(g_, k);
      if (t > 1) {
        cross_tiles<<<dim3(t, 2), block>>>(g_, k);
        rest_tiles<<<dim3(t, t), block>>>(g_, k);
      }
    }
    return cudaMemcpy(dist.data(), g_.d, dist.size() * sizeof(int), cudaMemcpyDeviceToHost) == cudaSuccess;
  }

 private:
  Graph g_{};
};

}  // namespace apsp

int main() {
  apsp::Solver s(203);
  std::vector<int> d(size_t(s.stride()) * s.stride(), apsp::kInf);
  for (int i = 0; i + 1 < s.stride(); ++i) d[size_t(i) * s.stride() + i + 1] = 1;
  return s.run(d) ? 0 : 1;
}
