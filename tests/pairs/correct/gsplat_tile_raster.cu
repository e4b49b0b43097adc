// Forward rasteriser of 3D Gaussian splatting: a block per 16x16 tile, a thread per pixel.
#include <cuda_runtime.h>
#include <cstdint>

constexpr int TILE_X = 16, TILE_Y = 16;
constexpr int BLOCK = TILE_X * TILE_Y;

struct Splats {
    const float2 *mean;
    const float4 *conic_opacity;
    const float3 *color;
};

// point_list_keys: (tile << 32 | depth), sorted; the run of a tile gives its range
__global__ void identifyTileRanges(int L, const uint64_t *__restrict__ point_list_keys, uint2 *ranges)
{
    const int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx >= L)
        return;
    const uint32_t currtile = point_list_keys[idx] >> 32;
    if (idx == 0)
        ranges[currtile].x = 0;
    else {
        const uint32_t prevtile = point_list_keys[idx - 1] >> 32;
        if (currtile != prevtile) {
            ranges[prevtile].y = idx;
            ranges[currtile].x = idx;
        }
    }
    if (idx == L - 1)
        ranges[currtile].y = L;
}

__global__ void __launch_bounds__(BLOCK) renderTiles(const uint2 *__restrict__ ranges, const uint32_t *__restrict__ point_list,
                                                     int W, int H, Splats g, float3 bg, float *final_T,
                                                     uint32_t *n_contrib, float *out_color)
{
    const uint32_t tiles_x = (W + TILE_X - 1) / TILE_X;
    const int px = blockIdx.x * TILE_X + threadIdx.x, py = blockIdx.y * TILE_Y + threadIdx.y;
    const int rank = threadIdx.y * TILE_X + threadIdx.x;
    const bool inside = px < W && py < H;
    bool done = !inside;
    const uint2 range = ranges[blockIdx.y * tiles_x + blockIdx.x];

    __shared__ float2 s_xy[BLOCK];
    __shared__ float4 s_co[BLOCK];
    __shared__ float3 s_rgb[BLOCK];

    float T = 1.f;
    uint32_t seen = 0, last = 0;
    float3 C = make_float3(0.f, 0.f, 0.f);
    for (uint32_t base = range.x; base < range.y; base += BLOCK) {
        if (__syncthreads_count(done) == BLOCK)
            break;
        if (base + rank < range.y) {
            const uint32_t id = point_list[base + rank];
            s_xy[rank] = g.mean[id];
            s_co[rank] = g.conic_opacity[id];
            s_rgb[rank] = g.color[id];
        }
        __syncthreads();
        const uint32_t m = min((uint32_t)BLOCK, range.y - base);
        for (uint32_t j = 0; !done && j < m; ++j) {
            ++seen;
            const float dx = s_xy[j].x - px, dy = s_xy[j].y - py;
            const float4 q = s_co[j];
            const float power = -0.5f * (q.x * dx * dx + q.z * dy * dy) - q.y * dx * dy;
            if (power > 0.f)
                continue;
            const float alpha = fminf(0.99f, q.w * __expf(power));
            if (alpha < 1.f / 255.f)
                continue;
            const float next = T * (1.f - alpha);
            if (next < 0.0001f) {
                done = true;
                continue;
            }
            C.x += s_rgb[j].x * alpha * T;
            C.y += s_rgb[j].y * alpha * T;
            C.z += s_rgb[j].z * alpha * T;
            T = next;
            last = seen;
        }
    }
    if (inside) {
        const int pix = py * W + px;
        final_T[pix] = T;
        n_contrib[pix] = last;
        out_color[pix] = C.x + T * bg.x;
        out_color[H * W + pix] = C.y + T * bg.y;
        out_color[2 * H * W + pix] = C.z + T * bg.z;
    }
}

void render(int W, int H, int L, const uint64_t *keys, const uint32_t *list, uint2 *ranges, Splats g, float3 bg, float *final_T,
            uint32_t *n_contrib, float *out)
{
    dim3 grid((W + TILE_X - 1) / TILE_X, (H + TILE_Y - 1) / TILE_Y), block(TILE_X, TILE_Y);
    cudaMemset(ranges, 0, grid.x * grid.y * sizeof(uint2));
    if (L > 0)
        identifyTileRanges<<<(L + 255) / 256, 256>>>(L, keys, ranges);
    renderTiles<<<grid, block>>>(ranges, list, W, H, g, bg, final_T, n_contrib, out);
}
