// COO SpMV: a segmented warp scan over sorted row indices, open segments end in atomics.
#include <cuda_runtime.h>
#include <stdexcept>

constexpr unsigned ALL = 0xffffffffu;

__global__ void __launch_bounds__(256)
cooSpmv(const int* __restrict__ row, const int* __restrict__ col, const float* __restrict__ val, int nnz, int interval,
        const float* __restrict__ x, float* __restrict__ y)
{
    const int warp = (blockIdx.x * blockDim.x + threadIdx.x) >> 5;
    const int lane = threadIdx.x & 31;
    const int begin = warp * interval;              // interval is a multiple of 32
    const int end = min(begin + interval, nnz);
    if (begin >= end) return;                       // decided per warp

    int carryRow = row[begin];
    float carry = 0.f;
    for (int base = begin; base < end; base += 32) {
        const int k = base + lane;
        const bool in = k < end;
        // The tail repeats the last row with zeros.
        const int r = row[in ? k : end - 1];
        float v = in ? val[k] * x[col[k]] : 0.f;
        if (lane == 0) {
            if (r == carryRow) v += carry;
            else atomicAdd(&y[carryRow], carry);
        }
        const int prev = __shfl_up_sync(ALL, r, 1);
        const unsigned heads = __ballot_sync(ALL, lane == 0 || prev != r);
        const int start = 31 - __clz(heads & (ALL >> (31 - lane)));
        #pragma unroll
        for (int d = 1; d < 32; d <<= 1) {
            const float o = __shfl_up_sync(ALL, v, d);
            if (lane - d >= start) v += o;
        }
        const bool last = lane == 31 ? false : (heads >> (lane + 1)) & 1u;
        if (last) atomicAdd(&y[r], v);
        carryRow = __shfl_sync(ALL, r, 31);
        carry = __shfl_sync(ALL, v, 31);
    }
    if (lane == 0) atomicAdd(&y[carryRow], carry);
}

void coo(const int* row, const int* col, const float* val, int nnz, const float* x, float* y, int rows, cudaStream_t s)
{
    if (nnz < 0 || nnz > (1 << 28) || rows <= 0 || x == y) throw std::invalid_argument("coo");
    cudaMemsetAsync(y, 0, rows * sizeof(float), s);
    if (nnz == 0) return;
    const int units = (nnz + 31) / 32;
    const int warps = units < 4096 ? units : 4096;
    const int interval = 32 * ((units + warps - 1) / warps);
    cooSpmv<<<(warps + 7) / 8, 256, 0, s>>>(row, col, val, nnz, interval, x, y);
}
