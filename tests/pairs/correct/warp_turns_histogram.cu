// Float histogram with deterministic order: the warps of a block take turns on the shared bins.
#include <cuda_runtime.h>
#include <cstdio>

#define WARP 32

template <int BINS, int WARPS>
struct SharedHist {
    float sum[BINS];
    int   cnt[BINS];
};

__device__ __forceinline__ int to_bin(float x, float lo, float inv, int bins)
{
    int b = __float2int_rd((x - lo) * inv);
    return max(0, min(bins - 1, b));
}

template <int BINS, int WARPS>
__global__ void profile_kernel(const float *__restrict__ coord, const float *__restrict__ value, int n, float lo, float inv,
                               float *block_sum, int *block_cnt)
{
    __shared__ SharedHist<BINS, WARPS> h;
    const int tid = threadIdx.x, lane = tid % WARP, warp = tid / WARP;
    for (int b = tid; b < BINS; b += blockDim.x) {
        h.sum[b] = 0.f;
        h.cnt[b] = 0;
    }
    __syncthreads();

    const int tile = WARP * WARPS;
    for (int base = blockIdx.x * tile; base < n; base += gridDim.x * tile) {
        const int i = base + tid;
        const bool ok = i < n;
        const int bin = ok ? to_bin(coord[i], lo, inv, BINS) : 0;
        const float v = ok ? value[i] : 0.f;
        for (int turn = 0; turn < WARPS; ++turn) {
            if (warp == turn)
                for (int l = 0; l < WARP; ++l) {
                    if (lane == l && ok) {
                        h.sum[bin] += v;
                        h.cnt[bin]++;
                    }
                    __syncwarp();
                }
            __syncthreads();
        }
    }
    for (int b = tid; b < BINS; b += blockDim.x) {
        block_sum[blockIdx.x * BINS + b] = h.sum[b];
        block_cnt[blockIdx.x * BINS + b] = h.cnt[b];
    }
}

template <int BINS>
__global__ void profile_finish(const float *block_sum, const int *block_cnt, int blocks, float *mean)
{
    const int b = threadIdx.x;
    float s = 0.f;
    int c = 0;
    for (int k = 0; k < blocks; ++k) {
        s += block_sum[k * BINS + b];
        c += block_cnt[k * BINS + b];
    }
    mean[b] = c ? s / c : 0.f;
}

int radial_profile(const float *d_r, const float *d_v, int n, float rmax, float *d_tmp_sum, int *d_tmp_cnt, float *d_mean)
{
    constexpr int kBins = 128, kWarps = 4, kBlocks = 64;
    profile_kernel<kBins, kWarps><<<kBlocks, kWarps * WARP>>>(d_r, d_v, n, 0.f, kBins / rmax, d_tmp_sum, d_tmp_cnt);
    profile_finish<kBins><<<1, kBins>>>(d_tmp_sum, d_tmp_cnt, kBlocks, d_mean);
    cudaError_t e = cudaDeviceSynchronize();
    if (e != cudaSuccess)
        fprintf(stderr, "radial_profile: %s\n", cudaGetErrorString(e));
    return e != cudaSuccess;
}
