// Particle-in-cell deposition; shared memory is carved by the same layout object on host and device.
#include <cuda_runtime.h>
#include <cstddef>
#include <new>
#include <vector>

namespace pic {

struct Layout {
  int cells;
  size_t charge, count, order, end;
  __host__ __device__ static size_t align16(size_t b) { return (b + 15) & ~size_t(15); }
  __host__ __device__ Layout(int cells_, int batch) : cells(cells_) {
    charge = 0;
    count = charge + align16(sizeof(float) * (cells + 1));
    order = count + align16(sizeof(int) * cells);
    end = order + align16(sizeof(short) * batch);
  }
};

struct Views {
  float* charge;
  int* count;
  short* order;
  __device__ Views(unsigned char* raw, const Layout& l)
      : charge(reinterpret_cast<float*>(raw + l.charge)), count(reinterpret_cast<int*>(raw + l.count)),
        order(reinterpret_cast<short*>(raw + l.order)) {}
};

struct Particles {
  const float* x;
  const float* q;
  const int* tile_start;
};

__device__ __forceinline__ float local_pos(float x, float inv_dx, float origin, int cells) {
  return fminf(fmaxf(__fmaf_rn(x, inv_dx, -origin), 0.f), cells - 1e-3f * cells);
}

__global__ void deposit(Particles p, float* __restrict__ grid, short* __restrict__ sorted, int cells, int batch, float inv_dx) {
  extern __shared__ __align__(16) unsigned char raw[];
  const Layout lay(cells, batch);
  const Views s(raw, lay);
  const int b = p.tile_start[blockIdx.x];
  const int n = min(p.tile_start[blockIdx.x + 1] - b, batch);
  for (int c = threadIdx.x; c <= cells; c += blockDim.x) s.charge[c] = 0.f;
  for (int c = threadIdx.x; c < cells; c += blockDim.x) s.count[c] = 0;
  __syncthreads();
  const float origin = float(blockIdx.x) * cells;
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    const float u = local_pos(p.x[b + i], inv_dx, origin, cells);
    const int c = min(int(u), cells - 1);
    const float f = u - c;
    atomicAdd(&s.charge[c], p.q[b + i] * (1.f - f));
    atomicAdd(&s.charge[c + 1], p.q[b + i] * f);
    atomicAdd(&s.count[c], 1);
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    int run = 0;
    for (int c = 0; c < cells; ++c) {
      const int k = s.count[c];
      s.count[c] = run;
      run += k;
    }
  }
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    const float u = local_pos(p.x[b + i], inv_dx, origin, cells);
    s.order[atomicAdd(&s.count[min(int(u), cells - 1)], 1)] = short(i);
  }
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += blockDim.x) sorted[b + i] = s.order[i];
  for (int c = threadIdx.x; c <= cells; c += blockDim.x) atomicAdd(&grid[size_t(blockIdx.x) * cells + c], s.charge[c]);
}

class Depositor {
 public:
  Depositor(int tiles, int cells, int batch) : tiles_(tiles), cells_(cells), batch_(batch), layout_(cells, batch) {
    if (tiles < 1 || cells < 1 || batch < 1 || batch > 32000) throw std::bad_alloc();
    cudaFuncSetAttribute(deposit, cudaFuncAttributeMaxDynamicSharedMemorySize, int(layout_.end));
    cudaMalloc(&grid_, sizeof(float) * (size_t(tiles) * cells + 1));
    cudaMalloc(&start_, sizeof(int) * (size_t(tiles) + 1));
  }
  ~Depositor() {
    cudaFree(grid_);
    cudaFree(start_);
  }
  Depositor(const Depositor&) = delete;
  const float* operator()(const float* x, const float* q, const std::vector<unsigned short>& per_tile, short* sorted, float dx, cudaStream_t s = 0) {
    if (int(per_tile.size()) != tiles_ || tiles_ > 30000) return nullptr;
    std::vector<int> start(tiles_ + 1, 0);
    for (int t = 0; t < tiles_; ++t) start[t + 1] = start[t] + per_tile[t];
    cudaDeviceSynchronize();
    cudaMemcpy(start_, start.data(), sizeof(int) * start.size(), cudaMemcpyHostToDevice);
    cudaMemsetAsync(grid_, 0, sizeof(float) * (size_t(tiles_) * cells_ + 1), s);
    const Particles p{x, q, start_};
    const int block = batch_ > 2048 ? 512 : 128;
    deposit<<<tiles_, block, layout_.end, s>>>(p, grid_, sorted, cells_, batch_, 1.f / dx);
    return cudaGetLastError() == cudaSuccess ? grid_ : nullptr;
  }
 private:
  int tiles_, cells_, batch_;
  Layout layout_;
  float* grid_ = nullptr;
  int* start_ = nullptr;
};

}  // namespace pic

const float* run_deposit(pic::Depositor& d, const float* x, const float* q, const std::vector<unsigned short>& n, short* out) { return d(x, q, n, out, 0.5f); }
