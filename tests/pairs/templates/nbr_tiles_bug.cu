#include <cuda_runtime.h>
#include <cstdint>
#include <stdexcept>

namespace md {

static inline int div_up(int a, int b) { return (a + b - 1) / b; }

struct PairParams {
  const float4* pos;  // w holds charge
  const int* type;
  float4* force;
  float cutsq;
  float scale;
  int natoms;
};

template <int TILE>
struct alignas(16) TileStorage {
  float4 xyzq[TILE];
};

struct CoulCut {
  float scale;
  __device__ __forceinline__ float operator()(float r2, float qi, float qj) const {
    const float rinv = rsqrtf(r2);
    return scale * qi * qj * rinv * rinv * rinv;
  }
};

struct CoulDsf {
  float scale;
  __device__ __forceinline__ float operator()(float r2, float qi, float qj) const {
    const float rinv = rsqrtf(r2);
    const float t = 1.f / (1.f + 0.32f * r2 * rinv);
    return scale * qi * qj * (rinv * rinv - t * 0.05f) * rinv;
  }
};

template <int TILE, class Eval>
__global__ void __launch_bounds__(TILE) pair_tiled(PairParams p, Eval eval) {
  __shared__ TileStorage<TILE> tile;
  const int i = blockIdx.x * TILE + threadIdx.x;
  const bool inside = i < p.natoms;
  const float4 xi = inside ? p.pos[i] : make_float4(0.f, 0.f, 0.f, 0.f);
  const bool mobile = inside && p.type[i] != 0;
  float fx = 0.f, fy = 0.f, fz = 0.f;

  const int ntiles = (p.natoms + TILE - 1) / TILE;
  for (int t = 0; t < ntiles; ++t) {
    const int j = t * TILE + threadIdx.x;
    tile.xyzq[threadIdx.x] = j < p.natoms ? p.pos[j] : make_float4(1e9f, 1e9f, 1e9f, 0.f);
    __syncthreads();

    if (!mobile) continue;
    const int jn = min(TILE, p.natoms - t * TILE);
    for (int k = 0; k < jn; ++k) {
      const float4 xj = tile.xyzq[k];
      const float dx = xi.x - xj.x;
      const float dy = xi.y - xj.y;
      const float dz = xi.z - xj.z;
      const float r2 = dx * dx + dy * dy + dz * dz;
      if (r2 >= p.cutsq || t * TILE + k == i) continue;
      const float f = eval(r2, xi.w, xj.w);
      fx += dx * f;
      fy += dy * f;
      fz += dz * f;
    }
    __syncthreads();
  }
  if (mobile) p.force[i] = make_float4(fx, fy, fz, 0.f);
}

enum class Style { Cut, Dsf };

template <int TILE>
void dispatch_style(const PairParams& p, Style style, cudaStream_t s) {
  const dim3 grid(div_up(p.natoms, TILE));
  switch (style) {
    case Style::Cut:
      pair_tiled<TILE><<<grid, TILE, 0, s>>>(p, CoulCut{p.scale});
      break;
    case Style::Dsf:
      pair_tiled<TILE><<<grid, TILE, 0, s>>>(p, CoulDsf{p.scale});
      break;
  }
}

void compute_pair(const PairParams& p, Style style, int tile, cudaStream_t s) {
  if (p.natoms <= 0) return;
  switch (tile) {
    case 64: dispatch_style<64>(p, style, s); break;
    case 128: dispatch_style<128>(p, style, s); break;
    case 256: dispatch_style<256>(p, style, s); break;
    default: throw std::invalid_argument("tile");
  }
}

}  // namespace md
