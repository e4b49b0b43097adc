#include <cuda_runtime.h>
#include <cstdint>
#include <cstdio>
#include <stdexcept>
#include <vector>

// Distance transform of glyph cells by jump flooding, whole cell in shared
// memory. Used to build signed distance fonts.

namespace sdf {

constexpr int kCell = 32;
constexpr int16_t kNone = -1;

struct Seed {
  int16_t x, y;
};

struct Job {
  const uint8_t* coverage;  // kCell x kCell for each glyph
  float* distance;
  uint8_t threshold;
};

using Plane = Seed[kCell][kCell];

__device__ __forceinline__ int dist2(Seed s, int x, int y) {
  if (s.x == kNone) return 1 << 20;
  const int dx = s.x - x, dy = s.y - y;
  return dx * dx + dy * dy;
}

__device__ Seed nearest(const Plane& p, int x, int y, int step) {
  Seed best = p[y][x];
  int d = dist2(best, x, y);
#pragma unroll
  for (int oy = -1; oy <= 1; ++oy) {
#pragma unroll
    for (int ox = -1; ox <= 1; ++ox) {
      const int nx = x + ox * step, ny = y + oy * step;
      if (nx < 0 || ny < 0 || nx >= kCell || ny >= kCell) continue;
      const Seed s = p[ny][nx];
      const int e = dist2(s, x, y);
      if (e < d) {
        d = e;
        best = s;
      }
    }
  }
  return best;
}

struct Flooder {
  Plane plane[2];

  __device__ void pass(int from, int to, int x, int y, int step) {
    const Seed s = nearest(plane[from], x, y, step);
    plane[to][y][x] = s;
    __syncthreads();
  }

  // Index of the plane that holds the result.
  template <bool EXTRA>
  __device__ int run(int x, int y) {
    int cur = 0;
    for (int step = kCell / 2; step > 0; step >>= 1) {
      pass(cur, cur ^ 1, x, y, step);
      cur ^= 1;
    }
    if constexpr (EXTRA) {
      pass(cur, cur ^ 1, x, y, 1);
      cur ^= 1;
    }
    return cur;
  }
};

template <bool EXTRA>
__global__ void __launch_bounds__(kCell* kCell) glyphDistance(Job job) {
  __shared__ Flooder fl;
  const int x = threadIdx.x, y = threadIdx.y;
  const size_t at = (size_t(blockIdx.x) * kCell + y) * kCell + x;

  const bool on = job.coverage[at] >= job.threshold;
  fl.plane[0][y][x] = on ? Seed{int16_t(x), int16_t(y)} : Seed{kNone, kNone};
  __syncthreads();
  const int outer = fl.run<EXTRA>(x, y);
  const float dOut = sqrtf(float(dist2(fl.plane[outer][y][x], x, y)));

  __syncthreads();
  fl.plane[0][y][x] = on ? Seed{kNone, kNone} : Seed{int16_t(x), int16_t(y)};
  __syncthreads();
  const int inner = fl.run<EXTRA>(x, y);
  const float dIn = sqrtf(float(dist2(fl.plane[inner][y][x], x, y)));

  job.distance[at] = dOut - dIn;
}

void build(const Job& job, int glyphs, bool precise, cudaStream_t s) {
  if (glyphs == 0) return;
  const dim3 block(kCell, kCell);
  if (precise)
    glyphDistance<true><<<glyphs, block, 0, s>>>(job);
  else
    glyphDistance<false><<<glyphs, block, 0, s>>>(job);
  if (cudaGetLastError() != cudaSuccess) throw std::runtime_error("glyphDistance");
}

}  // namespace sdf

int main() {
  const int glyphs = 96, n = glyphs * sdf::kCell * sdf::kCell;
  std::vector<uint8_t> cov(n);
  for (int i = 0; i < n; ++i) {
    const int x = i % sdf::kCell - 16, y = i / sdf::kCell % sdf::kCell - 16;
    cov[i] = x * x + 2 * y * y < 100 ? 255 : 0;
  }
  uint8_t* c;
  float* d;
  cudaMalloc(&c, n);
  cudaMalloc(&d, n * sizeof(float));
  cudaMemcpy(c, cov.data(), n, cudaMemcpyHostToDevice);
  sdf::build({c, d, 128}, glyphs, false, 0);
  sdf::build({c, d, 128}, glyphs, true, 0);
  printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
  return 0;
}
