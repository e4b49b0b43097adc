// Nearest data point of every Voronoi site: points are sent to the site of their
// cell, the record of a site (three fields) is updated under a lock.
#include <cuda_runtime.h>
#include <cfloat>
#include <cstdio>
#include <cstdlib>
#include <vector>

struct SiteRecord {
  double dist;
  int point;
  int count;
};

struct SiteTable {
  const float2* site;
  SiteRecord* rec;
  int* lock;
  int nx, ny;   // one site per cell of a regular grid
};

__device__ __forceinline__ bool tryLock(int* l) {
  if (atomicCAS(l, 0, 1) != 0) return false;
  __threadfence();
  return true;
}

__device__ __forceinline__ void unlock(int* l) {
  __threadfence();
  atomicExch(l, 0);
}

__device__ void offer(const SiteTable& t, int s, double d, int p) {
  bool done = false;
  while (!done) {
    if (tryLock(&t.lock[s])) {
      SiteRecord* r = &t.rec[s];
      const double best = r->dist;
      if (d < best || (d == best && p < r->point)) {
        r->dist = d;
        r->point = p;
      }
      r->count += 1;
      unlock(&t.lock[s]);
      done = true;
    }
  }
}

__global__ void assignPoints(SiteTable t, const float2* __restrict__ pts, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const float2 p = pts[i];
    const int cx = min(t.nx - 1, max(0, (int)(p.x * t.nx)));
    const int cy = min(t.ny - 1, max(0, (int)(p.y * t.ny)));
    const int s = cy * t.nx + cx;
    const double dx = p.x - t.site[s].x, dy = p.y - t.site[s].y;
    offer(t, s, dx * dx + dy * dy, i);
  }
}

__global__ void clearTable(SiteTable t) {
  const int s = blockIdx.x * blockDim.x + threadIdx.x;
  if (s >= t.nx * t.ny) return;
  t.rec[s] = SiteRecord{DBL_MAX, -1, 0};
  t.lock[s] = 0;
}

int main() {
  const int nx = 40, ny = 30, sites = nx * ny, n = 2000000;
  std::vector<float2> site(sites), pts(n);
  for (int s = 0; s < sites; ++s)
    site[s] = make_float2((s % nx + rand() / (RAND_MAX + 1.f)) / nx,
                          (s / nx + rand() / (RAND_MAX + 1.f)) / ny);
  for (auto& p : pts) p = make_float2(rand() / (RAND_MAX + 1.f), rand() / (RAND_MAX + 1.f));
  float2 *dSite, *dPts;
  SiteTable t;
  if (cudaMalloc(&dSite, sites * sizeof(float2)) || cudaMalloc(&dPts, n * sizeof(float2)) ||
      cudaMalloc(&t.rec, sites * sizeof(SiteRecord)) || cudaMalloc(&t.lock, sites * sizeof(int)))
    return 1;
  cudaMemcpy(dSite, site.data(), sites * sizeof(float2), cudaMemcpyHostToDevice);
  cudaMemcpy(dPts, pts.data(), n * sizeof(float2), cudaMemcpyHostToDevice);
  t.site = dSite;
  t.nx = nx;
  t.ny = ny;
  clearTable<<<(sites + 127) / 128, 128>>>(t);
  assignPoints<<<512, 256>>>(t, dPts, n);
  std::vector<SiteRecord> r(sites);
  cudaMemcpy(r.data(), t.rec, sites * sizeof(SiteRecord), cudaMemcpyDeviceToHost);
  long long total = 0;
  for (const auto& x : r) total += x.count;
  std::printf("%lld of %d points assigned\n", total, n);
  return total != n;
}
