// Flash decoding: one query token, the context split over blocks, fused combine in the last split.
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <cfloat>
#include <cmath>

namespace decode {

constexpr int D = 128;
constexpr int kThreads = 128;  // one thread per key of a tile and per channel of the output
constexpr int kMaxSplits = 64;

struct Args {
  const __half* q;     // [B, H, D]
  const __half* k;     // [B, Hkv, max_len, D]
  const __half* v;
  const int* lens;     // [B]
  __half* o;           // [B, H, D]
  float* o_part;       // [B, H, splits, D]
  float2* ml_part;     // [B, H, splits] (max, sum)
  int* tickets;        // [B, H], zero before the first launch
  int heads, heads_kv, max_len, num_splits;
  float scale;
};

template <typename Op>
__device__ float block_reduce(float v, float* red, Op op) {
#pragma unroll
  for (int o = 16; o > 0; o >>= 1) v = op(v, __shfl_xor_sync(0xffffffffu, v, o));
  if ((threadIdx.x & 31) == 0) red[threadIdx.x >> 5] = v;
  __syncthreads();
  v = red[0];
#pragma unroll
  for (int w = 1; w < kThreads / 32; ++w) v = op(v, red[w]);
  __syncthreads();
  return v;
}

struct MaxOp { __device__ float operator()(float a, float b) const { return fmaxf(a, b); } };
struct SumOp { __device__ float operator()(float a, float b) const { return a + b; } };

__global__ void __launch_bounds__(kThreads) decode_splitk(Args a) {
  __shared__ float q[D];
  __shared__ float prob[kThreads];
  __shared__ float red[kThreads / 32];
  __shared__ int last;

  const int tid = threadIdx.x;
  const int split = blockIdx.x, head = blockIdx.y, b = blockIdx.z;
  const int bh = b * a.heads + head;
  const int hk = head / (a.heads / a.heads_kv);
  const size_t kv = ((size_t)b * a.heads_kv + hk) * a.max_len * D;
  const int len = min(a.lens[b], a.max_len);
  const int chunk = (len + a.num_splits - 1) / a.num_splits;
  const int beg = split * chunk, end = min(len, beg + chunk);

  q[tid] = __half2float(a.q[(size_t)bh * D + tid]) * a.scale;
  __syncthreads();

  float m = -FLT_MAX, l = 0.f, acc = 0.f;
  for (int t0 = beg; t0 < end; t0 += kThreads) {
    float s = -FLT_MAX;
    if (t0 + tid < end) {
      const __half2* kr = reinterpret_cast<const __half2*>(a.k + kv + (size_t)(t0 + tid) * D);
      s = 0.f;
      for (int d = 0; d < D / 2; ++d) {
        const float2 kk = __half22float2(kr[d]);
        s += q[2 * d] * kk.x + q[2 * d + 1] * kk.y;
      }
    }
    const float mt = fmaxf(m, block_reduce(s, red, MaxOp{}));
    const float p = t0 + tid < end ? __expf(s - mt) : 0.f;
    prob[tid] = p;
    const float lt = block_reduce(p, red, SumOp{});
    const float corr = __expf(m - mt);
    acc *= corr;
    const int cnt = min(kThreads, end - t0);
    for (int j = 0; j < cnt; ++j)
      acc += prob[j] * __half2float(a.v[kv + (size_t)(t0 + j) * D + tid]);
    l = l * corr + lt;
    m = mt;
    __syncthreads();
  }

  if (a.num_splits == 1) {
    a.o[(size_t)bh * D + tid] = __float2half(l > 0.f ? acc / l : 0.f);
    return;
  }

  const size_t part = (size_t)bh * a.num_splits + split;
  a.o_part[part * D + tid] = acc;
  if (tid == 0) a.ml_part[part] = make_float2(m, l);
  __threadfence();
  if (tid == 0) {
    const int t = atomicAdd(a.tickets + bh, 1);
    last = t == a.num_splits - 1;
    if (last) a.tickets[bh] = 0;  // ready for the next launch
  }
  __syncthreads();
  if (!last) return;
  __threadfence();

  float gm = -FLT_MAX;
  for (int s = 0; s < a.num_splits; ++s)
    gm = fmaxf(gm, a.ml_part[(size_t)bh * a.num_splits + s].x);
  float num = 0.f, den = 0.f;
  for (int s = 0; s < a.num_splits; ++s) {
    const size_t i = (size_t)bh * a.num_splits + s;
    const float2 ml = a.ml_part[i];
    const float w = ml.y > 0.f ? __expf(ml.x - gm) : 0.f;
    num += w * a.o_part[i * D + tid];
    den += w * ml.y;
  }
  a.o[(size_t)bh * D + tid] = __float2half(den > 0.f ? num / den : 0.f);
}

int choose_splits(int max_context, int batch_heads, int sms) {
  int s = (max_context + 255) / 256;
  while (s > 1 && s * batch_heads > 4 * sms) s = (s + 1) / 2;
  return s < 1 ? 1 : (s > kMaxSplits ? kMaxSplits : s);
}

cudaError_t flash_decode(Args a, int batch, int max_context, int sms, cudaStream_t st) {
  if (a.heads_kv <= 0 || a.heads % a.heads_kv != 0) return cudaErrorInvalidValue;
  if (batch <= 0 || batch > 65535 || a.heads > 65535) return cudaErrorInvalidValue;
  a.num_splits = choose_splits(max_context, batch * a.heads, sms);
  a.scale = 1.f / sqrtf((float)D);
  decode_splitk<<<dim3(a.num_splits, a.heads, batch), kThreads, 0, st>>>(a);
  return cudaGetLastError();
}

}  // namespace decode
