// Lower triangular solve L x = b, a warp per row, synchronisation-free.
#include <cuda/atomic>
#include <cuda_runtime.h>
#include <algorithm>

struct LowerCsr {
    int n;
    const int *row_ptr;
    const int *col;  // ascending; the diagonal is the last entry of a row
    const double *val;
};

using Flag = cuda::atomic_ref<int, cuda::thread_scope_device>;

__global__ void solve_lower(LowerCsr L, const double *b, double *x, int *done, int *next_row)
{
    const int lane = threadIdx.x & 31;
    for (;;) {
        int row = 0;
        if (lane == 0)
            row = atomicAdd(next_row, 1);
        row = __shfl_sync(0xffffffffu, row, 0);
        if (row >= L.n)
            return;

        const int begin = L.row_ptr[row];
        const int diag = L.row_ptr[row + 1] - 1;
        double sum = 0.0;
        for (int k = begin + lane; k < diag; k += 32) {
            const int c = L.col[k];
            Flag ready(done[c]);
            while (ready.load(cuda::memory_order_acquire) == 0) {
            }
            sum += L.val[k] * x[c];
        }
        __syncwarp();
        for (int d = 16; d > 0; d >>= 1)
            sum += __shfl_down_sync(0xffffffffu, sum, d);
        if (lane == 0) {
            x[row] = (b[row] - sum) / L.val[diag];
            Flag(done[row]).store(1, cuda::memory_order_release);
        }
        __syncwarp();
    }
}

cudaError_t lower_solve(const LowerCsr &L, const double *b, double *x, int *flags_and_counter,
                        cudaStream_t stream)
{
    if (L.n < 0 || L.n > (1 << 28) || b == x)
        return cudaErrorInvalidValue;
    if (L.n == 0)
        return cudaSuccess;
    cudaError_t e = cudaMemsetAsync(flags_and_counter, 0, ((size_t)L.n + 1) * sizeof(int), stream);
    if (e != cudaSuccess)
        return e;
    const int block = 128;
    const int grid = std::min((L.n + 3) / 4, 1024);
    solve_lower<<<grid, block, 0, stream>>>(L, b, x, flags_and_counter, flags_and_counter + L.n);
    return cudaGetLastError();
}
