// Connected-component labels inside one image tile, iterated until nothing changes.
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

constexpr int TW = 32;
constexpr int TH = 8;

__device__ __forceinline__ int load_or(const int (*lab)[TW], int y, int x, int self)
{
    if (x < 0 || x >= TW || y < 0 || y >= TH)
        return self;
    int v = lab[y][x];
    return v < 0 ? self : v;
}

// One block labels one tile; labels are local indices, background is -1.
__global__ void label_tiles(const unsigned char *__restrict__ img, int *__restrict__ out,
                            int width, int height, int pitch)
{
    __shared__ int lab[TH][TW];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int gx = blockIdx.x * TW + tx;
    const int gy = blockIdx.y * TH + ty;
    const bool inside = gx < width && gy < height;
    const bool fg = inside && img[gy * pitch + gx] != 0;
    int mine = fg ? ty * TW + tx : -1;
    lab[ty][tx] = mine;
    __syncthreads();

    while (true) {
        int best = mine;
        if (fg) {
            best = min(best, load_or(lab, ty, tx - 1, mine));
            best = min(best, load_or(lab, ty, tx + 1, mine));
            best = min(best, load_or(lab, ty - 1, tx, mine));
            best = min(best, load_or(lab, ty + 1, tx, mine));
        }
        // every neighbour has been read once this returns
        if (!__syncthreads_or(best != mine))
            break;
        mine = best;
        lab[ty][tx] = mine;
        __syncthreads();
    }
    if (inside)
        out[gy * pitch + gx] = mine;
}

int main(int argc, char **argv)
{
    int w = argc > 1 ? atoi(argv[1]) : 333;
    int h = argc > 2 ? atoi(argv[2]) : 101;
    if (w < 1 || h < 1 || w > 8000 || h > 8000)
        return 1;
    const int pitch = (w + 31) / 32 * 32;
    std::vector<unsigned char> img((size_t)pitch * h);
    for (size_t i = 0; i < img.size(); ++i)
        img[i] = (i * 2654435761u >> 13) & 1;
    unsigned char *d_img = nullptr;
    int *d_out = nullptr;
    cudaMalloc(&d_img, img.size());
    cudaMalloc(&d_out, img.size() * sizeof(int));
    cudaMemcpy(d_img, img.data(), img.size(), cudaMemcpyHostToDevice);
    dim3 block(TW, TH);
    dim3 grid((w + TW - 1) / TW, (h + TH - 1) / TH);
    label_tiles<<<grid, block>>>(d_img, d_out, w, h, pitch);
    cudaError_t e = cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(e));
    cudaFree(d_img);
    cudaFree(d_out);
    return e != cudaSuccess;
}
