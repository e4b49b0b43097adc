// Open addressing counter table: insert by CAS on the key, then count by atomicAdd.
#include <cuda_runtime.h>

namespace table {

constexpr unsigned long long kEmpty = ~0ull;      // callers never use this key

struct Slot {
    unsigned long long key;
    unsigned long long count;
};

__device__ __forceinline__ unsigned long long hash64(unsigned long long x)
{
    x ^= x >> 33;
    x *= 0xff51afd7ed558ccdull;
    x ^= x >> 33;
    x *= 0xc4ceb9fe1a85ec53ull;
    return x ^ (x >> 33);
}

__global__ void clear(Slot* t, unsigned cap)
{
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < cap; i += gridDim.x * blockDim.x)
        t[i] = Slot{kEmpty, 0};
}

__global__ void count_keys(Slot* t, unsigned cap, const unsigned long long* __restrict__ keys, int n,
                           unsigned* overflow)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const unsigned long long k = keys[i];
    unsigned h = static_cast<unsigned>(hash64(k)) & (cap - 1);
    for (unsigned tries = 0; tries < cap; ++tries) {
        const unsigned long long old = atomicCAS(&t[h].key, kEmpty, k);
        if (old == kEmpty || old == k) {
            atomicAdd(&t[h].count, 1ull);
            return;
        }
        h = (h + 1) & (cap - 1);
    }
    atomicAdd(overflow, 1u);
}

__global__ void dump(const Slot* __restrict__ t, unsigned cap, unsigned long long min_count,
                     Slot* __restrict__ out, unsigned* __restrict__ nout)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= cap) return;
    const Slot s = t[i];
    if (s.key != kEmpty && s.count >= min_count) out[atomicAdd(nout, 1u)] = s;
}

} // namespace table

// out has room for cap slots; counters = {overflow, nout}
cudaError_t frequent_keys(const unsigned long long* keys, int n, table::Slot* t, unsigned cap,
                          unsigned long long min_count, table::Slot* out, unsigned* counters,
                          cudaStream_t s)
{
    if (cap < 256 || (cap & (cap - 1))) return cudaErrorInvalidValue;
    cudaMemsetAsync(counters, 0, 2 * sizeof(unsigned), s);
    table::clear<<<256, 256, 0, s>>>(t, cap);
    if (n > 0) table::count_keys<<<(n + 255) / 256, 256, 0, s>>>(t, cap, keys, n, &counters[0]);
    table::dump<<<(cap + 255) / 256, 256, 0, s>>>(t, cap, min_count, out, &counters[1]);
    return cudaGetLastError();
}
