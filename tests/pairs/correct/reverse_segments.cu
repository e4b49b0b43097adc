#include <cuda_runtime.h>
#include <algorithm>
#include <numeric>
#include <new>
#include <stdexcept>
#include <vector>

template <typename T>
class SegmentView {
  public:
    __device__ SegmentView(T *base, const int *start, int s)
        : data_(base + start[s]), size_(start[s + 1] - start[s])
    {
    }
    __device__ int size() const { return size_; }
    __device__ void swap_ends(int k)
    {
        T a = data_[k];
        T b = data_[size_ - 1 - k];
        data_[k] = b;
        data_[size_ - 1 - k] = a;
    }

  private:
    T *data_;
    int size_;
};

template <typename T>
__global__ void reverse_all(T *data, const int *start, int segments)
{
    const int lane = threadIdx.x % 32;
    const int warps = gridDim.x * (blockDim.x / 32);
    for (int s = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32; s < segments; s += warps) {
        SegmentView<T> seg(data, start, s);
        for (int k = lane; k < seg.size() / 2; k += 32)
            seg.swap_ends(k);
    }
}

// `lengths` are the sizes of consecutive segments of `data`.
template <typename T>
void reverse_segments(T *data, const std::vector<int> &lengths, cudaStream_t stream)
{
    if (lengths.empty())
        return;
    if (std::any_of(lengths.begin(), lengths.end(), [](int l) { return l < 0; }))
        throw std::invalid_argument("reverse_segments: negative length");
    std::vector<int> start(lengths.size() + 1, 0);
    std::partial_sum(lengths.begin(), lengths.end(), start.begin() + 1);

    int *dev_start = nullptr;
    if (cudaMalloc(&dev_start, start.size() * sizeof(int)) != cudaSuccess)
        throw std::bad_alloc();
    cudaMemcpyAsync(dev_start, start.data(), start.size() * sizeof(int), cudaMemcpyHostToDevice,
                    stream);
    const int segments = static_cast<int>(lengths.size());
    const int grid = std::min((segments + 7) / 8, 1024);
    reverse_all<T><<<grid, 256, 0, stream>>>(data, dev_start, segments);
    const cudaError_t err = cudaStreamSynchronize(stream);
    cudaFree(dev_start);
    if (err != cudaSuccess)
        throw std::runtime_error(cudaGetErrorString(err));
}

template void reverse_segments<float>(float *, const std::vector<int> &, cudaStream_t);
template void reverse_segments<int4>(int4 *, const std::vector<int> &, cudaStream_t);
