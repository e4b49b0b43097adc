// Red/black SOR on a 2-D grid, updated in place.
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

struct Grid2 {
    float *u;
    const float *f;
    int nx, ny; // including the boundary
    __host__ __device__ int at(int x, int y) const { return y * nx + x; }
};

template <int COLOUR>
__global__ void sor_half(Grid2 g, float omega)
{
    const int y = blockIdx.y * blockDim.y + threadIdx.y + 1;
    if (y >= g.ny - 1)
        return;
    const int half = blockIdx.x * blockDim.x + threadIdx.x;
    const int x = 1 + 2 * half + ((y + COLOUR) & 1);
    if (x >= g.nx - 1)
        return;
    const float old = g.u[g.at(x, y)];
    const float gs = 0.25f * (g.u[g.at(x - 1, y)] + g.u[g.at(x + 1, y)] +
                              g.u[g.at(x, y - 1)] + g.u[g.at(x, y + 1)] - g.f[g.at(x, y)]);
    g.u[g.at(x, y)] = old + omega * (gs - old);
}

int main(int argc, char **argv)
{
    const int nx = argc > 1 ? atoi(argv[1]) : 515;
    const int ny = argc > 2 ? atoi(argv[2]) : 259;
    if (nx < 3 || ny < 3 || nx > 16384 || ny > 16384)
        return 1;
    std::vector<float> h((size_t)nx * ny, 0.0f);
    for (int x = 0; x < nx; ++x)
        h[x] = 1.0f;
    float *u, *f;
    const size_t bytes = h.size() * sizeof(float);
    cudaMalloc(&u, bytes);
    cudaMalloc(&f, bytes);
    cudaMemcpy(u, h.data(), bytes, cudaMemcpyHostToDevice);
    cudaMemset(f, 0, bytes);
    Grid2 g{u, f, nx, ny};
    const dim3 block(32, 8);
    const dim3 grid(((nx - 1) / 2 + block.x - 1) / block.x, (ny - 2 + block.y - 1) / block.y);
    cudaStream_t s;
    cudaStreamCreate(&s);
    for (int it = 0; it < 100; ++it) {
        sor_half<0><<<grid, block, 0, s>>>(g, 1.7f);
        sor_half<1><<<grid, block, 0, s>>>(g, 1.7f);
    }
    cudaStreamSynchronize(s);
    cudaMemcpy(h.data(), u, bytes, cudaMemcpyDeviceToHost);
    printf("%f %s\n", h[nx + 1], cudaGetErrorString(cudaGetLastError()));
    cudaStreamDestroy(s);
    cudaFree(u);
    cudaFree(f);
    return 0;
}
