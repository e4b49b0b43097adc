// Temporal blocking of a 1D heat equation: a strip with a halo as wide as the
// number of fused steps, kept in two planes; one barrier per step.
#include <cuda_runtime.h>
#include <stdexcept>

constexpr int STEPS = 8;
constexpr int BLOCK = 256;
constexpr int INNER = BLOCK - 2 * STEPS;

__global__ void __launch_bounds__(BLOCK) heatStrip(const float* __restrict__ u, float* __restrict__ v, int n, int steps, float k)
{
    __shared__ float plane[2][BLOCK + 2];
    const int x = (int)blockIdx.x * INNER + (int)threadIdx.x - STEPS;
    const int l = threadIdx.x + 1;
    const bool fixed = x <= 0 || x >= n - 1;
    const int xc = min(max(x, 0), n - 1);

    plane[0][l] = u[xc];
    if (threadIdx.x < 2) {
        plane[threadIdx.x][0] = 0.f;
        plane[threadIdx.x][BLOCK + 1] = 0.f;
    }
    __syncthreads();

    int cur = 0;
    for (int s = 0; s < steps; ++s) {
        const float c = plane[cur][l];
        const float next = fixed ? c : c + k * (plane[cur][l - 1] - 2.f * c + plane[cur][l + 1]);
        // The other plane was last read before the previous barrier.
        plane[cur ^ 1][l] = next;
        __syncthreads();
        cur ^= 1;
    }
    const int own = (int)threadIdx.x - STEPS;
    if (own >= 0 && own < INNER && x < n)
        v[x] = plane[cur][l];
}

void heat(float* a, float* b, int n, int totalSteps, float k, cudaStream_t st)
{
    if (n < 3 || n > (1 << 28)) throw std::out_of_range("n");
    if (totalSteps < 0 || a == b) throw std::out_of_range("steps");
    const int grid = (n + INNER - 1) / INNER;
    while (totalSteps > 0) {
        const int s = totalSteps < STEPS ? totalSteps : STEPS;
        heatStrip<<<grid, BLOCK, 0, st>>>(a, b, n, s, k);
        float* t = a; a = b; b = t;
        totalSteps -= s;
    }
}

int main()
{
    float *a, *b;
    cudaMalloc(&a, 100000 * sizeof(float));
    cudaMalloc(&b, 100000 * sizeof(float));
    cudaMemset(a, 0, 100000 * sizeof(float));
    heat(a, b, 100000, 50, 0.2f, 0);
    cudaDeviceSynchronize();
    cudaFree(a);
    cudaFree(b);
    return 0;
}
