// Discrete Voronoi diagram and distance transform by jump flooding (Rong & Tan), ping-pong seeds.
#include <cuda_runtime.h>
#include <climits>
#include <cmath>
#include <utility>
#include <vector>

struct Canvas {
    int w, h;
    short2 *seed[2];       // nearest seed found so far, (-1,-1) = none
};

__global__ void clearSeeds(short2 *s, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        s[i] = make_short2(-1, -1);
}

// sites have distinct pixels
__global__ void plantSeeds(short2 *s, const short2 *__restrict__ site, int n, int w)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        s[site[i].y * w + site[i].x] = site[i];
}

__device__ inline int dist2(short2 s, int x, int y)
{
    if (s.x < 0)
        return INT_MAX;
    const int dx = s.x - x, dy = s.y - y;
    return dx * dx + dy * dy;
}

__global__ void flood(const short2 *__restrict__ in, short2 *__restrict__ out, int w, int h, int step)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h)
        return;
    short2 best = in[y * w + x];
    int bd = dist2(best, x, y);
    for (int dy = -step; dy <= step; dy += step)
        for (int dx = -step; dx <= step; dx += step) {
            const int nx = x + dx, ny = y + dy;
            if (nx < 0 || ny < 0 || nx >= w || ny >= h)
                continue;
            const short2 s = in[ny * w + nx];
            const int d = dist2(s, x, y);
            if (d < bd) {
                bd = d;
                best = s;
            }
        }
    out[y * w + x] = best;
}

__global__ void toDistance(const short2 *__restrict__ s, float *dist, int w, int h)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < w && y < h)
        dist[y * w + x] = sqrtf((float)dist2(s[y * w + x], x, y));
}

void distance_transform(Canvas &c, const std::vector<unsigned char> &mask, float *d_dist)
{
    std::vector<short2> sites;
    for (int y = 0; y < c.h; y++)
        for (int x = 0; x < c.w; x++)
            if (mask[y * c.w + x])
                sites.push_back(make_short2((short)x, (short)y));
    if (sites.empty())
        return;
    short2 *d_sites;
    cudaMalloc(&d_sites, sites.size() * sizeof(short2));
    cudaMemcpy(d_sites, sites.data(), sites.size() * sizeof(short2), cudaMemcpyHostToDevice);
    const int n = c.w * c.h, m = (int)sites.size();
    clearSeeds<<<(n + 255) / 256, 256>>>(c.seed[0], n);
    plantSeeds<<<(m + 255) / 256, 256>>>(c.seed[0], d_sites, m, c.w);
    dim3 b(32, 8), g((c.w + 31) / 32, (c.h + 7) / 8);
    int step = 1;
    while (step * 2 < (c.w > c.h ? c.w : c.h)) step *= 2;
    for (; step > 0; step /= 2) {
        flood<<<g, b>>>(c.seed[0], c.seed[1], c.w, c.h, step);
        std::swap(c.seed[0], c.seed[1]);
    }
    toDistance<<<g, b>>>(c.seed[0], d_dist, c.w, c.h);
    cudaDeviceSynchronize();
    cudaFree(d_sites);
}
