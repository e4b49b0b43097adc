// Red-black SOR, in place on a padded grid; one launch per colour.
#include <cuda_runtime.h>
#include <stdexcept>

struct Grid {
    float* u;
    const float* rhs;
    int nx, ny;         // interior size; the array is (nx + 2) x (ny + 2)
    __device__ __forceinline__ int at(int x, int y) const { return y * (nx + 2) + x; }
};

template <int COLOUR>
__global__ void __launch_bounds__(128) relax(Grid g, float omega, float h2)
{
    const int y = blockIdx.y * blockDim.y + threadIdx.y + 1;
    if (y > g.ny) return;
    // compact index: only the cells of one colour of row y
    const int half = blockIdx.x * blockDim.x + threadIdx.x;
    const int x = 2 * half + 1 + ((y + COLOUR) & 1);
    if (x > g.nx) return;
    const float c = g.u[g.at(x, y)];
    const float s = g.u[g.at(x - 1, y)] + g.u[g.at(x + 1, y)] + g.u[g.at(x, y - 1)] + g.u[g.at(x, y + 1)];
    g.u[g.at(x, y)] = c + omega * (0.25f * (s - h2 * g.rhs[g.at(x, y)]) - c);
}

__global__ void __launch_bounds__(128) periodicX(Grid g)
{
    const int y = blockIdx.x * blockDim.x + threadIdx.x + 1;
    if (y > g.ny) return;
    g.u[g.at(0, y)] = g.u[g.at(g.nx, y)];
    g.u[g.at(g.nx + 1, y)] = g.u[g.at(1, y)];
}

void sor(Grid g, float omega, float h, int sweeps, cudaStream_t s)
{
    if (g.nx < 2 || g.ny < 2 || g.nx > 16384 || g.ny > 16384 || g.u == g.rhs) throw std::invalid_argument("sor");
    const dim3 b(32, 4);
    const dim3 n(((g.nx + 1) / 2 + b.x - 1) / b.x, (g.ny + b.y - 1) / b.y);
    for (int k = 0; k < sweeps; ++k) {
        relax<0><<<n, b, 0, s>>>(g, omega, h * h);
        periodicX<<<(g.ny + 127) / 128, 128, 0, s>>>(g);
        relax<1><<<n, b, 0, s>>>(g, omega, h * h);
        periodicX<<<(g.ny + 127) / 128, 128, 0, s>>>(g);
    }
}

int main()
{
    const int nx = 500, ny = 301;
    const size_t bytes = (size_t)(nx + 2) * (ny + 2) * sizeof(float);
    float *u, *f;
    cudaMalloc(&u, bytes);
    cudaMalloc(&f, bytes);
    cudaMemset(u, 0, bytes);
    cudaMemset(f, 0, bytes);
    sor(Grid{u, f, nx, ny}, 1.7f, 1.f / nx, 20, 0);
    cudaDeviceSynchronize();
    cudaFree(u);
    cudaFree(f);
    return 0;
}
