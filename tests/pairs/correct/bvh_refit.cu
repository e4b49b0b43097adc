// Bottom-up bounding volume refit: of two children the second to arrive continues with the parent.
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

struct Box1 { float lo, hi; };

struct Bvh {
    const int *parent; // inner nodes 0..n-2, leaves n-1..2n-2, root 0 has parent -1
    const int *left;
    const int *right;
    Box1 *box;
    int *arrived; // per inner node, zeroed before each refit
    int leaves;
};

__device__ __forceinline__ Box1 load_box(const Box1 *b)
{
    const float2 v = __ldcg(reinterpret_cast<const float2 *>(b));
    return Box1{v.x, v.y};
}

__device__ __forceinline__ void store_box(Box1 *b, Box1 v)
{
    __stcg(reinterpret_cast<float2 *>(b), make_float2(v.lo, v.hi));
}

__global__ void refit(Bvh t, const float *__restrict__ centre, float radius)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= t.leaves)
        return;
    int node = t.leaves - 1 + i;
    store_box(&t.box[node], Box1{centre[i] - radius, centre[i] + radius});
    node = t.parent[node];
    while (node >= 0) {
        __threadfence();
        if (atomicAdd(&t.arrived[node], 1) == 0)
            return; // the sibling's thread will do it
        __threadfence();
        const Box1 a = load_box(&t.box[t.left[node]]);
        const Box1 b = load_box(&t.box[t.right[node]]);
        store_box(&t.box[node], Box1{fminf(a.lo, b.lo), fmaxf(a.hi, b.hi)});
        node = t.parent[node];
    }
}

int main()
{
    const int n = 4096; // complete tree, heap order
    std::vector<int> parent(2 * n - 1), left(n - 1), right(n - 1);
    parent[0] = -1;
    for (int i = 0; i < n - 1; ++i) {
        left[i] = 2 * i + 1;
        right[i] = 2 * i + 2;
        parent[left[i]] = parent[right[i]] = i;
    }
    std::vector<float> c(n);
    for (int i = 0; i < n; ++i)
        c[i] = (float)((i * 7919) % 10007);
    int *dp, *dl, *dr;
    float *dc;
    Bvh t{};
    t.leaves = n;
    cudaMalloc(&dp, parent.size() * sizeof(int));
    cudaMalloc(&dl, left.size() * sizeof(int));
    cudaMalloc(&dr, right.size() * sizeof(int));
    cudaMalloc(&dc, n * sizeof(float));
    cudaMalloc(&t.box, parent.size() * sizeof(Box1));
    cudaMalloc(&t.arrived, (n - 1) * sizeof(int));
    cudaMemcpy(dp, parent.data(), parent.size() * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpy(dl, left.data(), left.size() * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpy(dr, right.data(), right.size() * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpy(dc, c.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemset(t.arrived, 0, (n - 1) * sizeof(int));
    t.parent = dp;
    t.left = dl;
    t.right = dr;
    refit<<<(n + 127) / 128, 128>>>(t, dc, 2.0f);
    Box1 root;
    cudaMemcpy(&root, t.box, sizeof(root), cudaMemcpyDeviceToHost);
    printf("%f %f %s\n", root.lo, root.hi, cudaGetErrorString(cudaGetLastError()));
    return 0;
}
