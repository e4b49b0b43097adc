// Forward DCT + quantisation for baseline JPEG, 4 blocks of 8x8 for each CUDA block.
#include <cuda_runtime.h>
#include <cstdint>
#include <cmath>

#define BLK 8
#define PACK 4

__constant__ float c_dct[BLK][BLK];
__constant__ uint16_t c_quant[2][64];
__constant__ uint8_t c_zigzag[64] = {
    0,  1,  5,  6,  14, 15, 27, 28, 2,  4,  7,  13, 16, 26, 29, 42, 3,  8,  12, 17, 25, 30,
    41, 43, 9,  11, 18, 24, 31, 40, 44, 53, 10, 19, 23, 32, 39, 45, 52, 54, 20, 22, 33, 38,
    46, 51, 55, 60, 21, 34, 37, 47, 50, 56, 59, 61, 35, 36, 48, 49, 57, 58, 62, 63};

struct Plane {
    const uint8_t *pix;
    int pitch, width, height;
    int blocks_w, blocks_h;
    int16_t *coef;  // blocks_h * blocks_w * 64, zigzag order
    int table;
};

static __device__ __forceinline__ float fetch(const Plane &p, int x, int y) {
    x = min(x, p.width - 1);
    y = min(y, p.height - 1);
    return (float)p.pix[(size_t)y * p.pitch + x] - 128.0f;
}

__global__ void __launch_bounds__(BLK *BLK *PACK) fdct_quant(Plane p) {
    __shared__ float strip[BLK][PACK * BLK + 1];
    __shared__ float tmp[PACK][BLK][BLK + 1];

    const int u = threadIdx.x, v = threadIdx.y, z = threadIdx.z;
    const int bx = blockIdx.x * PACK + z;
    const int by = blockIdx.y;

    // coalesced load of the 32 x 8 strip; pixels outside of the image replicate the border
    const int lin = (z * BLK + v) * BLK + u;
    const int lx = lin % (PACK * BLK), ly = lin / (PACK * BLK);
    strip[ly][lx] = fetch(p, blockIdx.x * PACK * BLK + lx, by * BLK + ly);
    __syncthreads();

    float acc = 0.f;
#pragma unroll
    for (int i = 0; i < BLK; ++i) acc += c_dct[u][i] * strip[v][z * BLK + i];
    tmp[z][v][u] = acc;
    __syncthreads();

    if (bx >= p.blocks_w) return;

    acc = 0.f;
#pragma unroll
    for (int i = 0; i < BLK; ++i) acc += c_dct[v][i] * tmp[z][i][u];

    const int k = v * BLK + u;
    const float q = (float)c_quant[p.table][k];
    int16_t *out = p.coef + ((size_t)by * p.blocks_w + bx) * 64;
    out[c_zigzag[k]] = (int16_t)rintf(acc / q);
}

// DC prediction runs over the blocks of the scan; differences are taken out of place
__global__ void dc_delta(const int16_t *coef, int16_t *dc, int nblocks) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= nblocks) return;
    const int prev = i ? coef[(size_t)(i - 1) * 64] : 0;
    dc[i] = (int16_t)(coef[(size_t)i * 64] - prev);
}

class JpegTransform {
public:
    JpegTransform(const uint16_t *luma, const uint16_t *chroma) {
        float m[BLK][BLK];
        for (int k = 0; k < BLK; ++k)
            for (int n = 0; n < BLK; ++n)
                m[k][n] = (k ? 0.5f : std::sqrt(0.125f)) *
                          std::cos((2 * n + 1) * k * 3.14159265358979f / 16.0f);
        cudaMemcpyToSymbol(c_dct, m, sizeof(m));
        cudaMemcpyToSymbol(c_quant, luma, 128);
        cudaMemcpyToSymbol(c_quant, chroma, 128, 128);
    }

    cudaError_t run(const uint8_t *pix, int pitch, int w, int h, int table, int16_t *coef,
                    int16_t *dc, cudaStream_t st) const {
        if (w <= 0 || h <= 0 || table < 0 || table > 1) return cudaErrorInvalidValue;
        Plane p{pix, pitch, w, h, (w + BLK - 1) / BLK, (h + BLK - 1) / BLK, coef, table};
        dim3 block(BLK, BLK, PACK);
        dim3 grid((p.blocks_w + PACK - 1) / PACK, p.blocks_h);
        fdct_quant<<<grid, block, 0, st>>>(p);
        const int nb = p.blocks_w * p.blocks_h;
        dc_delta<<<(nb + 255) / 256, 256, 0, st>>>(coef, dc, nb);
        return cudaGetLastError();
    }
};

void jpeg_transform_plane(const JpegTransform &t, const uint8_t *pix, int pitch, int w, int h,
                          int table, int16_t *coef, int16_t *dc, cudaStream_t st) {
    t.run(pix, pitch, w, h, table, coef, dc, st);
}
