// Sorts the neighbour lists of a CSR graph, one thread per list, and removes double edges.
#include <cuda_runtime.h>
#include <cub/device/device_scan.cuh>

struct CsrGraph {
    int n;
    int *offsets;      // n + 1
    int *targets;
    float *weights;
};

__device__ void sort_segment(int *key, float *val, int len)
{
    for (int i = 1; i < len; i++) {
        int k = key[i];
        float v = val[i];
        int j = i - 1;
        while (j >= 0 && key[j] > k) {
            key[j + 1] = key[j];
            val[j + 1] = val[j];
            j--;
        }
        key[j + 1] = k;
        val[j + 1] = v;
    }
}

__global__ void sort_lists(CsrGraph g, int *new_len)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= g.n)
        return;
    int first = g.offsets[v], len = g.offsets[v + 1] - first;
    int *key = g.targets + first;
    float *val = g.weights + first;
    sort_segment(key, val, len);
    int w = 0;
    for (int i = 0; i < len; i++) {
        if (w > 0 && key[w - 1] == key[i])
            val[w - 1] += val[i];
        else {
            key[w] = key[i];
            val[w] = val[i];
            w++;
        }
    }
    new_len[v] = w;
}

__global__ void pack_lists(CsrGraph in, CsrGraph out)
{
    int v = blockIdx.x;
    int src = in.offsets[v], dst = out.offsets[v], len = out.offsets[v + 1] - dst;
    for (int i = threadIdx.x; i < len; i += blockDim.x) {
        out.targets[dst + i] = in.targets[src + i];
        out.weights[dst + i] = in.weights[src + i];
    }
}

cudaError_t simplify(CsrGraph in, CsrGraph out, int *d_len)
{
    const int B = 128;
    if (in.n == 0)
        return cudaSuccess;
    sort_lists<<<(in.n + B - 1) / B, B>>>(in, d_len);

    void *tmp = nullptr;
    size_t bytes = 0;
    cudaMemset(out.offsets, 0, sizeof(int));
    cub::DeviceScan::InclusiveSum(tmp, bytes, d_len, out.offsets + 1, in.n);
    cudaMalloc(&tmp, bytes);
    cub::DeviceScan::InclusiveSum(tmp, bytes, d_len, out.offsets + 1, in.n);
    pack_lists<<<in.n, 32>>>(in, out);
    cudaError_t e = cudaDeviceSynchronize();
    cudaFree(tmp);
    return e;
}
