// Persistent LSTM layer: one sequence per block, hidden state in shared memory.  nvcc -arch=sm_80
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstdint>

namespace rnn {

struct LstmParams {
  const __half *x_proj;   // [T, B, 4 * H], input projection + biases, gates i f g o
  const __half *w_hh;     // [H, 4, H] transposed: w_hh[k][gate][j]
  const float *h0, *c0;   // [B, H]
  __half *y;              // [T, B, H]
  float *hn, *cn;         // [B, H]
  const int *lengths;     // [B]
  int batch, hidden, steps;
};

__device__ __forceinline__ float sigmoidf(float v) { return 1.f / (1.f + __expf(-v)); }

struct Gates {
  float i, f, g, o;
};

__device__ __forceinline__ Gates recurrent_dot(const float *h, const __half *w, int j, int hidden, Gates acc) {
  for (int k = 0; k < hidden; ++k) {
    const float hk = h[k];
    const __half *wk = w + static_cast<int64_t>(k) * 4 * hidden + j;
    acc.i += hk * __half2float(wk[0]);
    acc.f += hk * __half2float(wk[hidden]);
    acc.g += hk * __half2float(wk[2 * hidden]);
    acc.o += hk * __half2float(wk[3 * hidden]);
  }
  return acc;
}

__global__ void lstm_persistent(const LstmParams p) {
  extern __shared__ float s_mem[];
  float *s_cur = s_mem;
  float *s_nxt = s_mem + p.hidden;

  const int b = blockIdx.x, j = threadIdx.x;
  const bool active = j < p.hidden;
  const int len = min(p.lengths[b], p.steps);

  float c = 0.f, h = 0.f;
  if (active) {
    c = p.c0[static_cast<int64_t>(b) * p.hidden + j];
    h = p.h0[static_cast<int64_t>(b) * p.hidden + j];
    s_cur[j] = h;
  }
  __syncthreads();

  for (int t = 0; t < len; ++t) {
    if (active) {
      const __half *xp = p.x_proj + (static_cast<int64_t>(t) * p.batch + b) * 4 * p.hidden + j;
      Gates g{__half2float(xp[0]), __half2float(xp[p.hidden]), __half2float(xp[2 * p.hidden]),
              __half2float(xp[3 * p.hidden])};
      g = recurrent_dot(s_cur, p.w_hh, j, p.hidden, g);
      c = sigmoidf(g.f) * c + sigmoidf(g.i) * tanhf(g.g);
      h = sigmoidf(g.o) * tanhf(c);
      p.y[(static_cast<int64_t>(t) * p.batch + b) * p.hidden + j] = __float2half(h);
      s_nxt[j] = h;
    }
    __syncthreads();
    float *tmp = s_cur;
    s_cur = s_nxt;
    s_nxt = tmp;
  }

  if (active) {
    p.hn[static_cast<int64_t>(b) * p.hidden + j] = h;
    p.cn[static_cast<int64_t>(b) * p.hidden + j] = c;
    for (int t = len; t < p.steps; ++t)
      p.y[(static_cast<int64_t>(t) * p.batch + b) * p.hidden + j] = __float2half(0.f);
  }
}

}  // namespace rnn

bool lstm_forward(const rnn::LstmParams &p, cudaStream_t stream) {
  if (p.hidden <= 0 || p.hidden > 1024) return false;
  const int block = (p.hidden + 31) / 32 * 32;
  const size_t smem = 2 * p.hidden * sizeof(float);
  rnn::lstm_persistent<<<p.batch, block, smem, stream>>>(p);
  return cudaGetLastError() == cudaSuccess;
}
