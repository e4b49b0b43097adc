// D2Q9 lattice Boltzmann, BGK collision, periodic box.
// A block owns BLK cells of one lattice row. Populations that move along x are
// passed between the threads in shared memory so that all stores coalesce.
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>

#define BLK 128

typedef float real;

struct Lattice {
    int nx, ny;
    real *f[9];   // 0 rest, E N W S, NE NW SW SE
};

__constant__ real c_tau;

__device__ __forceinline__ real feq(real w, real rho, real cu, real usq)
{
    return w * rho * (1.f + 3.f * cu + 4.5f * cu * cu - 1.5f * usq);
}

// Moves e one cell east and w one cell west inside the segment. Values that
// leave the segment go directly to their target row in the neighbour segment.
__device__ void shiftRow(real e, real w, real *dstE, real *dstW,
                         int rowE, int rowW, int x, int nx,
                         real *sE, real *sW)
{
    const int t = threadIdx.x;
    if (t < BLK - 1) sE[t + 1] = e;
    else dstE[rowE + (x + 1 == nx ? 0 : x + 1)] = e;
    if (t > 0) sW[t - 1] = w;
    else dstW[rowW + (x == 0 ? nx - 1 : x - 1)] = w;
    __syncthreads();
    if (t > 0) dstE[rowE + x] = sE[t];
    if (t < BLK - 1) dstW[rowW + x] = sW[t];
}

__global__ void collideStream(Lattice src, Lattice dst)
{
    __shared__ real sE[BLK], sW[BLK];
    const int nx = src.nx, ny = src.ny;
    const int x = blockIdx.x * BLK + threadIdx.x;
    const int y = blockIdx.y;
    const int row = y * nx;
    const int rowN = (y + 1 == ny ? 0 : y + 1) * nx;
    const int rowS = (y == 0 ? ny - 1 : y - 1) * nx;

    real f[9];
    for (int q = 0; q < 9; ++q) f[q] = src.f[q][row + x];

    real rho = 0.f;
    for (int q = 0; q < 9; ++q) rho += f[q];
    const real ux = (f[1] + f[5] + f[8] - f[3] - f[6] - f[7]) / rho;
    const real uy = (f[2] + f[5] + f[6] - f[4] - f[7] - f[8]) / rho;
    const real usq = ux * ux + uy * uy, om = 1.f / c_tau;

    f[0] += om * (feq(4.f / 9.f, rho, 0.f, usq) - f[0]);
    f[1] += om * (feq(1.f / 9.f, rho, ux, usq) - f[1]);
    f[2] += om * (feq(1.f / 9.f, rho, uy, usq) - f[2]);
    f[3] += om * (feq(1.f / 9.f, rho, -ux, usq) - f[3]);
    f[4] += om * (feq(1.f / 9.f, rho, -uy, usq) - f[4]);
    f[5] += om * (feq(1.f / 36.f, rho, ux + uy, usq) - f[5]);
    f[6] += om * (feq(1.f / 36.f, rho, uy - ux, usq) - f[6]);
    f[7] += om * (feq(1.f / 36.f, rho, -ux - uy, usq) - f[7]);
    f[8] += om * (feq(1.f / 36.f, rho, ux - uy, usq) - f[8]);

    dst.f[0][row + x] = f[0];
    dst.f[2][rowN + x] = f[2];
    dst.f[4][rowS + x] = f[4];
    shiftRow(f[1], f[3], dst.f[1], dst.f[3], row, row, x, nx, sE, sW);
    shiftRow(f[5], f[6], dst.f[5], dst.f[6], rowN, rowN, x, nx, sE, sW);
    shiftRow(f[8], f[7], dst.f[8], dst.f[7], rowS, rowS, x, nx, sE, sW);
}

static bool alloc(Lattice &l, int nx, int ny)
{
    l.nx = nx; l.ny = ny;
    const real w[9] = {4.f/9, 1.f/9, 1.f/9, 1.f/9, 1.f/9, 1.f/36, 1.f/36, 1.f/36, 1.f/36};
    real *h = (real *)malloc(sizeof(real) * nx * ny);
    for (int q = 0; q < 9; ++q) {
        for (int i = 0; i < nx * ny; ++i) h[i] = w[q] * (1.f + 0.01f * (i % 13));
        if (cudaMalloc((void **)&l.f[q], sizeof(real) * nx * ny) != cudaSuccess) return false;
        cudaMemcpy(l.f[q], h, sizeof(real) * nx * ny, cudaMemcpyHostToDevice);
    }
    free(h);
    return true;
}

int main(int argc, char **argv)
{
    const int nx = argc > 1 ? atoi(argv[1]) : 1024, ny = argc > 2 ? atoi(argv[2]) : 512;
    if (nx <= 0 || ny < 2 || ny > 65535 || nx % BLK) {
        fprintf(stderr, "nx must be a multiple of %d\n", BLK);
        return 1;
    }
    Lattice a, b;
    if (!alloc(a, nx, ny) || !alloc(b, nx, ny)) return 1;
    const real tau = 0.8f;
    cudaMemcpyToSymbol(c_tau, &tau, sizeof(tau));
    for (int t = 0; t < 500; ++t) {
        collideStream<<<dim3(nx / BLK, ny), BLK>>>(a, b);
        Lattice s = a; a = b; b = s;
    }
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    return 0;
}
