// Hash join: the build side links tuples into bucket chains with atomicExch; probing
// runs in a later kernel, in two passes with exact output ranges.
#include <cuda_runtime.h>
#include <cstdint>
#include <cassert>

struct Chains { int* head; int* next; uint32_t mask; };

__device__ __forceinline__ uint32_t hashKey(uint32_t k) { k *= 0x9e3779b1u; return k ^ (k >> 15); }

__global__ void build(const uint32_t* __restrict__ keys, int n, Chains c)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    // `next[i]` has one writer, and nobody follows links in this kernel.
    c.next[i] = atomicExch(&c.head[hashKey(keys[i]) & c.mask], i);
}

template <bool COUNT>
__global__ void probe(const uint32_t* __restrict__ bkeys, Chains c, const uint32_t* __restrict__ pkeys, int n,
                      int* __restrict__ cursor, int2* __restrict__ out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const uint32_t k = pkeys[i];
    int at = COUNT ? 0 : cursor[i];
    for (int j = c.head[hashKey(k) & c.mask]; j >= 0; j = c.next[j]) {
        if (bkeys[j] != k) continue;
        if constexpr (!COUNT) out[at] = make_int2(j, i);
        ++at;
    }
    if constexpr (COUNT) cursor[i] = at;
}

// Turns counts into offsets; small and serial per block, 1024 at a time.
__global__ void offsets(int* __restrict__ cursor, int n, int* __restrict__ total)
{
    __shared__ int buf[1024];
    int base = 0;
    for (int s = 0; s < n; s += 1024) {
        const int i = s + threadIdx.x;
        const int v = i < n ? cursor[i] : 0;
        buf[threadIdx.x] = v;
        __syncthreads();
        for (int d = 1; d < 1024; d <<= 1) {
            const int o = threadIdx.x >= d ? buf[threadIdx.x - d] : 0;
            __syncthreads();
            buf[threadIdx.x] += o;
            __syncthreads();
        }
        if (i < n) cursor[i] = base + buf[threadIdx.x] - v;
        base += buf[1023];
        __syncthreads();
    }
    if (threadIdx.x == 0) *total = base;
}

void join(const uint32_t* b, int nb, const uint32_t* p, int np, Chains c, int* cursor, int* total, int2* out, cudaStream_t s)
{
    assert(nb > 0 && np > 0 && nb < (1 << 30) && np < (1 << 30));
    assert((c.mask & (c.mask + 1)) == 0);
    cudaMemsetAsync(c.head, 0xff, ((size_t)c.mask + 1) * sizeof(int), s);
    build<<<(nb + 255) / 256, 256, 0, s>>>(b, nb, c);
    probe<true><<<(np + 255) / 256, 256, 0, s>>>(b, c, p, np, cursor, nullptr);
    offsets<<<1, 1024, 0, s>>>(cursor, np, total);
    probe<false><<<(np + 255) / 256, 256, 0, s>>>(b, c, p, np, cursor, out);
}
