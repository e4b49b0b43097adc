// D2Q5 lattice Boltzmann advection-diffusion; structure of pointers, swapped every step.
#include <cuda_runtime.h>
#include <array>
#include <utility>
#include <algorithm>
#include <stdexcept>

namespace lbm {

constexpr int Q = 5;
__constant__ int c_dx[Q] = {0, 1, -1, 0, 0};
__constant__ int c_dy[Q] = {0, 0, 0, 1, -1};
__constant__ float c_w[Q] = {1.f / 3, 1.f / 6, 1.f / 6, 1.f / 6, 1.f / 6};

struct Populations {
  float* f[Q];
};

struct Domain {
  int nx, ny;
  __host__ __device__ int wrap_x(int x) const { return x < 0 ? x + nx : x >= nx ? x - nx : x; }
  __host__ __device__ int wrap_y(int y) const { return y < 0 ? y + ny : y >= ny ? y - ny : y; }
  __host__ __device__ int cell(int x, int y) const { return y * nx + x; }
};

struct Flow {
  float ux, uy, omega;
};

__global__ void collide_stream(Populations src, Populations dst, Domain dom, Flow fl) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= dom.nx || y >= dom.ny) return;
  const int here = dom.cell(x, y);
  float f[Q], rho = 0.f;
#pragma unroll
  for (int q = 0; q < Q; ++q) rho += f[q] = src.f[q][here];
#pragma unroll
  for (int q = 0; q < Q; ++q) {
    const float eq = c_w[q] * rho * (1.f + 3.f * (c_dx[q] * fl.ux + c_dy[q] * fl.uy));
    const int to = dom.cell(dom.wrap_x(x + c_dx[q]), dom.wrap_y(y + c_dy[q]));
    dst.f[q][to] = f[q] + fl.omega * (eq - f[q]);
  }
}

__global__ void total_mass(Populations p, int cells, double* mass) {
  __shared__ double part[32];
  double s = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < cells; i += gridDim.x * blockDim.x)
    for (int q = 0; q < Q; ++q) s += p.f[q][i];
  for (int o = 16; o; o >>= 1) s += __shfl_down_sync(0xffffffffu, s, o);
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = s;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (unsigned w = 1; w < blockDim.x / 32; ++w) s += part[w];
    atomicAdd(mass, s);
  }
}

class Lattice {
 public:
  Lattice(int nx, int ny) : dom_{nx, ny} {
    if (nx < 2 || ny < 2 || (long long)nx * ny > (1 << 28)) throw std::invalid_argument("domain");
    const size_t cells = size_t(nx) * ny;
    if (cudaMalloc(&pool_, sizeof(float) * cells * 2 * Q) != cudaSuccess) throw std::bad_alloc();
    cudaMemset(pool_, 0, sizeof(float) * cells * 2 * Q);
    cudaMalloc(&mass_, sizeof(double));
    for (int b = 0; b < 2; ++b)
      for (int q = 0; q < Q; ++q) set_[b].f[q] = pool_ + (size_t(b) * Q + q) * cells;
  }
  ~Lattice() {
    cudaFree(pool_);
    cudaFree(mass_);
  }
  Lattice(const Lattice&) = delete;
  void step(const Flow& f, int times) {
    const dim3 block(64, 2), grid((dom_.nx + 63) / 64, (dom_.ny + 1) / 2);
    while (times-- > 0) {
      collide_stream<<<grid, block>>>(set_[now_], set_[1 - now_], dom_, f);
      now_ = 1 - now_;
    }
  }
  double mass() {
    double h = 0;
    cudaMemset(mass_, 0, sizeof(double));
    const int cells = dom_.nx * dom_.ny;
    total_mass<<<std::min(256, (cells + 255) / 256), 256>>>(set_[now_], cells, mass_);
    cudaMemcpy(&h, mass_, sizeof h, cudaMemcpyDeviceToHost);
    return h;
  }
 private:
  Domain dom_;
  float* pool_ = nullptr;
  double* mass_ = nullptr;
  std::array<Populations, 2> set_{};
  int now_ = 0;
};

}  // namespace lbm

int main() {
  lbm::Lattice l(513, 257);
  l.step({0.1f, 0.05f, 1.2f}, 31);
  return l.mass() == 0.0 ? 0 : 1;
}
