#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

struct Slot {
    uint32_t key;
    uint32_t payload;
};

struct JoinTable {
    const Slot* slots;
    uint32_t capacity;  // power of two
};

constexpr uint32_t kEmpty = 0xffffffffu;

__host__ __device__ inline uint32_t hash32(uint32_t x) {
    x ^= x >> 16;
    x *= 0x7feb352du;
    x ^= x >> 15;
    x *= 0x846ca68bu;
    return x ^ (x >> 16);
}

struct ProbeStats {
    unsigned long long matches;
    unsigned long long rounds;
};

// linear probing, the lanes of a warp advance together
__device__ uint32_t probe(const JoinTable& t, uint32_t key, bool active, unsigned& rounds) {
    uint32_t found = kEmpty;
    unsigned mask = __ballot_sync(0xffffffffu, active);
    rounds = 0;
    if (active) {
        uint32_t pos = hash32(key) & (t.capacity - 1);
        while (true) {
            const Slot s = t.slots[pos];
            const bool done = s.key == key || s.key == kEmpty;
            if (s.key == key) found = s.payload;
            const unsigned rest = __ballot_sync(mask, !done);
            ++rounds;
            if (done) break;
            mask = rest;
            if (__popc(rest) > 16) ++rounds;
            pos = (pos + 1) & (t.capacity - 1);
        }
    }
    __syncwarp();
    return found;
}

__global__ void probeKernel(JoinTable t, const uint32_t* keys, int n, uint32_t* out, ProbeStats* stats) {
    const int stride = gridDim.x * blockDim.x;
    for (int base = blockIdx.x * blockDim.x; base < n; base += stride) {
        const int i = base + threadIdx.x;
        const bool active = i < n;
        unsigned rounds;
        const uint32_t payload = probe(t, active ? keys[i] : 0u, active, rounds);
        if (active) out[i] = payload;
        const unsigned hits = __ballot_sync(0xffffffffu, active && payload != kEmpty);
        const unsigned worst = __reduce_max_sync(0xffffffffu, rounds);
        if ((threadIdx.x & 31) == 0) {
            atomicAdd(&stats->matches, (unsigned long long)__popc(hits));
            atomicAdd(&stats->rounds, (unsigned long long)worst);
        }
    }
}

int main(int argc, char** argv) {
    const uint32_t cap = 1u << 16;
    const int build = 40000, n = argc > 1 ? std::atoi(argv[1]) : 100000;
    std::vector<Slot> table(cap, Slot{kEmpty, 0});
    for (uint32_t i = 0; i < uint32_t(build); ++i) {
        uint32_t p = hash32(i * 3) & (cap - 1);
        while (table[p].key != kEmpty) p = (p + 1) & (cap - 1);
        table[p] = Slot{i * 3, i};
    }
    std::vector<uint32_t> keys(n);
    for (int i = 0; i < n; ++i) keys[i] = uint32_t(std::rand()) % (3 * build);

    Slot* dT; uint32_t *dK, *dO; ProbeStats* dS;
    cudaMalloc(&dT, cap * sizeof(Slot));
    cudaMalloc(&dK, n * sizeof(uint32_t));
    cudaMalloc(&dO, n * sizeof(uint32_t));
    cudaMalloc(&dS, sizeof(ProbeStats));
    cudaMemset(dS, 0, sizeof(ProbeStats));
    cudaMemcpy(dT, table.data(), cap * sizeof(Slot), cudaMemcpyHostToDevice);
    cudaMemcpy(dK, keys.data(), n * sizeof(uint32_t), cudaMemcpyHostToDevice);
    probeKernel<<<128, 256>>>(JoinTable{dT, cap}, dK, n, dO, dS);
    ProbeStats s{};
    cudaMemcpy(&s, dS, sizeof s, cudaMemcpyDeviceToHost);
    std::printf("%llu matches, %llu rounds: %s\n", s.matches, s.rounds, cudaGetErrorString(cudaGetLastError()));
    cudaFree(dT); cudaFree(dK); cudaFree(dO); cudaFree(dS);
    return 0;
}
