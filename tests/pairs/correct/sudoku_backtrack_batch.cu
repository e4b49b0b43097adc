// Backtracking Sudoku solver, one board per thread; boards and stacks live in global memory.
#include <cuda_runtime.h>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#define CELLS 81

struct SolverState {
    uint8_t  *boards;      // [CELLS][count], interleaved
    uint8_t  *stack;       // [CELLS][count], numbers of the empty cells
    uint16_t *row, *col, *box;   // [9][count] used-digit masks
    int       count;
};

__device__ inline int box_of(int cell) { return cell / 27 * 3 + cell % 9 / 3; }

struct Board {
    SolverState s;
    int id;
    __device__ uint8_t &cell(int c) { return s.boards[c * s.count + id]; }
    __device__ uint8_t &empty(int k) { return s.stack[k * s.count + id]; }
    __device__ uint16_t &row(int c) { return s.row[c / 9 * s.count + id]; }
    __device__ uint16_t &col(int c) { return s.col[c % 9 * s.count + id]; }
    __device__ uint16_t &box(int c) { return s.box[box_of(c) * s.count + id]; }
    __device__ void toggle(int c, int d)
    {
        const uint16_t m = (uint16_t)(1u << d);
        row(c) ^= m;
        col(c) ^= m;
        box(c) ^= m;
    }
};

__global__ void solve(SolverState s, int *status, int max_steps)
{
    const int id = blockIdx.x * blockDim.x + threadIdx.x;
    if (id >= s.count)
        return;
    Board b = { s, id };
    for (int i = 0; i < 9; ++i)
        s.row[i * s.count + id] = s.col[i * s.count + id] = s.box[i * s.count + id] = 0;
    int n = 0;
    for (int c = 0; c < CELLS; ++c) {
        const int d = b.cell(c);
        if (d)
            b.toggle(c, d);
        else
            b.empty(n++) = (uint8_t)c;
    }
    int k = 0, steps = 0;
    while (k >= 0 && k < n && steps++ < max_steps) {
        const int c = b.empty(k);
        int d = b.cell(c);
        if (d)
            b.toggle(c, d);
        const uint16_t used = b.row(c) | b.col(c) | b.box(c);
        do {
            ++d;
        } while (d <= 9 && (used >> d & 1));
        if (d > 9) {
            b.cell(c) = 0;
            --k;
        } else {
            b.cell(c) = (uint8_t)d;
            b.toggle(c, d);
            ++k;
        }
    }
    status[id] = k == n ? 1 : k < 0 ? 0 : -1;
}

int main(int argc, char **argv)
{
    SolverState s;
    s.count = argc > 1 ? atoi(argv[1]) : 4096;
    uint8_t *h = (uint8_t *)calloc(CELLS, s.count);
    for (int i = 0; i < s.count; ++i)
        h[(i % CELLS) * s.count + i] = (uint8_t)(1 + i % 9);
    int *d_status;
    cudaMalloc(&s.boards, CELLS * s.count);
    cudaMalloc(&s.stack, CELLS * s.count);
    cudaMalloc(&s.row, 9 * s.count * sizeof(uint16_t));
    cudaMalloc(&s.col, 9 * s.count * sizeof(uint16_t));
    cudaMalloc(&s.box, 9 * s.count * sizeof(uint16_t));
    cudaMalloc(&d_status, s.count * sizeof(int));
    cudaMemcpy(s.boards, h, CELLS * s.count, cudaMemcpyHostToDevice);
    solve<<<(s.count + 63) / 64, 64>>>(s, d_status, 1000000);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    free(h);
    return 0;
}
