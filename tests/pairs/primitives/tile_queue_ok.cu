#include <cuda_runtime.h>
#include <cfloat>
#include <cstdio>
#include <vector>

// Exact distance field of line segments, evaluated on tiles. Persistent blocks
// draw tiles from a queue since the segment lists differ much in length.

struct Segment {
  float2 a, b;
};

struct TileList {
  const int* begin;      // tiles + 1 offsets into order
  const int* order;      // segment ids by tile
  int tilesX, tiles;
};

struct FieldArgs {
  const Segment* segments;
  TileList lists;
  int* queue;
  float* field;
  int width, height;
  float cell;
};

namespace {

constexpr int kTileX = 16;
constexpr int kTileY = 8;
constexpr int kThreads = kTileX * kTileY;

__device__ __forceinline__ float distSq(const Segment& s, float2 p) {
  const float2 d = make_float2(s.b.x - s.a.x, s.b.y - s.a.y);
  const float2 v = make_float2(p.x - s.a.x, p.y - s.a.y);
  const float len = d.x * d.x + d.y * d.y;
  const float t = len > 0.f ? fminf(fmaxf((v.x * d.x + v.y * d.y) / len, 0.f), 1.f) : 0.f;
  const float ex = v.x - t * d.x, ey = v.y - t * d.y;
  return ex * ex + ey * ey;
}

class TileQueue {
 public:
  __device__ TileQueue(int* counter, int* slot) : counter_(counter), slot_(slot) {}

  __device__ int next() {
    __syncthreads();
    if (threadIdx.x == 0) *slot_ = atomicAdd(counter_, 1);
    __syncthreads();
    return *slot_;
  }

 private:
  int* counter_;
  int* slot_;
};

__device__ float nearest(const FieldArgs& a, int tile, float2 p) {
  float best = FLT_MAX;
  const int end = a.lists.begin[tile + 1];
  for (int i = a.lists.begin[tile]; i < end; ++i) best = fminf(best, distSq(a.segments[__ldg(a.lists.order + i)], p));
  return best;
}

__global__ void __launch_bounds__(kThreads) distanceField(FieldArgs a) {
  __shared__ int s_tile;
  TileQueue queue(a.queue, &s_tile);
  const int lx = threadIdx.x % kTileX, ly = threadIdx.x / kTileX;

  for (int tile = queue.next(); tile < a.lists.tiles; tile = queue.next()) {
    const int x = tile % a.lists.tilesX * kTileX + lx;
    const int y = tile / a.lists.tilesX * kTileY + ly;
    if (x >= a.width || y >= a.height) continue;
    const float d2 = nearest(a, tile, make_float2((x + 0.5f) * a.cell, (y + 0.5f) * a.cell));
    a.field[y * a.width + x] = d2 < FLT_MAX ? sqrtf(d2) : FLT_MAX;
  }
}

template <typename T>
T* toDevice(const std::vector<T>& v) {
  T* p = nullptr;
  cudaMalloc(&p, v.size() * sizeof(T));
  cudaMemcpy(p, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice);
  return p;
}

}  // namespace

int main() {
  FieldArgs a{};
  a.width = 1000, a.height = 777, a.cell = 0.01f;
  a.lists.tilesX = (a.width + kTileX - 1) / kTileX;
  a.lists.tiles = a.lists.tilesX * ((a.height + kTileY - 1) / kTileY);

  std::vector<Segment> segs;
  for (int i = 0; i < 300; ++i)
    segs.push_back({make_float2(0.03f * i, 0.02f * (i % 50)), make_float2(0.03f * i + 0.1f, 0.02f * (i % 37))});
  std::vector<int> begin(1, 0), order;
  for (int t = 0; t < a.lists.tiles; ++t) {
    for (int k = 0; k < 1 + (t * 37) % 250; ++k) order.push_back((t + k * 11) % int(segs.size()));
    begin.push_back(int(order.size()));
  }
  a.segments = toDevice(segs);
  a.lists.begin = toDevice(begin);
  a.lists.order = toDevice(order);
  cudaMalloc(&a.queue, sizeof(int));
  cudaMalloc(&a.field, sizeof(float) * a.width * a.height);

  int dev = 0, sms = 0, perSm = 0;
  cudaGetDevice(&dev);
  cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, dev);
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&perSm, distanceField, kThreads, 0);
  cudaMemset(a.queue, 0, sizeof(int));
  distanceField<<<sms * perSm, kThreads>>>(a);
  const cudaError_t e = cudaDeviceSynchronize();
  printf("%s\n", cudaGetErrorString(e));
  return e != cudaSuccess;
}
