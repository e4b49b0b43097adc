// Arrow-like validity bitmaps: ballots give the words, partially covered first and
// last words are merged with atomicOr.
#include <cuda_runtime.h>
#include <cstdint>
#include <cassert>

template <typename Pred>
__global__ void __launch_bounds__(256)
setValidity(uint32_t* __restrict__ bitmap, int bitOffset, int n, int* __restrict__ nulls, Pred valid)
{
    const int lane = threadIdx.x & 31;
    const int firstWord = bitOffset / 32;
    const int lastWord = (bitOffset + n - 1) / 32;
    const int warps = gridDim.x * (blockDim.x / 32);
    int nullCount = 0;
    for (int w = firstWord + (int)(blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32); w <= lastWord; w += warps) {
        const int i = w * 32 + lane - bitOffset;
        const bool in = i >= 0 && i < n;
        const bool ok = in && valid(i);
        const unsigned inside = __ballot_sync(0xffffffffu, in);
        const unsigned bits = __ballot_sync(0xffffffffu, ok);
        if (lane == 0) {
            if (inside == 0xffffffffu) {
                bitmap[w] = bits;
            } else {
                // another column slice may own the other bits of this word
                atomicAnd(&bitmap[w], ~inside);
                atomicOr(&bitmap[w], bits);
            }
        }
        nullCount += __popc(inside & ~bits);        // uniform
    }
    if (lane == 0 && nullCount) atomicAdd(nulls, nullCount);
}

struct NotNan {
    const float* x;
    __device__ bool operator()(int i) const { return x[i] == x[i]; }
};

void validityOf(const float* x, int n, uint32_t* bitmap, int bitOffset, int* nulls, cudaStream_t s)
{
    assert(n >= 0 && bitOffset >= 0 && n < (1 << 29) && bitOffset < (1 << 29));
    cudaMemsetAsync(nulls, 0, sizeof(int), s);
    if (n == 0) return;
    const int words = (bitOffset + n - 1) / 32 - bitOffset / 32 + 1;
    int grid = (words + 7) / 8;
    if (grid > 1024) grid = 1024;
    setValidity<<<grid, 256, 0, s>>>(bitmap, bitOffset, n, nulls, NotNan{x});
}

int main()
{
    float* x; uint32_t* b; int* c;
    cudaMalloc(&x, 10000 * 4);
    cudaMalloc(&b, 400 * 4);
    cudaMalloc(&c, 4);
    cudaMemset(x, 0xff, 10000 * 4);
    cudaMemset(b, 0, 400 * 4);
    validityOf(x, 10000, b, 13, c, 0);
    cudaDeviceSynchronize();
    cudaFree(x); cudaFree(b); cudaFree(c);
    return 0;
}
