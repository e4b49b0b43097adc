// Persistent tile renderer: thread 0 draws tiles from a global counter.
#include <cstdio>
#include <cuda_runtime.h>

constexpr int TILE = 16;

struct Scene {
    const float4 *sphere; // xyz, radius
    int nsphere;
    int width, height, tiles_x, tiles;
    float *depth;
    int *queue;
};

__global__ void __launch_bounds__(TILE * TILE) render(Scene s)
{
    __shared__ int tile;
    __shared__ float4 cache[TILE * TILE];
    const int tid = threadIdx.y * TILE + threadIdx.x;
    for (;;) {
        if (tid == 0)
            tile = atomicAdd(s.queue, 1);
        __syncthreads();
        const int mine = tile;
        if (mine >= s.tiles)
            return;
        const int px = mine % s.tiles_x * TILE + threadIdx.x;
        const int py = mine / s.tiles_x * TILE + threadIdx.y;
        float best = 1e30f;
        for (int base = 0; base < s.nsphere; base += TILE * TILE) {
            const int m = min(TILE * TILE, s.nsphere - base);
            if (tid < m)
                cache[tid] = s.sphere[base + tid];
            __syncthreads();
            for (int k = 0; k < m; ++k) {
                const float dx = px - cache[k].x, dy = py - cache[k].y;
                const float r2 = cache[k].w * cache[k].w - dx * dx - dy * dy;
                if (r2 > 0.0f)
                    best = fminf(best, cache[k].z - sqrtf(r2));
            }
            __syncthreads();
        }
        if (px < s.width && py < s.height)
            s.depth[py * s.width + px] = best;
        __syncthreads(); // everybody has read `tile`
    }
}

int main()
{
    Scene s{};
    s.width = 1000;
    s.height = 700;
    s.nsphere = 700;
    s.tiles_x = (s.width + TILE - 1) / TILE;
    s.tiles = s.tiles_x * ((s.height + TILE - 1) / TILE);
    float4 *sp;
    cudaMalloc(&sp, s.nsphere * sizeof(float4));
    cudaMemset(sp, 0, s.nsphere * sizeof(float4));
    s.sphere = sp;
    cudaMalloc(&s.depth, s.width * s.height * sizeof(float));
    cudaMalloc(&s.queue, sizeof(int));
    int sms = 0;
    cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0);
    for (int frame = 0; frame < 3; ++frame) {
        cudaMemsetAsync(s.queue, 0, sizeof(int));
        render<<<sms * 4, dim3(TILE, TILE)>>>(s);
    }
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    return 0;
}
