#include <cuda_runtime.h>
#include <math.h>

#define TILE_X 32
#define TILE_Y 8
#define TILE_N (TILE_X * TILE_Y)

typedef struct {
    int width;
    int height;
    int pitch;
    int max_sweeps;
    float tol;
    float lambda;
} relax_desc_t;

__device__ static int clampi(int v, int lo, int hi)
{
    return v < lo ? lo : (v > hi ? hi : v);
}

__global__ void relax_tiles(const float *src, float *dst, float *residual, relax_desc_t d)
{
    __shared__ float cell[TILE_Y + 2][TILE_X + 2];
    __shared__ float red[TILE_N];

    const int tid = threadIdx.y * TILE_X + threadIdx.x;
    const int x0 = blockIdx.x * TILE_X - 1;
    const int y0 = blockIdx.y * TILE_Y - 1;

    for (int i = tid; i < (TILE_X + 2) * (TILE_Y + 2); i += TILE_N) {
        const int cy = i / (TILE_X + 2);
        const int cx = i % (TILE_X + 2);
        const int gx = clampi(x0 + cx, 0, d.width - 1);
        const int gy = clampi(y0 + cy, 0, d.height - 1);
        cell[cy][cx] = src[gy * d.pitch + gx];
    }
    __syncthreads();

    const int lx = threadIdx.x + 1;
    const int ly = threadIdx.y + 1;
    float diff = 0.0f;
    int sweep = 0;
    int more;
    do {
        const float old = cell[ly][lx];
        const float avg = 0.25f * (cell[ly - 1][lx] + cell[ly + 1][lx] +
                                   cell[ly][lx - 1] + cell[ly][lx + 1]);
        const float next = old + d.lambda * (avg - old);
        diff = fabsf(next - old);
        __syncthreads();
        cell[ly][lx] = next;
        __syncthreads();
        ++sweep;
        more = __syncthreads_or(diff > d.tol);
    } while (more && sweep < d.max_sweeps);

    red[tid] = diff;
    __syncthreads();
    for (int s = TILE_N / 2; s > 0; s >>= 1) {
        if (tid < s)
            red[tid] = fmaxf(red[tid], red[tid + s]);
        __syncthreads();
    }

    const int gx = x0 + lx;
    const int gy = y0 + ly;
    if (gx < d.width && gy < d.height)
        dst[gy * d.pitch + gx] = cell[ly][lx];
    if (tid == 0)
        residual[blockIdx.y * gridDim.x + blockIdx.x] = red[0];
}

extern "C" int relax_image(const float *src, float *dst, float *residual, const relax_desc_t *d,
                           cudaStream_t stream)
{
    dim3 block(TILE_X, TILE_Y);
    dim3 grid((d->width + TILE_X - 1) / TILE_X, (d->height + TILE_Y - 1) / TILE_Y);
    relax_tiles<<<grid, block, 0, stream>>>(src, dst, residual, *d);
    return cudaGetLastError() == cudaSuccess ? 0 : -1;
}
