// Tiled causal attention with online softmax; one query per thread, K/V tiles in shared memory.
#include <cuda_runtime.h>
#include <cfloat>
#include <cmath>
#include <stdexcept>

namespace attn {

struct Shape {
  int batch, heads, seq;
  __host__ __device__ size_t head_offset(int bh, int d) const { return size_t(bh) * seq * d; }
};

struct Tensors {
  const float* q;
  const float* k;
  const float* v;
  float* o;
};

template <int D>
struct KvTile {
  static constexpr int kRows = 32;
  float k[kRows][D];
  float v[kRows][D];
  template <int THREADS>
  __device__ void fill(const float* gk, const float* gv, int first, int seq) {
    for (int i = threadIdx.x; i < kRows * D; i += THREADS) {
      const int r = i / D, c = i % D;
      const bool ok = first + r < seq;
      k[r][c] = ok ? gk[size_t(first + r) * D + c] : 0.f;
      v[r][c] = ok ? gv[size_t(first + r) * D + c] : 0.f;
    }
  }
};

template <int D, int THREADS, bool CAUSAL>
__global__ void __launch_bounds__(THREADS) attention(Tensors t, Shape s, float scale) {
  __shared__ KvTile<D> tile;
  constexpr int ROWS = KvTile<D>::kRows;
  const size_t off = s.head_offset(blockIdx.y, D);
  const int q0 = blockIdx.x * THREADS;
  const int qi = q0 + threadIdx.x;
  float q[D], acc[D] = {};
  for (int d = 0; d < D; ++d) q[d] = qi < s.seq ? t.q[off + size_t(qi) * D + d] * scale : 0.f;
  float m = -FLT_MAX, l = 0.f;

  for (int j0 = 0; j0 < s.seq; j0 += ROWS) {
    if (CAUSAL && j0 > q0 + THREADS - 1) break;
    tile.template fill<THREADS>(t.k + off, t.v + off, j0, s.seq);
    __syncthreads();
    const int visible = min(min(ROWS, s.seq - j0), CAUSAL ? qi - j0 + 1 : ROWS);
    for (int j = 0; j < visible; ++j) {
      float x = 0.f;
#pragma unroll
      for (int d = 0; d < D; ++d) x += q[d] * tile.k[j][d];
      const float mn = fmaxf(m, x);
      const float c = __expf(m - mn), p = __expf(x - mn);
      l = l * c + p;
#pragma unroll
      for (int d = 0; d < D; ++d) acc[d] = acc[d] * c + p * tile.v[j][d];
      m = mn;
    }
    __syncthreads();
  }
  if (qi < s.seq)
    for (int d = 0; d < D; ++d) t.o[off + size_t(qi) * D + d] = acc[d] / l;
}

template <int D>
void launch(const Tensors& t, const Shape& s, bool causal, cudaStream_t st) {
  constexpr int THREADS = D > 32 ? 64 : 128;
  const dim3 grid((s.seq + THREADS - 1) / THREADS, s.batch * s.heads);
  const float scale = 1.f / std::sqrt(float(D));
  if (causal) attention<D, THREADS, true><<<grid, THREADS, 0, st>>>(t, s, scale);
  else attention<D, THREADS, false><<<grid, THREADS, 0, st>>>(t, s, scale);
}

void forward(const Tensors& t, const Shape& s, int head_dim, bool causal, cudaStream_t st = 0) {
  if (s.batch < 1 || s.heads < 1 || s.seq < 1 || s.seq > (1 << 24) || (long long)s.batch * s.heads > 65535) throw std::invalid_argument("shape");
  if (t.o == t.q || t.o == t.k || t.o == t.v) throw std::invalid_argument("output aliases an input");
  switch (head_dim) {
    case 16: return launch<16>(t, s, causal, st);
    case 32: return launch<32>(t, s, causal, st);
    case 64: return launch<64>(t, s, causal, st);
  }
  throw std::invalid_argument("head_dim");
}

}  // namespace attn
