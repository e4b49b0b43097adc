#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

#define HANDLE(e)                                                             \
    if (cudaError_t r = (e); r != cudaSuccess) {                              \
        std::fprintf(stderr, "%s: %s\n", #e, cudaGetErrorString(r));          \
        std::exit(1);                                                         \
    }

template <int THREADS>
struct BlockSplit {
    static constexpr int WARPS = THREADS / 32;
    struct Temp {
        unsigned scan[WARPS][32];
        unsigned warpTotal[WARPS];
    };
    Temp& temp;
    const int lane, wid;

    __device__ explicit BlockSplit(Temp& t) : temp(t), lane(threadIdx.x % 32), wid(threadIdx.x / 32) {}

    __device__ unsigned warpInclusive(unsigned v) {
        unsigned* s = temp.scan[wid];
        s[lane] = v;
        __syncwarp();
        for (int d = 1; d < 32; d *= 2) {
            const unsigned other = lane >= d ? s[lane - d] : 0u;
            s[lane] += other;
            __syncwarp();
        }
        return s[lane];
    }

    // exclusive rank of set flags, and their count in the block
    __device__ unsigned rank(bool flag, unsigned& total) {
        const unsigned inc = warpInclusive(flag ? 1u : 0u);
        if (lane == 31) temp.warpTotal[wid] = inc;
        __syncthreads();
        unsigned base = 0;
        total = 0;
        for (int w = 0; w < WARPS; ++w) {
            if (w < wid) base += temp.warpTotal[w];
            total += temp.warpTotal[w];
        }
        __syncthreads();
        return base + inc - (flag ? 1u : 0u);
    }
};

// Sorts each tile of THREADS keys by the bits [begin, end).
template <int THREADS>
__global__ void sortTiles(uint32_t* keys, int n, int begin, int end) {
    using Split = BlockSplit<THREADS>;
    __shared__ typename Split::Temp temp;
    __shared__ uint32_t swap[THREADS];
    Split split(temp);

    const int i = blockIdx.x * THREADS + threadIdx.x;
    uint32_t key = i < n ? keys[i] : 0xffffffffu;
    for (int bit = begin; bit < end; ++bit) {
        const bool zero = ((key >> bit) & 1u) == 0u;
        unsigned zeros;
        const unsigned r = split.rank(zero, zeros);
        const unsigned dst = zero ? r : zeros + threadIdx.x - r;
        swap[dst] = key;
        __syncthreads();
        key = swap[threadIdx.x];
        __syncthreads();
    }
    if (i < n) keys[i] = key;
}

int main(int argc, char** argv) {
    const int n = argc > 1 ? std::atoi(argv[1]) : 10000;
    std::vector<uint32_t> h(n);
    for (auto& k : h) k = uint32_t(std::rand());
    uint32_t* d = nullptr;
    HANDLE(cudaMalloc(&d, n * sizeof(uint32_t)));
    HANDLE(cudaMemcpy(d, h.data(), n * sizeof(uint32_t), cudaMemcpyHostToDevice));
    constexpr int T = 256;
    sortTiles<T><<<(n + T - 1) / T, T>>>(d, n, 0, 32);
    HANDLE(cudaGetLastError());
    HANDLE(cudaMemcpy(h.data(), d, n * sizeof(uint32_t), cudaMemcpyDeviceToHost));
    int bad = 0;
    for (int i = 1; i < n; ++i)
        if (i % T && h[i - 1] > h[i]) ++bad;
    std::printf("%d inversions\n", bad);
    HANDLE(cudaFree(d));
    return bad != 0;
}
