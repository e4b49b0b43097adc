#include <cfloat>
#include <cstdio>
#include <cuda_runtime.h>
#include <vector>

namespace ops {
struct Max {
    __device__ float operator()(float a, float b) const { return fmaxf(a, b); }
    static __device__ float identity() { return -FLT_MAX; }
};
struct Sum {
    __device__ float operator()(float a, float b) const { return a + b; }
    static __device__ float identity() { return 0.f; }
};
}  // namespace ops

template <int THREADS>
class BlockReduce {
    static_assert(THREADS % 32 == 0 && THREADS <= 1024, "whole warps only");
    static constexpr int kWarps = THREADS / 32;

public:
    struct Storage {
        float scratch[kWarps];
    };
    __device__ explicit BlockReduce(Storage& s) : s_(s) {}

    template <typename Op>
    __device__ float reduce(float v, Op op) {
        const int lane = threadIdx.x & 31, wid = threadIdx.x >> 5;
        for (int o = 16; o; o >>= 1) v = op(v, __shfl_xor_sync(0xffffffffu, v, o));
        if (lane == 0) s_.scratch[wid] = v;
        __syncthreads();
        v = Op::identity();
#pragma unroll
        for (int i = 0; i < kWarps; ++i) v = op(v, s_.scratch[i]);
        __syncthreads();
        return v;
    }

private:
    Storage& s_;
};

template <int THREADS>
__global__ void softmaxForward(const float* __restrict__ logits, float* __restrict__ probs, int cols) {
    __shared__ typename BlockReduce<THREADS>::Storage storage;
    BlockReduce<THREADS> block(storage);
    const float* in = logits + size_t(blockIdx.x) * cols;
    float* out = probs + size_t(blockIdx.x) * cols;

    float m = -FLT_MAX;
    for (int c = threadIdx.x; c < cols; c += THREADS) m = fmaxf(m, in[c]);
    m = block.reduce(m, ops::Max{});

    float s = 0.f;
    for (int c = threadIdx.x; c < cols; c += THREADS) s += __expf(in[c] - m);
    s = block.reduce(s, ops::Sum{});

    const float inv = 1.f / s;
    for (int c = threadIdx.x; c < cols; c += THREADS) out[c] = __expf(in[c] - m) * inv;
}

void softmax_forward(const float* logits, float* probs, int rows, int cols, cudaStream_t stream) {
    if (cols <= 1024)
        softmaxForward<128><<<rows, 128, 0, stream>>>(logits, probs, cols);
    else
        softmaxForward<256><<<rows, 256, 0, stream>>>(logits, probs, cols);
}

int main() {
    const int rows = 512, cols = 5000;
    std::vector<float> h(size_t(rows) * cols);
    for (size_t i = 0; i < h.size(); ++i) h[i] = float(i % 97) * 0.1f;
    float *dIn = nullptr, *dOut = nullptr;
    cudaMalloc(&dIn, h.size() * sizeof(float));
    cudaMalloc(&dOut, h.size() * sizeof(float));
    cudaMemcpy(dIn, h.data(), h.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    softmax_forward(dIn, dOut, rows, cols, stream);
    cudaStreamSynchronize(stream);
    cudaMemcpy(h.data(), dOut, h.size() * sizeof(float), cudaMemcpyDeviceToHost);
    double s = 0;
    for (int c = 0; c < cols; ++c) s += h[c];
    std::printf("row sum %f (%s)\n", s, cudaGetErrorString(cudaGetLastError()));
    cudaStreamDestroy(stream);
    cudaFree(dIn);
    cudaFree(dOut);
}
