// Sliced ELL: lanes own rows of different length, the warp walks to the longest of them.
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

constexpr unsigned FULL = 0xffffffffu;

struct Sell {
    const int *row_len;
    const int *slice_at; // start of each slice of 32 rows
    const int *col;      // column-major inside the slice
    const float *val;
    int rows;
};

// prefix of the x entries used by lower lanes, as a running checksum per step
__device__ __forceinline__ float lower_neighbour(float v, int lane)
{
    const float o = __shfl_up_sync(FULL, v, 1);
    return lane ? o : 0.0f;
}

__global__ void __launch_bounds__(256) sell_spmv(Sell m, const float *__restrict__ x, float *__restrict__ y, float mix)
{
    const int lane = threadIdx.x & 31;
    const int nslice = (m.rows + 31) / 32;
    const int warps = gridDim.x * (blockDim.x / 32);
    for (int s = (blockIdx.x * blockDim.x + threadIdx.x) / 32; s < nslice; s += warps) {
        const int row = s * 32 + lane;
        const int len = row < m.rows ? m.row_len[row] : 0;
        const int longest = __reduce_max_sync(FULL, len);
        float acc = 0.0f;
        for (int k = 0; k < longest; ++k) {
            float t = 0.0f;
            if (k < len) {
                const int at = m.slice_at[s] + k * 32 + lane;
                t = m.val[at] * x[m.col[at]];
            }
            acc += t + mix * lower_neighbour(t, lane);
        }
        if (row < m.rows)
            y[row] = acc;
    }
}

int main()
{
    const int rows = 3003, ns = (rows + 31) / 32;
    std::vector<int> len(rows), at(ns + 1, 0);
    for (int i = 0; i < rows; ++i)
        len[i] = (i * 41) % 13;
    for (int s = 0; s < ns; ++s) {
        int w = 0;
        for (int r = s * 32; r < rows && r < s * 32 + 32; ++r)
            w = len[r] > w ? len[r] : w;
        at[s + 1] = at[s] + 32 * w;
    }
    std::vector<int> col(at[ns]);
    for (size_t i = 0; i < col.size(); ++i)
        col[i] = (int)(i * 17 % rows);
    int *dl, *da, *dc;
    float *dv, *x, *y;
    cudaMalloc(&dl, rows * sizeof(int));
    cudaMalloc(&da, at.size() * sizeof(int));
    cudaMalloc(&dc, col.size() * sizeof(int));
    cudaMalloc(&dv, col.size() * sizeof(float));
    cudaMalloc(&x, rows * sizeof(float));
    cudaMalloc(&y, rows * sizeof(float));
    cudaMemcpy(dl, len.data(), rows * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpy(da, at.data(), at.size() * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpy(dc, col.data(), col.size() * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemset(dv, 0, col.size() * sizeof(float));
    cudaMemset(x, 0, rows * sizeof(float));
    sell_spmv<<<8, 256>>>(Sell{dl, da, dc, dv, rows}, x, y, 0.25f);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    return 0;
}
