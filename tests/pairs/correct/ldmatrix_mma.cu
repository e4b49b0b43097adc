// Half-precision GEMM tile with ldmatrix + mma.sync m16n8k16.
#include <cuda_runtime.h>
#include <cuda_fp16.h>
#include <cstdint>

namespace tc {

constexpr int BM = 64, BN = 64, BK = 32, WARPS = 4;

__device__ __forceinline__ int swz(int row, int chunk) { return row * BK + ((chunk ^ ((row >> 1) & 3)) << 3); }

__device__ __forceinline__ void ldsm_x4(uint32_t (&r)[4], const half* p) {
  uint32_t a = static_cast<uint32_t>(__cvta_generic_to_shared(p));
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(a) : "memory");
}

__device__ __forceinline__ void mma16816(float (&c)[4], const uint32_t (&a)[4], uint32_t b0, uint32_t b1) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
               : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

__device__ void stage(half* dst, const half* __restrict__ src, int ld, int rows) {
  for (int v = threadIdx.x; v < rows * (BK / 8); v += WARPS * 32) {
    const int r = v >> 2, c = v & 3;
    *reinterpret_cast<uint4*>(dst + swz(r, c)) = *reinterpret_cast<const uint4*>(src + size_t(r) * ld + c * 8);
  }
}

// A: M x K row-major, Bt: N x K row-major, C: M x N
__global__ void __launch_bounds__(WARPS * 32)
hgemm_nt(const half* __restrict__ A, const half* __restrict__ Bt, float* __restrict__ C, int N, int K) {
  __shared__ __align__(16) half sa[BM * BK];
  __shared__ __align__(16) half sb[BN * BK];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  float acc[8][4] = {};
  const half* Ab = A + size_t(blockIdx.y) * BM * K;
  const half* Bb = Bt + size_t(blockIdx.x) * BN * K;
  for (int k0 = 0; k0 < K; k0 += BK) {
    if (k0) __syncthreads();
    stage(sa, Ab + k0, K, BM);
    stage(sb, Bb + k0, K, BN);
    __syncthreads();
#pragma unroll
    for (int kk = 0; kk < BK / 16; ++kk) {
      uint32_t a[4];
      ldsm_x4(a, sa + swz(warp * 16 + (lane & 15), kk * 2 + (lane >> 4)));
#pragma unroll
      for (int nn = 0; nn < 4; ++nn) {
        uint32_t b[4];
        ldsm_x4(b, sb + swz(nn * 16 + (lane & 7) + ((lane >> 4) << 3), kk * 2 + ((lane >> 3) & 1)));
        mma16816(acc[2 * nn], a, b[0], b[1]);
        mma16816(acc[2 * nn + 1], a, b[2], b[3]);
      }
    }
  }
  const int row = blockIdx.y * BM + warp * 16 + lane / 4;
  const int col = blockIdx.x * BN + (lane % 4) * 2;
#pragma unroll
  for (int n = 0; n < 8; ++n) {
    float2* p0 = reinterpret_cast<float2*>(C + size_t(row) * N + col + n * 8);
    float2* p1 = reinterpret_cast<float2*>(C + size_t(row + 8) * N + col + n * 8);
    *p0 = make_float2(acc[n][0], acc[n][1]);
    *p1 = make_float2(acc[n][2], acc[n][3]);
  }
}

struct Shape {
  int m, n, k;
  bool supported() const { return m > 0 && n > 0 && k > 0 && m % BM == 0 && n % BN == 0 && k % BK == 0; }
};

cudaError_t hgemm(const half* A, const half* Bt, float* C, Shape s, cudaStream_t st) {
  if (!s.supported()) return cudaErrorInvalidValue;
  hgemm_nt<<<dim3(s.n / BN, s.m / BM), WARPS * 32, 0, st>>>(A, Bt, C, s.n, s.k);
  return cudaGetLastError();
}

}  // namespace tc
