// Selective scan (S6) forward: h_t = a_t * h_{t-1} + b_t, y_t = sum_n c_t[n] * h_t[n]
#include <cuda_runtime.h>
#include <stdexcept>

struct SsmParams {
  const float *u, *delta;  // [batch, dim, len]
  const float *A;          // [dim, dstate]
  const float *B, *C;      // [batch, dstate, len]
  const float *D;          // [dim]
  float *y;                // [batch, dim, len]
  int batch, dim, dstate, len;
};

// (a, b) stands for the map h -> a * h + b
struct Affine {
  float a, b;
};

__device__ __forceinline__ Affine then(const Affine &f, const Affine &g) {
  return {f.a * g.a, g.a * f.b + g.b};
}

__device__ __forceinline__ Affine warp_inclusive(Affine v) {
  const int lane = threadIdx.x & 31;
#pragma unroll
  for (int o = 1; o < 32; o <<= 1) {
    Affine p;
    p.a = __shfl_up_sync(0xffffffff, v.a, o);
    p.b = __shfl_up_sync(0xffffffff, v.b, o);
    if (lane >= o) v = then(p, v);
  }
  return v;
}

template <int kThreads, int kItems>
__global__ void __launch_bounds__(kThreads) selective_scan_fwd(SsmParams p) {
  constexpr int kWarps = kThreads / 32;
  constexpr int kChunk = kThreads * kItems;
  __shared__ Affine s_warp[kWarps];
  __shared__ Affine s_run[16];  // one for each state

  const int b = blockIdx.y, d = blockIdx.x;
  const int tid = threadIdx.x, lane = tid & 31, warp = tid >> 5;
  const float *u = p.u + ((size_t)b * p.dim + d) * p.len;
  const float *dt = p.delta + ((size_t)b * p.dim + d) * p.len;
  float *y = p.y + ((size_t)b * p.dim + d) * p.len;

  if (tid < p.dstate) s_run[tid] = {1.f, 0.f};
  // ordered before the first read by the barrier inside of the scan

  for (int base = 0; base < p.len; base += kChunk) {
    float uu[kItems], dd[kItems], out[kItems];
#pragma unroll
    for (int i = 0; i < kItems; ++i) {
      const int t = base + tid * kItems + i;
      uu[i] = t < p.len ? u[t] : 0.f;
      dd[i] = t < p.len ? dt[t] : 0.f;
      out[i] = p.D[d] * uu[i];
    }

    for (int n = 0; n < p.dstate; ++n) {
      const float A = p.A[(size_t)d * p.dstate + n];
      const float *Bn = p.B + ((size_t)b * p.dstate + n) * p.len;
      const float *Cn = p.C + ((size_t)b * p.dstate + n) * p.len;

      Affine e[kItems];
      Affine mine = {1.f, 0.f};
#pragma unroll
      for (int i = 0; i < kItems; ++i) {
        const int t = base + tid * kItems + i;
        e[i] = t < p.len ? Affine{__expf(dd[i] * A), dd[i] * Bn[t] * uu[i]} : Affine{1.f, 0.f};
        mine = then(mine, e[i]);
      }

      const Affine incl = warp_inclusive(mine);
      if (lane == 31) s_warp[warp] = incl;
      __syncthreads();

      Affine pre = s_run[n];
      for (int w = 0; w < warp; ++w) pre = then(pre, s_warp[w]);
      const Affine upto = then(pre, incl);
      Affine ex;
      ex.a = __shfl_up_sync(0xffffffff, incl.a, 1);
      ex.b = __shfl_up_sync(0xffffffff, incl.b, 1);
      float h = lane == 0 ? pre.b : then(pre, ex).b;
#pragma unroll
      for (int i = 0; i < kItems; ++i) {
        const int t = base + tid * kItems + i;
        h = e[i].a * h + e[i].b;
        if (t < p.len) out[i] += Cn[t] * h;
      }

      __syncthreads();
      if (tid == kThreads - 1) s_run[n] = upto;
    }

#pragma unroll
    for (int i = 0; i < kItems; ++i) {
      const int t = base + tid * kItems + i;
      if (t < p.len) y[t] = out[i];
    }
  }
}

void selective_scan_forward(const SsmParams &p, cudaStream_t stream) {
  if (p.dstate < 1 || p.dstate > 16) throw std::invalid_argument("dstate must be 1..16");
  if (p.batch <= 0 || p.dim <= 0 || p.len <= 0) return;
  dim3 grid(p.dim, p.batch);
  if (p.len <= 256)
    selective_scan_fwd<64, 4><<<grid, 64, 0, stream>>>(p);
  else if (p.len <= 1024)
    selective_scan_fwd<128, 8><<<grid, 128, 0, stream>>>(p);
  else
    selective_scan_fwd<128, 16><<<grid, 128, 0, stream>>>(p);
}
