// Column sums of a tall matrix streamed through a multi-stage cuda::pipeline.
#include <cooperative_groups.h>
#include <cuda/pipeline>
#include <cuda_runtime.h>

namespace cg = cooperative_groups;

constexpr int COLS   = 128;
constexpr int ROWS   = 8;          // rows per stage
constexpr int STAGES = 3;

__global__ void column_sums(const float* __restrict__ m, int batches, float* __restrict__ out)
{
    __shared__ alignas(16) float buf[STAGES][ROWS * COLS];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, STAGES> state;
    auto block = cg::this_thread_block();
    auto pipe = cuda::make_pipeline(block, &state);

    const int first = blockIdx.x, step = gridDim.x;
    float acc = 0.f;
    int fetch = first;
    int put = 0, get = 0;
    for (int use = first; use < batches; use += step) {
        for (; fetch < batches && fetch < use + STAGES * step; fetch += step) {
            pipe.producer_acquire();
            cuda::memcpy_async(block, buf[put], m + (size_t)fetch * ROWS * COLS,
                               cuda::aligned_size_t<16>(sizeof(float) * ROWS * COLS), pipe);
            pipe.producer_commit();
            put = (put + 1) % STAGES;
        }
        pipe.consumer_wait();
#pragma unroll
        for (int r = 0; r < ROWS; ++r) acc += buf[get][r * COLS + threadIdx.x];
        pipe.consumer_release();
        get = (get + 1) % STAGES;
    }
    atomicAdd(&out[threadIdx.x], acc);
}

// rows must be a multiple of ROWS, the matrix is rows x 128 and 16-byte aligned.
cudaError_t sum_columns(const float* m, int rows, float* out, cudaStream_t s)
{
    if (rows <= 0 || rows % ROWS) return cudaErrorInvalidValue;
    const int batches = rows / ROWS;
    cudaMemsetAsync(out, 0, COLS * sizeof(float), s);
    column_sums<<<batches < 256 ? batches : 256, COLS, 0, s>>>(m, batches, out);
    return cudaGetLastError();
}
