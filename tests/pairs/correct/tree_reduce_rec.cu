// Block reduction written as a recursion over a template parameter.
#include <cstdio>
#include <cuda_runtime.h>

template <typename T, typename Op, int N>
struct Tree {
    static __device__ __forceinline__ void run(T *s, Op op, int t)
    {
        static_assert((N & (N - 1)) == 0, "power of two");
        if (t < N)
            s[t] = op(s[t], s[t + N]);
        if constexpr (N > 32)
            __syncthreads();
        else if (t < 32)
            __syncwarp();
        Tree<T, Op, N / 2>::run(s, op, t);
    }
};

template <typename T, typename Op>
struct Tree<T, Op, 1> {
    static __device__ __forceinline__ void run(T *s, Op op, int t)
    {
        if (t == 0)
            s[0] = op(s[0], s[1]);
    }
};

template <int BLOCK, typename T, typename Op>
__global__ void __launch_bounds__(BLOCK) reduce(const T *__restrict__ in, T *__restrict__ out, int n, T neutral, Op op)
{
    static_assert(BLOCK >= 64, "at least two warps");
    __shared__ T s[BLOCK];
    T v = neutral;
    for (int i = blockIdx.x * BLOCK + threadIdx.x; i < n; i += gridDim.x * BLOCK)
        v = op(v, in[i]);
    s[threadIdx.x] = v;
    __syncthreads();
    Tree<T, Op, BLOCK / 2>::run(s, op, threadIdx.x);
    if (threadIdx.x == 0)
        out[blockIdx.x] = s[0];
}

struct MinOp {
    __device__ int operator()(int a, int b) const { return min(a, b); }
};

template <typename T, typename Op>
static T reduce_all(const T *d, int n, T neutral, Op op)
{
    T *tmp, h = neutral;
    const int grid = 128;
    cudaMalloc(&tmp, (grid + 1) * sizeof(T));
    reduce<256><<<grid, 256>>>(d, tmp, n, neutral, op);
    reduce<64><<<1, 64>>>(tmp, tmp + grid, grid, neutral, op);
    cudaMemcpy(&h, tmp + grid, sizeof(T), cudaMemcpyDeviceToHost);
    cudaFree(tmp);
    return h;
}

int main()
{
    const int n = 1 << 20;
    int *d;
    cudaMalloc(&d, n * sizeof(int));
    cudaMemset(d, 1, n * sizeof(int));
    printf("%d %s\n", reduce_all(d, n, 0x7fffffff, MinOp()), cudaGetErrorString(cudaGetLastError()));
    cudaFree(d);
    return 0;
}
