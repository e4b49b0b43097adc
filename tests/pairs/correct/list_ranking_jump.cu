// Wyllie list ranking by pointer jumping, out of place in every round.
#include <cuda_runtime.h>
#include <cstdio>
#include <numeric>
#include <random>
#include <algorithm>
#include <vector>

struct Node {
    int next;     // own index at the tail
    int rank;     // distance to next
};

__global__ void initNodes(const int *__restrict__ next, Node *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        Node v;
        v.next = next[i];
        v.rank = next[i] == i ? 0 : 1;
        out[i] = v;
    }
}

__global__ void jump(const Node *__restrict__ in, Node *__restrict__ out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    Node me = in[i];
    Node nx = in[me.next];
    me.rank += nx.rank;
    me.next = nx.next;
    out[i] = me;
}

__global__ void toArray(const Node *__restrict__ nodes, const float *__restrict__ payload, float *ordered, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        ordered[n - 1 - nodes[i].rank] = payload[i];    // ranks of a list are 0 .. n-1
}

int main()
{
    const int n = 1 << 18;
    std::vector<int> order(n), next(n);
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), std::mt19937(7));
    for (int k = 0; k + 1 < n; k++)
        next[order[k]] = order[k + 1];
    next[order[n - 1]] = order[n - 1];
    std::vector<float> payload(n);
    for (int k = 0; k < n; k++)
        payload[order[k]] = (float)k;

    int *d_next;
    Node *a, *b;
    float *d_p, *d_o;
    cudaMalloc(&d_next, n * sizeof(int));
    cudaMalloc(&a, n * sizeof(Node));
    cudaMalloc(&b, n * sizeof(Node));
    cudaMalloc(&d_p, n * sizeof(float));
    cudaMalloc(&d_o, n * sizeof(float));
    cudaMemcpy(d_next, next.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpy(d_p, payload.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    const int T = 256, B = (n + T - 1) / T;
    initNodes<<<B, T>>>(d_next, a, n);
    for (int span = 1; span < n; span *= 2) {
        jump<<<B, T>>>(a, b, n);
        std::swap(a, b);
    }
    toArray<<<B, T>>>(a, d_p, d_o, n);
    std::vector<float> got(n);
    cudaMemcpy(got.data(), d_o, n * sizeof(float), cudaMemcpyDeviceToHost);
    int bad = 0;
    for (int k = 0; k < n; k++)
        bad += got[k] != (float)k;
    printf("%s (%d wrong)\n", bad ? "FAILED" : "PASSED", bad);
    return bad != 0;
}
