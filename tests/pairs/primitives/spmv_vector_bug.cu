#include <cuda_runtime.h>
#include <cstdio>
#include <type_traits>
#include <vector>

namespace spmv {

template <typename V>
struct CsrView {
  int rows, cols, nnz;
  const int* __restrict__ rowPtr;
  const int* __restrict__ colIdx;
  const V* __restrict__ values;
};

template <typename V>
struct Axpby {
  V alpha, beta;
  __device__ V operator()(V ax, V y) const { return beta == V(0) ? alpha * ax : alpha * ax + beta * y; }
};

template <int W>
__device__ __forceinline__ unsigned groupMask() {
  return 0xffffffffu;
}

template <int W, typename V>
__device__ __forceinline__ V groupSum(V v) {
  const unsigned mask = groupMask<W>();
#pragma unroll
  for (int o = W / 2; o > 0; o >>= 1) v += __shfl_down_sync(mask, v, o, W);
  return v;
}

template <int W, typename V, typename Epilogue>
__global__ void __launch_bounds__(256) csrVector(CsrView<V> A, const V* __restrict__ x, V* y, Epilogue ep,
                                                  double* norm2) {
  const int lane = threadIdx.x % W;
  const int group = (blockIdx.x * blockDim.x + threadIdx.x) / W;
  const int groups = gridDim.x * blockDim.x / W;
  double mine = 0.0;

  for (int row = group; row < A.rows; row += groups) {
    const int end = A.rowPtr[row + 1];
    V sum = V(0);
    for (int p = A.rowPtr[row] + lane; p < end; p += W) sum += A.values[p] * __ldg(x + A.colIdx[p]);
    sum = groupSum<W>(sum);
    if (lane == 0) {
      const V r = ep(sum, y[row]);
      y[row] = r;
      mine += double(r) * double(r);
    }
  }

  for (int o = 16; o > 0; o >>= 1) mine += __shfl_xor_sync(0xffffffffu, mine, o);
  if ((threadIdx.x & 31) == 0) atomicAdd(norm2, mine);
}

template <int W, typename V, typename Epilogue>
cudaError_t launchVector(const CsrView<V>& A, const V* x, V* y, Epilogue ep, double* norm2, cudaStream_t s) {
  int dev = 0, sms = 0, perSm = 0;
  cudaGetDevice(&dev);
  cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, dev);
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&perSm, csrVector<W, V, Epilogue>, 256, 0);
  const long long need = (static_cast<long long>(A.rows) * W + 255) / 256;
  const int blocks = static_cast<int>(need < (long long)sms * perSm ? need : (long long)sms * perSm);
  csrVector<W><<<blocks, 256, 0, s>>>(A, x, y, ep, norm2);
  return cudaGetLastError();
}

template <typename V>
cudaError_t multiply(V alpha, const CsrView<V>& A, const V* x, V beta, V* y, double* norm2, cudaStream_t s) {
  if (A.rows == 0) return cudaSuccess;
  cudaMemsetAsync(norm2, 0, sizeof(double), s);
  const Axpby<V> ep{alpha, beta};
  const int mean = A.nnz / A.rows;
  if (mean <= 6) return launchVector<4>(A, x, y, ep, norm2, s);
  if (mean <= 12) return launchVector<8>(A, x, y, ep, norm2, s);
  if (mean <= 24) return launchVector<16>(A, x, y, ep, norm2, s);
  return launchVector<32>(A, x, y, ep, norm2, s);
}

}  // namespace spmv

template <typename V>
static int runBanded(int rows, int band) {
  std::vector<int> ptr(1, 0), col;
  std::vector<V> val;
  for (int i = 0; i < rows; ++i) {
    for (int d = -band; d <= band; ++d)
      if (i + d >= 0 && i + d < rows) col.push_back(i + d), val.push_back(V(1) / V(1 + d * d));
    ptr.push_back((int)col.size());
  }
  int *dp, *dc;
  V *dv, *x, *y;
  double* norm2;
  cudaMalloc(&norm2, sizeof(double));
  cudaMalloc(&dp, ptr.size() * sizeof(int));
  cudaMalloc(&dc, col.size() * sizeof(int));
  cudaMalloc(&dv, val.size() * sizeof(V));
  cudaMalloc(&x, rows * sizeof(V));
  cudaMalloc(&y, rows * sizeof(V));
  cudaMemcpy(dp, ptr.data(), ptr.size() * sizeof(int), cudaMemcpyHostToDevice);
  cudaMemcpy(dc, col.data(), col.size() * sizeof(int), cudaMemcpyHostToDevice);
  cudaMemcpy(dv, val.data(), val.size() * sizeof(V), cudaMemcpyHostToDevice);
  cudaMemset(x, 0, rows * sizeof(V));
  cudaMemset(y, 0, rows * sizeof(V));
  spmv::CsrView<V> A{rows, rows, (int)col.size(), dp, dc, dv};
  cudaError_t e = spmv::multiply<V>(V(1), A, x, V(0), y, norm2, 0);
  if (e == cudaSuccess) e = cudaDeviceSynchronize();
  printf("band %d: %s\n", band, cudaGetErrorString(e));
  cudaFree(dp), cudaFree(dc), cudaFree(dv), cudaFree(x), cudaFree(y), cudaFree(norm2);
  return e != cudaSuccess;
}

int main() { return runBanded<float>(70001, 2) + runBanded<double>(70001, 5) + runBanded<float>(30000, 40); }
