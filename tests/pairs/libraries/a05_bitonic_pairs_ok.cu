// Batched bitonic sort of short key/value arrays in shared memory.
#include <cuda_runtime.h>
#include <cassert>
#include <cstdio>

typedef unsigned int uint;

#define SORT_LIMIT 1024U  /* elements handled by one block */
#define SORT_DIR_UP 1U

template <class K>
__device__ inline void comparator(K& ka, uint& va, K& kb, uint& vb, uint dir)
{
    if ((ka > kb) == dir) {
        K k = ka; ka = kb; kb = k;
        uint v = va; va = vb; vb = v;
    }
}

// A pair with stride s touches elements pos and pos + s, two per thread, so for
// s < 32 a warp works on its own 64 elements only.
__device__ inline void stepSync(uint stride)
{
    if (stride >= 32) __syncthreads();
    else __syncwarp();
}

template <class K>
__global__ void bitonicSortShared(K* dstKey, uint* dstVal, const K* srcKey, const uint* srcVal,
                                  uint arrayLength, uint dir)
{
    __shared__ K s_key[SORT_LIMIT];
    __shared__ uint s_val[SORT_LIMIT];

    srcKey += blockIdx.x * arrayLength + threadIdx.x;
    srcVal += blockIdx.x * arrayLength + threadIdx.x;
    dstKey += blockIdx.x * arrayLength + threadIdx.x;
    dstVal += blockIdx.x * arrayLength + threadIdx.x;
    const uint half = arrayLength / 2;
    s_key[threadIdx.x] = srcKey[0];
    s_val[threadIdx.x] = srcVal[0];
    s_key[threadIdx.x + half] = srcKey[half];
    s_val[threadIdx.x + half] = srcVal[half];
    __syncthreads();

    for (uint size = 2; size < arrayLength; size <<= 1) {
        const uint ddd = dir ^ ((threadIdx.x & (size / 2)) != 0);
        for (uint stride = size / 2; stride > 0; stride >>= 1) {
            stepSync(stride);
            const uint pos = 2 * threadIdx.x - (threadIdx.x & (stride - 1));
            comparator(s_key[pos], s_val[pos], s_key[pos + stride], s_val[pos + stride], ddd);
        }
    }
    for (uint stride = half; stride > 0; stride >>= 1) {
        stepSync(stride);
        const uint pos = 2 * threadIdx.x - (threadIdx.x & (stride - 1));
        comparator(s_key[pos], s_val[pos], s_key[pos + stride], s_val[pos + stride], dir);
    }

    __syncthreads();
    dstKey[0] = s_key[threadIdx.x];
    dstVal[0] = s_val[threadIdx.x];
    dstKey[half] = s_key[threadIdx.x + half];
    dstVal[half] = s_val[threadIdx.x + half];
}

template <class K>
static uint sortBatch(K* d_dk, uint* d_dv, const K* d_sk, const uint* d_sv, uint batch, uint length,
                      uint dir)
{
    if (length < 2) return 0;
    // powers of two only, half of it must fill whole warps
    assert((length & (length - 1)) == 0);
    assert(length >= 64 && length <= SORT_LIMIT);
    bitonicSortShared<K><<<batch, length / 2>>>(d_dk, d_dv, d_sk, d_sv, length, dir != 0);
    if (cudaGetLastError() != cudaSuccess) {
        fprintf(stderr, "bitonicSortShared() execution failed\n");
        return 0;
    }
    return length / 2;
}

extern "C" uint bitonicSortU32(uint* dk, uint* dv, const uint* sk, const uint* sv, uint batch,
                               uint length, uint dir)
{
    return sortBatch<uint>(dk, dv, sk, sv, batch, length, dir);
}

extern "C" uint bitonicSortF32(float* dk, uint* dv, const float* sk, const uint* sv, uint batch,
                               uint length)
{
    return sortBatch<float>(dk, dv, sk, sv, batch, length, SORT_DIR_UP);
}
