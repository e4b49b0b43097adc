// Image histogram: one shared sub-histogram per warp, merged at the end.
#include <cuda_runtime.h>
#include <cstdint>

template <int BINS, int WARPS>
__global__ void histogram(const uint8_t* __restrict__ px, size_t n, unsigned* __restrict__ global)
{
    __shared__ unsigned sub[WARPS][BINS];
    const int tid = threadIdx.x;
    unsigned* flat = &sub[0][0];
    for (int i = tid; i < WARPS * BINS; i += WARPS * 32) flat[i] = 0;
    __syncthreads();

    unsigned* mine = sub[tid / 32];
    const size_t step = (size_t)gridDim.x * blockDim.x;
    const size_t gid  = (size_t)blockIdx.x * blockDim.x + tid;
    const size_t quads = n / 4;
    const uchar4* p4 = reinterpret_cast<const uchar4*>(px);
    for (size_t i = gid; i < quads; i += step) {
        const uchar4 v = p4[i];
        atomicAdd(&mine[v.x * BINS / 256], 1u);
        atomicAdd(&mine[v.y * BINS / 256], 1u);
        atomicAdd(&mine[v.z * BINS / 256], 1u);
        atomicAdd(&mine[v.w * BINS / 256], 1u);
    }
    if (gid < n - quads * 4) atomicAdd(&mine[px[quads * 4 + gid] * BINS / 256], 1u);
    __syncthreads();

    for (int b = tid; b < BINS; b += WARPS * 32) {
        unsigned t = 0;
#pragma unroll
        for (int w = 0; w < WARPS; ++w) t += sub[w][b];
        if (t) atomicAdd(&global[b], t);
    }
}

// Builds an equalisation table with one block: the cumulated histogram scaled to 0..255.
__global__ void equalise_table(const unsigned* __restrict__ hist, uint8_t* __restrict__ lut)
{
    __shared__ unsigned cdf[256];
    const int t = threadIdx.x;
    cdf[t] = hist[t];
    __syncthreads();
    for (int d = 1; d < 256; d <<= 1) {
        const unsigned add = t >= d ? cdf[t - d] : 0u;
        __syncthreads();
        cdf[t] += add;
        __syncthreads();
    }
    const unsigned total = cdf[255];
    lut[t] = total ? static_cast<uint8_t>(cdf[t] * 255ull / total) : static_cast<uint8_t>(t);
}

cudaError_t make_lut(const uint8_t* px, size_t n, unsigned* hist, uint8_t* lut, cudaStream_t s)
{
    if (n > 0xffffffffull) return cudaErrorInvalidValue;
    cudaMemsetAsync(hist, 0, 256 * sizeof(unsigned), s);
    if (n > 0) {
        size_t blocks = (n + 4095) / 4096;
        if (blocks > 512) blocks = 512;
        histogram<256, 8><<<(unsigned)blocks, 256, 0, s>>>(px, n, hist);
    }
    equalise_table<<<1, 256, 0, s>>>(hist, lut);
    return cudaGetLastError();
}
