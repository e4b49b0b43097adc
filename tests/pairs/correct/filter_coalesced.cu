#include <cooperative_groups.h>
#include <cuda_runtime.h>
#include <algorithm>

namespace cg = cooperative_groups;

template <typename T>
class AppendBuffer {
  public:
    AppendBuffer(T *data, unsigned *size, unsigned capacity)
        : data_(data), size_(size), capacity_(capacity)
    {
    }

    // May be called from divergent code.
    __device__ bool push(const T &value)
    {
        cg::coalesced_group g = cg::coalesced_threads();
        unsigned start = 0;
        if (g.thread_rank() == 0)
            start = atomicAdd(size_, g.size());
        const unsigned at = g.shfl(start, 0) + g.thread_rank();
        if (at >= capacity_)
            return false;
        data_[at] = value;
        return true;
    }

  private:
    T *data_;
    unsigned *size_;
    unsigned capacity_;
};

struct Hit {
    int ray;
    float distance;
};

template <typename Pred>
__global__ void select_hits(const float *distance, int n, Pred pred, AppendBuffer<Hit> out,
                            unsigned *dropped)
{
    const int step = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) {
        const float d = distance[i];
        if (pred(d)) {
            if (!out.push(Hit{i, d}))
                atomicAdd(dropped, 1u);
        }
    }
}

struct Within {
    float lo, hi;
    __device__ bool operator()(float d) const { return d >= lo && d < hi; }
};

cudaError_t select_within(const float *distance, int n, float lo, float hi, Hit *hits,
                          unsigned *size_and_dropped, unsigned capacity, cudaStream_t stream)
{
    if (n < 0 || n > (1 << 30) || !(lo <= hi))
        return cudaErrorInvalidValue;
    cudaError_t err = cudaMemsetAsync(size_and_dropped, 0, 2 * sizeof(unsigned), stream);
    if (err != cudaSuccess || n == 0)
        return err;
    const int block = 256;
    const int grid = std::min((n + block - 1) / block, 1024);
    AppendBuffer<Hit> out(hits, size_and_dropped, capacity);
    select_hits<<<grid, block, 0, stream>>>(distance, n, Within{lo, hi}, out,
                                            size_and_dropped + 1);
    return cudaGetLastError();
}
