// In-place bias + GELU with 16-byte accesses; the scalar head and tail are done by
// threads of the first block and do not overlap with the vector body.
#include <cuda_runtime.h>
#include <cuda_fp16.h>
#include <cstdint>
#include <stdexcept>

template <typename T, int N> struct alignas(sizeof(T) * N) Vec { T v[N]; };

__device__ __forceinline__ float gelu(float x) { return 0.5f * x * (1.f + tanhf(0.79788456f * (x + 0.044715f * x * x * x))); }

template <int N>
__global__ void __launch_bounds__(256)
biasGelu(__half* x, const __half* __restrict__ bias, size_t head, size_t vecs, size_t total, int cols)
{
    using V = Vec<__half, N>;
    auto one = [&](size_t i) { x[i] = __float2half(gelu(__half2float(x[i]) + __half2float(bias[i % cols]))); };

    V* body = reinterpret_cast<V*>(x + head);
    __builtin_assume(head < N);
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < vecs; i += (size_t)gridDim.x * blockDim.x) {
        V v = body[i];
        size_t c = (head + i * N) % cols;
        #pragma unroll
        for (int k = 0; k < N; ++k) {
            v.v[k] = __float2half(gelu(__half2float(v.v[k]) + __half2float(bias[c])));
            c = c + 1 == (size_t)cols ? 0 : c + 1;
        }
        body[i] = v;
    }
    if (blockIdx.x == 0) {
        const size_t tail = head + vecs * N;
        if (threadIdx.x < head) one(threadIdx.x);
        if (tail + threadIdx.x < total && threadIdx.x < N) one(tail + threadIdx.x);
    }
}

void biasGeluInPlace(__half* x, const __half* bias, size_t rows, int cols, cudaStream_t s)
{
    if (cols <= 0 || rows > (size_t)1 << 32) throw std::invalid_argument("biasGelu");
    const uintptr_t a = reinterpret_cast<uintptr_t>(x);
    if (a % sizeof(__half)) throw std::invalid_argument("alignment");
    const size_t total = rows * cols;
    if (total == 0) return;
    constexpr int N = 8;
    size_t head = (16 - a % 16) % 16 / sizeof(__half);
    if (head > total) head = total;
    const size_t vecs = (total - head) / N;
    size_t grid = (vecs + 255) / 256;
    grid = grid < 1 ? 1 : grid > 1024 ? 1024 : grid;
    biasGelu<N><<<(unsigned)grid, 256, 0, s>>>(x, bias, head, vecs, total, cols);
}
