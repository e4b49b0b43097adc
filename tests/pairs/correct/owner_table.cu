// Row-merge of a sorted COO list: the kernel computes an owner table, owners then sum alone.
#include <cuda_runtime.h>

struct Entry { int row, col; float val; };

__global__ void find_segments(const Entry* __restrict__ e, int n, int* __restrict__ begin, int rows)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > n) return;
    // Entry i opens every row in (row of i-1, row of i].
    const int prev = i == 0 ? -1 : e[i - 1].row;
    const int cur  = i == n ? rows : e[i].row;
    for (int r = prev + 1; r <= cur; ++r) begin[r] = i;
}

// In place: duplicates inside a row are added to the first of them, the count is returned.
__global__ void merge_duplicates(Entry* e, const int* __restrict__ begin, int* __restrict__ len,
                                 int rows)
{
    for (int r = blockIdx.x * blockDim.x + threadIdx.x; r < rows; r += gridDim.x * blockDim.x) {
        const int b = begin[r], end = begin[r + 1];
        int w = b;
        for (int i = b; i < end; ++i) {
            if (w > b && e[w - 1].col == e[i].col) {
                e[w - 1].val += e[i].val;
            } else {
                if (w != i) e[w] = e[i];
                ++w;
            }
        }
        len[r] = w - b;
    }
}

__global__ void normalise_rows(Entry* e, const int* __restrict__ begin, const int* __restrict__ len,
                               int rows)
{
    const int r = blockIdx.x;
    if (r >= rows) return;
    __shared__ float sum;
    if (threadIdx.x == 0) sum = 0.f;
    __syncthreads();
    Entry* row = e + begin[r];
    const int n = len[r];
    float s = 0.f;
    for (int i = threadIdx.x; i < n; i += blockDim.x) s += fabsf(row[i].val);
    atomicAdd(&sum, s);
    __syncthreads();
    const float d = sum;
    if (d > 0.f)
        for (int i = threadIdx.x; i < n; i += blockDim.x) row[i].val /= d;
}

// e sorted by (row, col), rows within [0, rows); begin: rows + 1 ints.
cudaError_t compact_rows(Entry* e, int n, int rows, int* begin, int* len, cudaStream_t s)
{
    if (rows <= 0 || n < 0) return cudaErrorInvalidValue;
    find_segments<<<n / 256 + 1, 256, 0, s>>>(e, n, begin, rows);
    int g = (rows + 127) / 128;
    if (g > 1024) g = 1024;
    merge_duplicates<<<g, 128, 0, s>>>(e, begin, len, rows);
    normalise_rows<<<rows, 64, 0, s>>>(e, begin, len, rows);
    return cudaGetLastError();
}
