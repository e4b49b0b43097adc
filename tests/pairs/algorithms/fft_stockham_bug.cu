// Batched power-of-two FFT, one signal per thread block (Stockham autosort).
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CUDA_CHECK(x)                                                        \
  do {                                                                       \
    cudaError_t e_ = (x);                                                    \
    if (e_ != cudaSuccess) {                                                 \
      fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e_)); \
      exit(1);                                                               \
    }                                                                        \
  } while (0)

struct FftParams {
  const float2* in;
  float2* out;
  int batch;
  int istride;  // distance between consecutive signals
  float sign;   // -1 forward, +1 inverse
};

__device__ __forceinline__ float2 cmul(float2 a, float2 b) {
  return make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}
__device__ __forceinline__ float2 cadd(float2 a, float2 b) { return make_float2(a.x + b.x, a.y + b.y); }
__device__ __forceinline__ float2 csub(float2 a, float2 b) { return make_float2(a.x - b.x, a.y - b.y); }

__device__ __forceinline__ int expand(int t, int ns) {
  return (t / ns) * ns * 2 + (t & (ns - 1));
}

template <int N>
struct Exchange {
  float2* buf;
  __device__ explicit Exchange(float2* b) : buf(b) {}
  __device__ void scatter(int t, int ns, float2 a, float2 b) {
    const int d = expand(t, ns);
    buf[d] = a;
    buf[d + ns] = b;
  }
  __device__ void gather(int t, float2& a, float2& b) {
    a = buf[t];
    b = buf[t + N / 2];
  }
};

template <int N>
__global__ void __launch_bounds__(N / 2) fft_kernel(FftParams p) {
  __shared__ float2 sm[N];
  Exchange<N> ex(sm);
  const int t = threadIdx.x;

  for (int b = blockIdx.x; b < p.batch; b += gridDim.x) {
    const float2* src = p.in + (size_t)b * p.istride;
    float2* dst = p.out + (size_t)b * N;
    float2 v0 = src[t];
    float2 v1 = src[t + N / 2];

    int ns = 1;
    for (; ns < N; ns *= 2) {
      float s, c;
      sincospif(p.sign * (float)(t & (ns - 1)) / (float)ns, &s, &c);
      v1 = cmul(v1, make_float2(c, s));
      float2 u = cadd(v0, v1);
      v1 = csub(v0, v1);
      v0 = u;
      if (ns * 2 < N) {
        ex.scatter(t, ns, v0, v1);
        __syncthreads();
        ex.gather(t, v0, v1);
      }
    }
    dst[t] = v0;
    dst[t + N / 2] = v1;
  }
}

template <int N>
static void launch(const FftParams& p, cudaStream_t st) {
  int sms = 0;
  CUDA_CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
  int grid = p.batch < sms * 8 ? p.batch : sms * 8;
  if (grid == 0) return;
  fft_kernel<N><<<grid, N / 2, 0, st>>>(p);
  CUDA_CHECK(cudaGetLastError());
}

extern "C" int fft_exec(int n, const FftParams* p, cudaStream_t st) {
  switch (n) {
    case 128: launch<128>(*p, st); break;
    case 512: launch<512>(*p, st); break;
    case 2048: launch<2048>(*p, st); break;
    default: return -1;
  }
  return 0;
}

int main(int argc, char** argv) {
  int batch = argc > 1 ? atoi(argv[1]) : 64;
  int n = argc > 2 ? atoi(argv[2]) : 512;
  if (batch < 1) batch = 1;
  float2 *in, *out;
  CUDA_CHECK(cudaMalloc(&in, sizeof(float2) * (size_t)batch * n));
  CUDA_CHECK(cudaMalloc(&out, sizeof(float2) * (size_t)batch * n));
  CUDA_CHECK(cudaMemset(in, 0, sizeof(float2) * (size_t)batch * n));
  FftParams p{in, out, batch, n, -1.f};
  if (fft_exec(n, &p, 0) != 0) fprintf(stderr, "unsupported size %d\n", n);
  CUDA_CHECK(cudaDeviceSynchronize());
  cudaFree(in);
  cudaFree(out);
  return 0;
}
