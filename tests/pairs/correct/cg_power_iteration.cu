// Power iteration in one cooperative kernel; rows are spread unevenly over the grid.
#include <cstdio>
#include <vector>
#include <cooperative_groups.h>
#include <cuda_runtime.h>

namespace cg = cooperative_groups;

struct Problem {
    const int *ptr, *col;
    const float *val;
    float *x, *y;
    float *norm2; // three slots, zeroed
    int n;
    float tol;
    int max_iter;
    int *iters;
};

__global__ void __launch_bounds__(128) power(Problem p)
{
    cg::grid_group grid = cg::this_grid();
    const int tid = (int)grid.thread_rank(), stride = (int)grid.size();
    float last = 0.0f;
    int it = 0;
    while (it < p.max_iter) {
        float part = 0.0f;
        for (int r = tid; r < p.n; r += stride) {
            float s = 0.0f;
            for (int j = p.ptr[r]; j < p.ptr[r + 1]; ++j)
                s += p.val[j] * p.x[p.col[j]];
            p.y[r] = s;
            part += s * s;
        }
        float *slot = &p.norm2[it % 3];
        if (part != 0.0f)
            atomicAdd(slot, part);
        grid.sync();
        const float now = sqrtf(*(volatile float *)slot);
        if (tid == 0)
            p.norm2[(it + 2) % 3] = 0.0f; // was read before the last sync, is used after the next
        for (int r = tid; r < p.n; r += stride)
            p.x[r] = now > 0.0f ? p.y[r] / now : 0.0f;
        ++it;
        if (fabsf(now - last) <= p.tol * now)
            break;
        last = now;
        grid.sync();
    }
    if (tid == 0)
        *p.iters = it;
}

int main()
{
    Problem p{};
    p.n = 5000;
    p.tol = 1e-5f;
    p.max_iter = 200;
    std::vector<int> ptr(p.n + 1, 0), col;
    for (int i = 0; i < p.n; ++i) {
        for (int k = 0; k <= i % 9; ++k)
            col.push_back((i * 3 + k * 101) % p.n);
        ptr[i + 1] = (int)col.size();
    }
    std::vector<float> val(col.size(), 0.3f), x(p.n, 1.0f);
    int *dp, *dc;
    float *dv;
    cudaMalloc(&dp, ptr.size() * sizeof(int));
    cudaMalloc(&dc, col.size() * sizeof(int));
    cudaMalloc(&dv, val.size() * sizeof(float));
    cudaMalloc(&p.x, p.n * sizeof(float));
    cudaMalloc(&p.y, p.n * sizeof(float));
    cudaMalloc(&p.norm2, 3 * sizeof(float));
    cudaMalloc(&p.iters, sizeof(int));
    cudaMemcpy(dp, ptr.data(), ptr.size() * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpy(dc, col.data(), col.size() * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpy(dv, val.data(), val.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(p.x, x.data(), p.n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemset(p.norm2, 0, 3 * sizeof(float));
    p.ptr = dp;
    p.col = dc;
    p.val = dv;
    int sms = 0, per = 0;
    cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0);
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per, power, 128, 0);
    void *args[] = {&p};
    cudaError_t e = cudaLaunchCooperativeKernel((void *)power, dim3(sms * (per > 2 ? 2 : per)), dim3(128), args, 0, 0);
    if (e == cudaSuccess)
        e = cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(e));
    return e != cudaSuccess;
}
