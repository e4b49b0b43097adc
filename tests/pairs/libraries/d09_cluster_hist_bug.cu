// Histogram with many bins spread over the shared memory of a thread block
// cluster.
#include <cooperative_groups.h>
#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

namespace cg = cooperative_groups;

#define CUDA_TRY(x)                                                          \
    do {                                                                     \
        const cudaError_t err_ = (x);                                        \
        if (err_ != cudaSuccess) {                                           \
            fprintf(stderr, "%s: %s\n", #x, cudaGetErrorString(err_));       \
            return err_;                                                     \
        }                                                                    \
    } while (0)

struct Binning {
    float lo, inv_width;
    int bins;
    __device__ int operator()(float v) const
    {
        const int b = (int)((v - lo) * inv_width);
        return min(max(b, 0), bins - 1);
    }
};

class DistributedBins {
public:
    __device__ DistributedBins(int* local, int bins)
        : cluster_(cg::this_cluster()), local_(local), per_block_((bins + cluster_.num_blocks() - 1) / cluster_.num_blocks())
    {
    }

    __device__ void clear()
    {
        for (int i = threadIdx.x; i < per_block_; i += blockDim.x) local_[i] = 0;
        __syncthreads();
    }

    __device__ void add(int bin)
    {
        int* remote = cluster_.map_shared_rank(local_, bin / per_block_);
        atomicAdd(remote + bin % per_block_, 1);
    }

    __device__ void drain(unsigned long long* out, int bins)
    {
        cluster_.sync();
        const int first = cluster_.block_rank() * per_block_;
        for (int i = threadIdx.x; i < per_block_ && first + i < bins; i += blockDim.x)
            if (local_[i]) atomicAdd(out + first + i, (unsigned long long)local_[i]);
    }

private:
    cg::cluster_group cluster_;
    int* local_;
    int per_block_;
};

template <int VEC>
__global__ void cluster_histogram(const float* __restrict__ x, size_t n, Binning binning, unsigned long long* out)
{
    extern __shared__ int smem[];
    DistributedBins hist(smem, binning.bins);
    hist.clear();

    const size_t stride = (size_t)gridDim.x * blockDim.x * VEC;
    for (size_t i = ((size_t)blockIdx.x * blockDim.x + threadIdx.x) * VEC; i < n; i += stride) {
        float v[VEC];
#pragma unroll
        for (int k = 0; k < VEC; ++k) v[k] = i + k < n ? x[i + k] : 0.f;
#pragma unroll
        for (int k = 0; k < VEC; ++k)
            if (i + k < n) hist.add(binning(v[k]));
    }
    hist.drain(out, binning.bins);
}

static cudaError_t histogram(const float* d_x, size_t n, Binning b, unsigned long long* d_out, cudaStream_t s)
{
    auto kernel = cluster_histogram<4>;
    int dev = 0, smem_max = 0, sms = 0;
    CUDA_TRY(cudaGetDevice(&dev));
    CUDA_TRY(cudaDeviceGetAttribute(&smem_max, cudaDevAttrMaxSharedMemoryPerBlockOptin, dev));
    CUDA_TRY(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, dev));

    // smallest cluster whose blocks hold all bins
    int cluster = 2;
    while (cluster < 8 && (size_t)((b.bins + cluster - 1) / cluster) * sizeof(int) > (size_t)smem_max / 2) cluster *= 2;
    const size_t bytes = (size_t)((b.bins + cluster - 1) / cluster) * sizeof(int);
    if (bytes > (size_t)smem_max) return cudaErrorInvalidValue;
    CUDA_TRY(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes));

    cudaLaunchAttribute attr[1];
    attr[0].id = cudaLaunchAttributeClusterDimension;
    attr[0].val.clusterDim.x = cluster;
    attr[0].val.clusterDim.y = 1;
    attr[0].val.clusterDim.z = 1;
    cudaLaunchConfig_t cfg = {};
    cfg.gridDim = dim3(sms / cluster * cluster);
    cfg.blockDim = dim3(512);
    cfg.dynamicSmemBytes = bytes;
    cfg.stream = s;
    cfg.attrs = attr;
    cfg.numAttrs = 1;
    CUDA_TRY(cudaMemsetAsync(d_out, 0, b.bins * sizeof(unsigned long long), s));
    CUDA_TRY(cudaLaunchKernelEx(&cfg, kernel, d_x, n, b, d_out));
    return cudaSuccess;
}

int main()
{
    const size_t n = 1 << 22;
    std::vector<float> h(n);
    for (size_t i = 0; i < n; ++i) h[i] = (float)((i * 2654435761u) % 1000003u);
    float* d;
    unsigned long long* out;
    cudaMalloc(&d, n * sizeof(float));
    cudaMallocManaged(&out, 100000 * sizeof(unsigned long long));
    cudaMemcpy(d, h.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    for (int bins : {10000, 50000, 100000}) {
        if (histogram(d, n, {0.f, bins / 1000003.f, bins}, out, 0) != cudaSuccess) return 1;
        if (cudaDeviceSynchronize() != cudaSuccess) return 1;
        unsigned long long total = 0;
        for (int b = 0; b < bins; ++b) total += out[b];
        printf("%d bins: %llu of %zu\n", bins, total, n);
    }
    return 0;
}
