// Each thread owns one ragged row; a shared staging table is refilled per step.
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

constexpr int BLOCK = 128;
constexpr int TABLE = 256;

struct Ragged {
    const int *offset;   // rows + 1
    const int *code;     // values in [0, TABLE)
    const float *tables; // nsteps tables of TABLE floats
    float *sum;
    int rows;
    int nsteps;          // longest row of the whole problem
};

__global__ void __launch_bounds__(BLOCK) ragged_decode(Ragged r)
{
    __shared__ float table[TABLE];
    __shared__ int longest;
    const int row = blockIdx.x * BLOCK + threadIdx.x;
    int beg = 0, len = 0;
    if (row < r.rows) {
        beg = r.offset[row];
        len = r.offset[row + 1] - beg;
    }
    if (threadIdx.x == 0)
        longest = 0;
    __syncthreads();
    atomicMax(&longest, len);
    __syncthreads();

    float acc = 0.0f;
    const int steps = longest;
    for (int s = 0; s < steps; ++s) {
        for (int i = threadIdx.x; i < TABLE; i += BLOCK)
            table[i] = r.tables[s * TABLE + i];
        __syncthreads();
        if (s < len)
            acc += table[r.code[beg + s]];
        __syncthreads();
    }
    if (row < r.rows)
        r.sum[row] = acc;
}

int main()
{
    const int rows = 1000;
    std::vector<int> off(rows + 1, 0);
    int longest = 0;
    for (int i = 0; i < rows; ++i) {
        int len = (i * 37) % 19;
        longest = len > longest ? len : longest;
        off[i + 1] = off[i] + len;
    }
    std::vector<int> code(off[rows]);
    for (size_t i = 0; i < code.size(); ++i)
        code[i] = (int)(i * 31 % TABLE);
    std::vector<float> tab((size_t)longest * TABLE, 1.0f);
    int *d_off, *d_code;
    float *d_tab, *d_sum;
    cudaMalloc(&d_off, off.size() * sizeof(int));
    cudaMalloc(&d_code, code.size() * sizeof(int));
    cudaMalloc(&d_tab, tab.size() * sizeof(float));
    cudaMalloc(&d_sum, rows * sizeof(float));
    cudaMemcpy(d_off, off.data(), off.size() * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpy(d_code, code.data(), code.size() * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpy(d_tab, tab.data(), tab.size() * sizeof(float), cudaMemcpyHostToDevice);
    Ragged r{d_off, d_code, d_tab, d_sum, rows, longest};
    ragged_decode<<<(rows + BLOCK - 1) / BLOCK, BLOCK>>>(r);
    std::vector<float> sum(rows);
    cudaMemcpy(sum.data(), d_sum, rows * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f %s\n", sum[7], cudaGetErrorString(cudaGetLastError()));
    return 0;
}
