// Bit-packs predicates: each warp turns 32 x 32 comparisons into 32 words.
#include <cuda_runtime.h>
#include <cstdint>

enum class Cmp : int { Less, LessEqual, Equal };

template <Cmp OP, typename T>
__device__ __forceinline__ bool test(T a, T b)
{
    if constexpr (OP == Cmp::Less) return a < b;
    else if constexpr (OP == Cmp::LessEqual) return a <= b;
    else return a == b;
}

template <Cmp OP, typename T>
__global__ void make_bitmap(const T* __restrict__ col, long long n, T ref,
                            uint32_t* __restrict__ words, unsigned long long* __restrict__ hits)
{
    const int lane = threadIdx.x & 31;
    const long long warp = (static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x) >> 5;
    const long long base = warp * 1024;
    if (base >= n) return;

    uint32_t mine = 0;
#pragma unroll 4
    for (int k = 0; k < 32; ++k) {
        const long long i = base + k * 32 + lane;
        const bool bit = i < n && test<OP>(col[i], ref);
        const uint32_t w = __ballot_sync(0xffffffffu, bit);
        if (lane == k) mine = w;
    }
    const long long word = warp * 32 + lane;
    const long long nwords = (n + 31) / 32;
    if (word < nwords) words[word] = mine;

    const unsigned cnt = __reduce_add_sync(0xffffffffu, static_cast<unsigned>(__popc(mine)));
    if (lane == 0 && cnt) atomicAdd(hits, static_cast<unsigned long long>(cnt));
}

template <Cmp OP, typename T>
static cudaError_t launch(const T* col, long long n, T ref, uint32_t* w, unsigned long long* h,
                          cudaStream_t s)
{
    cudaMemsetAsync(h, 0, sizeof(*h), s);
    if (n <= 0) return cudaSuccess;
    const long long warps = (n + 1023) / 1024;
    const long long blocks = (warps + 7) / 8;
    if (blocks > 0x7fffffffLL) return cudaErrorInvalidValue;
    make_bitmap<OP, T><<<static_cast<unsigned>(blocks), 256, 0, s>>>(col, n, ref, w, h);
    return cudaGetLastError();
}

cudaError_t filter_i64(Cmp op, const int64_t* col, long long n, int64_t ref, uint32_t* w,
                       unsigned long long* h, cudaStream_t s)
{
    switch (op) {
    case Cmp::Less:      return launch<Cmp::Less>(col, n, ref, w, h, s);
    case Cmp::LessEqual: return launch<Cmp::LessEqual>(col, n, ref, w, h, s);
    default:             return launch<Cmp::Equal>(col, n, ref, w, h, s);
    }
}
