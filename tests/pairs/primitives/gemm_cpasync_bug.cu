#include <cuda_runtime.h>
#include <cassert>
#include <cstdint>
#include <cstdio>
#include <stdexcept>

// C = A * B, row major, multistage pipeline on cp.async. Sizes are padded to
// the tile by the caller.

namespace sgemm {

struct Params {
  const float* A;
  const float* B;
  float* C;
  int M, N, K;
};

__device__ __forceinline__ void cp16(void* smem, const void* gmem) {
  const uint32_t s = static_cast<uint32_t>(__cvta_generic_to_shared(smem));
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;\n" ::"r"(s), "l"(gmem) : "memory");
}
__device__ __forceinline__ void cpCommit() { asm volatile("cp.async.commit_group;\n" ::: "memory"); }
template <int N>
__device__ __forceinline__ void cpWait() {
  asm volatile("cp.async.wait_group %0;\n" ::"n"(N) : "memory");
}

template <int BM_, int BN_, int BK_, int STAGES_>
struct Tile {
  static constexpr int BM = BM_, BN = BN_, BK = BK_, STAGES = STAGES_;
  static constexpr int TM = 4, TN = 4;
  static constexpr int THREADS = (BM / TM) * (BN / TN);
  static constexpr int A_ELEMS = BM * BK;
  static constexpr int B_ELEMS = BK * BN;
  static constexpr size_t SMEM = size_t(STAGES) * (A_ELEMS + B_ELEMS) * sizeof(float);
};

template <class T>
__device__ void fetchTile(const Params& p, float* As, float* Bs, int k0) {
  const int row0 = blockIdx.y * T::BM, col0 = blockIdx.x * T::BN;
  for (int i = threadIdx.x; i < T::A_ELEMS / 4; i += T::THREADS) {
    const int r = i / (T::BK / 4), c = i % (T::BK / 4) * 4;
    cp16(As + r * T::BK + c, p.A + size_t(row0 + r) * p.K + k0 + c);
  }
  for (int i = threadIdx.x; i < T::B_ELEMS / 4; i += T::THREADS) {
    const int r = i / (T::BN / 4), c = i % (T::BN / 4) * 4;
    cp16(Bs + r * T::BN + c, p.B + size_t(k0 + r) * p.N + col0 + c);
  }
}

template <class T>
__device__ __forceinline__ void mma(const float* As, const float* Bs, float (&acc)[T::TM][T::TN]) {
  const int tr = threadIdx.x / (T::BN / T::TN) * T::TM;
  const int tc = threadIdx.x % (T::BN / T::TN) * T::TN;
#pragma unroll
  for (int k = 0; k < T::BK; ++k) {
    float a[T::TM], b[T::TN];
#pragma unroll
    for (int i = 0; i < T::TM; ++i) a[i] = As[(tr + i) * T::BK + k];
#pragma unroll
    for (int j = 0; j < T::TN; ++j) b[j] = Bs[k * T::BN + tc + j];
#pragma unroll
    for (int i = 0; i < T::TM; ++i)
#pragma unroll
      for (int j = 0; j < T::TN; ++j) acc[i][j] = fmaf(a[i], b[j], acc[i][j]);
  }
}

template <class T>
__global__ void __launch_bounds__(T::THREADS) gemmKernel(Params p) {
  extern __shared__ __align__(16) float smem[];
  float* const sA = smem;
  float* const sB = smem + T::STAGES * T::A_ELEMS;
  float acc[T::TM][T::TN] = {};

  const int tiles = p.K / T::BK;
#pragma unroll
  for (int s = 0; s < T::STAGES - 1; ++s) {
    if (s < tiles) fetchTile<T>(p, sA + s * T::A_ELEMS, sB + s * T::B_ELEMS, s * T::BK);
    cpCommit();
  }

  int readStage = 0, writeStage = T::STAGES - 1;
  for (int t = 0; t < tiles; ++t) {
    cpWait<T::STAGES - 2>();
    __syncthreads();

    const int next = t + T::STAGES - 1;
    if (next < tiles) {
      fetchTile<T>(p, sA + writeStage * T::A_ELEMS, sB + writeStage * T::B_ELEMS, next * T::BK);
      cpCommit();
    }

    mma<T>(sA + readStage * T::A_ELEMS, sB + readStage * T::B_ELEMS, acc);
    readStage = readStage + 1 == T::STAGES ? 0 : readStage + 1;
    writeStage = writeStage + 1 == T::STAGES ? 0 : writeStage + 1;
  }

  const int tr = blockIdx.y * T::BM + threadIdx.x / (T::BN / T::TN) * T::TM;
  const int tc = blockIdx.x * T::BN + threadIdx.x % (T::BN / T::TN) * T::TN;
#pragma unroll
  for (int i = 0; i < T::TM; ++i)
#pragma unroll
    for (int j = 0; j < T::TN; ++j) p.C[size_t(tr + i) * p.N + tc + j] = acc[i][j];
}

template <class T>
void launch(const Params& p, cudaStream_t s) {
  if (p.M % T::BM || p.N % T::BN || p.K % T::BK) throw std::invalid_argument("unpadded operand");
  if (cudaFuncSetAttribute(gemmKernel<T>, cudaFuncAttributeMaxDynamicSharedMemorySize, int(T::SMEM)) != cudaSuccess)
    throw std::runtime_error("shared memory");
  gemmKernel<T><<<dim3(p.N / T::BN, p.M / T::BM), T::THREADS, T::SMEM, s>>>(p);
}

void run(const Params& p, cudaStream_t s) {
  if (p.M >= 1024)
    launch<Tile<128, 64, 32, 4>>(p, s);
  else
    launch<Tile<64, 64, 32, 3>>(p, s);
}

}  // namespace sgemm

int main() {
  for (int n : {512, 2048}) {
    sgemm::Params p{};
    p.M = p.N = p.K = n;
    float *a, *b, *c;
    cudaMalloc(&a, sizeof(float) * n * n);
    cudaMalloc(&b, sizeof(float) * n * n);
    cudaMalloc(&c, sizeof(float) * n * n);
    cudaMemset(a, 0, sizeof(float) * n * n);
    cudaMemset(b, 0, sizeof(float) * n * n);
    p.A = a, p.B = b, p.C = c;
    sgemm::run(p, nullptr);
    printf("n=%d %s\n", n, cudaGetErrorString(cudaDeviceSynchronize()));
    cudaFree(a), cudaFree(b), cudaFree(c);
  }
  return 0;
}
