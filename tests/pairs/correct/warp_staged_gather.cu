// Embedding-bag: a warp stages index/weight pairs of its bag in its own slice of
// shared memory, then all lanes walk the stage.
#include <cuda_runtime.h>
#include <cassert>

template <int WARPS, int DIM>
__global__ void __launch_bounds__(WARPS * 32)
embeddingBag(const float* __restrict__ table, const int* __restrict__ idx, const float* __restrict__ wgt,
             const int* __restrict__ bagOff, int bags, float* __restrict__ out)
{
    static_assert(DIM % 32 == 0, "");
    struct Entry { int row; float w; };
    __shared__ Entry stage[WARPS][32];
    const int warp = threadIdx.x >> 5, lane = threadIdx.x & 31;
    Entry* my = stage[warp];

    const int bag = blockIdx.x * WARPS + warp;
    if (bag >= bags) return;            // no block barrier below
    float acc[DIM / 32] = {};
    const int b = bagOff[bag], e = bagOff[bag + 1];
    for (int base = b; base < e; base += 32) {
        const int m = min(32, e - base);
        if (lane < m) my[lane] = Entry{idx[base + lane], wgt ? wgt[base + lane] : 1.f};
        __syncwarp();
        for (int j = 0; j < m; ++j) {
            const Entry en = my[j];
            #pragma unroll
            for (int k = 0; k < DIM / 32; ++k) acc[k] += en.w * table[(size_t)en.row * DIM + k * 32 + lane];
        }
        __syncwarp();
    }
    #pragma unroll
    for (int k = 0; k < DIM / 32; ++k) out[(size_t)bag * DIM + k * 32 + lane] = acc[k];
}

void embeddingBagForward(const float* table, int dim, const int* idx, const float* wgt, const int* off, int bags, float* out, cudaStream_t s)
{
    assert(bags >= 0 && bags < (1 << 28));
    if (bags == 0) return;
    switch (dim) {
        case 32:  embeddingBag<8, 32><<<(bags + 7) / 8, 256, 0, s>>>(table, idx, wgt, off, bags, out); break;
        case 64:  embeddingBag<8, 64><<<(bags + 7) / 8, 256, 0, s>>>(table, idx, wgt, off, bags, out); break;
        case 128: embeddingBag<4, 128><<<(bags + 3) / 4, 128, 0, s>>>(table, idx, wgt, off, bags, out); break;
        default: assert(!"unsupported embedding size");
    }
}

int main()
{
    const int hoff[4] = {0, 3, 3, 50};
    float *table, *out; int *idx, *off;
    cudaMalloc(&table, 100 * 64 * sizeof(float));
    cudaMalloc(&out, 3 * 64 * sizeof(float));
    cudaMalloc(&idx, 50 * sizeof(int));
    cudaMalloc(&off, sizeof hoff);
    cudaMemset(table, 0, 100 * 64 * sizeof(float));
    cudaMemset(idx, 0, 50 * sizeof(int));
    cudaMemcpy(off, hoff, sizeof hoff, cudaMemcpyHostToDevice);
    embeddingBagForward(table, 64, idx, nullptr, off, 3, out, 0);
    cudaDeviceSynchronize();
    cudaFree(table); cudaFree(out); cudaFree(idx); cudaFree(off);
    return 0;
}
