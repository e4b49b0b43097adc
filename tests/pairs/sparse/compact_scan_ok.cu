// Stream compaction (keeps particles that are alive). The order inside one chunk
// is kept, chunks are appended in the order in which they get their space.
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <vector>

struct Particle { float x, y, z, ttl; };

#define BS 256

__device__ int blockExclusive(int flag, int* warpTot, int* total) {
  const unsigned b = __ballot_sync(0xffffffffu, flag);
  const int lane = threadIdx.x & 31, w = threadIdx.x >> 5;
  if (lane == 0) warpTot[w] = __popc(b);
  __syncthreads();
  int off = 0, sum = 0;
  for (int k = 0; k < BS / 32; ++k) {
    if (k == w) off = sum;
    sum += warpTot[k];
  }
  *total = sum;
  return off + __popc(b & ((1u << lane) - 1u));
}

__global__ void compactAlive(const Particle* __restrict__ in, Particle* __restrict__ out,
                             int n, float dt, int* count) {
  __shared__ int warpTot[BS / 32];
  __shared__ int base;
  const int stride = gridDim.x * BS;

  for (int c = blockIdx.x * BS; c < n; c += stride) {
    const int i = c + threadIdx.x;
    Particle p;
    int keep = 0;
    if (i < n) {
      p = in[i];
      p.ttl -= dt;
      keep = p.ttl > 0.f;
    }
    int total;
    const int pos = blockExclusive(keep, warpTot, &total);
    if (threadIdx.x == 0) base = atomicAdd(count, total);
    __syncthreads();
    if (keep) out[base + pos] = p;
    __syncthreads();
  }
}

__global__ void emit(Particle* p, int first, int n, unsigned seed) {
  const int i = first + blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned s = seed ^ (unsigned)i * 2654435761u;
  s ^= s >> 16; s *= 0x7feb352du; s ^= s >> 15;
  p[i] = Particle{(s & 1023) / 1024.f, ((s >> 10) & 1023) / 1024.f, 0.f, 0.5f + (s >> 20) / 4096.f};
}

int main() {
  const int capacity = 3000001;
  Particle *a, *b;
  int* count;
  if (cudaMalloc(&a, capacity * sizeof(Particle)) || cudaMalloc(&b, capacity * sizeof(Particle)) ||
      cudaMalloc(&count, sizeof(int))) {
    std::fprintf(stderr, "out of memory\n");
    return 1;
  }
  int alive = 0;
  for (int frame = 0; frame < 30; ++frame) {
    const int fresh = capacity - alive;
    if (fresh > 0) emit<<<(fresh + 255) / 256, 256>>>(a, alive, capacity, frame * 7919u);
    cudaMemset(count, 0, sizeof(int));
    compactAlive<<<432, BS>>>(a, b, capacity, 0.1f, count);
    if (cudaMemcpy(&alive, count, sizeof(int), cudaMemcpyDeviceToHost) != cudaSuccess) return 2;
    Particle* t = a; a = b; b = t;
  }
  std::printf("%d alive\n", alive);
  return 0;
}
