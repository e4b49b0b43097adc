// Inclusive prefix sums of matrix rows, a warp walks its row in chunks of 32.
#include <cuda_runtime.h>

#define WARP_SIZE 32

__device__ int warp_inclusive_scan(int v, int lane)
{
    for (int d = 1; d < WARP_SIZE; d <<= 1) {
        int t = __shfl_up_sync(0xffffffffu, v, d);
        if (lane >= d) v += t;
    }
    return v;
}

__global__ void row_prefix(const int* in, int* out, int rows, int cols)
{
    const int lane = threadIdx.x;         // blockDim = (32, warps)
    const int row  = blockIdx.x * blockDim.y + threadIdx.y;
    if (row >= rows)
        return;

    const long long base = (long long)row * cols;
    int carry = 0;
    for (int c0 = 0; c0 < cols; c0 += WARP_SIZE) {
        const int c = c0 + lane;
        int v = 0;
        if (c < cols) v = in[base + c];
        v = warp_inclusive_scan(v, lane) + carry;
        if (c < cols) out[base + c] = v;
        carry = __shfl_sync(0xffffffffu, v, WARP_SIZE - 1);
    }
}

// Vertical pass: a thread per column, nothing shared.
__global__ void column_prefix(int* img, int rows, int cols)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= cols) return;
    int acc = 0;
    for (int r = 0; r < rows; ++r) {
        acc += img[(long long)r * cols + c];
        img[(long long)r * cols + c] = acc;
    }
}

bool integral_image(const int* d_in, int* d_out, int rows, int cols, cudaStream_t stream)
{
    if (rows < 1 || cols < 1) return false;
    dim3 block(WARP_SIZE, 8);
    dim3 grid((rows + block.y - 1) / block.y);
    row_prefix<<<grid, block, 0, stream>>>(d_in, d_out, rows, cols);
    column_prefix<<<(cols + 127) / 128, 128, 0, stream>>>(d_out, rows, cols);
    return cudaGetLastError() == cudaSuccess;
}
