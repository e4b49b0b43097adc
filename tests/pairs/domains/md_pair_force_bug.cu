#include <cooperative_groups.h>
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace cg = cooperative_groups;

struct PairList {
    const int* start;
    const int* nbr;
};

struct LjParams {
    float eps24, sigma6, cutoff2;
    int atoms;
};

constexpr int kTile = 32;
constexpr int kTilesPerBlock = 4;

__device__ float3 ljForce(float4 a, float4 b, const LjParams& p) {
    const float dx = a.x - b.x, dy = a.y - b.y, dz = a.z - b.z;
    const float r2 = dx * dx + dy * dy + dz * dz;
    if (r2 >= p.cutoff2 || r2 == 0.f) return make_float3(0.f, 0.f, 0.f);
    const float i2 = 1.f / r2;
    const float s6 = p.sigma6 * i2 * i2 * i2;
    const float f = p.eps24 * i2 * s6 * (2.f * s6 - 1.f);
    return make_float3(f * dx, f * dy, f * dz);
}

// Each tile handles one atom. Lanes gather neighbours, three lanes integrate one axis each
// in list order so that the result is reproducible.
__global__ void pairForces(const float4* __restrict__ pos, PairList list, float* __restrict__ force, LjParams p) {
    __shared__ float stage[kTilesPerBlock][kTile][3];
    cg::thread_block block = cg::this_thread_block();
    auto tile = cg::tiled_partition<kTile>(block);
    const int atom = blockIdx.x * kTilesPerBlock + tile.meta_group_rank();
    if (atom >= p.atoms) return;

    auto& mine = stage[tile.meta_group_rank()];
    const int lane = tile.thread_rank();
    const int begin = list.start[atom];
    const int count = list.start[atom + 1] - begin;
    const float4 self = pos[atom];
    float axis = 0.f;

    for (int k0 = 0; k0 < count; k0 += kTile) {
        const int k = k0 + lane;
        if (k < count) {
            const float3 f = ljForce(self, pos[list.nbr[begin + k]], p);
            mine[lane][0] = f.x;
            mine[lane][1] = f.y;
            mine[lane][2] = f.z;
            tile.sync();
        }
        if (lane < 3) {
            const int m = min(kTile, count - k0);
            for (int j = 0; j < m; ++j) axis += mine[j][lane];
        }
        tile.sync();
    }
    if (lane < 3) force[atom * 3 + lane] = axis;
}

int main(int argc, char** argv) {
    const int atoms = argc > 1 ? std::atoi(argv[1]) : 3000;
    const int per = argc > 2 ? std::atoi(argv[2]) : 50;
    std::vector<float4> pos(atoms);
    std::vector<int> start(atoms + 1), nbr(size_t(atoms) * per);
    for (auto& p : pos)
        p = make_float4(std::rand() % 1000 * 0.01f, std::rand() % 1000 * 0.01f, std::rand() % 1000 * 0.01f, 0.f);
    for (int i = 0; i <= atoms; ++i) start[i] = i * per;
    for (auto& n : nbr) n = std::rand() % atoms;

    float4* dPos;
    int *dStart, *dNbr;
    float* dF;
    cudaMalloc(&dPos, atoms * sizeof(float4));
    cudaMalloc(&dStart, start.size() * sizeof(int));
    cudaMalloc(&dNbr, nbr.size() * sizeof(int));
    cudaMalloc(&dF, atoms * 3 * sizeof(float));
    cudaMemcpy(dPos, pos.data(), atoms * sizeof(float4), cudaMemcpyHostToDevice);
    cudaMemcpy(dStart, start.data(), start.size() * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpy(dNbr, nbr.data(), nbr.size() * sizeof(int), cudaMemcpyHostToDevice);
    LjParams p{24.f, 1.f, 6.25f, atoms};
    pairForces<<<(atoms + kTilesPerBlock - 1) / kTilesPerBlock, kTile * kTilesPerBlock>>>(
        dPos, PairList{dStart, dNbr}, dF, p);
    float f[3];
    if (cudaMemcpy(f, dF, sizeof f, cudaMemcpyDeviceToHost) != cudaSuccess) return 1;
    std::printf("%g %g %g\n", f[0], f[1], f[2]);
    cudaFree(dPos); cudaFree(dStart); cudaFree(dNbr); cudaFree(dF);
}
