#include "mg/device.cuh"

namespace mg {
namespace {

// Sum of squares of a (rows x nx) array; rows are streamed by bulk copies.
// nx is a multiple of 4.
template <int NT, int STAGES>
__global__ void __launch_bounds__(NT) norm2_stream_kernel(const real* __restrict__ v, int nx, int rows, real* out) {
  extern __shared__ __align__(128) unsigned char smem[];
  real* buf = reinterpret_cast<real*>(smem);
  __shared__ uint64_t full[STAGES];
  const int t = threadIdx.x;
  const int count = rows > static_cast<int>(blockIdx.x) ? (rows - blockIdx.x + gridDim.x - 1) / gridDim.x : 0;
  const unsigned bytes = nx * sizeof(real);
  if (t == 0) {
    for (int s = 0; s < STAGES; ++s) mbar_init(&full[s], 1);
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  }
  __syncthreads();
  if (t == 0) {
    for (int k = 0; k < STAGES && k < count; ++k) {
      mbar_expect_tx(&full[k], bytes);
      bulk_load(buf + k * nx, v + (blockIdx.x + static_cast<int64_t>(k) * gridDim.x) * nx, bytes, &full[k]);
    }
  }
  real sum = 0;
  for (int k = 0; k < count; ++k) {
    const int s = k % STAGES;
    mbar_wait(&full[s], k & 1);
    for (int i = t; i < nx; i += NT) {
      const real a = buf[s * nx + i];
      sum += a * a;
    }
    __syncthreads();
    const int nk = k + STAGES;
    if (t == 0 && nk < count) {
      mbar_expect_tx(&full[s], bytes);
      bulk_load(buf + s * nx, v + (blockIdx.x + static_cast<int64_t>(nk) * gridDim.x) * nx, bytes, &full[s]);
    }
  }
  sum = block_sum<NT>(sum);
  if (t == 0) atomicAdd(out, sum);
}

}  // namespace

void norm2(const real* v, int nx, int rows, real* out, cudaStream_t st) {
  constexpr int kThreads = 256, kStages = 4;
  if (nx % 4 || nx > 2048) throw std::invalid_argument("row length");
  const size_t smem = sizeof(real) * kStages * nx;
  int dev = 0, sms = 0;
  MG_CUDA(cudaGetDevice(&dev));
  MG_CUDA(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, dev));
  MG_CUDA(cudaMemsetAsync(out, 0, sizeof(real), st));
  norm2_stream_kernel<kThreads, kStages><<<sms, kThreads, smem, st>>>(v, nx, rows, out);
  MG_CUDA(cudaGetLastError());
}

}  // namespace mg
