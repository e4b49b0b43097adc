// Drops the zero entries from every row of a matrix; one block per row.
#include <cuda_runtime.h>
#include <stdexcept>

struct Entry {
    int col;
    float value;
};

template <int WARPS>
__global__ void dense_to_rows(const float *m, int rows, int cols, Entry *out, int *row_count)
{
    __shared__ int kept[WARPS];
    const int lane = threadIdx.x & 31;
    const int warp = threadIdx.x >> 5;

    for (int row = blockIdx.x; row < rows; row += gridDim.x) {
        const float *src = m + (size_t)row * cols;
        Entry *dst = out + (size_t)row * cols;
        int filled = 0;  // same in every thread

        for (int base = 0; base < cols; base += WARPS * 32) {
            const int c = base + threadIdx.x;
            const float v = c < cols ? src[c] : 0.0f;
            const bool keep = v != 0.0f;
            const unsigned vote = __ballot_sync(0xffffffffu, keep);
            if (lane == 0)
                kept[warp] = __popc(vote);
            __syncthreads();

            int before = 0, all = 0;
#pragma unroll
            for (int w = 0; w < WARPS; ++w) {
                const int k = kept[w];
                if (w < warp)
                    before += k;
                all += k;
            }
            if (keep) {
                const int at = filled + before + __popc(vote & ((1u << lane) - 1u));
                dst[at] = Entry{c, v};
            }
            filled += all;
            __syncthreads();
        }
        if (threadIdx.x == 0)
            row_count[row] = filled;
    }
}

void compact(const float *m, int rows, int cols, Entry *out, int *row_count, cudaStream_t s)
{
    if (rows < 0 || cols < 0 || cols > (1 << 28))
        throw std::invalid_argument("compact: negative size");
    if (rows == 0)
        return;
    const int grid = rows < 1024 ? rows : 1024;
    if (cols <= 128)
        dense_to_rows<2><<<grid, 64, 0, s>>>(m, rows, cols, out, row_count);
    else
        dense_to_rows<8><<<grid, 256, 0, s>>>(m, rows, cols, out, row_count);
    if (cudaGetLastError() != cudaSuccess)
        throw std::runtime_error("compact: launch failed");
}
