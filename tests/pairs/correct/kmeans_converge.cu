// 1-D k-means inside one block; stops when fewer than 1/64 of the points change cluster.
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

constexpr int BLOCK = 256;
constexpr int K = 16;
constexpr int ITEMS = 8;

__global__ void __launch_bounds__(BLOCK)
kmeans(const float *__restrict__ x, int n_per_block, float *centres, unsigned char *label, int max_iter)
{
    __shared__ float c[K], sum[K];
    __shared__ int cnt[K];
    const float *p = x + (size_t)blockIdx.x * n_per_block;
    unsigned char *lab = label + (size_t)blockIdx.x * n_per_block;
    float v[ITEMS];
    int mine[ITEMS];
    for (int k = 0; k < ITEMS; ++k) {
        const int i = k * BLOCK + threadIdx.x;
        v[k] = i < n_per_block ? p[i] : 0.0f;
        mine[k] = -1;
    }
    if (threadIdx.x < K)
        c[threadIdx.x] = centres[blockIdx.x * K + threadIdx.x];

    for (int it = 0; it < max_iter; ++it) {
        if (threadIdx.x < K) {
            sum[threadIdx.x] = 0.0f;
            cnt[threadIdx.x] = 0;
        }
        __syncthreads();
        int moved = 0;
        for (int k = 0; k < ITEMS; ++k) {
            if (k * BLOCK + threadIdx.x >= n_per_block)
                break;
            int best = 0;
            for (int j = 1; j < K; ++j)
                if (fabsf(v[k] - c[j]) < fabsf(v[k] - c[best]))
                    best = j;
            moved += best != mine[k];
            mine[k] = best;
            atomicAdd(&sum[best], v[k]);
            atomicAdd(&cnt[best], 1);
        }
        // number of threads with a changed point
        const int changed = __syncthreads_count(moved > 0);
        if (threadIdx.x < K && cnt[threadIdx.x] > 0)
            c[threadIdx.x] = sum[threadIdx.x] / cnt[threadIdx.x];
        if (changed * 64 < BLOCK)
            break;
    }
    if (threadIdx.x < K)
        centres[blockIdx.x * K + threadIdx.x] = c[threadIdx.x];
    for (int k = 0; k < ITEMS; ++k) {
        const int i = k * BLOCK + threadIdx.x;
        if (i < n_per_block)
            lab[i] = (unsigned char)mine[k];
    }
}

int main()
{
    const int blocks = 20, n = 2000;
    if (n > BLOCK * ITEMS)
        return 1;
    std::vector<float> h((size_t)blocks * n), c(blocks * K);
    for (size_t i = 0; i < h.size(); ++i)
        h[i] = (float)((i * 131) % 1009);
    for (size_t i = 0; i < c.size(); ++i)
        c[i] = 60.0f * (i % K);
    float *dx, *dc;
    unsigned char *dl;
    cudaMalloc(&dx, h.size() * sizeof(float));
    cudaMalloc(&dc, c.size() * sizeof(float));
    cudaMalloc(&dl, h.size());
    cudaMemcpy(dx, h.data(), h.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dc, c.data(), c.size() * sizeof(float), cudaMemcpyHostToDevice);
    kmeans<<<blocks, BLOCK>>>(dx, n, dc, dl, 100);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    return 0;
}
