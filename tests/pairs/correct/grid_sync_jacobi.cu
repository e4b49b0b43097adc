// Jacobi relaxation in one cooperative launch, double buffers swapped at grid.sync.
#include <cooperative_groups.h>
#include <cuda_runtime.h>

namespace cg = cooperative_groups;

struct Jacobi {
    float* a;
    float* b;
    const float* rhs;
    int nx, ny;
    int max_iter;
    float tol;
    float* err;          // two slots, both zero at launch; non-negative floats as bits
    int* iterations;
};

__global__ void jacobi(Jacobi p)
{
    cg::grid_group grid = cg::this_grid();
    float* src = p.a;
    float* dst = p.b;
    const int cells = p.nx * p.ny;

    int it = 0;
    for (; it < p.max_iter; ++it) {
        float local = 0.f;
        for (int i = (int)grid.thread_rank(); i < cells; i += (int)grid.size()) {
            const int x = i % p.nx, y = i / p.nx;
            float v = src[i];
            if (x > 0 && x < p.nx - 1 && y > 0 && y < p.ny - 1) {
                const float n = 0.25f * (src[i - 1] + src[i + 1] + src[i - p.nx] + src[i + p.nx] -
                                         p.rhs[i]);
                local = fmaxf(local, fabsf(n - v));
                v = n;
            }
            dst[i] = v;
        }
        atomicMax(reinterpret_cast<int*>(&p.err[it & 1]), __float_as_int(local));
        grid.sync();
        const float e = p.err[it & 1];
        // the other slot was read before the sync above and is used after the next one
        if (grid.thread_rank() == 0) p.err[(it + 1) & 1] = 0.f;
        grid.sync();
        float* t = src;
        src = dst;
        dst = t;
        if (e < p.tol) {
            ++it;
            break;
        }
    }
    if (grid.thread_rank() == 0) *p.iterations = it;
}

cudaError_t solve(Jacobi p, cudaStream_t s)
{
    if (p.nx < 3 || p.ny < 3 || (long long)p.nx * p.ny > (1 << 30)) return cudaErrorInvalidValue;
    int dev = 0, sms = 0, per_sm = 0;
    cudaGetDevice(&dev);
    cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, dev);
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_sm, jacobi, 256, 0);
    if (per_sm < 1) return cudaErrorLaunchOutOfResources;
    cudaMemsetAsync(p.err, 0, 2 * sizeof(float), s);
    void* args[] = {&p};
    return cudaLaunchCooperativeKernel((void*)jacobi, dim3(sms * per_sm), dim3(256), args, 0, s);
}
