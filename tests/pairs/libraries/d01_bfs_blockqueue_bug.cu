// Level-synchronous BFS.  Discovered vertices are gathered in a block-local
// queue before they go to the global frontier.
#include <cuda_runtime.h>

#include <cstdio>
#include <utility>
#include <vector>

namespace graph {

struct Csr {
    const int* row_ptr;
    const int* col;
    int num_vertices;
};

struct Frontier {
    int* items;
    int* size;
};

template <int CAPACITY>
struct BlockQueue {
    int count;
    int base;
    int items[CAPACITY];

    __device__ void reset()
    {
        if (threadIdx.x == 0) count = 0;
        __syncthreads();
    }

    __device__ void push(int v, const Frontier& out)
    {
        const int p = atomicAdd(&count, 1);
        if (p < CAPACITY) items[p] = v;
        else out.items[atomicAdd(out.size, 1)] = v;  // spill
    }

    __device__ void flush(const Frontier& out)
    {
        __syncthreads();
        const int n = min(count, CAPACITY);
        if (threadIdx.x == 0) base = atomicAdd(out.size, n);
        __syncthreads();
        for (int i = threadIdx.x; i < n; i += blockDim.x) out.items[base + i] = items[i];
        __syncthreads();
        if (threadIdx.x == 0) count = 0;
        __syncthreads();
    }
};

template <int CAPACITY>
__device__ void expand(const Csr& g, int v, int level, int* depth, BlockQueue<CAPACITY>& q, const Frontier& out)
{
    for (int e = g.row_ptr[v]; e < g.row_ptr[v + 1]; ++e) {
        const int u = g.col[e];
        if (atomicCAS(depth + u, -1, level) == -1) q.push(u, out);
    }
}

template <int CAPACITY>
__global__ void bfs_level(Csr g, const int* frontier, int frontier_size, Frontier out, int* depth, int level)
{
    __shared__ BlockQueue<CAPACITY> q;
    q.reset();

    const int stride = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < frontier_size; i += stride) {
        expand(g, frontier[i], level, depth, q, out);
        q.flush(out);
    }
}

__global__ void init_depth(int* depth, int n, int source, int* frontier)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) depth[i] = i == source ? 0 : -1;
    if (i == 0) frontier[0] = source;
}

class Bfs {
public:
    explicit Bfs(int n) : n_(n)
    {
        cudaMalloc(&a_, n * sizeof(int));
        cudaMalloc(&b_, n * sizeof(int));
        cudaMalloc(&size_, sizeof(int));
        cudaDeviceGetAttribute(&sms_, cudaDevAttrMultiProcessorCount, 0);
    }
    ~Bfs()
    {
        cudaFree(a_);
        cudaFree(b_);
        cudaFree(size_);
    }

    // returns the number of levels, -1 on error
    int run(const Csr& g, int source, int* depth, cudaStream_t s)
    {
        init_depth<<<(n_ + 255) / 256, 256, 0, s>>>(depth, n_, source, a_);
        int size = 1, level = 0;
        while (size > 0) {
            ++level;
            cudaMemsetAsync(size_, 0, sizeof(int), s);
            const Frontier out{b_, size_};
            if (size < 4096) {
                const int blocks = (size + 63) / 64;
                bfs_level<512><<<blocks, 64, 0, s>>>(g, a_, size, out, depth, level);
            } else {
                int blocks = (size + 255) / 256;
                if (blocks > 4 * sms_) blocks = 4 * sms_;
                bfs_level<2048><<<blocks, 256, 0, s>>>(g, a_, size, out, depth, level);
            }
            cudaMemcpyAsync(&size, size_, sizeof(int), cudaMemcpyDeviceToHost, s);
            if (cudaStreamSynchronize(s) != cudaSuccess) return -1;
            std::swap(a_, b_);
        }
        return level;
    }

private:
    int n_, sms_ = 1;
    int *a_, *b_, *size_;
};

}  // namespace graph

int main()
{
    const int n = 1000;
    std::vector<int> row(n + 1), col;
    for (int v = 0; v < n; ++v) {
        for (int k = 1; k <= 7; ++k) col.push_back((v * k + k) % n);
        row[v + 1] = (int)col.size();
    }
    int *d_row, *d_col, *d_depth;
    cudaMalloc(&d_row, row.size() * sizeof(int));
    cudaMalloc(&d_col, col.size() * sizeof(int));
    cudaMalloc(&d_depth, n * sizeof(int));
    cudaMemcpy(d_row, row.data(), row.size() * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpy(d_col, col.data(), col.size() * sizeof(int), cudaMemcpyHostToDevice);
    graph::Bfs bfs(n);
    printf("%d levels\n", bfs.run({d_row, d_col, n}, 0, d_depth, 0));
    return 0;
}
