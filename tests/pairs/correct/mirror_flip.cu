// In-place horizontal flip of an RGBA image and in-place rotation by 180 degrees.
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

struct Image {
    uchar4 *px;
    int w, h, pitch; // pitch in pixels
};

__device__ __forceinline__ void swap_px(uchar4 &a, uchar4 &b)
{
    const uchar4 t = a;
    a = b;
    b = t;
}

__global__ void flip_x(Image im)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < im.w / 2 && y < im.h) {
        uchar4 *row = im.px + (size_t)y * im.pitch;
        swap_px(row[x], row[im.w - 1 - x]);
    }
}

__global__ void rotate180(Image im)
{
    const int half = (im.w * im.h) / 2;
    const int total = im.w * im.h;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < half; i += gridDim.x * blockDim.x) {
        const int j = total - 1 - i;
        swap_px(im.px[(size_t)(i / im.w) * im.pitch + i % im.w], im.px[(size_t)(j / im.w) * im.pitch + j % im.w]);
    }
}

// channel rotation, every thread its own pixel
__global__ void rgb_to_bgr(Image im)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= im.w || y >= im.h)
        return;
    uchar4 &p = im.px[(size_t)y * im.pitch + x];
    const unsigned char r = p.x;
    p.x = p.z;
    p.z = r;
}

int main(int argc, char **argv)
{
    Image im{nullptr, argc > 1 ? atoi(argv[1]) : 641, argc > 2 ? atoi(argv[2]) : 481, 0};
    if (im.w < 2 || im.h < 1 || im.w > 16384 || im.h > 16384)
        return 1;
    im.pitch = (im.w + 63) / 64 * 64;
    std::vector<uchar4> h((size_t)im.pitch * im.h);
    for (size_t i = 0; i < h.size(); ++i)
        h[i] = make_uchar4(i & 255, i >> 8 & 255, 0, 255);
    cudaMalloc(&im.px, h.size() * sizeof(uchar4));
    cudaMemcpy(im.px, h.data(), h.size() * sizeof(uchar4), cudaMemcpyHostToDevice);
    const dim3 b(32, 8);
    flip_x<<<dim3((im.w / 2 + 31) / 32, (im.h + 7) / 8), b>>>(im);
    rotate180<<<128, 256>>>(im);
    rgb_to_bgr<<<dim3((im.w + 31) / 32, (im.h + 7) / 8), b>>>(im);
    cudaMemcpy(h.data(), im.px, h.size() * sizeof(uchar4), cudaMemcpyDeviceToHost);
    printf("%d %s\n", h[0].x, cudaGetErrorString(cudaGetLastError()));
    cudaFree(im.px);
    return 0;
}
