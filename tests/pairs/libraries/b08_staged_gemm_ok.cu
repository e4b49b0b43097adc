// Register-staged GEMM mainloop, one or two shared memory buffers.
#include <cuda_runtime.h>
#include <type_traits>

template <typename T, int BM_, int BN_, int BK_, int Stages_>
struct Config {
    using Element = T;
    static constexpr int BM = BM_, BN = BN_, BK = BK_, Stages = Stages_;
    static constexpr int ThreadsX = BN / 4, ThreadsY = BM / 4;
    static constexpr int Threads = ThreadsX * ThreadsY;
    static constexpr int LoadA = BM * BK / Threads, LoadB = BK * BN / Threads;
    static_assert(BM * BK % Threads == 0 && BK * BN % Threads == 0, "tile does not divide");
};

template <typename C>
struct Smem {
    typename C::Element a[C::Stages][C::BK][C::BM + 1];
    typename C::Element b[C::Stages][C::BK][C::BN];
};

template <typename C>
struct Operands {
    using T = typename C::Element;
    const T* A;
    const T* B;
    int M, N, K, m0, n0;
    T ra[C::LoadA], rb[C::LoadB];

    __device__ void load_global(int k0)
    {
#pragma unroll
        for (int i = 0; i < C::LoadA; ++i) {
            const int e = threadIdx.x + i * C::Threads, m = e / C::BK, k = e % C::BK;
            ra[i] = (m0 + m < M && k0 + k < K) ? A[(size_t)(m0 + m) * K + k0 + k] : T(0);
        }
#pragma unroll
        for (int i = 0; i < C::LoadB; ++i) {
            const int e = threadIdx.x + i * C::Threads, k = e / C::BN, n = e % C::BN;
            rb[i] = (k0 + k < K && n0 + n < N) ? B[(size_t)(k0 + k) * N + n0 + n] : T(0);
        }
    }
    __device__ void store_stage(Smem<C>& s, int stage) const
    {
#pragma unroll
        for (int i = 0; i < C::LoadA; ++i) {
            const int e = threadIdx.x + i * C::Threads;
            s.a[stage][e % C::BK][e / C::BK] = ra[i];
        }
#pragma unroll
        for (int i = 0; i < C::LoadB; ++i) {
            const int e = threadIdx.x + i * C::Threads;
            s.b[stage][e / C::BN][e % C::BN] = rb[i];
        }
    }
};

template <typename C, typename T>
__device__ __forceinline__ void compute(const Smem<C>& s, int stage, int ty, int tx, T (&acc)[4][4])
{
#pragma unroll
    for (int k = 0; k < C::BK; ++k) {
        T fa[4], fb[4];
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            fa[i] = s.a[stage][k][ty * 4 + i];
            fb[i] = s.b[stage][k][tx + i * C::ThreadsX];
        }
#pragma unroll
        for (int i = 0; i < 4; ++i)
#pragma unroll
            for (int j = 0; j < 4; ++j) acc[i][j] += fa[i] * fb[j];
    }
}

template <typename C>
__global__ void __launch_bounds__(C::Threads)
gemm_nn(const typename C::Element* A, const typename C::Element* B, typename C::Element* D, int M, int N, int K)
{
    using T = typename C::Element;
    __shared__ Smem<C> smem;
    const int tx = threadIdx.x % C::ThreadsX, ty = threadIdx.x / C::ThreadsX;
    Operands<C> op{A, B, M, N, K, (int)blockIdx.y * C::BM, (int)blockIdx.x * C::BN, {}, {}};
    T acc[4][4] = {};

    op.load_global(0);
    op.store_stage(smem, 0);
    __syncthreads();

    int cur = 0;
    for (int k0 = C::BK; k0 < K; k0 += C::BK) {
        op.load_global(k0);
        compute<C>(smem, cur, ty, tx, acc);
        const int next = (cur + 1) % C::Stages;
        if constexpr (C::Stages == 1) __syncthreads();
        op.store_stage(smem, next);
        __syncthreads();
        cur = next;
    }
    compute<C>(smem, cur, ty, tx, acc);

    for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j) {
            const int m = op.m0 + ty * 4 + i, n = op.n0 + tx + j * C::ThreadsX;
            if (m < M && n < N) D[(size_t)m * N + n] = acc[i][j];
        }
}

template <typename T>
struct DefaultConfig {
    // two buffers of doubles would cost us a resident block
    static constexpr int kStages = sizeof(T) == 8 ? 1 : 2;
    using Large = Config<T, 64, 64, 16, kStages>;
    using Small = Config<T, 32, 32, 16, kStages>;
};

template <typename C, typename T>
void run(const T* A, const T* B, T* D, int M, int N, int K, cudaStream_t s)
{
    const dim3 grid((N + C::BN - 1) / C::BN, (M + C::BM - 1) / C::BM);
    gemm_nn<C><<<grid, C::Threads, 0, s>>>(A, B, D, M, N, K);
}

template <typename T>
cudaError_t gemm(const T* A, const T* B, T* D, int M, int N, int K, cudaStream_t s)
{
    static_assert(std::is_floating_point<T>::value, "");
    if (M > 512 && N > 512) run<typename DefaultConfig<T>::Large>(A, B, D, M, N, K, s);
    else run<typename DefaultConfig<T>::Small>(A, B, D, M, N, K, s);
    return cudaGetLastError();
}

template cudaError_t gemm<float>(const float*, const float*, float*, int, int, int, cudaStream_t);
template cudaError_t gemm<double>(const double*, const double*, double*, int, int, int, cudaStream_t);
