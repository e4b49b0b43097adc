#include "mg/device.cuh"

namespace mg {
namespace {

// Cell-centred restriction: mean of 8 fine cells.
__global__ void restrict_kernel(Level fine, Level coarse) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z;
  if (!coarse.inside(x, y, z)) return;
  real s = 0;
  for (int k = 0; k < 8; ++k) s += fine.r[fine.at(2 * x + (k & 1), 2 * y + (k >> 1 & 1), 2 * z + (k >> 2))];
  const int64_t c = coarse.at(x, y, z);
  coarse.f[c] = s / 8;
  coarse.u[c] = 0;
}

// Linear interpolation in x of a coarse row, constant in y and z. One block per fine row.
// corr: sum of squares of the correction.
template <int NT>
__global__ void prolong_rows_kernel(Level fine, Level coarse, real* corr) {
  __shared__ real row[NT + 2];
  __shared__ real edge[2];
  const int y = blockIdx.x, z = blockIdx.y;
  const int64_t cr = coarse.at(0, y / 2, z / 2);
  real sq = 0;
  for (int x0 = 0; x0 < coarse.nx; x0 += NT) {
    const int n = min(NT, coarse.nx - x0);
    if (threadIdx.x < 2) edge[threadIdx.x] = coarse.u[cr + x0 + (threadIdx.x ? n : -1)];
    stage_row<NT>(row, coarse.u + cr + x0, n);
    const int t = threadIdx.x;
    if (t < n) {
      const real l = t == 0 ? edge[0] : row[t - 1];
      const real r = t == n - 1 ? edge[1] : row[t + 1];
      const int64_t c = fine.at(2 * (x0 + t), y, z);
      const real dl = 0.25f * l + 0.75f * row[t], dr = 0.25f * r + 0.75f * row[t];
      fine.u[c] += dl;
      fine.u[c + 1] += dr;
      sq += dl * dl + dr * dr;
    }
    __syncthreads();
  }
  sq = block_sum<NT>(sq);
  if (threadIdx.x == 0) atomicAdd(corr, sq);
}

}  // namespace

void restrict_residual(const Level& fine, const Level& coarse, cudaStream_t st) {
  if (fine.nx != 2 * coarse.nx || fine.ny != 2 * coarse.ny || fine.nz != 2 * coarse.nz) throw std::invalid_argument("levels");
  const dim3 block(32, 4, 1);
  restrict_kernel<<<grid3(coarse, block), block, 0, st>>>(fine, coarse);
  MG_CUDA(cudaGetLastError());
}

void prolong_add(const Level& fine, const Level& coarse, real* corr, cudaStream_t st) {
  constexpr int kThreads = 128;
  prolong_rows_kernel<kThreads><<<dim3(fine.ny, fine.nz), kThreads, 0, st>>>(fine, coarse, corr);
  MG_CUDA(cudaGetLastError());
}

}  // namespace mg
