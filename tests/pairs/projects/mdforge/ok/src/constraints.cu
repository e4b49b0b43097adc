#include "md/system.h"

namespace md {

// Constraints are sorted so that coupled ones sit in the same block;
// `coupled` holds block-local indices.
template <int NT>
__global__ void lincs_expand_kernel(const int* __restrict__ ncoupled, const int* __restrict__ coupled,
                                    const float* __restrict__ coef, const float* __restrict__ rhs,
                                    float* __restrict__ lambda, int nc, int max_coupled, int order) {
  __shared__ float s_rhs[2][NT];
  const int t = threadIdx.x;
  const int c = blockIdx.x * NT + t;
  const bool live = c < nc;
  const int cnt = live ? ncoupled[c] : 0;
  float sol = live ? rhs[c] : 0.f;
  s_rhs[0][t] = sol;
  __syncthreads();

  for (int rec = 0; rec < order; ++rec) {
    const float* src = s_rhs[rec % 2];
    float* dst = s_rhs[(rec + 1) % 2];
    float mvb = 0.f;
    for (int k = 0; k < cnt; ++k) mvb += coef[k * nc + c] * src[coupled[k * nc + c]];
    dst[t] = mvb;
    sol += mvb;
    __syncthreads();
  }
  if (live) lambda[c] = sol;
}

void System::apply_lincs(const int* ncoupled, const int* coupled, const float* coef, const float* rhs,
                         float* lambda, int nc, int max_coupled, int order, cudaStream_t s) {
  constexpr int kBlock = 256;
  if (nc == 0 || order < 1 || order > 12) return;
  lincs_expand_kernel<kBlock><<<(nc + kBlock - 1) / kBlock, kBlock, 0, s>>>(ncoupled, coupled, coef, rhs, lambda, nc, max_coupled, order);
  MD_CHECK(cudaGetLastError());
}

}  // namespace md
