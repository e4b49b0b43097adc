// Merges two sorted runs: every element finds its rank in the other run; positions are all different.
#include <cuda_runtime.h>
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

template <typename K>
__device__ int lower_rank(const K *a, int n, K x)     // elements < x
{
    int lo = 0, hi = n;
    while (lo < hi) {
        const int m = (lo + hi) >> 1;
        if (a[m] < x) lo = m + 1;
        else hi = m;
    }
    return lo;
}

template <typename K>
__device__ int upper_rank(const K *a, int n, K x)     // elements <= x
{
    int lo = 0, hi = n;
    while (lo < hi) {
        const int m = (lo + hi) >> 1;
        if (a[m] <= x) lo = m + 1;
        else hi = m;
    }
    return lo;
}

template <typename K, typename V>
__global__ void merge_runs(const K *__restrict__ key, const V *__restrict__ val, int n, int run, K *out_key, V *out_val)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    const int pair = i / (2 * run) * (2 * run);
    const int mid = min(pair + run, n), end = min(pair + 2 * run, n);
    int dst;
    if (i < mid)       // left elements go before equal right elements
        dst = i + lower_rank(key + mid, end - mid, key[i]);
    else
        dst = pair + (i - mid) + upper_rank(key + pair, mid - pair, key[i]);
    out_key[dst] = key[i];
    out_val[dst] = val[i];
}

template <typename K, typename V>
void merge_sort(K *&key, V *&val, K *&key_tmp, V *&val_tmp, int n)
{
    const int tb = 256;
    for (long long run = 1; run < n; run *= 2) {
        merge_runs<K, V><<<(n + tb - 1) / tb, tb>>>(key, val, n, (int)run, key_tmp, val_tmp);
        std::swap(key, key_tmp);
        std::swap(val, val_tmp);
    }
}

int main()
{
    const int n = 100003;
    std::vector<uint32_t> h(n), v(n);
    for (int i = 0; i < n; ++i) {
        h[i] = rand() % 5000;      // many equal keys
        v[i] = i;
    }
    uint32_t *k, *kt, *p, *pt;
    cudaMalloc(&k, n * 4);
    cudaMalloc(&kt, n * 4);
    cudaMalloc(&p, n * 4);
    cudaMalloc(&pt, n * 4);
    cudaMemcpy(k, h.data(), n * 4, cudaMemcpyHostToDevice);
    cudaMemcpy(p, v.data(), n * 4, cudaMemcpyHostToDevice);
    merge_sort(k, p, kt, pt, n);
    std::vector<uint32_t> r(n);
    cudaMemcpy(r.data(), k, n * 4, cudaMemcpyDeviceToHost);
    std::printf("%s\n", std::is_sorted(r.begin(), r.end()) ? "sorted" : "NOT sorted");
    return 0;
}
