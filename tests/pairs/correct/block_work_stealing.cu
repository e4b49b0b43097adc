#include <cuda_runtime.h>
#include <cfloat>
#include <stdexcept>

// Softmax of ragged rows; the warps of a block share out the rows of a batch item.
struct Item {
    int first_row;
    int rows;
};

__device__ float warp_max(float v)
{
    for (int d = 16; d; d >>= 1)
        v = fmaxf(v, __shfl_xor_sync(0xffffffffu, v, d));
    return v;
}

__device__ float warp_sum(float v)
{
    for (int d = 16; d; d >>= 1)
        v += __shfl_xor_sync(0xffffffffu, v, d);
    return v;
}

__global__ void ragged_softmax(const Item *items, int nitems, const int *row_start, float *data)
{
    __shared__ int next_row;
    const int lane = threadIdx.x & 31;

    for (int it = blockIdx.x; it < nitems; it += gridDim.x) {
        const Item item = items[it];
        if (threadIdx.x == 0)
            next_row = 0;
        __syncthreads();

        for (;;) {
            int k = 0;
            if (lane == 0)
                k = atomicAdd(&next_row, 1);
            k = __shfl_sync(0xffffffffu, k, 0);
            if (k >= item.rows)
                break;

            const int begin = row_start[item.first_row + k];
            const int end = row_start[item.first_row + k + 1];
            float top = -FLT_MAX;
            for (int j = begin + lane; j < end; j += 32)
                top = fmaxf(top, data[j]);
            top = warp_max(top);
            float sum = 0.0f;
            for (int j = begin + lane; j < end; j += 32) {
                const float e = __expf(data[j] - top);
                data[j] = e;
                sum += e;
            }
            sum = warp_sum(sum);
            const float inv = sum > 0.0f ? 1.0f / sum : 0.0f;
            for (int j = begin + lane; j < end; j += 32)
                data[j] *= inv;
        }
        __syncthreads();
    }
}

void softmax(const Item *items, int nitems, const int *row_start, float *data, cudaStream_t s)
{
    if (nitems < 0)
        throw std::invalid_argument("softmax: nitems");
    if (nitems == 0)
        return;
    ragged_softmax<<<nitems < 512 ? nitems : 512, 256, 0, s>>>(items, nitems, row_start, data);
    if (cudaGetLastError() != cudaSuccess)
        throw std::runtime_error("softmax: launch");
}
