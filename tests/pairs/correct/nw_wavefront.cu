// Needleman-Wunsch on one tile per block, swept by anti-diagonals in shared memory.
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

constexpr int T = 64;

struct Score { int match, mismatch, gap; };

__global__ void __launch_bounds__(T)
align_pairs(const char *__restrict__ a, const char *__restrict__ b, int *__restrict__ best, Score sc)
{
    __shared__ int h[T + 1][T + 1];
    __shared__ char sb[T];
    const int i = threadIdx.x; // row of this thread
    const char mine = a[blockIdx.x * T + i];
    sb[i] = b[blockIdx.x * T + i];
    h[i + 1][0] = (i + 1) * sc.gap;
    h[0][i + 1] = (i + 1) * sc.gap;
    if (i == 0)
        h[0][0] = 0;
    __syncthreads();
    for (int d = 0; d < 2 * T - 1; ++d) {
        const int j = d - i;
        if (j >= 0 && j < T) {
            int s = h[i][j] + (mine == sb[j] ? sc.match : sc.mismatch);
            s = max(s, h[i][j + 1] + sc.gap);
            s = max(s, h[i + 1][j] + sc.gap);
            h[i + 1][j + 1] = s;
        }
        __syncthreads();
    }
    if (i == T - 1)
        best[blockIdx.x] = h[T][T];
}

int main()
{
    const int pairs = 500;
    std::vector<char> a(pairs * T), b(pairs * T);
    const char *acgt = "ACGT";
    for (size_t i = 0; i < a.size(); ++i) {
        a[i] = acgt[(i * 2654435761u >> 7) & 3];
        b[i] = acgt[(i * 2246822519u >> 9) & 3];
    }
    char *da, *db;
    int *dbest;
    cudaMalloc(&da, a.size());
    cudaMalloc(&db, b.size());
    cudaMalloc(&dbest, pairs * sizeof(int));
    cudaMemcpy(da, a.data(), a.size(), cudaMemcpyHostToDevice);
    cudaMemcpy(db, b.data(), b.size(), cudaMemcpyHostToDevice);
    align_pairs<<<pairs, T>>>(da, db, dbest, Score{2, -1, -2});
    std::vector<int> best(pairs);
    cudaMemcpy(best.data(), dbest, pairs * sizeof(int), cudaMemcpyDeviceToHost);
    printf("%d %s\n", best[0], cudaGetErrorString(cudaGetLastError()));
    cudaFree(da);
    cudaFree(db);
    cudaFree(dbest);
    return 0;
}
