// Arithmetic Asian options by Monte Carlo; one grid row per contract.
#include <cuda_runtime.h>
#include <curand_kernel.h>
#include <cstdio>
#include <vector>

struct Contract {
  float spot, strike, rate, vol, maturity;
  int fixings;
};

struct McConfig {
  int threads;
  int blocks_per_contract;
  int paths_per_thread;
  unsigned long long seed;
};

#define CK(call)                                                  \
  if (cudaError_t e = (call)) {                                   \
    fprintf(stderr, #call " failed: %s\n", cudaGetErrorString(e)); \
    return e;                                                     \
  }

__device__ __forceinline__ int stream_id() {
  return blockIdx.x * blockDim.x + threadIdx.x;
}

__global__ void init_streams(curandStatePhilox4_32_10_t* st, unsigned long long seed, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    curand_init(seed, i, 0, &st[i]);
}

__device__ double block_sum(double v) {
  __shared__ double part[32];
  const int lane = threadIdx.x & 31, w = threadIdx.x >> 5;
  for (int o = 16; o > 0; o >>= 1) v += __shfl_down_sync(0xffffffffu, v, o);
  if (lane == 0) part[w] = v;
  __syncthreads();
  if (w == 0) {
    v = lane < (int)(blockDim.x >> 5) ? part[lane] : 0.0;
    for (int o = 16; o > 0; o >>= 1) v += __shfl_down_sync(0xffffffffu, v, o);
  }
  return v;
}

__global__ void asian_mc(const Contract* __restrict__ book, curandStatePhilox4_32_10_t* states,
                         double* __restrict__ payoff, int paths) {
  const Contract c = book[blockIdx.y];
  const int sid = stream_id();
  curandStatePhilox4_32_10_t st = states[sid];

  const float dt = c.maturity / c.fixings;
  const float drift = (c.rate - 0.5f * c.vol * c.vol) * dt;
  const float sd = c.vol * sqrtf(dt);
  double sum = 0.0;
  for (int p = 0; p < paths; ++p) {
    float s = c.spot, avg = 0.f;
    for (int k = 0; k < c.fixings; ++k) {
      s *= __expf(drift + sd * curand_normal(&st));
      avg += s;
    }
    avg /= c.fixings;
    sum += fmaxf(avg - c.strike, 0.f);
  }
  states[sid] = st;

  sum = block_sum(sum);
  if (threadIdx.x == 0) atomicAdd(&payoff[blockIdx.y], sum * exp(-(double)c.rate * c.maturity));
}

cudaError_t price_book(const std::vector<Contract>& book, const McConfig& cfg, std::vector<double>& out) {
  const int n = (int)book.size();
  if (n == 0) return cudaSuccess;
  const int threads = cfg.threads < 32 ? 32 : (cfg.threads > 512 ? 512 : cfg.threads / 32 * 32);
  const int bpc = cfg.blocks_per_contract < 1 ? 1 : cfg.blocks_per_contract;
  const int nstreams = n * bpc * threads;

  Contract* d_book;
  curandStatePhilox4_32_10_t* d_st;
  double* d_pay;
  CK(cudaMalloc(&d_book, n * sizeof(Contract)));
  CK(cudaMalloc(&d_st, (size_t)nstreams * sizeof(*d_st)));
  CK(cudaMalloc(&d_pay, n * sizeof(double)));
  CK(cudaMemcpy(d_book, book.data(), n * sizeof(Contract), cudaMemcpyHostToDevice));
  CK(cudaMemset(d_pay, 0, n * sizeof(double)));

  init_streams<<<(nstreams + 255) / 256, 256>>>(d_st, cfg.seed, nstreams);
  asian_mc<<<dim3(bpc, n), threads>>>(d_book, d_st, d_pay, cfg.paths_per_thread);
  CK(cudaGetLastError());
  out.resize(n);
  CK(cudaMemcpy(out.data(), d_pay, n * sizeof(double), cudaMemcpyDeviceToHost));
  for (auto& v : out) v /= (double)bpc * threads * cfg.paths_per_thread;
  cudaFree(d_book);
  cudaFree(d_st);
  cudaFree(d_pay);
  return cudaSuccess;
}

int main() {
  std::vector<Contract> book(40, Contract{100, 95, 0.02f, 0.3f, 1.f, 12});
  std::vector<double> px;
  if (price_book(book, {256, 16, 32, 42ull}, px)) return 1;
  printf("%f\n", px[0]);
}
