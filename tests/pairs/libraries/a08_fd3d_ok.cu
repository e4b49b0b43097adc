// 3D finite-difference wave step, order 8, one xy tile per block marching in z.
// Values along z are kept in a register queue.
#include <cuda_runtime.h>
#include <stdio.h>

#define RADIUS 4
#define TX 32
#define TY 8
#define TILE_W (TX + 2 * RADIUS)
#define TILE_H (TY + 2 * RADIUS)

__constant__ float c_coef[RADIUS + 1];

typedef struct {
    int nx, ny, nz;   /* padded, multiples of the tile in x and y plus 2*RADIUS */
    int stride_y, stride_z;
} grid_t;

#define SHIFT_QUEUE(next)                                        \
    do {                                                         \
        behind[3] = behind[2]; behind[2] = behind[1];            \
        behind[1] = behind[0]; behind[0] = current;              \
        current = front[0];                                      \
        front[0] = front[1]; front[1] = front[2];                \
        front[2] = front[3]; front[3] = (next);                  \
    } while (0)

__device__ __forceinline__ void load_tile(float (*tile)[TILE_W], const float* p, int idx, int sy,
                                          float cur)
{
    const int tx = threadIdx.x + RADIUS, ty = threadIdx.y + RADIUS;
    if (threadIdx.y < RADIUS) {
        tile[threadIdx.y][tx] = p[idx - RADIUS * sy];
        tile[threadIdx.y + TY + RADIUS][tx] = p[idx + TY * sy];
    }
    if (threadIdx.x < RADIUS) {
        tile[ty][threadIdx.x] = p[idx - RADIUS];
        tile[ty][threadIdx.x + TX + RADIUS] = p[idx + TX];
    }
    tile[ty][tx] = cur;
}

__device__ __forceinline__ float lap_xy(float (*tile)[TILE_W], float cur)
{
    const int tx = threadIdx.x + RADIUS, ty = threadIdx.y + RADIUS;
    float v = 2.f * c_coef[0] * cur;
#pragma unroll
    for (int r = 1; r <= RADIUS; r++)
        v += c_coef[r] * (tile[ty - r][tx] + tile[ty + r][tx] + tile[ty][tx - r] + tile[ty][tx + r]);
    return v;
}

__global__ void fd_step(const float* __restrict__ p, float* q, const float* __restrict__ vel2,
                        grid_t g)
{
    __shared__ float tile[TILE_H][TILE_W];
    const int ix = blockIdx.x * TX + threadIdx.x + RADIUS;
    const int iy = blockIdx.y * TY + threadIdx.y + RADIUS;
    int in = iy * g.stride_y + ix;
    int out = in + RADIUS * g.stride_z;

    float behind[RADIUS], front[RADIUS], current;
    for (int i = RADIUS - 1; i >= 0; i--) { behind[i] = p[in]; in += g.stride_z; }
    current = p[in]; in += g.stride_z;
    for (int i = 0; i < RADIUS; i++) { front[i] = p[in]; in += g.stride_z; }

    for (int iz = RADIUS; iz < g.nz - RADIUS; iz++) {
        load_tile(tile, p, out, g.stride_y, current);
        __syncthreads();

        float lap = lap_xy(tile, current) + c_coef[0] * current;
#pragma unroll
        for (int r = 1; r <= RADIUS; r++) lap += c_coef[r] * (behind[r - 1] + front[r - 1]);
        q[out] = 2.f * current - q[out] + vel2[out] * lap;

        out += g.stride_z;
        if (iz + 1 < g.nz - RADIUS) {
            SHIFT_QUEUE(p[in]);
            in += g.stride_z;
            __syncthreads();
        }
    }
}

extern "C" int fd_run(float* d_p, float* d_q, const float* d_vel2, int nx, int ny, int nz, int steps,
                      const float* coef)
{
    if (nx % TX || ny % TY || nz < 1) {
        fprintf(stderr, "fd_run: %dx%d is not a multiple of %dx%d\n", nx, ny, TX, TY);
        return -1;
    }
    grid_t g;
    g.nx = nx + 2 * RADIUS;
    g.ny = ny + 2 * RADIUS;
    g.nz = nz + 2 * RADIUS;
    g.stride_y = g.nx;
    g.stride_z = g.nx * g.ny;
    cudaMemcpyToSymbol(c_coef, coef, sizeof(c_coef));
    dim3 grid(nx / TX, ny / TY), block(TX, TY);
    for (int s = 0; s < steps; s++) {
        fd_step<<<grid, block>>>(d_p, d_q, d_vel2, g);
        float* t = d_p; d_p = d_q; d_q = t;
    }
    return cudaDeviceSynchronize() == cudaSuccess ? 0 : -1;
}
