// Dictionary encoding of a column chunk: distinct values of one chunk go into a
// shared open-addressing table; the thread that claims a slot owns it.
#include <cuda_runtime.h>
#include <cstdint>
#include <stdexcept>

constexpr int CHUNK = 512;
constexpr int SLOTS = 1024;            // load factor at most one half
constexpr unsigned long long EMPTY = ~0ull;   // wider than any zero-extended value

__global__ void __launch_bounds__(256)
encodeChunks(const int* __restrict__ col, int n, uint16_t* __restrict__ codes, int* __restrict__ dict, int* __restrict__ dictSize)
{
    __shared__ unsigned long long key[SLOTS];
    __shared__ uint16_t code[SLOTS];
    __shared__ int used;
    const int base = blockIdx.x * CHUNK;
    const int len = min(CHUNK, n - base);
    int* myDict = dict + (size_t)blockIdx.x * CHUNK;

    for (int i = threadIdx.x; i < SLOTS; i += blockDim.x) key[i] = EMPTY;
    if (threadIdx.x == 0) used = 0;
    __syncthreads();

    int slot[CHUNK / 256];
    #pragma unroll
    for (int k = 0; k < CHUNK / 256; ++k) {
        const int i = k * 256 + threadIdx.x;
        slot[k] = -1;
        if (i < len) {
            const int v = col[base + i];
            unsigned h = (unsigned)v * 2654435761u >> 22;
            for (;;) {
                const unsigned long long prev = atomicCAS(&key[h], EMPTY, (unsigned long long)(unsigned)v);
                if (prev == EMPTY) {
                    const int id = atomicAdd(&used, 1);
                    code[h] = (uint16_t)id;
                    myDict[id] = v;
                    break;
                }
                if (prev == (unsigned)v) break;
                h = (h + 1) & (SLOTS - 1);
            }
            slot[k] = (int)h;
        }
    }
    __syncthreads();
    #pragma unroll
    for (int k = 0; k < CHUNK / 256; ++k)
        if (slot[k] >= 0) codes[base + k * 256 + threadIdx.x] = code[slot[k]];
    if (threadIdx.x == 0) dictSize[blockIdx.x] = used;
}

void encode(const int* col, int n, uint16_t* codes, int* dict, int* dictSize, cudaStream_t s)
{
    if (n < 0 || n > (1 << 30)) throw std::length_error("encode");
    if (n == 0) return;
    encodeChunks<<<(n + CHUNK - 1) / CHUNK, 256, 0, s>>>(col, n, codes, dict, dictSize);
}
