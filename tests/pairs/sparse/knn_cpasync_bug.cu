// Brute force nearest neighbour: queries in registers, reference points come
// through shared memory in two stages of asynchronous copies.
#include <cuda_pipeline.h>
#include <cuda_runtime.h>
#include <cfloat>
#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr int kBlock = 128;
constexpr int kStages = 2;

struct Best {
  float d;
  int id;
};

__device__ __forceinline__ void consider(Best& b, float4 q, float4 r, int id) {
  const float dx = q.x - r.x, dy = q.y - r.y, dz = q.z - r.z, dw = q.w - r.w;
  const float d = dx * dx + dy * dy + dz * dz + dw * dw;
  if (d < b.d) b = Best{d, id};
}

__device__ __forceinline__ void fetchTile(float4* dst, const float4* __restrict__ ref, int tile) {
  __pipeline_memcpy_async(&dst[threadIdx.x], &ref[tile * kBlock + threadIdx.x], sizeof(float4));
}

__global__ void nearest(const float4* __restrict__ ref, int tiles, const float4* __restrict__ query,
                        int nq, int* __restrict__ answer) {
  __shared__ __align__(16) float4 refs[kStages][kBlock];
  const int qi = blockIdx.x * kBlock + threadIdx.x;
  const float4 q = qi < nq ? query[qi] : make_float4(0.f, 0.f, 0.f, 0.f);
  Best best{FLT_MAX, -1};

  fetchTile(refs[0], ref, 0);
  __pipeline_commit();

  for (int t = 0; t < tiles; ++t) {
    if (t + 1 < tiles) {
      fetchTile(refs[(t + 1) % kStages], ref, t + 1);
      __pipeline_commit();
    }
    __pipeline_wait_prior(1);
    __syncthreads();
    const float4* tile = refs[t % kStages];
#pragma unroll 4
    for (int j = 0; j < kBlock; ++j) consider(best, q, tile[j], t * kBlock + j);
    __syncthreads();
  }
  if (qi < nq) answer[qi] = best.id;
}

__global__ void gatherCounts(const int* __restrict__ answer, int nq, int* hits) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < nq) atomicAdd(&hits[answer[i]], 1);
}

int main(int argc, char** argv) {
  const int nr = argc > 1 ? std::atoi(argv[1]) : 20000, nq = argc > 2 ? std::atoi(argv[2]) : 100000;
  if (nr < 1 || nq < 1 || nr > 10000000 || nq > 10000000) return 1;
  const int tiles = (nr + kBlock - 1) / kBlock;
  // the last tile is filled up with points far away
  std::vector<float4> ref((size_t)tiles * kBlock, make_float4(1e9f, 1e9f, 1e9f, 1e9f)), query(nq);
  auto rnd = [] { return rand() / (RAND_MAX + 1.f); };
  for (int i = 0; i < nr; ++i) ref[i] = make_float4(rnd(), rnd(), rnd(), rnd());
  for (auto& q : query) q = make_float4(rnd(), rnd(), rnd(), rnd());
  float4 *dRef, *dQuery;
  int *answer, *hits;
  if (cudaMalloc(&dRef, ref.size() * sizeof(float4)) || cudaMalloc(&dQuery, nq * sizeof(float4)) ||
      cudaMalloc(&answer, nq * sizeof(int)) || cudaMalloc(&hits, ref.size() * sizeof(int)))
    return 2;
  cudaMemcpy(dRef, ref.data(), ref.size() * sizeof(float4), cudaMemcpyHostToDevice);
  cudaMemcpy(dQuery, query.data(), nq * sizeof(float4), cudaMemcpyHostToDevice);
  cudaMemset(hits, 0, ref.size() * sizeof(int));
  nearest<<<(nq + kBlock - 1) / kBlock, kBlock>>>(dRef, tiles, dQuery, nq, answer);
  gatherCounts<<<(nq + 255) / 256, 256>>>(answer, nq, hits);
  std::vector<int> h(ref.size());
  cudaMemcpy(h.data(), hits, h.size() * sizeof(int), cudaMemcpyDeviceToHost);
  int top = 0;
  for (int i = 0; i < nr; ++i) top = h[i] > h[top] ? i : top;
  std::printf("most popular reference %d (%d queries)\n", top, h[top]);
  return 0;
}
