#include <cuda_runtime.h>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <utility>

// 2D Ising model, several Metropolis sweeps for each visit of a tile. The ring
// around a tile stays frozen during the visit, tiles are shifted each time.

template <int W_, int H_>
struct TileShape {
  static constexpr int W = W_, H = H_;
  static constexpr int PITCH = W + 4;
  static constexpr int THREADS = W / 2 * H;
};

struct Lattice {
  int n;  // n x n, periodic
  const int8_t* src;
  int8_t* dst;
  int shiftX, shiftY;
};

struct Thermo {
  float prob[5];  // acceptance by alignment
  uint32_t seed;
  uint32_t step;
};

__device__ __forceinline__ uint32_t hash3(uint32_t a, uint32_t b, uint32_t c) {
  uint32_t h = a * 0x85ebca6bu ^ b * 0xc2b2ae35u ^ c * 0x27d4eb2fu;
  h ^= h >> 16;
  h *= 0x7feb352du;
  h ^= h >> 15;
  h *= 0x846ca68bu;
  return h ^ (h >> 16);
}

template <class Shape>
struct TileSpins {
  int8_t s[Shape::H + 2][Shape::PITCH];

  __device__ void update(int color, int row, int pair, const Thermo& th, uint32_t site, uint32_t round) {
    const int col = 2 * pair + ((row + color) & 1);
    int8_t& me = s[row + 1][col + 1];
    const int around = s[row][col + 1] + s[row + 2][col + 1] + s[row + 1][col] + s[row + 1][col + 2];
    const int align = me * around;
    const float u = (hash3(th.seed, site * 2 + color, th.step + round) >> 8) * (1.f / 16777216.f);
    if (align <= 0 || u < th.prob[align]) me = -me;
  }
};

template <class Shape, int SWEEPS>
__global__ void __launch_bounds__(Shape::THREADS) metropolis(Lattice lat, Thermo th) {
  __shared__ TileSpins<Shape> tile;
  const int x0 = blockIdx.x * Shape::W + lat.shiftX;
  const int y0 = blockIdx.y * Shape::H + lat.shiftY;
  const int tid = threadIdx.x;

  for (int i = tid; i < (Shape::W + 2) * (Shape::H + 2); i += Shape::THREADS) {
    const int lx = i % (Shape::W + 2), ly = i / (Shape::W + 2);
    const int gx = (x0 + lx - 1 + lat.n) % lat.n, gy = (y0 + ly - 1 + lat.n) % lat.n;
    tile.s[ly][lx] = lat.src[gy * lat.n + gx];
  }
  __syncthreads();

  const int row = tid / (Shape::W / 2), pair = tid % (Shape::W / 2);
  const uint32_t site = (blockIdx.y * gridDim.x + blockIdx.x) * Shape::THREADS + tid;
#pragma unroll 1
  for (int k = 0; k < SWEEPS; ++k) {
    tile.update(0, row, pair, th, site, k);
    __syncthreads();
    tile.update(1, row, pair, th, site, k);
  }

  __syncthreads();
  for (int i = tid; i < Shape::W * Shape::H; i += Shape::THREADS) {
    const int lx = i % Shape::W, ly = i / Shape::W;
    lat.dst[(y0 + ly) % lat.n * lat.n + (x0 + lx) % lat.n] = tile.s[ly + 1][lx + 1];
  }
}

class Simulation {
 public:
  using Shape = TileShape<64, 16>;

  Simulation(int n, float beta) : n_(n) {
    cudaMalloc(&a_, size_t(n) * n);
    cudaMalloc(&b_, size_t(n) * n);
    cudaMemset(a_, 1, size_t(n) * n);
    th_ = Thermo{{}, 1234u, 0u};
    for (int k = 0; k < 5; ++k) th_.prob[k] = std::exp(-2.f * beta * k);
  }
  ~Simulation() {
    cudaFree(a_);
    cudaFree(b_);
  }

  template <int SWEEPS>
  void visit() {
    Lattice lat{n_, a_, b_, int(th_.step * 17 % Shape::W), int(th_.step * 5 % Shape::H)};
    metropolis<Shape, SWEEPS><<<dim3(n_ / Shape::W, n_ / Shape::H), Shape::THREADS>>>(lat, th_);
    th_.step += SWEEPS;
    std::swap(a_, b_);
  }

 private:
  int n_;
  int8_t *a_ = nullptr, *b_ = nullptr;
  Thermo th_;
};

int main() {
  Simulation sim(1024, 0.44f);
  for (int i = 0; i < 200; ++i) sim.visit<4>();
  for (int i = 0; i < 100; ++i) sim.visit<1>();
  printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
  return 0;
}
