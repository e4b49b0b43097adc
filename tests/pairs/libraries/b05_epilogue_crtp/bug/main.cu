#include "part.cuh"

using namespace epi;

// out[m][n] = f(sum_k A[m][k] * B[k][n]); the accumulators are laid out like
// those of the tensor core path: 8 x 4 lanes, a few columns per lane.
template <typename Tile, template <typename> class Epilogue, typename Element>
__global__ void __launch_bounds__(Tile::Threads)
small_k_gemm(const float* A, const float* B, Element* out, OutputView v, int K,
             typename Epilogue<Tile>::Arguments args)
{
    __shared__ EpilogueStorage<Tile> storage;
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const int wm = warp / Tile::WarpsN, wn = warp % Tile::WarpsN;
    const int m0 = blockIdx.y * Tile::M, n0 = blockIdx.x * Tile::N;
    const int c0 = n0 + wn * (Tile::N / Tile::WarpsN) + (lane % 4) * Tile::ColsPerLane;

    Fragment<Tile> acc;
    for (int s = 0; s < Tile::Steps; ++s) {
        const int row = m0 + wm * (8 * Tile::Steps) + s * 8 + lane / 4;
        for (int j = 0; j < Tile::ColsPerLane; ++j) {
            float sum = 0.f;
            if (row < v.rows && c0 + j < v.cols)
                for (int k = 0; k < K; ++k) sum += A[(size_t)row * K + k] * B[(size_t)k * v.cols + c0 + j];
            acc[s][j] = sum;
        }
    }
    Epilogue<Tile> epilogue(storage, args);
    epilogue.run(acc, out, v, m0, n0);
}

template <typename Tile>
static dim3 grid_for(int m, int n) { return dim3((n + Tile::N - 1) / Tile::N, (m + Tile::M - 1) / Tile::M); }

cudaError_t linear_bias_relu(const float* A, const float* B, const float* bias, __half* out, int m, int n, int k,
                             cudaStream_t st)
{
    const OutputView v{m, n, n};
    if (m <= 64) {
        using T = OutputTile<32, 64, 2, 2>;
        small_k_gemm<T, BiasRelu, __half><<<grid_for<T>(m, n), T::Threads, 0, st>>>(A, B, out, v, k, {bias});
    } else {
        using T = OutputTile<128, 64, 4, 2>;
        small_k_gemm<T, BiasRelu, __half><<<grid_for<T>(m, n), T::Threads, 0, st>>>(A, B, out, v, k, {bias});
    }
    return cudaGetLastError();
}

cudaError_t scaled_linear(const float* A, const float* B, const float* scale, float alpha, float* out, int m, int n,
                          int k, cudaStream_t st)
{
    using T = OutputTile<64, 64, 4, 1>;
    small_k_gemm<T, ScaleRow, float><<<grid_for<T>(m, n), T::Threads, 0, st>>>(A, B, out, {m, n, n}, k, {scale, alpha});
    return cudaGetLastError();
}
