// Persistent warps take ray packets from a queue; hits are appended in warp-sized chunks.
#include <cuda_runtime.h>
#include <cstdint>
#include <functional>

namespace rays {

struct Ray { float ox, oy, dx, dy; };
struct Hit { uint32_t ray; float t; };
struct Sphere { float x, y, r2; };

constexpr int kMaxSpheres = 512;
__constant__ Sphere c_scene[kMaxSpheres];

struct Queue {
  unsigned* head;
  unsigned total;
  unsigned batch;

  // every lane of the warp gets the same answer
  __device__ bool pop(unsigned& first) const {
    const unsigned lane = threadIdx.x & 31;
    unsigned b = 0;
    if (lane == 0) b = atomicAdd(head, batch);
    first = __shfl_sync(0xffffffffu, b, 0);
    return first < total;
  }
};

class WarpAppender {
 public:
  __device__ WarpAppender(Hit* dst, unsigned* size) : dst_(dst), size_(size) {}
  __device__ void operator()(bool have, const Hit& h) {
    const unsigned votes = __ballot_sync(0xffffffffu, have);
    if (votes == 0) return;
    const unsigned lane = threadIdx.x & 31;
    const int leader = 31 - __clz(votes);
    unsigned base = 0;
    if (int(lane) == leader) base = atomicAdd(size_, unsigned(__popc(votes)));
    base = __shfl_sync(0xffffffffu, base, leader);
    if (have) dst_[base + __popc(votes & ((1u << lane) - 1u))] = h;
  }
 private:
  Hit* dst_;
  unsigned* size_;
};

__device__ float trace(const Ray& r, int n) {
  float best = 1e30f;
  for (int i = 0; i < n; ++i) {
    const Sphere s = c_scene[i];
    const float cx = s.x - r.ox, cy = s.y - r.oy;
    const float b = cx * r.dx + cy * r.dy, disc = b * b - (cx * cx + cy * cy) + s.r2;
    if (disc < 0.f) continue;
    const float t = b - sqrtf(disc);
    if (t > 0.f && t < best) best = t;
  }
  return best;
}

__global__ void trace_all(const Ray* __restrict__ rays, Queue q, int spheres, Hit* hits, unsigned* nhits) {
  WarpAppender append(hits, nhits);
  const unsigned lane = threadIdx.x & 31;
  unsigned first;
  while (q.pop(first)) {
    for (unsigned k = 0; k < q.batch; k += 32) {
      const unsigned i = first + k + lane;
      float t = 1e30f;
      if (i < q.total) t = trace(rays[i], spheres);
      append(t < 1e30f, Hit{i, t});
    }
  }
}

using Launcher = std::function<void(int sms, const Ray*, const Queue&, int, Hit*, unsigned*)>;

Launcher make_launcher(bool low_latency, cudaStream_t s) {
  const int block = low_latency ? 64 : 256;
  const int per_sm = low_latency ? 16 : 6;
  return [=](int sms, const Ray* r, const Queue& q, int n, Hit* h, unsigned* c) {
    trace_all<<<sms * per_sm, block, 0, s>>>(r, q, n, h, c);
  };
}

unsigned cast(const Ray* d_rays, unsigned n, const Sphere* scene, int spheres, Hit* hits, bool low_latency) {
  if (n == 0 || n > (1u << 30) || spheres < 0 || spheres > kMaxSpheres) return 0;
  cudaMemcpyToSymbol(c_scene, scene, sizeof(Sphere) * spheres);
  unsigned* counters;
  if (cudaMalloc(&counters, 2 * sizeof(unsigned)) != cudaSuccess) return 0;
  cudaMemset(counters, 0, 2 * sizeof(unsigned));
  int sms = 1;
  cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0);
  make_launcher(low_latency, nullptr)(sms, d_rays, Queue{counters, n, low_latency ? 32u : 128u}, spheres, hits, counters + 1);
  unsigned h = 0;
  cudaMemcpy(&h, counters + 1, sizeof h, cudaMemcpyDeviceToHost);
  cudaFree(counters);
  return h;
}

}  // namespace rays
