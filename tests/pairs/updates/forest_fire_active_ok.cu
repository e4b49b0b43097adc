// Forest fire cellular automaton; only the cells of the active list are updated.
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

enum Cell : unsigned char { BARE = 0, TREE = 1, FIRE = 2 };

struct Forest {
    int w, h;
    unsigned seed;
    float ignition;
};

__device__ float hash01(unsigned a, unsigned b)
{
    unsigned h = a * 0x9E3779B1u ^ (b + 0x7F4A7C15u) * 0x85EBCA6Bu;
    h ^= h >> 15; h *= 0x2C1B3C6Du; h ^= h >> 12;
    return (h >> 8) * (1.f / 16777216.f);
}

__device__ bool fireAt(const unsigned char *g, const Forest &f, int x, int y)
{
    if (x < 0 || y < 0 || x >= f.w || y >= f.h) return false;
    return g[y * f.w + x] == FIRE;
}

// list: every vegetated cell once
__global__ void stepKernel(Forest f, const int *__restrict__ list, int n, const unsigned char *__restrict__ grid,
                           unsigned char *__restrict__ next, int step)
{
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k >= n) return;
    int c = list[k], x = c % f.w, y = c / f.w;
    unsigned char s = grid[c];
    if (s == FIRE)
        s = BARE;
    else if (s == TREE) {
        bool near = fireAt(grid, f, x - 1, y) || fireAt(grid, f, x + 1, y) ||
                    fireAt(grid, f, x, y - 1) || fireAt(grid, f, x, y + 1);
        if (near || hash01(c, f.seed + step) < f.ignition)
            s = FIRE;
    }
    next[c] = s;
}

int main(int argc, char **argv)
{
    Forest f = { 1024, 768, 42u, 1e-6f };
    int steps = argc > 1 ? atoi(argv[1]) : 200;
    std::vector<unsigned char> g(f.w * f.h);
    std::vector<int> list;
    for (int i = 0; i < f.w * f.h; i++) {
        g[i] = rand() % 100 < 62 ? TREE : BARE;
        if (g[i] == TREE) list.push_back(i);
    }
    g[list[list.size() / 2]] = FIRE;
    unsigned char *a, *b;
    int *dl, n = (int)list.size();
    cudaMalloc(&a, g.size());
    cudaMalloc(&b, g.size());
    cudaMalloc(&dl, n * sizeof(int));
    cudaMemcpy(a, g.data(), g.size(), cudaMemcpyHostToDevice);
    cudaMemcpy(b, g.data(), g.size(), cudaMemcpyHostToDevice);
    cudaMemcpy(dl, list.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    for (int s = 0; s < steps; s++) {
        stepKernel<<<(n + 255) / 256, 256>>>(f, dl, n, a, b, s);
        unsigned char *t = a; a = b; b = t;
    }
    cudaMemcpy(g.data(), a, g.size(), cudaMemcpyDeviceToHost);
    size_t trees = 0;
    for (unsigned char c : g) trees += c == TREE;
    printf("%zu trees left\n", trees);
    return 0;
}
