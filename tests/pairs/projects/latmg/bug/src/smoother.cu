#include "mg/grid.h"

namespace mg {
namespace {

// Red-black Gauss-Seidel, one colour, in place.
__global__ void rb_sweep_kernel(Level l, int colour, real omega) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  const int z = blockIdx.z;
  if (!l.inside(x, y, z)) return;
  if (((x + y) & 1) != colour) return;
  const int64_t c = l.at(x, y, z);
  const real nb = l.u[c - 1] + l.u[c + 1] + l.u[c - l.pitch()] + l.u[c + l.pitch()] + l.u[c - l.plane()] + l.u[c + l.plane()];
  l.u[c] += omega * ((nb - l.h2 * l.f[c]) / 6 - l.u[c]);
}

// r = f - A u, marching through z with the current plane in shared memory.
template <int TX, int TY>
__global__ void __launch_bounds__(TX * TY) residual_kernel(Level l, int z_chunk) {
  __shared__ real plane[2][TY + 2][TX + 2];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int x0 = blockIdx.x * TX, y0 = blockIdx.y * TY;
  const int x = x0 + tx, y = y0 + ty;
  const int z0 = blockIdx.z * z_chunk, z1 = min(l.nz, z0 + z_chunk);
  const bool live = x < l.nx && y < l.ny;
  for (int z = z0; z < z1; ++z) {
    auto& s = plane[z & 1];
    for (int i = ty * TX + tx; i < (TX + 2) * (TY + 2); i += TX * TY) {
      const int sx = i % (TX + 2), sy = i / (TX + 2);
      const int gx = min(x0 + sx - 1, l.nx), gy = min(y0 + sy - 1, l.ny);
      s[sy][sx] = l.u[l.at(gx, gy, z)];
    }
    __syncthreads();
    if (live) {
      const int64_t c = l.at(x, y, z);
      const real a = s[ty + 1][tx] + s[ty + 1][tx + 2] + s[ty][tx + 1] + s[ty + 2][tx + 1] +
                     l.u[c - l.plane()] + l.u[c + l.plane()] - 6 * s[ty + 1][tx + 1];
      l.r[c] = l.f[c] - a / l.h2;
    }
  }
}

}  // namespace

void smooth(const Level& l, const SmootherConfig& cfg, cudaStream_t st) {
  const dim3 block(cfg.threads_x, cfg.threads_y, 1);
  if (block.x * block.y > 1024) throw std::invalid_argument("smoother block");
  for (int s = 0; s < cfg.sweeps; ++s)
    for (int colour = 0; colour < 2; ++colour) rb_sweep_kernel<<<grid3(l, block), block, 0, st>>>(l, colour, cfg.omega);
  MG_CUDA(cudaGetLastError());
}

void residual(const Level& l, cudaStream_t st) {
  constexpr int kTX = 32, kTY = 8, kChunk = 16;
  const dim3 grid((l.nx + kTX - 1) / kTX, (l.ny + kTY - 1) / kTY, (l.nz + kChunk - 1) / kChunk);
  residual_kernel<kTX, kTY><<<grid, dim3(kTX, kTY), 0, st>>>(l, kChunk);
  MG_CUDA(cudaGetLastError());
}

}  // namespace mg
