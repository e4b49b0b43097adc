// Red-black SOR for the pressure equation on an irregular fluid domain (list of fluid cells per parity).
#include <cuda_runtime.h>
#include <cstdint>
#include <vector>

struct FluidDomain {
    int nx, ny;
    std::vector<int> cells[2];   // red: (x + y) even, black: odd
    int *d_cells[2];
    uint8_t *d_type;             // 1 fluid, 0 solid
};

struct SorParam {
    float omega;
    float h2;
};

__global__ void sor_half_sweep(const int *__restrict__ cells, int n, int nx, const uint8_t *__restrict__ type,
                               const float *__restrict__ rhs, float *p, SorParam prm)
{
    const int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k >= n)
        return;
    const int c = cells[k];
    const int nb[4] = { c - 1, c + 1, c - nx, c + nx };   // border cells are solid
    float sum = 0.f;
    int open = 0;
    for (int d = 0; d < 4; ++d)
        if (type[nb[d]]) {
            sum += p[nb[d]];
            ++open;
        }
    if (open)
        p[c] = (1.f - prm.omega) * p[c] + prm.omega * (sum - prm.h2 * rhs[c]) / open;
}

__global__ void subtract_gradient(int nx, int ny, const uint8_t *__restrict__ type, const float *__restrict__ p, float2 *vel,
                                  float scale)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x + 1;
    const int y = blockIdx.y * blockDim.y + threadIdx.y + 1;
    if (x >= nx - 1 || y >= ny - 1)
        return;
    const int c = y * nx + x;
    if (!type[c])
        return;
    float2 v = vel[c];
    v.x -= scale * (p[c] - (type[c - 1] ? p[c - 1] : p[c]));
    v.y -= scale * (p[c] - (type[c - nx] ? p[c - nx] : p[c]));
    vel[c] = v;
}

void make_domain(FluidDomain &d, const std::vector<uint8_t> &solid)
{
    std::vector<uint8_t> type(d.nx * d.ny, 0);
    for (int y = 1; y < d.ny - 1; ++y)
        for (int x = 1; x < d.nx - 1; ++x) {
            const int c = y * d.nx + x;
            if (solid[c])
                continue;
            type[c] = 1;
            d.cells[(x + y) & 1].push_back(c);
        }
    cudaMalloc(&d.d_type, type.size());
    cudaMemcpy(d.d_type, type.data(), type.size(), cudaMemcpyHostToDevice);
    for (int k = 0; k < 2; ++k) {
        cudaMalloc(&d.d_cells[k], d.cells[k].size() * sizeof(int));
        cudaMemcpy(d.d_cells[k], d.cells[k].data(), d.cells[k].size() * sizeof(int), cudaMemcpyHostToDevice);
    }
}

void project(FluidDomain &d, const float *rhs, float *p, float2 *vel, float h, int iterations)
{
    const SorParam prm = { 1.7f, h * h };
    for (int it = 0; it < iterations; ++it)
        for (int k = 0; k < 2; ++k) {
            const int n = (int)d.cells[k].size();
            if (n)
                sor_half_sweep<<<(n + 127) / 128, 128>>>(d.d_cells[k], n, d.nx, d.d_type, rhs, p, prm);
        }
    dim3 b(32, 4), g((d.nx + 31) / 32, (d.ny + 3) / 4);
    subtract_gradient<<<g, b>>>(d.nx, d.ny, d.d_type, p, vel, 1.f / h);
}
