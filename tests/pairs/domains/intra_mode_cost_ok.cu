#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

namespace cg = cooperative_groups;

#define RT(e)                                                                    \
    do {                                                                         \
        if (auto s_ = (e); s_ != cudaSuccess) {                                  \
            std::fprintf(stderr, "%s at %d\n", cudaGetErrorString(s_), __LINE__); \
            std::abort();                                                        \
        }                                                                        \
    } while (false)

struct BlockInfo {
    unsigned char mode;  // 0 inter, otherwise an intra direction
    unsigned char qp;
    unsigned short bits;
};

struct FrameCost {
    unsigned intraBits;
    unsigned intraBlocks;
    unsigned maxQp;
};

template <int THREADS>
__global__ void frameCosts(const BlockInfo* __restrict__ blocks, int perFrame, FrameCost* costs) {
    const auto tile = cg::tiled_partition<32>(cg::this_thread_block());
    const BlockInfo* frame = blocks + size_t(blockIdx.x) * perFrame;
    FrameCost* cost = costs + blockIdx.x;

    for (int base = 0; base < perFrame; base += THREADS) {
        const int i = base + threadIdx.x;
        const BlockInfo b = i < perFrame ? frame[i] : BlockInfo{0, 0, 0};
        const bool intra = b.mode != 0;
        auto peers = cg::binary_partition(tile, intra);
        if (intra) {
            const unsigned bits = cg::reduce(peers, unsigned(b.bits), cg::plus<unsigned>());
            const unsigned qp = cg::reduce(peers, unsigned(b.qp), cg::greater<unsigned>());
            if (peers.thread_rank() == 0) {
                atomicAdd(&cost->intraBits, bits);
                atomicAdd(&cost->intraBlocks, unsigned(peers.size()));
                atomicMax(&cost->maxQp, qp);
            }
        }
    }
}

int main(int argc, char** argv) {
    const int frames = argc > 1 ? std::atoi(argv[1]) : 30;
    const int mbW = 1920 / 16, mbH = (1080 + 15) / 16;
    const int perFrame = mbW * mbH;
    std::vector<BlockInfo> h(size_t(frames) * perFrame);
    for (auto& b : h) {
        b.mode = (std::rand() % 3 == 0) ? 1 + std::rand() % 9 : 0;
        b.qp = 20 + std::rand() % 20;
        b.bits = std::rand() % 900;
    }
    BlockInfo* dBlocks;
    FrameCost* dCost;
    RT(cudaMalloc(&dBlocks, h.size() * sizeof(BlockInfo)));
    RT(cudaMalloc(&dCost, frames * sizeof(FrameCost)));
    RT(cudaMemcpy(dBlocks, h.data(), h.size() * sizeof(BlockInfo), cudaMemcpyHostToDevice));
    RT(cudaMemset(dCost, 0, frames * sizeof(FrameCost)));
    constexpr int T = 256;
    frameCosts<T><<<frames, T>>>(dBlocks, perFrame, dCost);
    RT(cudaGetLastError());
    std::vector<FrameCost> c(frames);
    RT(cudaMemcpy(c.data(), dCost, frames * sizeof(FrameCost), cudaMemcpyDeviceToHost));
    for (int f = 0; f < frames && f < 4; ++f)
        std::printf("frame %d: %u bits in %u intra blocks, qp <= %u\n", f, c[f].intraBits, c[f].intraBlocks, c[f].maxQp);
    RT(cudaFree(dBlocks));
    RT(cudaFree(dCost));
    return 0;
}
