// Multi-copy shared-memory histogram of 8-bit samples. Build: nvcc -arch=sm_80
#include <cuda_runtime.h>
#include <cstdint>
#include <cstdio>
#include <algorithm>

#define RETURN_IF_ERR(x)                  \
    do {                                  \
        cudaError_t r_ = (x);             \
        if (r_ != cudaSuccess) return r_; \
    } while (0)

namespace hist {

constexpr int kBins = 256;

struct SharedHist {
    uint32_t* bins;
    int copies;

    __device__ int pitch() const { return kBins + 1; }
    __device__ int total() const { return copies * pitch(); }

    __device__ void clear()
    {
        for (int i = threadIdx.x; i < total(); i += blockDim.x)
            bins[i] = 0u;
    }

    __device__ void add(uint32_t v)
    {
        const int c = (threadIdx.x / 32) % copies;
        atomicAdd(&bins[c * pitch() + v], 1u);
    }

    __device__ void flush(uint32_t* global) const
    {
        for (int b = threadIdx.x; b < kBins; b += blockDim.x) {
            uint32_t sum = 0;
            for (int c = 0; c < copies; ++c)
                sum += bins[c * pitch() + b];
            if (sum)
                atomicAdd(&global[b], sum);
        }
    }
};

__global__ void histogramKernel(const uint8_t* __restrict__ data, size_t n,
                                uint32_t* __restrict__ out, int copies)
{
    extern __shared__ uint32_t s_mem[];
    SharedHist h{s_mem, copies};
    h.clear();
    __syncthreads();

    const size_t nvec = n / 4;
    const uchar4* vec = reinterpret_cast<const uchar4*>(data);
    const size_t stride = size_t(gridDim.x) * blockDim.x;
    const size_t first = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    for (size_t i = first; i < nvec; i += stride) {
        const uchar4 q = vec[i];
        h.add(q.x);
        h.add(q.y);
        h.add(q.z);
        h.add(q.w);
    }
    const size_t tail = nvec * 4 + first;
    if (tail < n)
        h.add(data[tail]);
    __syncthreads();
    h.flush(out);
}

cudaError_t histogram(const uint8_t* data, size_t n, uint32_t* out, int block,
                      int copies, cudaStream_t s)
{
    copies = std::max(1, std::min(copies, 16));
    RETURN_IF_ERR(cudaMemsetAsync(out, 0, kBins * sizeof(uint32_t), s));
    if (n == 0)
        return cudaSuccess;
    int dev = 0, sms = 0;
    RETURN_IF_ERR(cudaGetDevice(&dev));
    RETURN_IF_ERR(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, dev));
    const size_t bytes = size_t(copies) * (kBins + 1) * sizeof(uint32_t);
    const size_t want = (n / 4 + block - 1) / block;
    const int grid = int(std::max<size_t>(1, std::min<size_t>(want, size_t(4) * sms)));
    histogramKernel<<<grid, block, bytes, s>>>(data, n, out, copies);
    return cudaGetLastError();
}

} // namespace hist
