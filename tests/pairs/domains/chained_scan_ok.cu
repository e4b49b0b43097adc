#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

// Single pass inclusive prefix sum with look-back over the previous tiles.
struct ScanState {
    unsigned* nextTile;
    int* flag;                // 0 nothing, 1 aggregate, 2 inclusive prefix
    unsigned long long* agg;
    unsigned long long* incl;
};

template <int THREADS, int ITEMS>
struct ScanPolicy {
    static constexpr int kThreads = THREADS;
    static constexpr int kItems = ITEMS;
    static constexpr int kTile = THREADS * ITEMS;
};

__device__ __forceinline__ int loadFlag(int* f) { return atomicAdd(f, 0); }

__device__ unsigned long long lookBack(const ScanState& st, int tile) {
    unsigned long long excl = 0;
    for (int p = tile - 1; p >= 0; --p) {
        int f;
        while ((f = loadFlag(&st.flag[p])) == 0) {
        }
        __threadfence();
        if (f == 2) {
            excl += st.incl[p];
            break;
        }
        excl += st.agg[p];
    }
    return excl;
}

template <class Policy>
__global__ void chainedScan(const unsigned* __restrict__ in, unsigned long long* __restrict__ out, int n, ScanState st) {
    __shared__ unsigned long long s_sum[Policy::kThreads];
    __shared__ unsigned long long s_prefix;
    __shared__ int s_tile;
    const int t = threadIdx.x;
    if (t == 0) s_tile = int(atomicAdd(st.nextTile, 1u));
    __syncthreads();
    const int tile = s_tile;
    const int base = tile * Policy::kTile + t * Policy::kItems;

    unsigned v[Policy::kItems];
    unsigned long long sum = 0;
#pragma unroll
    for (int k = 0; k < Policy::kItems; ++k) {
        v[k] = base + k < n ? in[base + k] : 0u;
        sum += v[k];
    }
    s_sum[t] = sum;
    __syncthreads();
    for (int d = 1; d < Policy::kThreads; d *= 2) {
        const unsigned long long o = t >= d ? s_sum[t - d] : 0ull;
        __syncthreads();
        s_sum[t] += o;
        __syncthreads();
    }
    if (t == 0) {
        const unsigned long long total = s_sum[Policy::kThreads - 1];
        st.agg[tile] = total;
        __threadfence();
        atomicExch(&st.flag[tile], 1);
        const unsigned long long excl = lookBack(st, tile);
        st.incl[tile] = excl + total;
        __threadfence();
        atomicExch(&st.flag[tile], 2);
        s_prefix = excl;
    }
    __syncthreads();
    unsigned long long run = s_prefix + s_sum[t] - sum;
#pragma unroll
    for (int k = 0; k < Policy::kItems; ++k) {
        run += v[k];
        if (base + k < n) out[base + k] = run;
    }
}

int main(int argc, char** argv) {
    using Policy = ScanPolicy<256, 4>;
    const int n = argc > 1 ? std::atoi(argv[1]) : 1 << 22;
    const int tiles = (n + Policy::kTile - 1) / Policy::kTile;
    std::vector<unsigned> h(n);
    for (auto& x : h) x = std::rand() & 255;
    unsigned* dIn;
    unsigned long long* dOut;
    ScanState st{};
    cudaMalloc(&dIn, n * sizeof(unsigned));
    cudaMalloc(&dOut, n * sizeof(unsigned long long));
    cudaMalloc(&st.nextTile, sizeof(unsigned));
    cudaMalloc(&st.flag, tiles * sizeof(int));
    cudaMalloc(&st.agg, tiles * sizeof(unsigned long long));
    cudaMalloc(&st.incl, tiles * sizeof(unsigned long long));
    cudaMemset(st.nextTile, 0, sizeof(unsigned));
    cudaMemset(st.flag, 0, tiles * sizeof(int));
    cudaMemcpy(dIn, h.data(), n * sizeof(unsigned), cudaMemcpyHostToDevice);
    chainedScan<Policy><<<tiles, Policy::kThreads>>>(dIn, dOut, n, st);
    unsigned long long last = 0, ref = 0;
    if (cudaMemcpy(&last, dOut + n - 1, sizeof last, cudaMemcpyDeviceToHost) != cudaSuccess) {
        std::puts("scan failed");
        return 1;
    }
    for (unsigned x : h) ref += x;
    std::printf("%llu %s\n", last, last == ref ? "ok" : "MISMATCH");
    return last != ref;
}
