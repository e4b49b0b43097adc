// The rungs of the reduction ladder: the same sum of floats, written better each time; the last rung stands in wide.cuh and bulk.cuh. Each is right under independent thread
// scheduling: every exchange between threads lies behind a barrier that all of them reach, or is a shuffle that all of its
// mask's lanes call.
#pragma once

#include <cstddef>

namespace ladder {

// Rung 0. A level of the tree over global memory: one launch for each level, every element a thread.
__global__ void level_in_global(float *data, const float *in, std::size_t stride, std::size_t size)
{
    std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i % (2 * stride) == 0 && i < size) {
        const float *from = stride == 1 ? in : data;
        data[i] = from[i] + (i + stride < size ? from[i + stride] : 0.0f);
    }
}

// Rung 1. A tree in shared memory; the threads that go on are every 2nd, every 4th, … of the block.
template <int Block> __global__ void tree_in_shared(float *out, const float *in, std::size_t size)
{
    __shared__ float part[Block];
    unsigned t = threadIdx.x;
    std::size_t i = static_cast<std::size_t>(blockIdx.x) * Block + t;
    part[t] = i < size ? in[i] : 0.0f;
    __syncthreads();
    for (unsigned stride = 1; stride < Block; stride *= 2) {
        if (t % (2 * stride) == 0)
            part[t] += part[t + stride];
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = part[0];
}

// Rung 2. The threads that go on stand together; the elements that they add do not, and share banks.
template <int Block> __global__ void tree_interleaved(float *out, const float *in, std::size_t size)
{
    __shared__ float part[Block];
    unsigned t = threadIdx.x;
    std::size_t i = static_cast<std::size_t>(blockIdx.x) * Block + t;
    part[t] = i < size ? in[i] : 0.0f;
    __syncthreads();
    for (unsigned stride = 1; stride < Block; stride *= 2) {
        unsigned at = 2 * stride * t;
        if (at < Block)
            part[at] += part[at + stride];
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = part[0];
}

// The sum of part[0 .. Block), in part[0] behind the last barrier: threads and elements both stand together.
template <int Block> __device__ void add_halves(float *part)
{
    unsigned t = threadIdx.x;
    for (unsigned stride = Block / 2; stride > 0; stride /= 2) {
        if (t < stride)
            part[t] += part[t + stride];
        __syncthreads();
    }
}

// Rung 3.
template <int Block> __global__ void tree_sequential(float *out, const float *in, std::size_t size)
{
    __shared__ float part[Block];
    unsigned t = threadIdx.x;
    std::size_t i = static_cast<std::size_t>(blockIdx.x) * Block + t;
    part[t] = i < size ? in[i] : 0.0f;
    __syncthreads();
    add_halves<Block>(part);
    if (t == 0)
        out[blockIdx.x] = part[0];
}

// Rung 4. As many blocks as the device holds at once; each thread adds many elements before the tree begins.
template <int Block> __global__ void grid_stride(float *out, const float *in, std::size_t size)
{
    __shared__ float part[Block];
    unsigned t = threadIdx.x;
    float sum = 0.0f;
    std::size_t step = static_cast<std::size_t>(gridDim.x) * Block;
#pragma unroll 1
    for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * Block + t; i < size; i += step)
        sum += in[i];
    part[t] = sum;
    __syncthreads();
    add_halves<Block>(part);
    if (t == 0)
        out[blockIdx.x] = part[0];
}

// Rung 5. `Loads` independent loads of a thread are under way at once.
template <int Block, int Loads> __global__ void loads_in_flight(float *out, const float *in, std::size_t size)
{
    __shared__ float part[Block];
    unsigned t = threadIdx.x;
    float sums[Loads] = {};
    std::size_t step = static_cast<std::size_t>(gridDim.x) * Block;
    std::size_t i = static_cast<std::size_t>(blockIdx.x) * Block + t;
#pragma unroll 1
    for (; i + (Loads - 1) * step < size; i += Loads * step) {
#pragma unroll
        for (int k = 0; k < Loads; k++)
            sums[k] += in[i + k * step];
    }
    for (; i < size; i += step)
        sums[0] += in[i];
    float sum = 0.0f;
#pragma unroll
    for (int k = 0; k < Loads; k++)
        sum += sums[k];
    part[t] = sum;
    __syncthreads();
    add_halves<Block>(part);
    if (t == 0)
        out[blockIdx.x] = part[0];
}

} // namespace ladder
