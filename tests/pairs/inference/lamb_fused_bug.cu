// LAMB step for one flat parameter tensor, cooperative launch.  nvcc -arch=sm_80
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

// minimal stand-ins for the extension headers
namespace at {
struct Tensor {
  void *ptr;
  int64_t n;
  int64_t numel() const { return n; }
  template <typename T> T *data_ptr() const { return static_cast<T *>(ptr); }
};
namespace cuda {
cudaStream_t getCurrentCUDAStream();
int multiProcessorCount();
}  // namespace cuda
}  // namespace at
void torch_check_fail(const char *msg);
#define TORCH_CHECK(cond, msg) \
  do {                         \
    if (!(cond)) torch_check_fail(msg); \
  } while (0)

namespace cg = cooperative_groups;

namespace {

constexpr int kThreads = 256;

struct LambHyper {
  float lr, beta1, beta2, eps, weight_decay;
  float bias1, bias2;  // 1 - beta^t
  float max_trust;
};

struct LambState {
  float *p;
  const __nv_bfloat16 *g;
  float *m, *v;
  float *update;   // scratch
  float *norms;    // [2], zero on entry: |p|^2, |u|^2
  int64_t n;
};

template <typename Group>
__device__ __forceinline__ void block_accumulate(const Group &block, float a, float b, float2 *scratch, float *dst) {
  auto warp = cg::tiled_partition<32>(block);
  a = cg::reduce(warp, a, cg::plus<float>());
  b = cg::reduce(warp, b, cg::plus<float>());
  if (warp.thread_rank() == 0) scratch[warp.meta_group_rank()] = make_float2(a, b);
  block.sync();
  if (block.thread_rank() == 0) {
    float2 t = make_float2(0.f, 0.f);
    for (unsigned i = 0; i < warp.meta_group_size(); ++i) {
      t.x += scratch[i].x;
      t.y += scratch[i].y;
    }
    atomicAdd(dst + 0, t.x);
    atomicAdd(dst + 1, t.y);
  }
}

__global__ void __launch_bounds__(kThreads) lamb_step(LambState s, LambHyper h) {
  __shared__ float2 scratch[kThreads / 32];
  cg::grid_group grid = cg::this_grid();
  cg::thread_block block = cg::this_thread_block();

  float p2 = 0.f, u2 = 0.f;
  for (int64_t i = grid.thread_rank(); i < s.n; i += grid.size()) {
    const float g = __bfloat162float(s.g[i]);
    const float p = s.p[i];
    const float m = h.beta1 * s.m[i] + (1.f - h.beta1) * g;
    const float v = h.beta2 * s.v[i] + (1.f - h.beta2) * g * g;
    s.m[i] = m;
    s.v[i] = v;
    const float u = (m / h.bias1) / (sqrtf(v / h.bias2) + h.eps) + h.weight_decay * p;
    s.update[i] = u;
    p2 += p * p;
    u2 += u * u;
  }
  block_accumulate(block, p2, u2, scratch, s.norms);
  block.sync();

  const float pn = sqrtf(__ldcg(s.norms + 0));
  const float un = sqrtf(__ldcg(s.norms + 1));
  const float trust = pn > 0.f && un > 0.f ? fminf(pn / un, h.max_trust) : 1.f;
  for (int64_t i = grid.thread_rank(); i < s.n; i += grid.size()) s.p[i] -= h.lr * trust * s.update[i];
}

}  // namespace

void fused_lamb_(const at::Tensor &p, const at::Tensor &g, const at::Tensor &m, const at::Tensor &v,
                 const at::Tensor &scratch, const at::Tensor &norms, float lr, float beta1, float beta2, float eps,
                 float weight_decay, int step) {
  TORCH_CHECK(p.numel() == g.numel() && p.numel() == scratch.numel(), "fused_lamb_: size mismatch");
  TORCH_CHECK(norms.numel() >= 2, "fused_lamb_: norms too small");
  if (p.numel() == 0) return;
  cudaStream_t stream = at::cuda::getCurrentCUDAStream();
  LambHyper h{lr, beta1, beta2, eps, weight_decay, 1.f - std::pow(beta1, static_cast<float>(step)),
              1.f - std::pow(beta2, static_cast<float>(step)), 10.f};
  LambState s{p.data_ptr<float>(), g.data_ptr<__nv_bfloat16>(), m.data_ptr<float>(), v.data_ptr<float>(),
              scratch.data_ptr<float>(), norms.data_ptr<float>(), p.numel()};
  cudaMemsetAsync(s.norms, 0, 2 * sizeof(float), stream);
  int per_sm = 0;
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_sm, lamb_step, kThreads, 0);
  const int64_t want = (p.numel() + kThreads - 1) / kThreads;
  const int grid = static_cast<int>(std::min<int64_t>(want, std::max(1, per_sm) * at::cuda::multiProcessorCount()));
  void *args[] = {&s, &h};
  cudaLaunchCooperativeKernel(reinterpret_cast<void *>(lamb_step), dim3(grid), dim3(kThreads), args, 0, stream);
}
