// Multi-occurrence search of a short pattern, positions compacted. Build: nvcc -arch=sm_80
#include <cuda_runtime.h>
#include <cstdio>
#include <algorithm>

namespace text {

constexpr int kMaxPattern = 64;
constexpr unsigned kAll = 0xffffffffu;

struct Pattern {
    char bytes[kMaxPattern];
    int length;
};

struct MatchList {
    unsigned* count;
    unsigned* pos;
    unsigned capacity;
};

__device__ bool matchesAt(const char* __restrict__ s, const Pattern& p)
{
    for (int k = 0; k < p.length; ++k)
        if (s[k] != p.bytes[k])
            return false;
    return true;
}

__device__ void appendWarp(const MatchList& out, bool hit, unsigned pos)
{
    const unsigned lane = threadIdx.x & 31u;
    const unsigned votes = __ballot_sync(kAll, hit);
    if (votes == 0)
        return;
    const int leader = __ffs(votes) - 1;
    unsigned base = 0;
    if (int(lane) == leader)
        base = atomicAdd(out.count, __popc(votes));
    base = __shfl_sync(kAll, base, leader);
    if (hit) {
        const unsigned slot = base + __popc(votes & ((1u << lane) - 1u));
        if (slot < out.capacity)
            out.pos[slot] = pos;
    }
}

__global__ void findAll(const char* __restrict__ textBuf, unsigned nStarts, Pattern pat,
                        MatchList out)
{
    const unsigned stride = gridDim.x * blockDim.x;
    const unsigned first = blockIdx.x * blockDim.x + threadIdx.x;
    for (unsigned i = first; i < nStarts; i += stride) {
        const bool hit = matchesAt(textBuf + i, pat);
        appendWarp(out, hit, i);
    }
}

class Searcher {
public:
    explicit Searcher(cudaStream_t s) : stream_(s)
    {
        int dev = 0;
        cudaGetDevice(&dev);
        cudaDeviceGetAttribute(&sms_, cudaDevAttrMultiProcessorCount, dev);
    }

    cudaError_t run(const char* text, unsigned n, const Pattern& p, const MatchList& out)
    {
        cudaError_t e = cudaMemsetAsync(out.count, 0, sizeof(unsigned), stream_);
        if (e != cudaSuccess)
            return e;
        if (p.length <= 0 || p.length > kMaxPattern || n < unsigned(p.length))
            return cudaSuccess;
        const unsigned starts = n - p.length + 1;
        const unsigned block = 256;
        const unsigned grid = std::min((starts + block - 1) / block, unsigned(sms_) * 8u);
        findAll<<<grid, block, 0, stream_>>>(text, starts, p, out);
        return cudaGetLastError();
    }

private:
    cudaStream_t stream_;
    int sms_ = 1;
};

cudaError_t searchText(const char* text, unsigned n, const Pattern& p, const MatchList& out,
                       cudaStream_t s)
{
    Searcher f(s);
    return f.run(text, n, p, out);
}

} // namespace text
