#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

namespace voxel {

using Key = unsigned long long;
constexpr Key kFree = ~0ull;

struct View {
    Key* keys;
    unsigned* counts;
    unsigned mask;

    __device__ static unsigned hash(Key k) {
        k ^= k >> 33;
        k *= 0xff51afd7ed558ccdULL;
        k ^= k >> 33;
        k *= 0xc4ceb9fe1a85ec53ULL;
        return unsigned(k ^ (k >> 33));
    }

    __device__ Key claim(unsigned pos, Key k) const {
        const Key seen = keys[pos];
        if (seen == kFree) keys[pos] = k;
        return seen == kFree ? k : seen;
    }

    __device__ bool insert(Key k) const {
        unsigned pos = hash(k) & mask;
        for (unsigned tries = 0; tries <= mask; ++tries) {
            if (claim(pos, k) == k) {
                atomicAdd(&counts[pos], 1u);
                return true;
            }
            pos = (pos + 1) & mask;
        }
        return false;
    }
};

__device__ __forceinline__ Key cellOf(float3 p, float inv) {
    const unsigned x = unsigned(int(floorf(p.x * inv)) + (1 << 20)) & 0x1fffffu;
    const unsigned y = unsigned(int(floorf(p.y * inv)) + (1 << 20)) & 0x1fffffu;
    const unsigned z = unsigned(int(floorf(p.z * inv)) + (1 << 20)) & 0x1fffffu;
    return (Key(x) << 42) | (Key(y) << 21) | Key(z);
}

__global__ void insertPoints(View table, const float3* pts, int n, float inv, unsigned* failed) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && !table.insert(cellOf(pts[i], inv))) atomicAdd(failed, 1u);
}

__global__ void occupied(View table, unsigned* out) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    const bool hit = i <= table.mask && table.keys[i] != kFree;
    const int c = __syncthreads_count(hit);
    if (threadIdx.x == 0) atomicAdd(out, unsigned(c));
}

}  // namespace voxel

int main(int argc, char** argv) {
    const int n = argc > 1 ? std::atoi(argv[1]) : 1000000;
    const unsigned slots = 1u << 20;
    const float size = argc > 2 ? float(std::atof(argv[2])) : 0.5f;
    std::vector<float3> h(n);
    for (auto& p : h)
        p = make_float3(std::rand() % 10000 * 0.005f, std::rand() % 10000 * 0.005f, std::rand() % 1000 * 0.005f);

    voxel::View v{nullptr, nullptr, slots - 1};
    float3* dPts;
    unsigned* dRes;
    cudaMalloc(&v.keys, slots * sizeof(voxel::Key));
    cudaMalloc(&v.counts, slots * sizeof(unsigned));
    cudaMalloc(&dPts, n * sizeof(float3));
    cudaMalloc(&dRes, 2 * sizeof(unsigned));
    cudaMemset(v.keys, 0xff, slots * sizeof(voxel::Key));
    cudaMemset(v.counts, 0, slots * sizeof(unsigned));
    cudaMemset(dRes, 0, 2 * sizeof(unsigned));
    cudaMemcpy(dPts, h.data(), n * sizeof(float3), cudaMemcpyHostToDevice);
    voxel::insertPoints<<<(n + 255) / 256, 256>>>(v, dPts, n, 1.0f / size, dRes);
    voxel::occupied<<<slots / 256, 256>>>(v, dRes + 1);
    unsigned res[2];
    if (cudaMemcpy(res, dRes, sizeof res, cudaMemcpyDeviceToHost) != cudaSuccess) return 1;
    std::printf("%u voxels, %u failed\n", res[1], res[0]);
    cudaFree(v.keys); cudaFree(v.counts); cudaFree(dPts); cudaFree(dRes);
    return 0;
}
