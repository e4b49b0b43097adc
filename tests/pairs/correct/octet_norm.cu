// Row norms with eight lanes per row; rows have different lengths.
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

constexpr int LANES = 8;
constexpr int BLOCK = 256;

__device__ __forceinline__ unsigned octet_mask()
{
    const int lane = threadIdx.x & 31;
    return 0xffu << (lane & ~(LANES - 1));
}

template <typename F>
__device__ __forceinline__ float octet_reduce(unsigned mask, float v, F op)
{
#pragma unroll
    for (int d = LANES / 2; d > 0; d /= 2)
        v = op(v, __shfl_xor_sync(mask, v, d, LANES));
    return v;
}

struct Add { __device__ float operator()(float a, float b) const { return a + b; } };
struct Max { __device__ float operator()(float a, float b) const { return fmaxf(a, b); } };

__global__ void row_norms(const int *__restrict__ ptr, const float *__restrict__ val,
                          float *__restrict__ norm, int rows)
{
    const unsigned mask = octet_mask();
    const int sub = threadIdx.x & (LANES - 1);
    const int first = (blockIdx.x * BLOCK + threadIdx.x) / LANES;
    const int stride = gridDim.x * BLOCK / LANES;
    for (int row = first; row < rows; row += stride) {
        const int beg = ptr[row], end = ptr[row + 1];
        if (beg == end) {
            if (sub == 0)
                norm[row] = 0.0f;
            continue;
        }
        float big = 0.0f;
        for (int j = beg + sub; j < end; j += LANES)
            big = fmaxf(big, fabsf(val[j]));
        big = octet_reduce(mask, big, Max());
        float s = 0.0f;
        if (big > 0.0f) {
            for (int j = beg + sub; j < end; j += LANES) {
                const float t = val[j] / big;
                s += t * t;
            }
            s = octet_reduce(mask, s, Add());
        }
        if (sub == 0)
            norm[row] = big * sqrtf(s);
    }
}

int main()
{
    const int rows = 4099;
    std::vector<int> ptr(rows + 1, 0);
    for (int i = 0; i < rows; ++i)
        ptr[i + 1] = ptr[i] + (i * 11) % 23;
    std::vector<float> val(ptr[rows]);
    for (size_t i = 0; i < val.size(); ++i)
        val[i] = (float)((int)(i % 17) - 8);
    int *dp;
    float *dv, *dn;
    cudaMalloc(&dp, ptr.size() * sizeof(int));
    cudaMalloc(&dv, val.size() * sizeof(float));
    cudaMalloc(&dn, rows * sizeof(float));
    cudaMemcpy(dp, ptr.data(), ptr.size() * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpy(dv, val.data(), val.size() * sizeof(float), cudaMemcpyHostToDevice);
    row_norms<<<32, BLOCK>>>(dp, dv, dn, rows);
    std::vector<float> out(rows);
    cudaMemcpy(out.data(), dn, rows * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f %s\n", out[rows - 1], cudaGetErrorString(cudaGetLastError()));
    return 0;
}
