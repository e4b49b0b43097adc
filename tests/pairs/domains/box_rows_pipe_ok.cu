#include <cuda/pipeline>
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <vector>

struct RowJob {
    const float* src;
    float* dst;
    int rows;
    int rowsPerBlock;
};

template <int THREADS, int STAGES>
struct RowRing {
    static constexpr int kWidth = THREADS * 4;
    alignas(16) float row[STAGES][kWidth];
};

template <int THREADS, int STAGES>
__global__ void horizontalBox(RowJob job) {
    using Ring = RowRing<THREADS, STAGES>;
    constexpr int W = Ring::kWidth;
    __shared__ Ring ring;
    const int t = threadIdx.x;
    const int first = blockIdx.x * job.rowsPerBlock;
    const int last = min(first + job.rowsPerBlock, job.rows);

    cuda::pipeline<cuda::thread_scope_thread> pipe = cuda::make_pipeline();
    const auto fetch = [&](int r) {
        pipe.producer_acquire();
        if (r < last)
            cuda::memcpy_async(&ring.row[(r - first) % STAGES][t * 4], job.src + size_t(r) * W + t * 4,
                               cuda::aligned_size_t<16>(16), pipe);
        pipe.producer_commit();
    };

    for (int s = 0; s < STAGES - 1; ++s) fetch(first + s);

    for (int r = first; r < last; ++r) {
        fetch(r + STAGES - 1);
        pipe.consumer_wait();
        __syncthreads();
        const float* row = ring.row[(r - first) % STAGES];
#pragma unroll
        for (int k = 0; k < 4; ++k) {
            const int x = t + k * THREADS;
            float acc = 0.f;
#pragma unroll
            for (int d = -4; d <= 4; ++d) {
                const int xx = min(max(x + d, 0), W - 1);
                acc += row[xx];
            }
            job.dst[size_t(r) * W + x] = acc * (1.f / 9.f);
        }
        pipe.consumer_release();
        __syncthreads();
    }
}

int main(int argc, char** argv) {
    constexpr int T = 128;
    const int rows = argc > 1 ? std::atoi(argv[1]) : 1080;
    const size_t n = size_t(rows) * T * 4;
    std::vector<float> img(n);
    for (size_t i = 0; i < n; ++i) img[i] = float(i % 256);
    float *dSrc, *dDst;
    cudaMalloc(&dSrc, n * sizeof(float));
    cudaMalloc(&dDst, n * sizeof(float));
    cudaMemcpy(dSrc, img.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    RowJob job{dSrc, dDst, rows, 16};
    const int blocks = (rows + job.rowsPerBlock - 1) / job.rowsPerBlock;
    horizontalBox<T, 4><<<blocks, T>>>(job);
    cudaError_t err = cudaDeviceSynchronize();
    if (err != cudaSuccess) {
        std::fprintf(stderr, "blur: %s\n", cudaGetErrorString(err));
        return EXIT_FAILURE;
    }
    cudaMemcpy(img.data(), dDst, n * sizeof(float), cudaMemcpyDeviceToHost);
    std::printf("%f\n", img[n / 3]);
    cudaFree(dSrc);
    cudaFree(dDst);
    return EXIT_SUCCESS;
}
