// Dominant eigenvalue of many symmetric 16x16 matrices.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda_runtime.h>

namespace cg = cooperative_groups;

static const int DIM = 16;

template <class Tile>
__device__ float dot(Tile &tile, float a, float b)
{
    const float s = cg::reduce(tile, a * b, cg::plus<float>());
    return tile.shfl(s, 0);
}

__global__ void dominant(const float *mats, int batch, float tol, int max_iter, float *lambda,
                         float *vectors)
{
    cg::thread_block_tile<DIM> tile = cg::tiled_partition<DIM>(cg::this_thread_block());
    const int m = blockIdx.x * (blockDim.x / DIM) + tile.meta_group_rank();
    if (m >= batch)
        return;
    const int r = tile.thread_rank();

    float row[DIM];
    for (int c = 0; c < DIM; ++c)
        row[c] = mats[(size_t)m * DIM * DIM + c * DIM + r];

    float v = 0.25f;
    float value = 0.0f;
    for (int it = 0; it < max_iter; ++it) {
        float w = 0.0f;
#pragma unroll
        for (int c = 0; c < DIM; ++c)
            w += row[c] * tile.shfl(v, c);
        const float norm = sqrtf(dot(tile, w, w));
        if (!(norm > 1e-30f)) {
            value = 0.0f;
            break;
        }
        const float next = dot(tile, v, w);
        v = w / norm;
        const bool settled = fabsf(next - value) <= tol * fabsf(next);
        value = next;
        if (settled)
            break;
    }
    vectors[m * DIM + r] = v;
    if (r == 0)
        lambda[m] = value;
}

cudaError_t dominant_eigenpairs(const float *mats, int batch, float tol, int max_iter,
                                float *lambda, float *vectors, cudaStream_t stream)
{
    if (batch <= 0 || batch > (1 << 26) || tol < 0.0f || max_iter < 1)
        return cudaErrorInvalidValue;
    const int block = 64;
    const int per_block = block / DIM;
    dominant<<<(batch + per_block - 1) / per_block, block, 0, stream>>>(mats, batch, tol,
                                                                       max_iter, lambda, vectors);
    return cudaGetLastError();
}
