// Persistent GRU layer: one cooperative launch runs the whole sequence.
#include <cooperative_groups.h>
#include <cuda_runtime.h>

#include <cstdio>

namespace cg = cooperative_groups;

namespace rnn {

struct GruParams {
    const float* x_proj;  // [T][B][3H], input projections with bias
    const float* w_zr;    // [2H][H]
    const float* w_n;     // [H][H]
    float* h[2];          // [B][H] ping-pong, h[0] holds the initial state
    float* z;             // [B][H]
    float* rh;            // [B][H]
    float* y;             // [T][B][H]
    int T, B, H;
};

__device__ __forceinline__ float sigmoid(float x) { return 1.f / (1.f + __expf(-x)); }

template <int LANES>
__device__ __forceinline__ float dot_row(const cg::thread_block_tile<LANES>& tile, const float* w, const float* v, int n)
{
    float s = 0.f;
    for (int i = tile.thread_rank(); i < n; i += LANES) s += w[i] * __ldcg(v + i);
#pragma unroll
    for (int o = LANES / 2; o > 0; o /= 2) s += tile.shfl_xor(s, o);
    return s;
}

template <int LANES>
class GruStep {
public:
    __device__ GruStep(const GruParams& p, cg::thread_block_tile<LANES> tile) : p_(p), tile_(tile)
    {
        first_ = (blockIdx.x * blockDim.x + threadIdx.x) / LANES;
        step_ = gridDim.x * blockDim.x / LANES;
    }

    // z and r * h
    __device__ void gates(int t) const
    {
        const float* h = p_.h[t & 1];
        for (int u = first_; u < p_.B * 2 * p_.H; u += step_) {
            const int b = u / (2 * p_.H), g = u % (2 * p_.H);
            const float s = dot_row<LANES>(tile_, p_.w_zr + (size_t)g * p_.H, h + b * p_.H, p_.H);
            if (tile_.thread_rank() == 0) {
                const float v = sigmoid(s + p_.x_proj[((size_t)t * p_.B + b) * 3 * p_.H + g]);
                if (g < p_.H) p_.z[b * p_.H + g] = v;
                else p_.rh[b * p_.H + g - p_.H] = v * __ldcg(h + b * p_.H + g - p_.H);
            }
        }
    }

    __device__ void candidate(int t) const
    {
        const float* h = p_.h[t & 1];
        float* h_next = p_.h[(t + 1) & 1];
        for (int u = first_; u < p_.B * p_.H; u += step_) {
            const int b = u / p_.H, j = u % p_.H;
            const float s = dot_row<LANES>(tile_, p_.w_n + (size_t)j * p_.H, p_.rh + b * p_.H, p_.H);
            if (tile_.thread_rank() == 0) {
                const float n = tanhf(s + p_.x_proj[((size_t)t * p_.B + b) * 3 * p_.H + 2 * p_.H + j]);
                const float z = __ldcg(p_.z + u);
                const float v = (1.f - z) * n + z * __ldcg(h + u);
                h_next[u] = v;
                p_.y[(size_t)t * p_.B * p_.H + u] = v;
            }
        }
    }

private:
    const GruParams& p_;
    cg::thread_block_tile<LANES> tile_;
    int first_, step_;
};

template <int LANES>
__global__ void __launch_bounds__(256) gru_forward(GruParams p)
{
    cg::grid_group grid = cg::this_grid();
    const auto tile = cg::tiled_partition<LANES>(cg::this_thread_block());
    const GruStep<LANES> step(p, tile);
    for (int t = 0; t < p.T; ++t) {
        step.gates(t);
        grid.sync();
        step.candidate(t);
        if (t + 1 < p.T) grid.sync();
    }
}

template <int LANES>
static cudaError_t launch(GruParams p, cudaStream_t s)
{
    int dev = 0, sms = 0, per_sm = 0;
    cudaGetDevice(&dev);
    cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, dev);
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_sm, gru_forward<LANES>, 256, 0);
    void* args[] = {&p};
    return cudaLaunchCooperativeKernel((const void*)gru_forward<LANES>, dim3(sms * per_sm), dim3(256), args, 0, s);
}

cudaError_t gru(const GruParams& p, cudaStream_t s)
{
    if (p.T <= 0) return cudaSuccess;
    const cudaError_t e = p.H <= 64 ? launch<8>(p, s) : p.H <= 256 ? launch<16>(p, s) : launch<32>(p, s);
    if (e != cudaSuccess) fprintf(stderr, "gru: %s\n", cudaGetErrorString(e));
    return e;
}

}  // namespace rnn
