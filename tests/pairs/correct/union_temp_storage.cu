// A two-phase kernel whose phases share storage through a union, like CUB's TempStorage.
#include <cuda_runtime.h>
#include <cassert>

template <int B>
struct BlockScan {
    struct Temp { int warp[B / 32]; };
    Temp& t;
    __device__ explicit BlockScan(Temp& x) : t(x) {}
    __device__ int exclusive(int v, int& total)
    {
        const int lane = threadIdx.x & 31, w = threadIdx.x >> 5;
        int s = v;
        #pragma unroll
        for (int d = 1; d < 32; d *= 2) {
            int o = __shfl_up_sync(0xffffffff, s, d);
            if (lane >= d) s += o;
        }
        if (lane == 31) t.warp[w] = s;
        __syncthreads();
        int before = 0;
        total = 0;
        #pragma unroll
        for (int i = 0; i < B / 32; ++i) {
            if (i == w) before = total;
            total += t.warp[i];
        }
        return before + s - v;
    }
};

template <int B>
struct BlockExchange {
    struct Temp { int cell[B]; };
    Temp& t;
    __device__ explicit BlockExchange(Temp& x) : t(x) {}
    // rank must be a permutation of [0, B)
    __device__ int scatter(int v, int rank)
    {
        t.cell[rank] = v;
        __syncthreads();
        return t.cell[threadIdx.x];
    }
};

template <int B>
__global__ void __launch_bounds__(B) splitByBits(const int* __restrict__ in, int* __restrict__ out, int n, int bits)
{
    union Storage {
        typename BlockScan<B>::Temp scan;
        typename BlockExchange<B>::Temp exchange;
    };
    __shared__ Storage st;
    const int i = blockIdx.x * B + threadIdx.x;
    int v = i < n ? in[i] : 0x7fffffff;
    for (int bit = 0; bit < bits; ++bit) {
        const int zero = ((v >> bit) & 1) == 0;
        int zeros;
        const int zeroRank = BlockScan<B>(st.scan).exclusive(zero, zeros);
        __syncthreads();
        const int rank = zero ? zeroRank : zeros + (int)threadIdx.x - zeroRank;
        v = BlockExchange<B>(st.exchange).scatter(v, rank);
        __syncthreads();
    }
    if (i < n) out[i] = v;
}

void sortChunks(const int* in, int* out, int n, int bits, cudaStream_t s)
{
    assert(bits >= 1 && bits <= 31 && n >= 0 && n < (1 << 30));
    if (n == 0) return;
    splitByBits<256><<<(n + 255) / 256, 256, 0, s>>>(in, out, n, bits);
}

int main()
{
    int *a, *b;
    cudaMalloc(&a, 10000 * 4);
    cudaMalloc(&b, 10000 * 4);
    cudaMemset(a, 0, 10000 * 4);
    sortChunks(a, b, 10000, 31, 0);
    cudaDeviceSynchronize();
    cudaFree(a);
    cudaFree(b);
    return 0;
}
