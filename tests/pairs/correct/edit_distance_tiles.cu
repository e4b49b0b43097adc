#include <cuda/atomic>
#include <cuda_runtime.h>
#include <cstdio>

#define T 64

typedef cuda::atomic_ref<int, cuda::thread_scope_device> flag_ref;

static __device__ void wait_for(int *flag)
{
    flag_ref f(*flag);
    while (f.load(cuda::memory_order_acquire) == 0)
        __nanosleep(50);
}

/* h is (la + 1) x (lb + 1), row-major; row 0 and column 0 are filled beforehand. */
__global__ void init_edges(int *h, int la, int lb)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i <= lb)
        h[i] = i;
    if (i > 0 && i <= la)
        h[(size_t)i * (lb + 1)] = i;
}

__global__ void __launch_bounds__(T)
edit_tiles(const char *a, int la, const char *b, int lb, int *h, int *done, int *ticket)
{
    __shared__ int s[T + 1][T + 1];
    __shared__ int drawn;
    const int tiles_x = (lb + T - 1) / T;
    const int tiles_y = (la + T - 1) / T;
    const size_t ld = lb + 1;
    const int t = threadIdx.x;

    for (;;) {
        if (t == 0)
            drawn = atomicAdd(ticket, 1);
        __syncthreads();
        const int tile = drawn;
        if (tile >= tiles_x * tiles_y)
            return;
        const int ty = tile / tiles_x, tx = tile % tiles_x;
        if (t == 0) {
            if (ty > 0)
                wait_for(&done[tile - tiles_x]);
            if (tx > 0)
                wait_for(&done[tile - 1]);
        }
        __syncthreads();  // also separates the read of `drawn` from its next write

        const int y0 = ty * T, x0 = tx * T;  // h coordinates of the corner
        const int rows = min(T, la - y0), cols = min(T, lb - x0);
        if (t < cols)
            s[0][t + 1] = h[(size_t)y0 * ld + x0 + t + 1];
        if (t < rows)
            s[t + 1][0] = h[(size_t)(y0 + t + 1) * ld + x0];
        if (t == 0)
            s[0][0] = h[(size_t)y0 * ld + x0];
        __syncthreads();

        for (int diag = 0; diag < rows + cols - 1; ++diag) {
            const int r = t, c = diag - t;
            if (r < rows && c >= 0 && c < cols) {
                const int subst = s[r][c] + (a[y0 + r] != b[x0 + c]);
                s[r + 1][c + 1] = min(subst, min(s[r][c + 1], s[r + 1][c]) + 1);
            }
            __syncthreads();
        }
        for (int r = 0; r < rows; ++r)
            if (t < cols)
                h[(size_t)(y0 + r + 1) * ld + x0 + t + 1] = s[r + 1][t + 1];
        __syncthreads();
        if (t == 0)
            flag_ref(done[tile]).store(1, cuda::memory_order_release);
    }
}

int edit_distance(const char *a, int la, const char *b, int lb, int *h, int *done, int *ticket,
                  cudaStream_t st)
{
    if (la < 1 || lb < 1 || la > 1000000 || lb > 1000000)
        return -1;
    const int tiles = ((la + T - 1) / T) * ((lb + T - 1) / T);
    cudaMemsetAsync(done, 0, tiles * sizeof(int), st);
    cudaMemsetAsync(ticket, 0, sizeof(int), st);
    init_edges<<<(max(la, lb) + 256) / 256, 256, 0, st>>>(h, la, lb);
    edit_tiles<<<tiles < 512 ? tiles : 512, T, 0, st>>>(a, la, b, lb, h, done, ticket);
    if (cudaGetLastError() != cudaSuccess) {
        fprintf(stderr, "edit_distance: launch failed\n");
        return -2;
    }
    return 0;
}
