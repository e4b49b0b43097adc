#include "part.cuh"

namespace rle {

// one block per segment; segments are delimited by offsets[]
template <typename Policy, typename T>
__global__ void __launch_bounds__(Policy::kThreads)
segment_heads(const T* in, const int* offsets, T* out, int* out_pos, int* counts)
{
    using Agent = AgentHeads<Policy, T>;
    __shared__ typename Agent::Storage storage;
    const int b = offsets[blockIdx.x], e = offsets[blockIdx.x + 1];
    int c = 0;
    if (e > b) {
        Agent agent{storage, in + b, out + b, out_pos + b, e - b};
        c = agent.run();
    }
    if (threadIdx.x == 0) counts[blockIdx.x] = c;
}

template <typename T> struct PolicyFor;
template <> struct PolicyFor<int> {
    using type = AgentPolicy<128, 9, cub::BLOCK_LOAD_WARP_TRANSPOSE>;
};
template <> struct PolicyFor<double> {
    using type = AgentPolicy<128, 5, cub::BLOCK_LOAD_WARP_TRANSPOSE>;
};

template <typename T>
cudaError_t unique_by_segment(const T* in, const int* offsets, int segments, T* out, int* pos, int* counts,
                              cudaStream_t s)
{
    if (segments <= 0) return cudaSuccess;
    using P = typename PolicyFor<T>::type;
    segment_heads<P, T><<<segments, P::kThreads, 0, s>>>(in, offsets, out, pos, counts);
    return cudaPeekAtLastError();
}

template cudaError_t unique_by_segment<int>(const int*, const int*, int, int*, int*, int*, cudaStream_t);
template cudaError_t unique_by_segment<double>(const double*, const int*, int, double*, int*, int*, cudaStream_t);

}  // namespace rle
