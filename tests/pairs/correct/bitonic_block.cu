// Sorts each block's chunk of key/value pairs in shared memory (bitonic network).
#include <cuda_runtime.h>
#include <cfloat>

template <int CHUNK>
struct SortStorage {
    float key[CHUNK];
    int   val[CHUNK];
};

template <int CHUNK>
__global__ void sort_chunks(float* keys, int* vals, int n, bool descending)
{
    __shared__ SortStorage<CHUNK> sm;
    const int base = blockIdx.x * CHUNK;
    const float sentinel = descending ? -FLT_MAX : FLT_MAX;

    for (int i = threadIdx.x; i < CHUNK; i += blockDim.x) {
        const bool in = base + i < n;
        sm.key[i] = in ? keys[base + i] : sentinel;
        sm.val[i] = in ? vals[base + i] : 0x7fffffff;
    }
    __syncthreads();

    for (int k = 2; k <= CHUNK; k <<= 1) {
        for (int j = k >> 1; j > 0; j >>= 1) {
            for (int t = threadIdx.x; t < CHUNK / 2; t += blockDim.x) {
                const int a = 2 * t - (t & (j - 1));
                const int b = a + j;
                const bool up = ((a & k) == 0) != descending;
                const float ka = sm.key[a], kb = sm.key[b];
                const int va = sm.val[a], vb = sm.val[b];
                const bool gt = ka > kb || (ka == kb && va > vb);
                const bool lt = ka < kb || (ka == kb && va < vb);
                // descending order still lists equal keys with rising values reversed
                if (up ? gt : lt) {
                    sm.key[a] = kb;
                    sm.key[b] = ka;
                    sm.val[a] = vb;
                    sm.val[b] = va;
                }
            }
            __syncthreads();
        }
    }

    if (descending) {
        // padding has the smallest keys: with key ties impossible it stays at the end
        for (int i = threadIdx.x; i < CHUNK; i += blockDim.x)
            if (base + i < n) {
                keys[base + i] = sm.key[i];
                vals[base + i] = sm.val[i];
            }
        return;
    }
    for (int i = threadIdx.x; i < CHUNK; i += blockDim.x) {
        const int g = base + i;
        if (g < n) {
            keys[g] = sm.key[i];
            vals[g] = sm.val[i];
        }
    }
}

void sort_all_chunks(float* keys, int* vals, int n, bool descending, cudaStream_t s)
{
    if (n <= 0) return;
    if (n <= 256) sort_chunks<256><<<1, 128, 0, s>>>(keys, vals, n, descending);
    else          sort_chunks<2048><<<(n + 2047) / 2048, 512, 0, s>>>(keys, vals, n, descending);
}
