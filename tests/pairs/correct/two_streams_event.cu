// Two streams share a buffer; events order the producer and the consumer in both directions.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

#define CK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { \
    fprintf(stderr, "%s\n", cudaGetErrorString(e_)); exit(1); } } while (0)

__global__ void synth(float *buf, int n, float phase)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        buf[i] = __sinf(phase + 0.01f * i);
}

__global__ void envelope(const float *__restrict__ buf, float *env, int n, int frame)
{
    __shared__ float peak[4];
    const int i = blockIdx.x * 128 + threadIdx.x;
    float v = i < n ? fabsf(buf[i]) : 0.0f;
    for (int d = 16; d; d >>= 1)
        v = fmaxf(v, __shfl_xor_sync(0xffffffffu, v, d));
    if (threadIdx.x % 32 == 0)
        peak[threadIdx.x / 32] = v;
    __syncthreads();
    if (threadIdx.x == 0)
        env[frame * gridDim.x + blockIdx.x] = fmaxf(fmaxf(peak[0], peak[1]), fmaxf(peak[2], peak[3]));
}

class Chain {
public:
    Chain()
    {
        CK(cudaStreamCreateWithFlags(&prod, cudaStreamNonBlocking));
        CK(cudaStreamCreateWithFlags(&cons, cudaStreamNonBlocking));
        CK(cudaEventCreateWithFlags(&full, cudaEventDisableTiming));
        CK(cudaEventCreateWithFlags(&empty, cudaEventDisableTiming));
    }
    ~Chain()
    {
        cudaEventDestroy(full);
        cudaEventDestroy(empty);
        cudaStreamDestroy(prod);
        cudaStreamDestroy(cons);
    }
    void frame(float *buf, float *env, int n, int f)
    {
        const int grid = (n + 127) / 128;
        if (f > 0)
            CK(cudaStreamWaitEvent(prod, empty, 0));
        synth<<<grid, 128, 0, prod>>>(buf, n, 0.1f * f);
        CK(cudaEventRecord(full, prod));
        CK(cudaStreamWaitEvent(cons, full, 0));
        envelope<<<grid, 128, 0, cons>>>(buf, env, n, f);
        CK(cudaEventRecord(empty, cons));
    }
    void finish() { CK(cudaStreamSynchronize(cons)); }

private:
    cudaStream_t prod, cons;
    cudaEvent_t full, empty;
};

int main()
{
    const int n = 44100, frames = 16, per = (n + 127) / 128;
    float *buf, *env;
    CK(cudaMalloc(&buf, n * sizeof(float)));
    CK(cudaMallocManaged(&env, (size_t)frames * per * sizeof(float)));
    {
        Chain c;
        for (int f = 0; f < frames; ++f)
            c.frame(buf, env, n, f);
        c.finish();
        printf("%f\n", env[frames * per - 1]);
    }
    CK(cudaFree(buf));
    CK(cudaFree(env));
    return 0;
}
