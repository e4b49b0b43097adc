// Vector norm in one launch; the last block to finish adds the partial sums.
#include <cstdio>
#include <cuda_runtime.h>

constexpr int BLOCK = 256;

__device__ float block_sum(float v, float *sh)
{
    for (int d = 16; d; d >>= 1)
        v += __shfl_xor_sync(0xffffffffu, v, d);
    if ((threadIdx.x & 31) == 0)
        sh[threadIdx.x >> 5] = v;
    __syncthreads();
    v = threadIdx.x < BLOCK / 32 ? sh[threadIdx.x] : 0.0f;
    if (threadIdx.x < 32)
        for (int d = 16; d; d >>= 1)
            v += __shfl_xor_sync(0xffffffffu, v, d);
    __syncthreads(); // sh may be used again
    return v;        // valid in warp 0
}

__global__ void __launch_bounds__(BLOCK)
nrm2(const float *__restrict__ x, size_t n, float *partial, unsigned *ticket, float *result)
{
    __shared__ float sh[BLOCK / 32];
    __shared__ bool last;
    float v = 0.0f;
    for (size_t i = blockIdx.x * (size_t)BLOCK + threadIdx.x; i < n; i += (size_t)gridDim.x * BLOCK)
        v += x[i] * x[i];
    v = block_sum(v, sh);
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = v;
        __threadfence();
        last = atomicAdd(ticket, 1u) == gridDim.x - 1;
    }
    __syncthreads();
    if (!last)
        return;
    __threadfence();
    v = 0.0f;
    for (unsigned i = threadIdx.x; i < gridDim.x; i += BLOCK)
        v += __ldcg(&partial[i]);
    v = block_sum(v, sh);
    if (threadIdx.x == 0) {
        *result = sqrtf(v);
        *ticket = 0; // for the next launch
    }
}

class Norm {
public:
    explicit Norm(int blocks) : blocks_(blocks)
    {
        cudaMalloc(&partial_, blocks * sizeof(float));
        cudaMalloc(&ticket_, sizeof(unsigned));
        cudaMalloc(&result_, sizeof(float));
        cudaMemset(ticket_, 0, sizeof(unsigned));
    }
    ~Norm()
    {
        cudaFree(partial_);
        cudaFree(ticket_);
        cudaFree(result_);
    }
    float operator()(const float *x, size_t n)
    {
        float h = 0.0f;
        nrm2<<<blocks_, BLOCK>>>(x, n, partial_, ticket_, result_);
        cudaMemcpy(&h, result_, sizeof(h), cudaMemcpyDeviceToHost);
        return h;
    }

private:
    int blocks_;
    float *partial_ = nullptr;
    unsigned *ticket_ = nullptr;
    float *result_ = nullptr;
};

int main()
{
    const size_t n = 1 << 22;
    float *x;
    cudaMalloc(&x, n * sizeof(float));
    cudaMemset(x, 0, n * sizeof(float));
    Norm norm(160);
    float a = norm(x, n), b = norm(x, n / 3);
    printf("%f %f %s\n", a, b, cudaGetErrorString(cudaGetLastError()));
    cudaFree(x);
    return 0;
}
