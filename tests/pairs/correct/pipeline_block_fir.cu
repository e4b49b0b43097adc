// FIR filter; input tiles stream through a block-scope cuda::pipeline.
#include <cstdio>
#include <cooperative_groups.h>
#include <cuda/pipeline>
#include <cuda_runtime.h>

#pragma nv_diag_suppress static_var_with_dynamic_init

namespace cg = cooperative_groups;
constexpr int BLOCK = 128;
constexpr int TAPS = 33;
constexpr int DEPTH = 2;
constexpr int SPAN = BLOCK + TAPS - 1;

struct Fir { const float *in; float *out; const float *taps; int tiles_per_block; };

// `in` holds gridDim.x * tiles_per_block * BLOCK + TAPS - 1 samples
__global__ void __launch_bounds__(BLOCK) fir(Fir f)
{
    __shared__ float stage[DEPTH][SPAN];
    __shared__ float taps[TAPS];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, DEPTH> state;
    auto block = cg::this_thread_block();
    auto pipe = cuda::make_pipeline(block, &state);
    const int first = blockIdx.x * f.tiles_per_block;
    for (int i = threadIdx.x; i < TAPS; i += BLOCK)
        taps[i] = f.taps[i];
    block.sync();

    int fetched = 0;
    for (int tile = 0; tile < f.tiles_per_block; ++tile) {
        for (; fetched < f.tiles_per_block && fetched < tile + DEPTH; ++fetched) {
            pipe.producer_acquire();
            cuda::memcpy_async(block, stage[fetched % DEPTH], f.in + (size_t)(first + fetched) * BLOCK,
                               sizeof(float) * SPAN, pipe);
            pipe.producer_commit();
        }
        pipe.consumer_wait();
        const float *s = stage[tile % DEPTH];
        float acc = 0.0f;
#pragma unroll
        for (int k = 0; k < TAPS; ++k)
            acc += taps[k] * s[threadIdx.x + k];
        pipe.consumer_release();
        f.out[(size_t)(first + tile) * BLOCK + threadIdx.x] = acc;
    }
}

int main()
{
    const int blocks = 24, per = 9;
    const size_t n = (size_t)blocks * per * BLOCK;
    float *in, *out, *taps;
    cudaMalloc(&in, (n + TAPS - 1) * sizeof(float));
    cudaMalloc(&out, n * sizeof(float));
    cudaMalloc(&taps, TAPS * sizeof(float));
    cudaMemset(in, 0, (n + TAPS - 1) * sizeof(float));
    cudaMemset(taps, 0, TAPS * sizeof(float));
    fir<<<blocks, BLOCK>>>(Fir{in, out, taps, per});
    cudaError_t e = cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(e));
    cudaFree(in);
    cudaFree(out);
    cudaFree(taps);
    return e != cudaSuccess;
}
