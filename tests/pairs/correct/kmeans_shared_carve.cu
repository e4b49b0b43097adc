#include <cuda_runtime.h>
#include <cfloat>
#include <stdexcept>

struct SharedLayout {
    float *centroid;  // k * dim
    float *sum;       // k * dim
    unsigned *count;  // k

    __device__ SharedLayout(float *base, int k, int dim)
        : centroid(base), sum(base + k * dim), count(reinterpret_cast<unsigned *>(base + 2 * k * dim))
    {
    }
    static size_t bytes(int k, int dim)
    {
        return 2 * sizeof(float) * k * dim + sizeof(unsigned) * k;
    }
};

__global__ void assign_points(const float *pts, int n, int dim, const float *centroids, int k,
                              int *label, float *sums, unsigned *counts)
{
    extern __shared__ float raw[];
    SharedLayout sh(raw, k, dim);

    for (int t = threadIdx.x; t < k * dim; t += blockDim.x) {
        sh.centroid[t] = centroids[t];
        sh.sum[t] = 0.0f;
    }
    for (int t = threadIdx.x; t < k; t += blockDim.x)
        sh.count[t] = 0;
    __syncthreads();

    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        const float *p = pts + (size_t)i * dim;
        float best = FLT_MAX;
        int who = 0;
        for (int c = 0; c < k; ++c) {
            float d2 = 0.0f;
            for (int j = 0; j < dim; ++j) {
                const float d = p[j] - sh.centroid[c * dim + j];
                d2 += d * d;
            }
            if (d2 < best) {
                best = d2;
                who = c;
            }
        }
        label[i] = who;
        for (int j = 0; j < dim; ++j)
            atomicAdd(&sh.sum[who * dim + j], p[j]);
        atomicAdd(&sh.count[who], 1u);
    }
    __syncthreads();

    for (int t = threadIdx.x; t < k * dim; t += blockDim.x)
        atomicAdd(&sums[t], sh.sum[t]);
    for (int t = threadIdx.x; t < k; t += blockDim.x)
        if (sh.count[t] != 0)
            atomicAdd(&counts[t], sh.count[t]);
}

__global__ void move_centroids(float *centroids, int k, int dim, const float *sums,
                               const unsigned *counts)
{
    const int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t < k * dim && counts[t / dim] > 0)
        centroids[t] = sums[t] / counts[t / dim];
}

void kmeans_step(const float *pts, int n, int dim, float *centroids, int k, int *label,
                 float *sums, unsigned *counts, cudaStream_t s)
{
    if (n <= 0 || n > (1 << 30) || dim < 1 || dim > 4096 || k < 1 || k > 4096)
        throw std::invalid_argument("kmeans_step");
    const size_t bytes = SharedLayout::bytes(k, dim);
    if (bytes > 48 * 1024)
        throw std::invalid_argument("kmeans_step: k * dim too large");
    cudaMemsetAsync(sums, 0, sizeof(float) * k * dim, s);
    cudaMemsetAsync(counts, 0, sizeof(unsigned) * k, s);
    const int grid = (n + 255) / 256 < 256 ? (n + 255) / 256 : 256;
    assign_points<<<grid, 256, bytes, s>>>(pts, n, dim, centroids, k, label, sums, counts);
    move_centroids<<<(k * dim + 127) / 128, 128, 0, s>>>(centroids, k, dim, sums, counts);
    if (cudaGetLastError() != cudaSuccess)
        throw std::runtime_error("kmeans_step: launch");
}
