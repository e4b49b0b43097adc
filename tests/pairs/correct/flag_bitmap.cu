// Sieve on a bitmap: several threads clear bits of the same word with atomics.
#include <cuda_runtime.h>

__global__ void fill(unsigned* words, int nwords)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < nwords) words[i] = i == 0 ? ~3u : ~0u;
}

// base[] lists the primes up to sqrt(limit); one block strikes the multiples of one prime.
__global__ void strike(unsigned* words, unsigned limit, const unsigned* __restrict__ base, int nbase)
{
    for (int b = blockIdx.x; b < nbase; b += gridDim.x) {
        const unsigned long long p = base[b];
        for (unsigned long long m = p * p + p * threadIdx.x; m <= limit; m += p * blockDim.x)
            atomicAnd(&words[m >> 5], ~(1u << (m & 31)));
    }
}

__global__ void count_bits(const unsigned* __restrict__ words, int nwords, unsigned limit,
                           unsigned long long* total)
{
    __shared__ unsigned sum;
    if (threadIdx.x == 0) sum = 0;
    __syncthreads();
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < nwords) {
        unsigned w = words[i];
        const unsigned left = limit - static_cast<unsigned>(i) * 32u;   // index of the last bit
        if (left < 31u) w &= (2u << left) - 1u;
        atomicAdd(&sum, static_cast<unsigned>(__popc(w)));
    }
    __syncthreads();
    if (threadIdx.x == 0) atomicAdd(total, static_cast<unsigned long long>(sum));
}

cudaError_t count_primes(unsigned limit, unsigned* words, const unsigned* base, int nbase,
                         unsigned long long* total, cudaStream_t s)
{
    if (limit < 2 || limit > 0x7fffffffu) return cudaErrorInvalidValue;
    const int nwords = static_cast<int>(limit / 32 + 1);
    const int nb = (nwords + 255) / 256;
    cudaMemsetAsync(total, 0, sizeof(*total), s);
    fill<<<nb, 256, 0, s>>>(words, nwords);
    if (nbase > 0) strike<<<nbase < 1024 ? nbase : 1024, 256, 0, s>>>(words, limit, base, nbase);
    count_bits<<<nb, 256, 0, s>>>(words, nwords, limit, total);
    return cudaGetLastError();
}
