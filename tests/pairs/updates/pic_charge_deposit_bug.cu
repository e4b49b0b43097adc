/* 2D electrostatic particle-in-cell: cloud-in-cell deposition and field gather. */
#include <cstdlib>
#include <cuda_runtime.h>

typedef struct {
    int nx, ny;
    float dx, dy;
    float qm;       /* charge / mass */
    float q;        /* macro particle charge */
} pic_params_t;

typedef struct {
    float *x, *y;
    float *vx, *vy;
    int n;
} particles_t;

__constant__ pic_params_t P;

__device__ void cic_weights(float x, float y, int *ix, int *iy, float w[4])
{
    float fx = x / P.dx, fy = y / P.dy;
    *ix = (int)floorf(fx);
    *iy = (int)floorf(fy);
    float ax = fx - *ix, ay = fy - *iy;
    w[0] = (1.f - ax) * (1.f - ay);
    w[1] = ax * (1.f - ay);
    w[2] = (1.f - ax) * ay;
    w[3] = ax * ay;
}

__global__ void deposit(particles_t p, float *rho)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= p.n) return;
    int ix, iy;
    float w[4];
    cic_weights(p.x[i], p.y[i], &ix, &iy, w);
    int ix1 = (ix + 1) % P.nx, iy1 = (iy + 1) % P.ny;
    rho[iy * P.nx + ix] += P.q * w[0];
    rho[iy * P.nx + ix1] += P.q * w[1];
    rho[iy1 * P.nx + ix] += P.q * w[2];
    rho[iy1 * P.nx + ix1] += P.q * w[3];
}

__global__ void push(particles_t p, const float2 *E, float dt)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= p.n) return;
    int ix, iy;
    float w[4];
    cic_weights(p.x[i], p.y[i], &ix, &iy, w);
    int ix1 = (ix + 1) % P.nx, iy1 = (iy + 1) % P.ny;
    float2 a = E[iy * P.nx + ix], b = E[iy * P.nx + ix1], c = E[iy1 * P.nx + ix], d = E[iy1 * P.nx + ix1];
    p.vx[i] += dt * P.qm * (w[0] * a.x + w[1] * b.x + w[2] * c.x + w[3] * d.x);
    p.vy[i] += dt * P.qm * (w[0] * a.y + w[1] * b.y + w[2] * c.y + w[3] * d.y);
    float Lx = P.nx * P.dx, Ly = P.ny * P.dy;
    float x = fmodf(p.x[i] + dt * p.vx[i] + Lx, Lx);
    float y = fmodf(p.y[i] + dt * p.vy[i] + Ly, Ly);
    p.x[i] = fminf(x, Lx * 0.999999f);
    p.y[i] = fminf(y, Ly * 0.999999f);
}

void pic_step(const pic_params_t *hp, particles_t p, float *d_rho, float2 *d_E,
              void (*solve_field)(const float *, float2 *, int, int), float dt)
{
    const int tpb = 192;
    cudaMemcpyToSymbol(P, hp, sizeof(*hp));
    cudaMemset(d_rho, 0, sizeof(float) * hp->nx * hp->ny);
    deposit<<<(p.n + tpb - 1) / tpb, tpb>>>(p, d_rho);
    solve_field(d_rho, d_E, hp->nx, hp->ny);
    push<<<(p.n + tpb - 1) / tpb, tpb>>>(p, d_E, dt);
    cudaDeviceSynchronize();
}
