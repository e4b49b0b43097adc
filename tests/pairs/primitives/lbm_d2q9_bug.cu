#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <utility>

// D2Q9 lattice Boltzmann, one lattice row for each block. Moves along x go
// through shared memory so that global loads and stores stay aligned.

#define LBM_CHECK(e)                                                       \
  if (cudaError_t err_ = (e); err_ != cudaSuccess) {                       \
    std::fprintf(stderr, "LBM: %s (%d)\n", cudaGetErrorString(err_), __LINE__); \
    std::exit(1);                                                          \
  }

enum Dir { C = 0, E, W, N, S, NE, NW, SE, SW, Q };

struct Field {
  float* f[Q];
};

struct LbmParams {
  int nx, ny;
  float omega;
  float force;
};

__constant__ float kWeight[Q] = {4.f / 9,  1.f / 9,  1.f / 9,  1.f / 9, 1.f / 9,
                                 1.f / 36, 1.f / 36, 1.f / 36, 1.f / 36};

struct Moving {
  Dir dir;
  int cx, cy;
};

__device__ constexpr Moving kMoving[6] = {{E, 1, 0}, {W, -1, 0}, {NE, 1, 1}, {NW, -1, 1}, {SE, 1, -1}, {SW, -1, -1}};

template <int NX>
struct ShiftRow {
  float v[2][NX];

  // Value that arrives at cell x when the whole row moves by cx cells.
  __device__ float exchange(int i, int x, int cx, float mine) {
    float* row = v[(i >> 1) & 1];
    row[x] = mine;
    __syncthreads();
    return row[(x - cx + NX) % NX];
  }
};

__device__ __forceinline__ float equilibrium(float w, float rho, float cu, float uu) {
  return w * rho * (1.f + 3.f * cu + 4.5f * cu * cu - 1.5f * uu);
}

__device__ void collide(float (&f)[Q], const LbmParams& p) {
  const float rho = f[C] + f[E] + f[W] + f[N] + f[S] + f[NE] + f[NW] + f[SE] + f[SW];
  const float ux = (f[E] + f[NE] + f[SE] - f[W] - f[NW] - f[SW]) / rho + p.force;
  const float uy = (f[N] + f[NE] + f[NW] - f[S] - f[SE] - f[SW]) / rho;
  const float uu = ux * ux + uy * uy;
  const float cu[Q] = {0.f, ux, -ux, uy, -uy, ux + uy, uy - ux, ux - uy, -ux - uy};
#pragma unroll
  for (int q = 0; q < Q; ++q) f[q] += p.omega * (equilibrium(kWeight[q], rho, cu[q], uu) - f[q]);
}

template <int NX>
__global__ void __launch_bounds__(NX) streamCollide(Field src, Field dst, LbmParams p) {
  __shared__ ShiftRow<NX> shift;
  const int x = threadIdx.x;
  const int y = blockIdx.x;
  const int up = (y + 1) % p.ny, down = (y + p.ny - 1) % p.ny;

  float f[Q];
#pragma unroll
  for (int q = 0; q < Q; ++q) f[q] = src.f[q][y * NX + x];
  collide(f, p);

  dst.f[C][y * NX + x] = f[C];
  dst.f[N][up * NX + x] = f[N];
  dst.f[S][down * NX + x] = f[S];

#pragma unroll
  for (int i = 0; i < 6; ++i) {
    const Moving m = kMoving[i];
    const float v = shift.exchange(i, x, m.cx, f[m.dir]);
    const int row = m.cy == 0 ? y : (m.cy > 0 ? up : down);
    dst.f[m.dir][row * NX + x] = v;
  }
}

static Field makeField(const LbmParams& p, float* pool) {
  Field fld;
  for (int q = 0; q < Q; ++q) fld.f[q] = pool + size_t(q) * p.nx * p.ny;
  return fld;
}

__global__ void fill(Field f, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    for (int q = 0; q < Q; ++q) f.f[q][i] = kWeight[q];
}

static void advance(Field src, Field dst, const LbmParams& p, cudaStream_t s) {
  switch (p.nx) {
    case 128: streamCollide<128><<<p.ny, 128, 0, s>>>(src, dst, p); break;
    case 256: streamCollide<256><<<p.ny, 256, 0, s>>>(src, dst, p); break;
    default: std::fprintf(stderr, "nx must be 128 or 256\n"); std::exit(1);
  }
  LBM_CHECK(cudaGetLastError());
}

int main(int argc, char** argv) {
  LbmParams p{argc > 1 ? std::atoi(argv[1]) : 256, 300, 1.7f, 1e-5f};
  const int n = p.nx * p.ny;
  float *a, *b;
  LBM_CHECK(cudaMalloc(&a, sizeof(float) * Q * n));
  LBM_CHECK(cudaMalloc(&b, sizeof(float) * Q * n));
  Field cur = makeField(p, a), nxt = makeField(p, b);
  fill<<<(n + 255) / 256, 256>>>(cur, n);
  for (int t = 0; t < 1000; ++t) {
    advance(cur, nxt, p, 0);
    std::swap(cur, nxt);
  }
  LBM_CHECK(cudaDeviceSynchronize());
  return 0;
}
