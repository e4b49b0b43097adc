#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>
#include <cuda_runtime.h>

struct Mesh {
    int nx, ny;
    float dx, dy;
    __host__ __device__ int node(int i, int j) const { return ((j + ny) % ny) * nx + (i + nx) % nx; }
};

struct Particles {
    float* x;
    float* y;
    float* vx;
    float* vy;
    int count;
};

#define CHECKED(call) checked((call), #call)
static void checked(cudaError_t e, const char* text) {
    if (e != cudaSuccess) {
        std::fprintf(stderr, "%s: %s\n", text, cudaGetErrorString(e));
        std::exit(1);
    }
}

__global__ void push(Particles p, Mesh m, float dt) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= p.count) return;
    const float lx = m.nx * m.dx, ly = m.ny * m.dy;
    float x = fmodf(p.x[i] + dt * p.vx[i], lx);
    float y = fmodf(p.y[i] + dt * p.vy[i], ly);
    p.x[i] = x < 0.f ? x + lx : x;
    p.y[i] = y < 0.f ? y + ly : y;
}

// bilinear (cloud in cell) weighting, periodic mesh
__global__ void deposit(Particles p, Mesh m, float q, float* rho) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= p.count) return;
    const float gx = p.x[i] / m.dx, gy = p.y[i] / m.dy;
    const int ix = int(gx), iy = int(gy);
    const float wx = gx - ix, wy = gy - iy;
    rho[m.node(ix, iy)] += q * (1.f - wx) * (1.f - wy);
    atomicAdd(&rho[m.node(ix + 1, iy)], q * wx * (1.f - wy));
    atomicAdd(&rho[m.node(ix, iy + 1)], q * (1.f - wx) * wy);
    atomicAdd(&rho[m.node(ix + 1, iy + 1)], q * wx * wy);
}

int main(int argc, char** argv) {
    const int n = argc > 1 ? std::atoi(argv[1]) : 1000000;
    const int steps = argc > 2 ? std::atoi(argv[2]) : 10;
    const Mesh mesh{128, 128, 0.1f, 0.1f};
    std::mt19937 gen(5);
    std::uniform_real_distribution<float> ux(0.f, mesh.nx * mesh.dx), uy(0.f, mesh.ny * mesh.dy), uv(-1.f, 1.f);
    std::vector<float> buf(size_t(n) * 4);
    for (int i = 0; i < n; ++i) {
        buf[i] = ux(gen);
        buf[n + i] = uy(gen);
        buf[2 * size_t(n) + i] = uv(gen);
        buf[3 * size_t(n) + i] = uv(gen);
    }
    float *d, *dRho;
    const size_t nodes = size_t(mesh.nx) * mesh.ny;
    CHECKED(cudaMalloc(&d, buf.size() * sizeof(float)));
    CHECKED(cudaMalloc(&dRho, nodes * sizeof(float)));
    CHECKED(cudaMemcpy(d, buf.data(), buf.size() * sizeof(float), cudaMemcpyHostToDevice));
    const Particles p{d, d + n, d + 2 * size_t(n), d + 3 * size_t(n), n};
    const int block = 192, grid = (n + block - 1) / block;
    for (int s = 0; s < steps; ++s) {
        push<<<grid, block>>>(p, mesh, 0.01f);
        CHECKED(cudaMemset(dRho, 0, nodes * sizeof(float)));
        deposit<<<grid, block>>>(p, mesh, 1.0f / n, dRho);
    }
    CHECKED(cudaGetLastError());
    std::vector<float> rho(nodes);
    CHECKED(cudaMemcpy(rho.data(), dRho, nodes * sizeof(float), cudaMemcpyDeviceToHost));
    double total = 0;
    for (float r : rho) total += r;
    std::printf("total charge %f\n", total);
    CHECKED(cudaFree(d));
    CHECKED(cudaFree(dRho));
    return 0;
}
