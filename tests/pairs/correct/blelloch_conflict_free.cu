// Work-efficient block scan with bank padding, followed by the uniform-add pass.
#include <cuda_runtime.h>
#include <cassert>

#define LOG_BANKS 5
#define PAD(i) ((i) + ((i) >> LOG_BANKS))

constexpr int B = 256;
constexpr int E = 2 * B;

__global__ void __launch_bounds__(B)
prescan(const int* __restrict__ in, int* __restrict__ out, int* __restrict__ sums, int n)
{
    extern __shared__ int temp[];
    const int t = threadIdx.x;
    const int base = blockIdx.x * E;
    const int ai = t, bi = t + B;
    temp[PAD(ai)] = base + ai < n ? in[base + ai] : 0;
    temp[PAD(bi)] = base + bi < n ? in[base + bi] : 0;

    int offset = 1;
    for (int d = B; d > 0; d >>= 1) {
        __syncthreads();
        if (t < d) {
            const int l = offset * (2 * t + 1) - 1, r = offset * (2 * t + 2) - 1;
            temp[PAD(r)] += temp[PAD(l)];
        }
        offset <<= 1;
    }
    // The root was last written by thread 0 itself.
    if (t == 0) {
        if (sums) sums[blockIdx.x] = temp[PAD(E - 1)];
        temp[PAD(E - 1)] = 0;
    }
    for (int d = 1; d < E; d <<= 1) {
        offset >>= 1;
        __syncthreads();
        if (t < d) {
            const int l = offset * (2 * t + 1) - 1, r = offset * (2 * t + 2) - 1;
            const int v = temp[PAD(l)];
            temp[PAD(l)] = temp[PAD(r)];
            temp[PAD(r)] += v;
        }
    }
    __syncthreads();
    if (base + ai < n) out[base + ai] = temp[PAD(ai)];
    if (base + bi < n) out[base + bi] = temp[PAD(bi)];
}

__global__ void __launch_bounds__(B) uniformAdd(int* __restrict__ out, const int* __restrict__ sums, int n)
{
    __shared__ int add;
    if (threadIdx.x == 0) add = sums[blockIdx.x];
    __syncthreads();
    const int i = blockIdx.x * E + threadIdx.x;
    if (i < n) out[i] += add;
    if (i + B < n) out[i + B] += add;
}

// scratch holds at least 2 * 512 ints
void exclusiveScan(const int* in, int* out, int* scratch, int n, cudaStream_t s)
{
    assert(n >= 0 && n <= E * E);
    if (n == 0) return;
    const int blocks = (n + E - 1) / E;
    const size_t smem = (PAD(E - 1) + 1) * sizeof(int);
    prescan<<<blocks, B, smem, s>>>(in, out, scratch, n);
    if (blocks > 1) {
        prescan<<<1, B, smem, s>>>(scratch, scratch + E, nullptr, blocks);
        uniformAdd<<<blocks, B, 0, s>>>(out, scratch + E, n);
    }
}
