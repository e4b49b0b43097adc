// Producer warp / consumer warps with cuda::barrier pairs (full, empty) per stage.
#include <cuda_runtime.h>
#include <cuda/barrier>
#include <cooperative_groups.h>
#include <cassert>

using Bar = cuda::barrier<cuda::thread_scope_block>;
constexpr int STAGES = 3, ROWS = 32, CONSUMERS = 96, THREADS = 32 + CONSUMERS;
#pragma nv_diag_suppress static_var_with_dynamic_init

__global__ void __launch_bounds__(THREADS)
columnMoments(const float* __restrict__ x, int rows, int cols, float2* __restrict__ out)
{
    __shared__ float tile[STAGES][ROWS][CONSUMERS];
    __shared__ Bar full[STAGES];
    __shared__ Bar empty[STAGES];
    if (threadIdx.x < STAGES) {
        init(&full[threadIdx.x], THREADS);
        init(&empty[threadIdx.x], THREADS);
    }
    __syncthreads();

    const int c0 = blockIdx.x * CONSUMERS;
    const int width = min(CONSUMERS, cols - c0);
    const int tiles = (rows + ROWS - 1) / ROWS;

    if (threadIdx.x < 32) {
        for (int t = 0; t < tiles; ++t) {
            const int s = t % STAGES;
            empty[s].arrive_and_wait();
            const int m = min(ROWS, rows - t * ROWS);
            for (int r = 0; r < m; ++r)
                for (int c = threadIdx.x; c < width; c += 32) tile[s][r][c] = x[(size_t)(t * ROWS + r) * cols + c0 + c];
            (void)full[s].arrive();
        }
    } else {
        const int c = threadIdx.x - 32;
        for (int s = 0; s < STAGES; ++s) (void)empty[s].arrive();       // all stages start free
        float sum = 0.f, sq = 0.f;
        for (int t = 0; t < tiles; ++t) {
            const int s = t % STAGES;
            full[s].arrive_and_wait();
            const int m = min(ROWS, rows - t * ROWS);
            if (c < width)
                for (int r = 0; r < m; ++r) { const float v = tile[s][r][c]; sum += v; sq += v * v; }
            (void)empty[s].arrive();
        }
        if (c < width) out[c0 + c] = make_float2(sum, sq);
    }
}

void moments(const float* x, int rows, int cols, float2* out, cudaStream_t s)
{
    assert(rows > 0 && rows < (1 << 24) && cols > 0 && cols < (1 << 24));
    columnMoments<<<(cols + CONSUMERS - 1) / CONSUMERS, THREADS, 0, s>>>(x, rows, cols, out);
}
