#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>

// Filter bank on image tiles. Four warps stage input tiles, the remaining
// warps of the block apply the filters.

#define PRODUCER_WARPS 4
#define STAGE_COUNT    2
#define TILE           32

struct BankArgs {
  const float* in;
  float* out;
  const float* filters;
  int width, height, pitch;
  int filterCount;
  int tilesX, tiles;
};

enum BarrierId { kFull = 1, kEmpty = kFull + STAGE_COUNT };

template <int CONSUMERS>
struct Roles {
  static constexpr int kProducers = PRODUCER_WARPS * 32;
  static constexpr int kConsumers = CONSUMERS * 32;
  static constexpr int kThreads = kProducers + kConsumers;
  static constexpr int kMembers = 256;
};

__device__ __forceinline__ void namedSync(int id, int members) {
  asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(members) : "memory");
}
__device__ __forceinline__ void namedArrive(int id, int members) {
  asm volatile("bar.arrive %0, %1;" ::"r"(id), "r"(members) : "memory");
}

template <int R>
struct TileBuf {
  static constexpr int kSide = TILE + 2 * R;
  float px[kSide][kSide + 1];
};

template <int R>
__device__ void loadTile(TileBuf<R>& buf, const BankArgs& a, int tile, int tid, int count) {
  const int x0 = tile % a.tilesX * TILE - R, y0 = tile / a.tilesX * TILE - R;
  constexpr int side = TileBuf<R>::kSide;
  for (int i = tid; i < side * side; i += count) {
    const int x = min(max(x0 + i % side, 0), a.width - 1);
    const int y = min(max(y0 + i / side, 0), a.height - 1);
    buf.px[i / side][i % side] = a.in[size_t(y) * a.pitch + x];
  }
}

template <int R>
__device__ void filterTile(const TileBuf<R>& buf, const BankArgs& a, int tile, int tid, int count) {
  constexpr int taps = 2 * R + 1;
  const int x0 = tile % a.tilesX * TILE, y0 = tile / a.tilesX * TILE;
  for (int i = tid; i < TILE * TILE; i += count) {
    const int lx = i % TILE, ly = i / TILE;
    if (x0 + lx >= a.width || y0 + ly >= a.height) continue;
    for (int f = 0; f < a.filterCount; ++f) {
      const float* w = a.filters + f * taps * taps;
      float s = 0.f;
#pragma unroll
      for (int dy = 0; dy < taps; ++dy)
#pragma unroll
        for (int dx = 0; dx < taps; ++dx) s += __ldg(w + dy * taps + dx) * buf.px[ly + dy][lx + dx];
      a.out[(size_t(f) * a.height + y0 + ly) * a.width + x0 + lx] = s;
    }
  }
}

template <int R, int CONSUMERS>
__global__ void __launch_bounds__(Roles<CONSUMERS>::kThreads) filterBank(BankArgs a) {
  using Role = Roles<CONSUMERS>;
  __shared__ TileBuf<R> stage[STAGE_COUNT];
  const int warp = threadIdx.x / 32;

  if (warp < PRODUCER_WARPS) {
    int n = 0;
    for (int t = blockIdx.x; t < a.tiles; t += gridDim.x, ++n) {
      const int s = n % STAGE_COUNT;
      if (n >= STAGE_COUNT) namedSync(kEmpty + s, Role::kMembers);
      loadTile<R>(stage[s], a, t, threadIdx.x, Role::kProducers);
      namedArrive(kFull + s, Role::kMembers);
    }
  } else {
    const int tid = threadIdx.x - Role::kProducers;
    int n = 0;
    for (int t = blockIdx.x; t < a.tiles; t += gridDim.x, ++n) {
      const int s = n % STAGE_COUNT;
      namedSync(kFull + s, Role::kMembers);
      filterTile<R>(stage[s], a, t, tid, Role::kConsumers);
      const bool reused = t + STAGE_COUNT * int(gridDim.x) < a.tiles;
      if (reused) namedArrive(kEmpty + s, Role::kMembers);
    }
  }
}

template <int R, int CONSUMERS>
static cudaError_t launchBank(BankArgs a, cudaStream_t s) {
  int dev = 0, sms = 0;
  cudaGetDevice(&dev);
  cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, dev);
  a.tilesX = (a.width + TILE - 1) / TILE;
  a.tiles = a.tilesX * ((a.height + TILE - 1) / TILE);
  const int blocks = a.tiles < 2 * sms ? a.tiles : 2 * sms;
  filterBank<R, CONSUMERS><<<blocks, Roles<CONSUMERS>::kThreads, 0, s>>>(a);
  return cudaGetLastError();
}

cudaError_t applyBank(const BankArgs& a, int radius, cudaStream_t s) {
  if (radius == 1) return launchBank<1, 4>(a, s);
  if (radius == 2) return launchBank<2, 8>(a, s);
  return cudaErrorInvalidValue;
}

int main() {
  BankArgs a{};
  a.width = 3000, a.height = 2000, a.pitch = 3008, a.filterCount = 8;
  float *in, *f;
  cudaMalloc(&in, sizeof(float) * a.pitch * a.height);
  cudaMalloc(&f, sizeof(float) * 25 * a.filterCount);
  cudaMalloc(&a.out, sizeof(float) * a.width * a.height * a.filterCount);
  cudaMemset(in, 0, sizeof(float) * a.pitch * a.height);
  cudaMemset(f, 0, sizeof(float) * 25 * a.filterCount);
  a.in = in, a.filters = f;
  for (int r = 1; r <= 2; ++r) {
    if (applyBank(a, r, 0) != cudaSuccess) return EXIT_FAILURE;
    printf("r=%d %s\n", r, cudaGetErrorString(cudaDeviceSynchronize()));
  }
  return EXIT_SUCCESS;
}
