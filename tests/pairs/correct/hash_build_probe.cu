// Open-addressing hash join: build claims slots by CAS and writes payloads plainly, probe runs afterwards.
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

constexpr unsigned EMPTY = 0xffffffffu;

struct Table {
    unsigned *key;
    float *payload;
    unsigned mask; // capacity - 1, capacity a power of two larger than the number of keys
};

__device__ __forceinline__ unsigned mix(unsigned h)
{
    h ^= h >> 16;
    h *= 0x85ebca6bu;
    h ^= h >> 13;
    h *= 0xc2b2ae35u;
    return h ^ (h >> 16);
}

// keys are unique
__global__ void build(const unsigned *__restrict__ keys, const float *__restrict__ vals, int n, Table t)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    const unsigned k = keys[i];
    unsigned s = mix(k) & t.mask;
    while (atomicCAS(&t.key[s], EMPTY, k) != EMPTY)
        s = (s + 1) & t.mask;
    t.payload[s] = vals[i];
}

__global__ void probe(const unsigned *__restrict__ keys, float *__restrict__ out, int n, Table t)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    const unsigned k = keys[i];
    float v = 0.0f;
    for (unsigned s = mix(k) & t.mask;; s = (s + 1) & t.mask) {
        const unsigned found = t.key[s];
        if (found == k) {
            v = t.payload[s];
            break;
        }
        if (found == EMPTY)
            break;
    }
    out[i] = v;
}

int main()
{
    const int n = 10000;
    unsigned cap = 1;
    while (cap < 2u * n)
        cap <<= 1;
    std::vector<unsigned> k(n);
    std::vector<float> v(n);
    for (int i = 0; i < n; ++i) {
        k[i] = 3u * i + 1u;
        v[i] = (float)i;
    }
    unsigned *dk;
    float *dv, *dout;
    Table t{nullptr, nullptr, cap - 1};
    cudaMalloc(&dk, n * sizeof(unsigned));
    cudaMalloc(&dv, n * sizeof(float));
    cudaMalloc(&dout, n * sizeof(float));
    cudaMalloc(&t.key, cap * sizeof(unsigned));
    cudaMalloc(&t.payload, cap * sizeof(float));
    cudaMemset(t.key, 0xff, cap * sizeof(unsigned));
    cudaMemcpy(dk, k.data(), n * sizeof(unsigned), cudaMemcpyHostToDevice);
    cudaMemcpy(dv, v.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    build<<<(n + 255) / 256, 256>>>(dk, dv, n, t);
    probe<<<(n + 255) / 256, 256>>>(dk, dout, n, t);
    cudaMemcpy(v.data(), dout, n * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f %s\n", v[5], cudaGetErrorString(cudaGetLastError()));
    return 0;
}
