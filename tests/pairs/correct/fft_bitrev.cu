// Batched radix-2 FFT in shared memory with bit-reversed load.
#include <cuda_runtime.h>
#include <cuComplex.h>
#include <vector>
#include <optional>

namespace fft {

enum class Direction : int { Forward = -1, Inverse = 1 };

template <int LOG2N>
struct Plan {
  static constexpr int N = 1 << LOG2N;
  static constexpr int kThreads = N / 2;
};

__device__ inline cuFloatComplex twiddle(int k, int m, float sign) {
  float s, c;
  sincospif(sign * 2.0f * k / m, &s, &c);
  return make_cuFloatComplex(c, s);
}

template <int LOG2N>
__global__ void __launch_bounds__(Plan<LOG2N>::kThreads)
fft_shared(cuFloatComplex* data, float sign, float scale) {
  constexpr int N = Plan<LOG2N>::N;
  __shared__ cuFloatComplex s[N];
  cuFloatComplex* line = data + size_t(blockIdx.x) * N;
#pragma unroll
  for (int h = 0; h < 2; ++h) {
    const unsigned i = threadIdx.x + h * (N / 2);
    s[__brev(i) >> (32 - LOG2N)] = line[i];
  }
  for (int half = 1; half < N; half <<= 1) {
    __syncthreads();
    const int k = threadIdx.x & (half - 1);
    const int i = ((threadIdx.x - k) << 1) + k;
    const cuFloatComplex w = twiddle(k, 2 * half, sign);
    const cuFloatComplex u = s[i], v = cuCmulf(w, s[i + half]);
    s[i] = cuCaddf(u, v);
    s[i + half] = cuCsubf(u, v);
  }
  __syncthreads();
  for (int h = 0; h < 2; ++h) {
    const int i = threadIdx.x + h * (N / 2);
    line[i] = make_cuFloatComplex(s[i].x * scale, s[i].y * scale);
  }
}

std::optional<int> log2_exact(int n) {
  for (int l = 4; l <= 11; ++l)
    if ((1 << l) == n) return l;
  return std::nullopt;
}

template <int L>
void exec(cuFloatComplex* d, int batch, Direction dir, cudaStream_t s) {
  const float scale = dir == Direction::Inverse ? 1.0f / Plan<L>::N : 1.0f;
  fft_shared<L><<<batch, Plan<L>::kThreads, 0, s>>>(d, float(int(dir)), scale);
}

template <int L = 4>
void dispatch(int log2n, cuFloatComplex* d, int batch, Direction dir, cudaStream_t s) {
  if (L == log2n) {
    exec<L>(d, batch, dir, s);
  } else if constexpr (L < 11) {
    dispatch<L + 1>(log2n, d, batch, dir, s);
  }
}

bool run(cuFloatComplex* d, int n, int batch, Direction dir, cudaStream_t s = 0) {
  const auto l = log2_exact(n);
  if (!l || batch <= 0) return false;
  dispatch(*l, d, batch, dir, s);
  return cudaGetLastError() == cudaSuccess;
}

}  // namespace fft

int main() {
  cuFloatComplex* d = nullptr;
  const std::vector<int> sizes{16, 64, 256, 1024, 2048};
  cudaMalloc(&d, sizeof(cuFloatComplex) * 2048 * 10);
  cudaMemset(d, 0, sizeof(cuFloatComplex) * 2048 * 10);
  bool ok = true;
  for (int n : sizes) ok &= fft::run(d, n, 10, fft::Direction::Forward) && fft::run(d, n, 10, fft::Direction::Inverse);
  ok &= cudaDeviceSynchronize() == cudaSuccess;
  cudaFree(d);
  return ok ? 0 : 1;
}
