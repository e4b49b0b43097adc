// 3-D 7-point stencil marching in z; planes live in a ring of three shared buffers.
#include <cstdio>
#include <cuda_runtime.h>

constexpr int BX = 32, BY = 8;
constexpr int W = BX + 2, H = BY + 2;

struct Dim3i { int nx, ny, nz; };

__device__ __forceinline__ void load_plane(float (*p)[W], const float *in, Dim3i d, int x0, int y0, int z)
{
    for (int i = threadIdx.y * BX + threadIdx.x; i < W * H; i += BX * BY) {
        const int x = x0 + i % W - 1, y = y0 + i / W - 1;
        const bool ok = x >= 0 && x < d.nx && y >= 0 && y < d.ny;
        p[i / W][i % W] = ok ? in[((size_t)z * d.ny + y) * d.nx + x] : 0.0f;
    }
}

__global__ void __launch_bounds__(BX * BY) march(const float *__restrict__ in, float *__restrict__ out, Dim3i d, float k)
{
    __shared__ float plane[3][H][W];
    const int x0 = blockIdx.x * BX, y0 = blockIdx.y * BY;
    const int x = x0 + threadIdx.x, y = y0 + threadIdx.y;
    const int tx = threadIdx.x + 1, ty = threadIdx.y + 1;
    const bool in_range = x < d.nx && y < d.ny;

    float below = 0.0f, here = 0.0f;
    load_plane(plane[0], in, d, x0, y0, 0);
    int cur = 0;
    for (int z = 0; z < d.nz; ++z) {
        const int nxt = cur == 2 ? 0 : cur + 1;
        if (z + 1 < d.nz)
            load_plane(plane[nxt], in, d, x0, y0, z + 1);
        __syncthreads();
        here = plane[cur][ty][tx];
        const float above = z + 1 < d.nz ? plane[nxt][ty][tx] : 0.0f;
        const float sum = plane[cur][ty][tx - 1] + plane[cur][ty][tx + 1] +
                          plane[cur][ty - 1][tx] + plane[cur][ty + 1][tx] + below + above;
        if (in_range)
            out[((size_t)z * d.ny + y) * d.nx + x] = here + k * (sum - 6.0f * here);
        below = here;
        cur = nxt;
    }
}

int main()
{
    const Dim3i d{200, 101, 57};
    const size_t n = (size_t)d.nx * d.ny * d.nz;
    float *a, *b;
    cudaMalloc(&a, n * sizeof(float));
    cudaMalloc(&b, n * sizeof(float));
    cudaMemset(a, 0, n * sizeof(float));
    const dim3 block(BX, BY), grid((d.nx + BX - 1) / BX, (d.ny + BY - 1) / BY);
    for (int it = 0; it < 10; ++it) {
        march<<<grid, block>>>(a, b, d, 0.1f);
        float *t = a;
        a = b;
        b = t;
    }
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    cudaFree(a);
    cudaFree(b);
    return 0;
}
