#include <cuda_runtime.h>
#include <cstdint>
#include <algorithm>

namespace pcl_gpu {

struct Voxel {
  float sx, sy, sz;
  int count;
  float best_d2;
  int best_id;
};

struct VoxelGrid {
  Voxel* cells;
  int* locks;           // zero = free
  float3 origin;
  float inv_size;
  int3 dim;

  __device__ int cell_of(const float3& p) const {
    const int x = int(floorf((p.x - origin.x) * inv_size));
    const int y = int(floorf((p.y - origin.y) * inv_size));
    const int z = int(floorf((p.z - origin.z) * inv_size));
    if (x < 0 || y < 0 || z < 0 || x >= dim.x || y >= dim.y || z >= dim.z) return -1;
    return (z * dim.y + y) * dim.x + x;
  }
  __device__ bool try_lock(int c) const {
    if (atomicCAS(&locks[c], 0, 1) != 0) return false;
    __threadfence();
    return true;
  }
  __device__ void unlock(int c) const {
    __threadfence();
    atomicExch(&locks[c], 0);
  }
};

struct Centroid {
  __device__ void operator()(Voxel& v, const float3& p, int id, float d2) const {
    v.sx += p.x;
    v.sy += p.y;
    v.sz += p.z;
    v.count += 1;
    if (d2 < v.best_d2) {
      v.best_d2 = d2;
      v.best_id = id;
    }
  }
};

struct Nearest {
  __device__ void operator()(Voxel& v, const float3&, int id, float d2) const {
    v.count += 1;
    if (d2 < v.best_d2 || (d2 == v.best_d2 && id < v.best_id)) {
      v.best_d2 = d2;
      v.best_id = id;
    }
  }
};

struct FilterArgs {
  const float3* pts;
  int n;
  float3 sensor;
  float max_range2;
};

template <int BLOCK, class Update>
__global__ void __launch_bounds__(BLOCK) voxel_kernel(FilterArgs a, VoxelGrid g, Update update) {
  const int stride = gridDim.x * BLOCK;
  for (int i = blockIdx.x * BLOCK + threadIdx.x; i < a.n; i += stride) {
    const float3 p = a.pts[i];
    const float dx = p.x - a.sensor.x, dy = p.y - a.sensor.y, dz = p.z - a.sensor.z;
    const float d2 = dx * dx + dy * dy + dz * dz;
    if (!(d2 <= a.max_range2)) continue;
    const int c = g.cell_of(p);
    if (c < 0) continue;
    bool done = false;
    while (!done) {
      if (g.try_lock(c)) {
        update(g.cells[c], p, i, d2);
        g.unlock(c);
        done = true;
      }
    }
  }
}

template <class Update>
cudaError_t launch(const FilterArgs& a, const VoxelGrid& g, int sms, Update u, cudaStream_t s) {
  constexpr int BLOCK = 256;
  const int grid = std::max(1, std::min((a.n + BLOCK - 1) / BLOCK, sms * 8));
  voxel_kernel<BLOCK, Update><<<grid, BLOCK, 0, s>>>(a, g, u);
  return cudaGetLastError();
}

cudaError_t voxel_filter(const FilterArgs& a, const VoxelGrid& g, bool centroid, int sms, cudaStream_t s) {
  return centroid ? launch(a, g, sms, Centroid{}, s) : launch(a, g, sms, Nearest{}, s);
}

}  // namespace pcl_gpu
