// Furthest point sampling, one block per cloud.  (B, N, 3) -> (B, M)
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>

#define TOTAL_THREADS 512

inline int opt_n_threads(int work_size)
{
    const int pow_2 = (int)(std::log((double)work_size) / std::log(2.0));
    int n = 1 << pow_2;
    if (n > TOTAL_THREADS) n = TOTAL_THREADS;
    if (n < 1) n = 1;
    return n;
}

__device__ void __update(float* __restrict__ dists, int* __restrict__ dists_i, int idx1, int idx2)
{
    const float v1 = dists[idx1], v2 = dists[idx2];
    const int i1 = dists_i[idx1], i2 = dists_i[idx2];
    dists[idx1] = max(v1, v2);
    dists_i[idx1] = v2 > v1 ? i2 : i1;
}

// fold the upper half of `2 * half` entries onto the lower half
template <int half>
__device__ __forceinline__ void fold(float* dists, int* dists_i, int tid)
{
    if (tid < half) __update(dists, dists_i, tid, tid + half);
    if (half > 32) __syncthreads();
}

template <unsigned int block_size>
__global__ void furthest_point_sampling_kernel(int b, int n, int m, const float* __restrict__ dataset,
                                               float* __restrict__ temp, int* __restrict__ idxs)
{
    if (m <= 0) return;
    __shared__ float dists[block_size];
    __shared__ int dists_i[block_size];

    dataset += blockIdx.x * n * 3;
    temp += blockIdx.x * n;
    idxs += blockIdx.x * m;

    const int tid = threadIdx.x;
    const int stride = block_size;

    int old = 0;
    if (tid == 0) idxs[0] = old;

    for (int j = 1; j < m; j++) {
        int besti = 0;
        float best = -1;
        const float x1 = dataset[old * 3 + 0];
        const float y1 = dataset[old * 3 + 1];
        const float z1 = dataset[old * 3 + 2];
        for (int k = tid; k < n; k += stride) {
            const float x2 = dataset[k * 3 + 0], y2 = dataset[k * 3 + 1], z2 = dataset[k * 3 + 2];
            const float d = (x2 - x1) * (x2 - x1) + (y2 - y1) * (y2 - y1) + (z2 - z1) * (z2 - z1);
            const float d2 = min(d, temp[k]);
            temp[k] = d2;
            besti = d2 > best ? k : besti;
            best = d2 > best ? d2 : best;
        }
        __syncthreads();
        dists[tid] = best;
        dists_i[tid] = besti;
        __syncthreads();

        if (block_size >= 512) fold<256>(dists, dists_i, tid);
        if (block_size >= 256) fold<128>(dists, dists_i, tid);
        if (block_size >= 128) fold<64>(dists, dists_i, tid);
        if (block_size >= 64) fold<32>(dists, dists_i, tid);
        if (block_size >= 32) fold<16>(dists, dists_i, tid);
        if (block_size >= 16) fold<8>(dists, dists_i, tid);
        if (block_size >= 8) fold<4>(dists, dists_i, tid);
        if (block_size >= 4) fold<2>(dists, dists_i, tid);
        if (block_size >= 2) fold<1>(dists, dists_i, tid);
        __syncthreads();

        old = dists_i[0];
        if (tid == 0) idxs[j] = old;
    }
}

__global__ void fill_kernel(float* p, int n, float v)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) p[i] = v;
}

#define FPS_CASE(N)                                                                          \
    case N:                                                                                  \
        furthest_point_sampling_kernel<N><<<b, N, 0, stream>>>(b, n, m, dataset, temp, idxs); \
        break

void furthest_point_sampling_launcher(int b, int n, int m, const float* dataset, float* temp, int* idxs,
                                      cudaStream_t stream)
{
    if (b <= 0 || n <= 0) return;
    fill_kernel<<<128, 256, 0, stream>>>(temp, b * n, 1e10f);
    switch (opt_n_threads(n)) {
        FPS_CASE(512);
        FPS_CASE(256);
        FPS_CASE(128);
        FPS_CASE(64);
        FPS_CASE(32);
        FPS_CASE(16);
        FPS_CASE(8);
        FPS_CASE(4);
        FPS_CASE(2);
        FPS_CASE(1);
    default: break;
    }
    const cudaError_t err = cudaGetLastError();
    if (err != cudaSuccess) {
        fprintf(stderr, "CUDA kernel failed : %s\n", cudaGetErrorString(err));
        exit(-1);
    }
}
