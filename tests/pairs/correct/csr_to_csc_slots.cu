// Transposes a CSR matrix: column counts, scan, slots by atomics, then each column is put in order.
#include <cuda_runtime.h>
#include <thrust/execution_policy.h>
#include <thrust/scan.h>

template <typename V>
struct Compressed {
    int major, minor, nnz;
    int *ptr;
    int *idx;
    V *val;
};

__global__ void count_minor(const int *__restrict__ idx, int nnz, int *count)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < nnz; i += gridDim.x * blockDim.x)
        atomicAdd(count + idx[i], 1);
}

template <typename V>
__global__ void scatter_entries(Compressed<V> a, int *cursor, Compressed<V> t)
{
    const int warps = gridDim.x * blockDim.x / 32;
    const int lane = threadIdx.x & 31;
    for (int r = (blockIdx.x * blockDim.x + threadIdx.x) / 32; r < a.major; r += warps)
        for (int p = a.ptr[r] + lane; p < a.ptr[r + 1]; p += 32) {
            const int q = atomicAdd(cursor + a.idx[p], 1);
            t.idx[q] = r;
            t.val[q] = a.val[p];
        }
}

template <typename V>
__global__ void order_columns(Compressed<V> t)
{
    const int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= t.major)
        return;
    // shell sort of the slice
    const int b = t.ptr[c], n = t.ptr[c + 1] - b;
    int *k = t.idx + b;
    V *v = t.val + b;
    for (int gap = n / 2; gap > 0; gap /= 2)
        for (int i = gap; i < n; ++i) {
            const int key = k[i];
            const V val = v[i];
            int j = i;
            for (; j >= gap && k[j - gap] > key; j -= gap) {
                k[j] = k[j - gap];
                v[j] = v[j - gap];
            }
            k[j] = key;
            v[j] = val;
        }
}

template <typename V>
cudaError_t transpose(const Compressed<V> &a, Compressed<V> &t, cudaStream_t s)
{
    t.major = a.minor;
    t.minor = a.major;
    t.nnz = a.nnz;
    int *cursor;
    cudaError_t e = cudaMalloc(&cursor, (t.major + 1) * sizeof(int));
    if (e != cudaSuccess)
        return e;
    cudaMemsetAsync(cursor, 0, (t.major + 1) * sizeof(int), s);
    count_minor<<<128, 256, 0, s>>>(a.idx, a.nnz, cursor);
    thrust::exclusive_scan(thrust::cuda::par.on(s), cursor, cursor + t.major + 1, t.ptr);
    cudaMemcpyAsync(cursor, t.ptr, t.major * sizeof(int), cudaMemcpyDeviceToDevice, s);
    scatter_entries<V><<<128, 256, 0, s>>>(a, cursor, t);
    order_columns<V><<<(t.major + 127) / 128, 128, 0, s>>>(t);
    e = cudaStreamSynchronize(s);
    cudaFree(cursor);
    return e;
}

template cudaError_t transpose<float>(const Compressed<float> &, Compressed<float> &, cudaStream_t);
