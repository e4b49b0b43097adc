// Batched LU with partial pivoting for small matrices; one block per matrix, a thread per row.
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

constexpr int N = 32;
static_assert(N == 32, "one warp owns the matrix, lane = row");

struct Batch { float *a; int *piv; int *info; int count; };

__global__ void __launch_bounds__(128) lu_batched(Batch b)
{
    extern __shared__ float smem[];
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    const int id = blockIdx.x * (blockDim.x >> 5) + warp;
    if (id >= b.count)
        return;
    float (*s)[N + 1] = reinterpret_cast<float (*)[N + 1]>(smem + warp * N * (N + 1));
    float *g = b.a + (size_t)id * N * N;
    for (int r = 0; r < N; ++r)
        s[r][lane] = g[r * N + lane];
    __syncwarp();
    int info = 0;
    for (int k = 0; k < N; ++k) {
        float best = lane >= k ? fabsf(s[lane][k]) : -1.0f;
        int who = lane;
        for (int d = 16; d; d >>= 1) {
            const float o = __shfl_xor_sync(0xffffffffu, best, d);
            const int ow = __shfl_xor_sync(0xffffffffu, who, d);
            if (o > best || (o == best && ow < who)) {
                best = o;
                who = ow;
            }
        }
        who = __shfl_sync(0xffffffffu, who, 0);
        best = __shfl_sync(0xffffffffu, best, 0);
        if (lane == 0)
            b.piv[id * N + k] = who;
        if (best == 0.0f) {
            info = k + 1;
            break;
        }
        __syncwarp(); // the column has been read
        if (who != k) {
            const float t = s[k][lane]; // lane = column here
            s[k][lane] = s[who][lane];
            s[who][lane] = t;
        }
        __syncwarp();
        if (lane > k) {
            const float f = s[lane][k] / s[k][k];
            s[lane][k] = f;
            for (int c = k + 1; c < N; ++c)
                s[lane][c] -= f * s[k][c];
        }
        __syncwarp();
    }
    __syncwarp();
    for (int r = 0; r < N; ++r)
        g[r * N + lane] = s[r][lane];
    if (lane == 0)
        b.info[id] = info;
}

int main()
{
    Batch b{};
    b.count = 1001;
    std::vector<float> h((size_t)b.count * N * N);
    for (size_t i = 0; i < h.size(); ++i)
        h[i] = (float)((i * 7919) % 101) - 50.0f;
    cudaMalloc(&b.a, h.size() * sizeof(float));
    cudaMalloc(&b.piv, (size_t)b.count * N * sizeof(int));
    cudaMalloc(&b.info, b.count * sizeof(int));
    cudaMemcpy(b.a, h.data(), h.size() * sizeof(float), cudaMemcpyHostToDevice);
    const int warps = 2; // 8.25 KiB
    lu_batched<<<(b.count + warps - 1) / warps, warps * 32, warps * N * (N + 1) * sizeof(float)>>>(b);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    return 0;
}
