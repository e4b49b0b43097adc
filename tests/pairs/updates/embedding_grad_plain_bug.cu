/* Backward pass of a lookup table; one block per (sentence, position). */
#include <cuda_runtime.h>
#include <cstdio>

constexpr int kPadId = 0;

struct EmbeddingShape {
    int batch;
    int seq_len;
    int dim;
    int vocab;
};

template <typename T>
__device__ inline T scaled(T g, float s) { return static_cast<T>(g * s); }

template <typename T>
__global__ void embedding_backward_kernel(EmbeddingShape s,
                                          const int* __restrict__ ids,       // raw token ids of the batch
                                          const T* __restrict__ grad_out,    // [batch, seq_len, dim]
                                          T* grad_weight,                    // [vocab, dim], zeroed
                                          float scale)
{
    const int pos = blockIdx.y * s.seq_len + blockIdx.x;
    const int id = ids[pos];
    if (id == kPadId || id >= s.vocab)
        return;
    const T* src = grad_out + static_cast<size_t>(pos) * s.dim;
    T* dst = grad_weight + static_cast<size_t>(id) * s.dim;
    for (int d = threadIdx.x; d < s.dim; d += blockDim.x) {
        dst[d] += scaled(src[d], scale);
    }
}

template <typename T>
__global__ void sgd_kernel(T* weight, const T* grad, size_t n, float lr)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x)
        weight[i] -= lr * grad[i];
}

extern "C" int embedding_step(EmbeddingShape s, const int* ids, const float* grad_out,
                              float* grad_weight, float* weight, float lr, cudaStream_t stream)
{
    const size_t n = static_cast<size_t>(s.vocab) * s.dim;
    cudaMemsetAsync(grad_weight, 0, n * sizeof(float), stream);

    dim3 grid(s.seq_len, s.batch);
    int threads = s.dim < 256 ? ((s.dim + 31) / 32) * 32 : 256;
    embedding_backward_kernel<float><<<grid, threads, 0, stream>>>(s, ids, grad_out, grad_weight,
                                                                  1.0f / s.batch);
    int blocks = (int)((n + 255) / 256);
    if (blocks > 4096) blocks = 4096;
    sgd_kernel<float><<<blocks, 256, 0, stream>>>(weight, grad_weight, n, lr);

    cudaError_t err = cudaGetLastError();
    if (err != cudaSuccess) {
        std::fprintf(stderr, "embedding_step: %s\n", cudaGetErrorString(err));
        return -1;
    }
    return 0;
}
