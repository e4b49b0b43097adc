// CSR sparse matrix-vector product, one 8-lane tile per row.
#include <cooperative_groups.h>
#include <cuda_runtime.h>
#include <algorithm>
#include <stdexcept>
#include <vector>

namespace cg = cooperative_groups;

namespace sparse {

struct CsrView {
    int rows;
    const int *offsets;
    const int *columns;
    const float *values;
};

constexpr int kTile = 8;
constexpr int kBlock = 128;

template <typename Tile>
__device__ float tile_sum(const Tile &tile, float v)
{
#pragma unroll
    for (int d = tile.size() / 2; d > 0; d >>= 1)
        v += tile.shfl_down(v, d);
    return v;
}

__global__ void spmv(CsrView a, const float *__restrict__ x, float *__restrict__ y,
                     float alpha, float beta)
{
    auto tile = cg::tiled_partition<kTile>(cg::this_thread_block());
    const int tiles_per_block = blockDim.x / kTile;
    const int first = blockIdx.x * tiles_per_block + threadIdx.x / kTile;
    const int stride = gridDim.x * tiles_per_block;

    for (int row = first; row < a.rows; row += stride) {
        const int begin = a.offsets[row];
        const int end = a.offsets[row + 1];
        if (begin == end) {
            if (tile.thread_rank() == 0)
                y[row] *= beta;
            continue;
        }
        float acc = 0.0f;
        for (int k = begin + static_cast<int>(tile.thread_rank()); k < end; k += kTile)
            acc += a.values[k] * x[a.columns[k]];
        acc = tile_sum(tile, acc);
        if (tile.thread_rank() == 0)
            y[row] = alpha * acc + beta * y[row];
    }
}

void multiply(const CsrView &a, const float *x, float *y, float alpha, float beta,
              cudaStream_t stream)
{
    if (a.rows < 0 || !a.offsets || !x || !y)
        throw std::invalid_argument("spmv: bad arguments");
    if (a.rows == 0)
        return;
    const int rows_per_block = kBlock / kTile;
    const int blocks = std::min((a.rows + rows_per_block - 1) / rows_per_block, 4096);
    spmv<<<blocks, kBlock, 0, stream>>>(a, x, y, alpha, beta);
    if (cudaGetLastError() != cudaSuccess)
        throw std::runtime_error("spmv: launch failed");
}

}  // namespace sparse
