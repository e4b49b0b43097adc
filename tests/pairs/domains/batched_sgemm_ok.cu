#include <cuda_runtime.h>
#include <iostream>
#include <vector>

template <typename T>
struct StridedBatch {
    T* data;
    int ld;
    size_t stride;
    __device__ T* matrix(int b) const { return data + b * stride; }
};

template <typename T, int TILE>
class GemmTile {
public:
    __device__ void loadA(const T* a, int lda, int row, int k0, int M, int K) {
        const int k = k0 + threadIdx.x;
        as_[threadIdx.y][threadIdx.x] = (row < M && k < K) ? a[size_t(row) * lda + k] : T(0);
    }
    __device__ void loadB(const T* b, int ldb, int col, int k0, int N, int K) {
        const int k = k0 + threadIdx.y;
        bs_[threadIdx.y][threadIdx.x] = (col < N && k < K) ? b[size_t(k) * ldb + col] : T(0);
    }
    __device__ T dot(T acc) const {
#pragma unroll
        for (int k = 0; k < TILE; ++k)
            acc += as_[threadIdx.y][k] * bs_[k][threadIdx.x];
        return acc;
    }

private:
    T as_[TILE][TILE + 1];
    T bs_[TILE][TILE];
};

template <typename T, int TILE>
__global__ void gemmBatched(int M, int N, int K, T alpha, StridedBatch<const T> A,
                            StridedBatch<const T> B, T beta, StridedBatch<T> C) {
    __shared__ GemmTile<T, TILE> smem;
    const int row = blockIdx.y * TILE + threadIdx.y;
    const int col = blockIdx.x * TILE + threadIdx.x;
    const T* a = A.matrix(blockIdx.z);
    const T* b = B.matrix(blockIdx.z);
    T acc = T(0);
    for (int k0 = 0; k0 < K; k0 += TILE) {
        smem.loadA(a, A.ld, row, k0, M, K);
        smem.loadB(b, B.ld, col, k0, N, K);
        __syncthreads();
        acc = smem.dot(acc);
        __syncthreads();
    }
    if (row < M && col < N) {
        T* c = C.matrix(blockIdx.z) + size_t(row) * C.ld + col;
        *c = alpha * acc + (beta == T(0) ? T(0) : beta * *c);
    }
}

int main() {
    const int M = 130, N = 90, K = 200, batch = 8;
    std::vector<float> hA(size_t(M) * K * batch, 0.5f), hB(size_t(K) * N * batch, 2.0f);
    float *dA, *dB, *dC;
    cudaMalloc(&dA, hA.size() * sizeof(float));
    cudaMalloc(&dB, hB.size() * sizeof(float));
    cudaMalloc(&dC, size_t(M) * N * batch * sizeof(float));
    cudaMemcpy(dA, hA.data(), hA.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dB, hB.data(), hB.size() * sizeof(float), cudaMemcpyHostToDevice);
    constexpr int TILE = 16;
    dim3 block(TILE, TILE);
    dim3 grid((N + TILE - 1) / TILE, (M + TILE - 1) / TILE, batch);
    StridedBatch<const float> A{dA, K, size_t(M) * K};
    StridedBatch<const float> B{dB, N, size_t(K) * N};
    StridedBatch<float> C{dC, N, size_t(M) * N};
    gemmBatched<float, TILE><<<grid, block>>>(M, N, K, 1.0f, A, B, 0.0f, C);
    if (cudaDeviceSynchronize() != cudaSuccess) {
        std::cerr << "gemm failed\n";
        return 1;
    }
    float v;
    cudaMemcpy(&v, dC, sizeof(v), cudaMemcpyDeviceToHost);
    std::cout << v << " (expect " << K << ")\n";
    cudaFree(dA);
    cudaFree(dB);
    cudaFree(dC);
}
