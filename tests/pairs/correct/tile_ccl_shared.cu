// Connected component labelling inside 32x32 tiles: union-find in shared memory, then boundary table.
#include <cuda_runtime.h>
#include <cstdint>

#define TW 32
#define TH 32

struct BinaryImage {
    const uint8_t *px;
    int w, h, pitch;
};

__device__ int root(volatile int *label, int i)
{
    int p = label[i];
    while (p != i) {
        i = p;
        p = label[i];
    }
    return i;
}

__device__ void link(int *label, int a, int b)
{
    bool done;
    do {
        a = root(label, a);
        b = root(label, b);
        if (a < b) {
            const int t = a;
            a = b;
            b = t;
        }
        // a >= b: hang the larger root below the smaller one
        if (a == b)
            return;
        const int old = atomicMin(&label[a], b);
        done = old == a;
        a = old;
    } while (!done);
}

__global__ void label_tiles(BinaryImage img, int *out, int *tile_components)
{
    __shared__ int label[TW * TH];
    __shared__ int ncomp;
    const int tx = threadIdx.x, ty = threadIdx.y, t = ty * TW + tx;
    const int x = blockIdx.x * TW + tx, y = blockIdx.y * TH + ty;
    const bool fg = x < img.w && y < img.h && img.px[y * img.pitch + x];

    label[t] = fg ? t : -1;
    if (t == 0)
        ncomp = 0;
    __syncthreads();

    const bool left = fg && tx > 0 && img.px[y * img.pitch + x - 1];
    const bool up = fg && ty > 0 && img.px[(y - 1) * img.pitch + x];
    if (left)
        link(label, t, t - 1);
    if (up)
        link(label, t, t - TW);
    __syncthreads();

    int r = -1;
    if (fg) {
        r = root(label, t);
        if (r == t)
            atomicAdd(&ncomp, 1);
    }
    __syncthreads();
    if (fg)
        label[t] = r;
    __syncthreads();
    if (x < img.w && y < img.h) {
        const int l = label[t];
        const int gx = blockIdx.x * TW + (l & (TW - 1)), gy = blockIdx.y * TH + l / TW;
        out[y * img.w + x] = l < 0 ? -1 : gy * img.w + gx;
    }
    if (t == 0)
        tile_components[blockIdx.y * gridDim.x + blockIdx.x] = ncomp;
}

__global__ void boundary_pairs(const int *__restrict__ lab, int w, int h, int2 *pairs, int *count)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x >= w || lab[y * w + x] < 0)
        return;
    if (x % TW == 0 && x > 0 && lab[y * w + x - 1] >= 0)
        pairs[atomicAdd(count, 1)] = make_int2(lab[y * w + x], lab[y * w + x - 1]);
    if (y % TH == 0 && y > 0 && lab[(y - 1) * w + x] >= 0)
        pairs[atomicAdd(count, 1)] = make_int2(lab[y * w + x], lab[(y - 1) * w + x]);
}

int label_image(BinaryImage img, int *d_labels, int *d_comp, int2 *d_pairs, int *d_count)
{
    int n = 0;
    dim3 b(TW, TH), g((img.w + TW - 1) / TW, (img.h + TH - 1) / TH);
    cudaMemset(d_count, 0, sizeof(int));
    label_tiles<<<g, b>>>(img, d_labels, d_comp);
    boundary_pairs<<<dim3((img.w + 127) / 128, img.h), 128>>>(d_labels, img.w, img.h, d_pairs, d_count);
    cudaMemcpy(&n, d_count, sizeof(int), cudaMemcpyDeviceToHost);
    return n;      // pairs to merge on the host
}
