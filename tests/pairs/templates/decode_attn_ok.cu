#include <cuda_runtime.h>
#include <cmath>
#include <stdexcept>

namespace attn {

struct DecodeParams {
  const float* q;      // heads x D
  const float* k;      // heads x len x D
  const float* v;
  float* out;          // heads x D
  int len;
  float scale;
};

struct Stat {
  float m;
  float l;
};

template <int D, int WARPS>
struct SmemLayout {
  static constexpr int kPitch = D + 4;
  static constexpr int kPart = 0;
  static constexpr int kStat = kPart + WARPS * kPitch;
  static constexpr int kFloats = kStat + WARPS * 2 + 4 * WARPS;
  static constexpr size_t bytes() { return sizeof(float) * kFloats; }
};

__device__ __forceinline__ float warp_sum(float x) {
#pragma unroll
  for (int o = 16; o; o >>= 1) x += __shfl_xor_sync(0xffffffffu, x, o);
  return x;
}

template <int D, int WARPS>
__global__ void __launch_bounds__(WARPS * 32) decode_kernel(DecodeParams p) {
  using L = SmemLayout<D, WARPS>;
  extern __shared__ __align__(16) float smem[];
  float* part = smem + L::kPart;
  Stat* stat = reinterpret_cast<Stat*>(smem + L::kStat);

  constexpr int PER = D / 32;
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  const int head = blockIdx.x;
  const float* k = p.k + size_t(head) * p.len * D;
  const float* v = p.v + size_t(head) * p.len * D;

  float q[PER], acc[PER];
#pragma unroll
  for (int i = 0; i < PER; ++i) {
    q[i] = p.q[head * D + lane + 32 * i] * p.scale;
    acc[i] = 0.f;
  }

  float m = -1e30f, l = 0.f;
  for (int t = warp; t < p.len; t += WARPS) {
    float s = 0.f;
#pragma unroll
    for (int i = 0; i < PER; ++i) s += q[i] * k[size_t(t) * D + lane + 32 * i];
    s = warp_sum(s);
    const float mn = fmaxf(m, s);
    const float corr = __expf(m - mn), w = __expf(s - mn);
    l = l * corr + w;
#pragma unroll
    for (int i = 0; i < PER; ++i) acc[i] = acc[i] * corr + w * v[size_t(t) * D + lane + 32 * i];
    m = mn;
  }

  if (lane == 0) stat[warp] = Stat{m, l};
#pragma unroll
  for (int i = 0; i < PER; ++i) part[warp * L::kPitch + lane + 32 * i] = acc[i];
  __syncthreads();

  float gm = -1e30f;
#pragma unroll
  for (int w = 0; w < WARPS; ++w) gm = fmaxf(gm, stat[w].m);
  float gl = 0.f;
#pragma unroll
  for (int w = 0; w < WARPS; ++w) gl += stat[w].l * __expf(stat[w].m - gm);
  for (int d = threadIdx.x; d < D; d += WARPS * 32) {
    float o = 0.f;
#pragma unroll
    for (int w = 0; w < WARPS; ++w) o += part[w * L::kPitch + d] * __expf(stat[w].m - gm);
    p.out[head * D + d] = gl > 0.f ? o / gl : 0.f;
  }
}

template <int D, int WARPS>
void launch(const DecodeParams& p, int heads, cudaStream_t s) {
  constexpr size_t bytes = SmemLayout<D, WARPS>::bytes();
  auto kernel = &decode_kernel<D, WARPS>;
  kernel<<<heads, WARPS * 32, bytes, s>>>(p);
}

void decode(const DecodeParams& p, int heads, int head_dim, cudaStream_t s) {
  switch (head_dim) {
    case 64: return launch<64, 4>(p, heads, s);
    case 128: return launch<128, 8>(p, heads, s);
    case 256: return launch<256, 8>(p, heads, s);
  }
  throw std::runtime_error("head_dim");
}

}  // namespace attn
