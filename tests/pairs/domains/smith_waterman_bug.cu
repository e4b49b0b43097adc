#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace align {

constexpr int kMaxQuery = 128;

struct Scoring {
    int match = 3;
    int mismatch = -2;
    int gap = -4;
};

struct Targets {
    const char* text;
    const int* offset;
    int count;
};

struct Row {
    int h;      // H(i, j-1)
    int best;
};

__device__ __forceinline__ int cellScore(const Scoring& sc, char a, char b, int diag, int up, int left) {
    int h = diag + (a == b ? sc.match : sc.mismatch);
    h = max(h, up + sc.gap);
    h = max(h, left + sc.gap);
    return max(h, 0);
}

// one block per target, one thread per query row, sweep over anti-diagonals
__global__ void localAlign(const char* __restrict__ query, int m, Targets targets, Scoring sc, int* scores) {
    __shared__ int wave[3][kMaxQuery];
    const char* t = targets.text + targets.offset[blockIdx.x];
    const int n = targets.offset[blockIdx.x + 1] - targets.offset[blockIdx.x];
    const int i = threadIdx.x;
    const char q = i < m ? query[i] : '\0';
    for (int k = 0; k < 3; ++k) wave[k][i] = 0;
    __syncthreads();

    Row row{0, 0};
    for (int d = 0; d < n + m - 1; ++d) {
        const int j = d - i;
        const bool onDiagonal = i < m && j >= 0 && j < n;
        if (!onDiagonal) continue;
        {
            const int up = i > 0 ? wave[(d + 2) % 3][i - 1] : 0;
            const int diag = i > 0 && j > 0 ? wave[(d + 1) % 3][i - 1] : 0;
            row.h = cellScore(sc, q, t[j], diag, up, row.h);
            row.best = max(row.best, row.h);
            wave[d % 3][i] = row.h;
        }
        __syncthreads();
    }
    if (row.best > 0) atomicMax(&scores[blockIdx.x], row.best);
}

}  // namespace align

int main(int argc, char** argv) {
    const int count = argc > 1 ? std::atoi(argv[1]) : 500;
    const int tlen = argc > 2 ? std::atoi(argv[2]) : 300;
    const char* alphabet = "ARNDCQEGHILKMFPSTWYV";
    std::string query, text;
    for (int i = 0; i < align::kMaxQuery; ++i) query += alphabet[std::rand() % 20];
    std::vector<int> off(count + 1);
    for (int i = 0; i <= count; ++i) off[i] = i * tlen;
    for (int i = 0; i < count * tlen; ++i) text += alphabet[std::rand() % 20];

    char *dq, *dt;
    int *doff, *ds;
    cudaMalloc(&dq, query.size());
    cudaMalloc(&dt, text.size());
    cudaMalloc(&doff, off.size() * sizeof(int));
    cudaMalloc(&ds, count * sizeof(int));
    cudaMemcpy(dq, query.data(), query.size(), cudaMemcpyHostToDevice);
    cudaMemcpy(dt, text.data(), text.size(), cudaMemcpyHostToDevice);
    cudaMemcpy(doff, off.data(), off.size() * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemset(ds, 0, count * sizeof(int));
    align::localAlign<<<count, align::kMaxQuery>>>(dq, int(query.size()), align::Targets{dt, doff, count},
                                                   align::Scoring{}, ds);
    std::vector<int> s(count);
    cudaError_t e = cudaMemcpy(s.data(), ds, count * sizeof(int), cudaMemcpyDeviceToHost);
    if (e != cudaSuccess) {
        std::fprintf(stderr, "align: %s\n", cudaGetErrorString(e));
        return 1;
    }
    int top = 0;
    for (int k = 1; k < count; ++k)
        if (s[k] > s[top]) top = k;
    std::printf("best target %d score %d\n", top, s[top]);
    cudaFree(dq); cudaFree(dt); cudaFree(doff); cudaFree(ds);
    return 0;
}
