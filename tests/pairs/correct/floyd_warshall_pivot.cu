// All pairs shortest paths, one launch per pivot, in place; the pivot row and column stay untouched.
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { \
    std::fprintf(stderr, "%s\n", cudaGetErrorString(e_)); std::exit(EXIT_FAILURE); } } while (0)

static const unsigned NO_PATH = 0x3fffffffu;

struct PathMatrix {
    unsigned n;
    unsigned *dist;
    int *via;
};

__global__ void pivotStep(PathMatrix m, unsigned k)
{
    const unsigned j = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= m.n || j >= m.n || i == k || j == k)
        return;
    const unsigned ik = m.dist[i * m.n + k];
    const unsigned kj = m.dist[k * m.n + j];
    if (ik + kj < m.dist[i * m.n + j]) {
        m.dist[i * m.n + j] = ik + kj;
        m.via[i * m.n + j] = (int)k;
    }
}

// Unrolls the path of a query into its own output line (an explicit stack in the same line's tail).
__global__ void extractPaths(PathMatrix m, const int2 *__restrict__ query, int nq, int *out, int *out_len)
{
    const int q = blockIdx.x * blockDim.x + threadIdx.x;
    if (q >= nq)
        return;
    int *line = out + (size_t)q * 2 * m.n;
    int *stack = line + m.n;
    int len = 0, cur = query[q].x, top = 0;
    out_len[q] = 0;
    if (m.dist[(unsigned)cur * m.n + query[q].y] >= NO_PATH)
        return;
    line[len++] = cur;
    stack[top++] = query[q].y;
    while (top > 0) {
        const int dst = stack[top - 1];
        const int mid = m.via[(unsigned)cur * m.n + dst];
        if (mid >= 0 && mid != cur && mid != dst) {
            stack[top++] = mid;
        } else {
            --top;
            if (dst != cur)
                line[len++] = dst;
            cur = dst;
        }
    }
    out_len[q] = len;
}

void all_pairs(PathMatrix m)
{
    const dim3 b(32, 8), g((m.n + 31) / 32, (m.n + 7) / 8);
    for (unsigned k = 0; k < m.n; ++k)
        pivotStep<<<g, b>>>(m, k);
    CHECK(cudaGetLastError());
}

int main()
{
    PathMatrix m;
    m.n = 1000;
    std::vector<unsigned> h((size_t)m.n * m.n, NO_PATH);
    for (unsigned i = 0; i < m.n; ++i) {
        h[i * m.n + i] = 0;
        for (int e = 0; e < 6; ++e)
            h[i * m.n + rand() % m.n] = 1 + rand() % 100;
    }
    CHECK(cudaMalloc(&m.dist, h.size() * sizeof(unsigned)));
    CHECK(cudaMalloc(&m.via, h.size() * sizeof(int)));
    CHECK(cudaMemcpy(m.dist, h.data(), h.size() * sizeof(unsigned), cudaMemcpyHostToDevice));
    CHECK(cudaMemset(m.via, 0xff, h.size() * sizeof(int)));
    all_pairs(m);
    std::vector<int2> q;
    for (int i = 0; i < 256; ++i) q.push_back(make_int2(rand() % m.n, rand() % m.n));
    int2 *dq;
    int *d_out, *d_len;
    CHECK(cudaMalloc(&dq, q.size() * sizeof(int2)));
    CHECK(cudaMalloc(&d_out, q.size() * 2 * m.n * sizeof(int)));
    CHECK(cudaMalloc(&d_len, q.size() * sizeof(int)));
    CHECK(cudaMemcpy(dq, q.data(), q.size() * sizeof(int2), cudaMemcpyHostToDevice));
    extractPaths<<<4, 64>>>(m, dq, (int)q.size(), d_out, d_len);
    CHECK(cudaDeviceSynchronize());
    return 0;
}
