// Needleman-Wunsch global alignment, tiled over anti-diagonals of tiles.
#include <cuda_runtime.h>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#define TS 64

__constant__ int kSub[4][4] = {{5, -4, -3, -4}, {-4, 5, -4, -3}, {-3, -4, 5, -4}, {-4, -3, -4, 5}};

struct Problem {
  const unsigned char* a;  // length n, codes 0..3
  const unsigned char* b;  // length n
  int* H;                  // (n+1) x (n+1)
  int n;
  int gap;
};

__device__ __forceinline__ int max3(int a, int b, int c) { return max(a, max(b, c)); }

__device__ __forceinline__ void cell(int (*t)[TS + 1], const unsigned char* sa,
                                     const unsigned char* sb, int r, int c, int gap) {
  t[r][c] = max3(t[r - 1][c - 1] + kSub[sa[r - 1]][sb[c - 1]],
                 t[r - 1][c] - gap, t[r][c - 1] - gap);
}

__global__ void nwTile(Problem p, int diag, int firstRow) {
  __shared__ int t[TS + 1][TS + 1];
  __shared__ unsigned char sa[TS], sb[TS];
  const int tx = threadIdx.x;
  const int ti = firstRow + blockIdx.x, tj = diag - ti;
  const size_t ld = p.n + 1;
  int* H = p.H + (size_t)ti * TS * ld + tj * TS;

  sa[tx] = p.a[ti * TS + tx];
  sb[tx] = p.b[tj * TS + tx];
  t[tx + 1][0] = H[(tx + 1) * ld];
  t[0][tx + 1] = H[tx + 1];
  if (tx == 0) t[0][0] = H[0];
  __syncthreads();

  for (int d = 0; d < TS; ++d) {
    if (tx <= d) cell(t, sa, sb, d - tx + 1, tx + 1, p.gap);
    __syncthreads();
  }
  for (int d = TS - 2; d >= 0; --d) {
    if (tx <= d) cell(t, sa, sb, TS - tx, TS - d + tx, p.gap);
  }
  __syncthreads();

  for (int r = 1; r <= TS; ++r) H[r * ld + tx + 1] = t[r][tx + 1];
}

__global__ void nwBorder(int* H, int n, int gap) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i > n) return;
  H[i] = -gap * i;
  if (i > 0) H[(size_t)i * (n + 1)] = -gap * i;
}

int align(const std::string& a, const std::string& b, int gap) {
  const int n = (int)a.size();
  if (n == 0 || n % TS || b.size() != a.size()) {
    std::fprintf(stderr, "sequences must have the same length, a multiple of %d\n", TS);
    std::exit(1);
  }
  auto encode = [](const std::string& s) {
    std::vector<unsigned char> v(s.size());
    for (size_t i = 0; i < s.size(); ++i)
      v[i] = s[i] == 'A' ? 0 : s[i] == 'C' ? 1 : s[i] == 'G' ? 2 : 3;
    return v;
  };
  const auto ca = encode(a), cb = encode(b);
  unsigned char *da, *db;
  int* H;
  cudaMalloc(&da, n);
  cudaMalloc(&db, n);
  cudaMalloc(&H, sizeof(int) * (n + 1) * (size_t)(n + 1));
  cudaMemcpy(da, ca.data(), n, cudaMemcpyHostToDevice);
  cudaMemcpy(db, cb.data(), n, cudaMemcpyHostToDevice);
  nwBorder<<<(n + 256) / 256, 256>>>(H, n, gap);
  const Problem p{da, db, H, n, gap};
  const int tiles = n / TS;
  for (int d = 0; d < 2 * tiles - 1; ++d) {
    const int lo = std::max(0, d - tiles + 1), hi = std::min(d, tiles - 1);
    nwTile<<<hi - lo + 1, TS>>>(p, d, lo);
  }
  int score = 0;
  cudaMemcpy(&score, H + (size_t)(n + 1) * (n + 1) - 1, sizeof(int), cudaMemcpyDeviceToHost);
  cudaFree(da);
  cudaFree(db);
  cudaFree(H);
  return score;
}

int main() {
  std::string a, b;
  for (int i = 0; i < 2048; ++i) {
    a += "ACGT"[rand() & 3];
    b += "ACGT"[rand() & 3];
  }
  std::printf("score %d\n", align(a, b, 6));
  return 0;
}
