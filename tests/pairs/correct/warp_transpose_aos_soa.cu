// AoS <-> SoA with in-register transposes: each lane loads a float4 of the packed
// stream and rotates words between lanes (structure of 4 words, groups of 4 lanes).
#include <cuda_runtime.h>
#include <cstdint>
#include <stdexcept>

__device__ __forceinline__ void transpose4x4(float (&r)[4])
{
    const int l = threadIdx.x & 3;
    // xor exchange, two rounds: rows of one quad of lanes
    #pragma unroll
    for (int m = 1; m <= 2; m <<= 1) {
        #pragma unroll
        for (int a = 0; a < 4; ++a) {
            if (a & m) continue;
            const int b = a | m;
            const bool hi = l & m;
            const float give = hi ? r[a] : r[b];
            const float got = __shfl_xor_sync(0xffffffffu, give, m, 4);
            if (hi) r[a] = got; else r[b] = got;
        }
    }
}

// planes: 4 arrays of n floats; n is a multiple of 4
__global__ void aosToSoa(const float4* __restrict__ aos, float* __restrict__ planes, int n)
{
    const int stride = gridDim.x * blockDim.x;
    const int padded = (n + 31) / 32 * 32;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < padded; i += stride) {
        float r[4] = {0.f, 0.f, 0.f, 0.f};
        if (i < n) {
            const float4 v = aos[i];
            r[0] = v.x; r[1] = v.y; r[2] = v.z; r[3] = v.w;
        }
        transpose4x4(r);
        // lane l of the quad now holds component l of the quad's four records
        const int quad = i & ~3;
        if (quad < n)
            *reinterpret_cast<float4*>(planes + (size_t)(i & 3) * n + quad) = make_float4(r[0], r[1], r[2], r[3]);
    }
}

void split(const float4* aos, float* planes, int n, cudaStream_t s)
{
    if (n < 0 || n > (1 << 28) || n % 4 != 0) throw std::invalid_argument("split: n must be a multiple of 4");
    if ((reinterpret_cast<uintptr_t>(planes) & 15) != 0 || (const void*)aos == planes) throw std::invalid_argument("split: alignment");
    if (n == 0) return;
    int grid = (n + 191) / 192;
    if (grid > 1024) grid = 1024;
    aosToSoa<<<grid, 192, 0, s>>>(aos, planes, n);
}

int main()
{
    float4* a; float* p;
    cudaMalloc(&a, 4004 * sizeof(float4));
    cudaMalloc(&p, 4004 * sizeof(float4));
    cudaMemset(a, 0, 4004 * sizeof(float4));
    split(a, p, 4004, 0);
    cudaDeviceSynchronize();
    cudaFree(a);
    cudaFree(p);
    return 0;
}
