// Dependent kernels with programmatic stream serialization.
#include <cuda_runtime.h>
#include <initializer_list>
#include <utility>

namespace pdl {

template <int N>
struct Row {
  float v[N];
};

template <int N>
__global__ void layer_norm(const Row<N>* __restrict__ x, Row<N>* y, int rows) {
  static_assert(N % 32 == 0, "");
  const int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (warp < rows) {
    float r[N / 32], s = 0.f, q = 0.f;
#pragma unroll
    for (int k = 0; k < N / 32; ++k) {
      r[k] = x[warp].v[k * 32 + lane];
      s += r[k];
      q += r[k] * r[k];
    }
    for (int m = 16; m; m >>= 1) {
      s += __shfl_xor_sync(0xffffffff, s, m);
      q += __shfl_xor_sync(0xffffffff, q, m);
    }
    const float mean = s / N, inv = rsqrtf(q / N - mean * mean + 1e-5f);
#pragma unroll
    for (int k = 0; k < N / 32; ++k) y[warp].v[k * 32 + lane] = (r[k] - mean) * inv;
  }
  cudaTriggerProgrammaticLaunchCompletion();
}

template <int N, int BLOCK>
__global__ void __launch_bounds__(BLOCK) project(const Row<N>* y, const float* __restrict__ w, float* __restrict__ out, int rows) {
  __shared__ float weights[N];
  for (int i = threadIdx.x; i < N; i += BLOCK) weights[i] = w[i];
  __syncthreads();
  cudaGridDependencySynchronize();
  for (int r = blockIdx.x * BLOCK + threadIdx.x; r < rows; r += gridDim.x * BLOCK) {
    float acc = 0.f;
    for (int i = 0; i < N; ++i) acc += y[r].v[i] * weights[i];
    out[r] = acc;
  }
}

template <typename... KArgs, typename... Args>
cudaError_t launch(void (*k)(KArgs...), int grid, int block, cudaStream_t s, bool overlap, Args... args) {
  cudaLaunchAttribute at[1];
  at[0].id = cudaLaunchAttributeProgrammaticStreamSerialization;
  at[0].val.programmaticStreamSerializationAllowed = overlap ? 1 : 0;
  cudaLaunchConfig_t c{};
  c.gridDim = grid;
  c.blockDim = block;
  c.stream = s;
  c.attrs = at;
  c.numAttrs = 1;
  return cudaLaunchKernelEx(&c, k, KArgs(args)...);
}

template <int N>
cudaError_t run(const float* x, const float* w, float* tmp, float* out, int rows, cudaStream_t s) {
  if (rows <= 0 || rows > (1 << 24) || tmp == x || tmp == w || tmp == out || out == w) return cudaErrorInvalidValue;
  constexpr int kNormBlock = 256, kProjBlock = 128;
  const int rows_per_block = kNormBlock / 32;
  cudaError_t e = launch(layer_norm<N>, (rows + rows_per_block - 1) / rows_per_block, kNormBlock, s, false,
                         reinterpret_cast<const Row<N>*>(x), reinterpret_cast<Row<N>*>(tmp), rows);
  if (e != cudaSuccess) return e;
  return launch(project<N, kProjBlock>, (rows + kProjBlock - 1) / kProjBlock, kProjBlock, s, true,
                reinterpret_cast<const Row<N>*>(tmp), w, out, rows);
}

}  // namespace pdl

int main() {
  float *x, *t, *w, *o;
  const int rows = 5001;
  cudaMalloc(&x, rows * 128 * sizeof(float));
  cudaMalloc(&t, rows * 128 * sizeof(float));
  cudaMalloc(&w, 128 * sizeof(float));
  cudaMalloc(&o, rows * sizeof(float));
  cudaMemset(x, 0, rows * 128 * sizeof(float));
  cudaMemset(w, 0, 128 * sizeof(float));
  cudaStream_t s;
  cudaStreamCreate(&s);
  cudaDeviceSynchronize();
  int bad = pdl::run<128>(x, w, t, o, rows, s) != cudaSuccess;
  cudaStreamSynchronize(s);
  bad |= pdl::run<64>(x, w, t, o, 17, s) != cudaSuccess;
  bad |= cudaStreamSynchronize(s) != cudaSuccess;
  for (float* p : {x, t, w, o}) cudaFree(p);
  return bad;
}
