// Smith-Waterman (linear gap), one alignment per warp. A strip of 32 query rows is
// swept along anti-diagonals; the strip's last row goes to a per-warp global buffer.
#include <cuda_runtime.h>
#include <cstdint>
#include <stdexcept>

constexpr unsigned M = 0xffffffffu;

__global__ void __launch_bounds__(64)
swScore(const uint8_t* __restrict__ queries, int qlen, const uint8_t* __restrict__ target, int tlen,
        int numQueries, int* border, int* __restrict__ best)
{
    const int warp = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
    const int lane = threadIdx.x % 32;
    if (warp >= numQueries) return;
    const uint8_t* q = queries + (size_t)warp * qlen;
    int* edge = border + (size_t)warp * tlen;

    int top = 0;
    for (int strip = 0; strip < qlen; strip += 32) {
        const int row = strip + lane;
        const uint8_t qc = row < qlen ? q[row] : 0xff;
        int left = 0, diag = 0, h = 0;
        for (int step = 0; step < tlen + 31; ++step) {
            const int c = step - lane;
            const bool active = c >= 0 && c < tlen;
            int up = __shfl_up_sync(M, h, 1);
            if (lane == 0) up = (strip > 0 && active) ? edge[c] : 0;
            if (active) {
                const int sub = (row < qlen && qc == target[c]) ? 2 : -1;
                h = max(max(0, diag + sub), max(left, up) - 1);
                left = h;
                diag = up;
                if (row < qlen) top = max(top, h);
                // lane 31 is 31 columns behind lane 0: edge[c] was already consumed
                if (lane == 31) edge[c] = h;
            }
            __syncwarp();
        }
    }
    top = __reduce_max_sync(M, top);
    if (lane == 0) best[warp] = top;
}

void align(const uint8_t* queries, int qlen, const uint8_t* target, int tlen, int num, int* border, int* best, cudaStream_t s)
{
    if (qlen <= 0 || tlen <= 0 || tlen > (1 << 24) || qlen > (1 << 16)) throw std::length_error("align");
    if (num <= 0) return;
    swScore<<<(num + 1) / 2, 64, 0, s>>>(queries, qlen, target, tlen, num, border, best);
}

int main()
{
    const int q = 100, t = 5000, num = 33;
    uint8_t *dq, *dt; int *edge, *best;
    cudaMalloc(&dq, q * num); cudaMalloc(&dt, t);
    cudaMalloc(&edge, (size_t)num * t * sizeof(int)); cudaMalloc(&best, num * sizeof(int));
    cudaMemset(dq, 1, q * num); cudaMemset(dt, 1, t);
    align(dq, q, dt, t, num, edge, best, 0);
    cudaDeviceSynchronize();
    cudaFree(dq); cudaFree(dt); cudaFree(edge); cudaFree(best);
    return 0;
}
