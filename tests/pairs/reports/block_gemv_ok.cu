#include <cuda_runtime.h>

namespace ML {
namespace TimeSeries {

template <typename T>
struct KalmanStep {
  const T* A;      // [batch, m, m] column major
  const T* alpha;  // [batch, m]
  T* next;         // [batch, m]
  T* norm2;        // [batch]
  int m;
  int batch;
};

template <typename T, int BLOCK>
__device__ void _block_gemv(int m, int n, const T* A, const T* x, T* y, T* buf)
{
  const int j = threadIdx.x;
  for (int i = 0; i < m; i++) {
    T prod = T(0);
    for (int c = j; c < n; c += BLOCK)
      prod += A[i + c * m] * x[c];
    buf[j] = prod;
    __syncthreads();
    if (j == 0) {
      T sum = T(0);
      for (int k = 0; k < BLOCK; k++)
        sum += buf[k];
      y[i] = sum;
    }
    __syncthreads();
  }
}

template <typename T, int BLOCK, int MAX_M>
__global__ void kalman_step_kernel(KalmanStep<T> s)
{
  __shared__ T buf[BLOCK];
  __shared__ T x[MAX_M];
  __shared__ T y[MAX_M];

  const int b = blockIdx.x;
  const int m = s.m;
  const T* A  = s.A + (size_t)b * m * m;

  for (int i = threadIdx.x; i < m; i += BLOCK)
    x[i] = s.alpha[(size_t)b * m + i];
  __syncthreads();

  _block_gemv<T, BLOCK>(m, m, A, x, y, buf);

  for (int i = threadIdx.x; i < m; i += BLOCK)
    s.next[(size_t)b * m + i] = y[i];
  if (threadIdx.x == 0) {
    T acc = T(0);
    for (int i = 0; i < m; i++)
      acc += y[i] * y[i];
    s.norm2[b] = acc;
  }
}

template <typename T>
bool kalman_step(const KalmanStep<T>& s, cudaStream_t stream)
{
  constexpr int max_m = 256;
  if (s.m > max_m || s.batch == 0) return false;
  if (s.m <= 64)
    kalman_step_kernel<T, 64, max_m><<<s.batch, 64, 0, stream>>>(s);
  else
    kalman_step_kernel<T, 128, max_m><<<s.batch, 128, 0, stream>>>(s);
  return cudaPeekAtLastError() == cudaSuccess;
}

template bool kalman_step<float>(const KalmanStep<float>&, cudaStream_t);
template bool kalman_step<double>(const KalmanStep<double>&, cudaStream_t);

}  // namespace TimeSeries
}  // namespace ML
