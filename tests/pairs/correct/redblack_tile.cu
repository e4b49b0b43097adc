#include <cuda_runtime.h>
#include <algorithm>

#define W 32
#define H 32

// Block Gauss-Seidel smoothing: every block solves its own tile with a frozen halo,
// reading from `u` and writing to `v`.
__global__ void __launch_bounds__(256)
smooth_tiles(const float *u, const float *f, float *v, int nx, int ny, int sweeps, float tol)
{
    __shared__ float s[H + 2][W + 2];
    const int x0 = blockIdx.x * W, y0 = blockIdx.y * H;

    for (int k = threadIdx.x; k < (H + 2) * (W + 2); k += blockDim.x) {
        const int ly = k / (W + 2), lx = k % (W + 2);
        const int gx = min(max(x0 + lx - 1, 0), nx - 1);
        const int gy = min(max(y0 + ly - 1, 0), ny - 1);
        s[ly][lx] = u[(size_t)gy * nx + gx];
    }
    __syncthreads();

    for (int sweep = 0; sweep < sweeps; ++sweep) {
        bool changed = false;
        for (int colour = 0; colour < 2; ++colour) {
            for (int k = threadIdx.x; k < H * W / 2; k += blockDim.x) {
                const int ly = k / (W / 2) + 1;
                const int lx = 2 * (k % (W / 2)) + ((ly + colour) & 1) + 1;
                const int gx = x0 + lx - 1, gy = y0 + ly - 1;
                if (gx > 0 && gy > 0 && gx < nx - 1 && gy < ny - 1) {
                    const float old = s[ly][lx];
                    const float now = 0.25f * (s[ly - 1][lx] + s[ly + 1][lx] + s[ly][lx - 1] +
                                               s[ly][lx + 1] - f[(size_t)gy * nx + gx]);
                    s[ly][lx] = now;
                    changed |= fabsf(now - old) > tol;
                }
            }
            if (colour == 0)
                __syncthreads();
        }
        if (__syncthreads_or(changed) == 0)
            break;
    }

    for (int k = threadIdx.x; k < H * W; k += blockDim.x) {
        const int ly = k / W, lx = k % W;
        if (x0 + lx < nx && y0 + ly < ny)
            v[(size_t)(y0 + ly) * nx + x0 + lx] = s[ly + 1][lx + 1];
    }
}

cudaError_t smooth(float *u, float *tmp, const float *f, int nx, int ny, int rounds, int sweeps,
                   float tol, cudaStream_t stream)
{
    if (nx < 3 || ny < 3 || ny > 65535 * H || rounds < 0 || sweeps < 1 || u == tmp)
        return cudaErrorInvalidValue;
    const dim3 grid((nx + W - 1) / W, (ny + H - 1) / H);
    float *from = u, *to = tmp;
    for (int r = 0; r < rounds; ++r) {
        smooth_tiles<<<grid, 256, 0, stream>>>(from, f, to, nx, ny, sweeps, tol);
        std::swap(from, to);
    }
    if (from != u)
        cudaMemcpyAsync(u, from, sizeof(float) * nx * (size_t)ny, cudaMemcpyDeviceToDevice, stream);
    return cudaGetLastError();
}
