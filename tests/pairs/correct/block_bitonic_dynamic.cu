// Sorts short lists of (key, index) pairs in dynamic shared memory, a block per list.
#include <cuda_runtime.h>
#include <climits>
#include <cstdio>

extern __shared__ __align__(16) unsigned char arena[];

__global__ void sort_lists(int *keys, const int *starts, int padded, int *order)
{
    int *key = reinterpret_cast<int *>(arena);
    int *idx = key + padded;
    const int begin = starts[blockIdx.x];
    const int len = min(starts[blockIdx.x + 1] - begin, padded);

    for (int i = threadIdx.x; i < padded; i += blockDim.x) {
        key[i] = i < len ? keys[begin + i] : INT_MAX;
        idx[i] = i;
    }
    __syncthreads();

    for (int k = 2; k <= padded; k <<= 1) {
        for (int j = k >> 1; j > 0; j >>= 1) {
            for (int i = threadIdx.x; i < padded; i += blockDim.x) {
                const int p = i ^ j;
                if (p > i) {
                    const bool up = (i & k) == 0;
                    const int a = key[i], b = key[p];
                    const int ia = idx[i], ib = idx[p];
                    const bool greater = a > b || (a == b && ia > ib);
                    if (greater == up) {
                        key[i] = b;
                        key[p] = a;
                        idx[i] = ib;
                        idx[p] = ia;
                    }
                }
            }
            __syncthreads();
        }
    }

    for (int i = threadIdx.x; i < len; i += blockDim.x) {
        keys[begin + i] = key[i];
        order[begin + i] = idx[i];
    }
}

int sort_short_lists(int *keys, const int *starts, int lists, int longest, int *order)
{
    if (lists < 0 || longest < 0 || longest > 4096) {
        std::fprintf(stderr, "lists must have at most 4096 entries\n");
        return -1;
    }
    if (lists == 0 || longest == 0)
        return 0;
    int padded = 64;
    while (padded < longest)
        padded *= 2;
    const int threads = padded / 2 < 512 ? padded / 2 : 512;
    const size_t bytes = 2 * padded * sizeof(int);
    sort_lists<<<lists, threads, bytes>>>(keys, starts, padded, order);
    return cudaGetLastError() == cudaSuccess ? 0 : -2;
}
