// Shuffles a training set on the device at the start of each epoch.
#include <cuda_runtime.h>
#include <algorithm>
#include <cstdio>
#include <numeric>
#include <random>
#include <vector>

struct Dataset {
    int rows, features;
    float *x;        // [rows][features]
    int *y;
};

__global__ void scatterRows(const float *__restrict__ src, float *dst, const int *__restrict__ dest, int rows, int features)
{
    for (int r = blockIdx.x; r < rows; r += gridDim.x) {
        float *out = dst + (size_t)dest[r] * features;
        const float *in = src + (size_t)r * features;
        for (int f = threadIdx.x; f < features; f += blockDim.x)
            out[f] = in[f];
    }
}

__global__ void scatterLabels(const int *__restrict__ src, int *dst, const int *__restrict__ dest, int rows)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r < rows)
        dst[dest[r]] = src[r];
}

class EpochShuffler {
public:
    EpochShuffler(int rows, int features, unsigned seed) : m_perm(rows), m_rng(seed)
    {
        std::iota(m_perm.begin(), m_perm.end(), 0);
        cudaMalloc(&m_dest, rows * sizeof(int));
        cudaMalloc(&m_x, sizeof(float) * (size_t)rows * features);
        cudaMalloc(&m_y, rows * sizeof(int));
    }
    ~EpochShuffler()
    {
        cudaFree(m_dest);
        cudaFree(m_x);
        cudaFree(m_y);
    }

    void next(Dataset &d)
    {
        std::shuffle(m_perm.begin(), m_perm.end(), m_rng);
        cudaMemcpy(m_dest, m_perm.data(), d.rows * sizeof(int), cudaMemcpyHostToDevice);
        scatterRows<<<std::min(d.rows, 4096), 128>>>(d.x, m_x, m_dest, d.rows, d.features);
        scatterLabels<<<(d.rows + 255) / 256, 256>>>(d.y, m_y, m_dest, d.rows);
        std::swap(d.x, m_x);
        std::swap(d.y, m_y);
    }

private:
    std::vector<int> m_perm;
    std::mt19937 m_rng;
    int *m_dest;
    float *m_x;
    int *m_y;
};

int main()
{
    Dataset d = { 60000, 784, nullptr, nullptr };
    cudaMalloc(&d.x, sizeof(float) * (size_t)d.rows * d.features);
    cudaMalloc(&d.y, d.rows * sizeof(int));
    cudaMemset(d.x, 0, sizeof(float) * (size_t)d.rows * d.features);
    cudaMemset(d.y, 0, d.rows * sizeof(int));
    EpochShuffler sh(d.rows, d.features, 1234);
    for (int epoch = 0; epoch < 3; epoch++)
        sh.next(d);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    cudaFree(d.x);
    cudaFree(d.y);
    return 0;
}
