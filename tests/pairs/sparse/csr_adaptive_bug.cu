// CSR-Adaptive sparse matrix-vector product, y = A*x.
// Short rows are packed in row blocks of at most NNZ_PER_BLOCK non-zeros,
// long rows get a block of threads for themselves.
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                                        \
  do {                                                                     \
    cudaError_t e_ = (call);                                               \
    if (e_ != cudaSuccess) {                                               \
      std::fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__,               \
                   cudaGetErrorString(e_));                                \
      std::exit(1);                                                        \
    }                                                                      \
  } while (0)

constexpr int THREADS = 256;
constexpr int NNZ_PER_BLOCK = 1024;

struct CsrView {
  int rows;
  const int* ptr;
  const int* col;
  const float* val;
};

__global__ void spmv_adaptive(CsrView A, const int* __restrict__ rowBlocks,
                              int nRowBlocks, const float* __restrict__ x,
                              float* __restrict__ y) {
  __shared__ float lds[NNZ_PER_BLOCK];
  const int tid = threadIdx.x;

  for (int rb = blockIdx.x; rb < nRowBlocks; rb += gridDim.x) {
    const int r0 = rowBlocks[rb];
    const int r1 = rowBlocks[rb + 1];
    const int first = A.ptr[r0];
    const int last = A.ptr[r1];

    if (r1 - r0 > 1) {
      // stream: products to shared memory, then one thread per row
      for (int k = first + tid; k < last; k += THREADS)
        lds[k - first] = A.val[k] * x[A.col[k]];
      __syncthreads();
      for (int r = r0 + tid; r < r1; r += THREADS) {
        float s = 0.f;
        const int e = A.ptr[r + 1] - first;
        for (int j = A.ptr[r] - first; j < e; ++j) s += lds[j];
        y[r] = s;
      }
    } else {
      // vector: the whole block works on one row
      float s = 0.f;
      for (int k = first + tid; k < last; k += THREADS)
        s += A.val[k] * x[A.col[k]];
      lds[tid] = s;
      __syncthreads();
      for (int w = THREADS / 2; w > 0; w >>= 1) {
        if (tid < w) lds[tid] += lds[tid + w];
        __syncthreads();
      }
      if (tid == 0) y[r0] = lds[0];
    }
  }
}

static std::vector<int> makeRowBlocks(const std::vector<int>& ptr) {
  std::vector<int> rb(1, 0);
  const int rows = (int)ptr.size() - 1;
  int start = 0;
  for (int r = 0; r < rows; ++r) {
    if (ptr[r + 1] - ptr[start] > NNZ_PER_BLOCK) {
      if (r > start) { rb.push_back(r); start = r; }
      if (ptr[r + 1] - ptr[r] > NNZ_PER_BLOCK) { rb.push_back(r + 1); start = r + 1; }
    }
  }
  if (start < rows) rb.push_back(rows);
  return rb;
}

int main() {
  const int rows = 200000;
  std::vector<int> ptr(rows + 1, 0), col;
  std::vector<float> val;
  for (int r = 0; r < rows; ++r) {
    const int len = (r % 5000 == 17) ? 3000 : 3 + r % 11;
    for (int k = 0; k < len; ++k) {
      col.push_back((int)((r * 31LL + k * 97LL) % rows));
      val.push_back(1.0f / (1 + k));
    }
    ptr[r + 1] = (int)col.size();
  }
  std::vector<int> rb = makeRowBlocks(ptr);

  int *dPtr, *dCol, *dRb; float *dVal, *dX, *dY;
  CHECK(cudaMalloc(&dPtr, ptr.size() * sizeof(int)));
  CHECK(cudaMalloc(&dCol, col.size() * sizeof(int)));
  CHECK(cudaMalloc(&dRb, rb.size() * sizeof(int)));
  CHECK(cudaMalloc(&dVal, val.size() * sizeof(float)));
  CHECK(cudaMalloc(&dX, rows * sizeof(float)));
  CHECK(cudaMalloc(&dY, rows * sizeof(float)));
  CHECK(cudaMemcpy(dPtr, ptr.data(), ptr.size() * sizeof(int), cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(dCol, col.data(), col.size() * sizeof(int), cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(dRb, rb.data(), rb.size() * sizeof(int), cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(dVal, val.data(), val.size() * sizeof(float), cudaMemcpyHostToDevice));
  std::vector<float> x(rows, 1.0f);
  CHECK(cudaMemcpy(dX, x.data(), rows * sizeof(float), cudaMemcpyHostToDevice));

  cudaDeviceProp prop;
  CHECK(cudaGetDeviceProperties(&prop, 0));
  const int nrb = (int)rb.size() - 1;
  const int grid = nrb < 4 * prop.multiProcessorCount ? nrb : 4 * prop.multiProcessorCount;
  CsrView A{rows, dPtr, dCol, dVal};
  spmv_adaptive<<<grid, THREADS>>>(A, dRb, nrb, dX, dY);
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  float y0;
  CHECK(cudaMemcpy(&y0, dY, sizeof(float), cudaMemcpyDeviceToHost));
  std::printf("y[0] = %f\n", y0);
  return 0;
}
