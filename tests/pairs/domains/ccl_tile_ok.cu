#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

#define GPU_CHECK(e) gpuCheck((e), __LINE__)
static void gpuCheck(cudaError_t e, int line) {
    if (e != cudaSuccess) {
        std::fprintf(stderr, "line %d: %s\n", line, cudaGetErrorString(e));
        std::exit(2);
    }
}

template <int TW, int TH>
struct TileLabels {
    int v[TH + 2][TW + 2];
    __device__ int& at(int x, int y) { return v[y + 1][x + 1]; }
};

constexpr int kNone = 0x7fffffff;

// First pass of connected component labelling: labels inside each tile.
template <int TW, int TH>
__global__ void labelTiles(const unsigned char* mask, int* labels, int w, int h) {
    __shared__ TileLabels<TW, TH> tile;
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int x = blockIdx.x * TW + tx;
    const int y = blockIdx.y * TH + ty;
    const int lin = ty * TW + tx;

    for (int i = lin; i < (TW + 2) * (TH + 2); i += TW * TH)
        tile.v[i / (TW + 2)][i % (TW + 2)] = kNone;
    __syncthreads();

    const bool fg = x < w && y < h && mask[y * w + x] != 0;
    if (fg) tile.at(tx, ty) = y * w + x;
    __syncthreads();

    int mine = fg ? y * w + x : kNone;
    bool changed;
    do {
        changed = false;
        int best = mine;
        if (fg) {
            best = min(best, tile.at(tx - 1, ty));
            best = min(best, tile.at(tx + 1, ty));
            best = min(best, tile.at(tx, ty - 1));
            best = min(best, tile.at(tx, ty + 1));
        }
        __syncthreads();
        if (best < mine) {
            mine = best;
            tile.at(tx, ty) = best;
            changed = true;
        }
    } while (__syncthreads_or(changed));

    if (x < w && y < h) labels[y * w + x] = fg ? mine : -1;
}

int main(int argc, char** argv) {
    const int w = argc > 2 ? std::atoi(argv[1]) : 640;
    const int h = argc > 2 ? std::atoi(argv[2]) : 480;
    std::vector<unsigned char> img(size_t(w) * h);
    std::srand(7);
    for (auto& p : img) p = (std::rand() % 100) < 60;

    unsigned char* dMask;
    int* dLabels;
    GPU_CHECK(cudaMalloc(&dMask, img.size()));
    GPU_CHECK(cudaMalloc(&dLabels, img.size() * sizeof(int)));
    GPU_CHECK(cudaMemcpy(dMask, img.data(), img.size(), cudaMemcpyHostToDevice));
    constexpr int TW = 32, TH = 8;
    dim3 grid((w + TW - 1) / TW, (h + TH - 1) / TH);
    labelTiles<TW, TH><<<grid, dim3(TW, TH)>>>(dMask, dLabels, w, h);
    GPU_CHECK(cudaDeviceSynchronize());
    std::vector<int> out(img.size());
    GPU_CHECK(cudaMemcpy(out.data(), dLabels, out.size() * sizeof(int), cudaMemcpyDeviceToHost));
    size_t roots = 0;
    for (size_t i = 0; i < out.size(); ++i) roots += out[i] == int(i);
    std::printf("tile components: %zu\n", roots);
    GPU_CHECK(cudaFree(dMask));
    GPU_CHECK(cudaFree(dLabels));
    return 0;
}
