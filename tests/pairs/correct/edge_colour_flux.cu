// Unstructured finite volumes: edges are grouped by colour, so fluxes are added without atomics.
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

struct Mesh {
    std::vector<int2> edges;      // sorted by colour
    std::vector<int> colour_begin;
};

// greedy colouring: no two edges of a colour share a cell
static Mesh colour_edges(const std::vector<int2> &raw, int ncell)
{
    Mesh m;
    std::vector<char> done(raw.size(), 0);
    size_t left = raw.size();
    m.colour_begin.push_back(0);
    while (left) {
        std::vector<char> used(ncell, 0);
        for (size_t e = 0; e < raw.size(); ++e) {
            if (done[e] || used[raw[e].x] || used[raw[e].y])
                continue;
            used[raw[e].x] = used[raw[e].y] = 1;
            done[e] = 1;
            --left;
            m.edges.push_back(raw[e]);
        }
        m.colour_begin.push_back((int)m.edges.size());
    }
    return m;
}

__global__ void edge_flux(const int2 *__restrict__ edge, int n, const float *__restrict__ u, float *res)
{
    const int e = blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= n)
        return;
    const int a = edge[e].x, b = edge[e].y;
    const float f = 0.5f * (u[a] + u[b]) - fabsf(u[b] - u[a]);
    res[a] -= f;
    res[b] += f;
}

__global__ void update(float *u, float *res, int n, float dt)
{
    const int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c < n) {
        u[c] += dt * res[c];
        res[c] = 0.0f;
    }
}

int main()
{
    const int w = 60, h = 50, ncell = w * h;
    std::vector<int2> raw;
    for (int y = 0; y < h; ++y)
        for (int x = 0; x < w; ++x) {
            if (x + 1 < w)
                raw.push_back(make_int2(y * w + x, y * w + x + 1));
            if (y + 1 < h)
                raw.push_back(make_int2(y * w + x, y * w + x + w));
        }
    Mesh m = colour_edges(raw, ncell);
    int2 *de;
    float *u, *res;
    cudaMalloc(&de, m.edges.size() * sizeof(int2));
    cudaMalloc(&u, ncell * sizeof(float));
    cudaMalloc(&res, ncell * sizeof(float));
    cudaMemcpy(de, m.edges.data(), m.edges.size() * sizeof(int2), cudaMemcpyHostToDevice);
    cudaMemset(u, 0, ncell * sizeof(float));
    cudaMemset(res, 0, ncell * sizeof(float));
    for (int step = 0; step < 20; ++step) {
        for (size_t c = 0; c + 1 < m.colour_begin.size(); ++c) {
            const int beg = m.colour_begin[c], n = m.colour_begin[c + 1] - beg;
            edge_flux<<<(n + 127) / 128, 128>>>(de + beg, n, u, res);
        }
        update<<<(ncell + 127) / 128, 128>>>(u, res, ncell, 0.01f);
    }
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    return 0;
}
