// Sparse lower triangular solve with level scheduling (one launch per level).
#include <cuda_runtime.h>
#include <algorithm>
#include <vector>

template <typename T>
struct LowerCsr {
    int n;
    std::vector<int> ptr, col;      // host pattern, diagonal entry last in each row
    int *d_ptr, *d_col;
    T *d_val;
};

struct LevelPlan {
    std::vector<int> start;         // levels + 1
    int *d_rows;
};

// All columns of the rows of a level (but the diagonal) belong to earlier levels.
template <typename T>
__global__ void solve_level(const int *__restrict__ rows, int count, const int *__restrict__ ptr, const int *__restrict__ col,
                            const T *__restrict__ val, const T *__restrict__ b, T *x)
{
    const int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k >= count)
        return;
    const int r = rows[k];
    const int last = ptr[r + 1] - 1;
    T s = b[r];
    for (int p = ptr[r]; p < last; ++p)
        s -= val[p] * x[col[p]];
    x[r] = s / val[last];
}

template <typename T>
LevelPlan analyse(const LowerCsr<T> &L)
{
    std::vector<int> level(L.n, 0), order(L.n);
    int top = 0;
    for (int r = 0; r < L.n; ++r) {
        for (int p = L.ptr[r]; p < L.ptr[r + 1] - 1; ++p)
            level[r] = std::max(level[r], level[L.col[p]] + 1);
        top = std::max(top, level[r]);
    }
    LevelPlan plan;
    plan.start.assign(top + 2, 0);
    for (int r = 0; r < L.n; ++r)
        plan.start[level[r] + 1]++;
    for (int l = 0; l <= top; ++l)
        plan.start[l + 1] += plan.start[l];
    std::vector<int> cur(plan.start.begin(), plan.start.end() - 1);
    for (int r = 0; r < L.n; ++r)
        order[cur[level[r]]++] = r;
    cudaMalloc(&plan.d_rows, L.n * sizeof(int));
    cudaMemcpy(plan.d_rows, order.data(), L.n * sizeof(int), cudaMemcpyHostToDevice);
    return plan;
}

template <typename T>
void solve(const LowerCsr<T> &L, const LevelPlan &plan, const T *d_b, T *d_x, cudaStream_t s)
{
    for (size_t l = 0; l + 1 < plan.start.size(); ++l) {
        const int first = plan.start[l], count = plan.start[l + 1] - first;
        if (count == 0)
            continue;
        const int tb = count < 128 ? 32 : 128;
        solve_level<T><<<(count + tb - 1) / tb, tb, 0, s>>>(plan.d_rows + first, count, L.d_ptr, L.d_col, L.d_val, d_b, d_x);
    }
}

template LevelPlan analyse<double>(const LowerCsr<double> &);
template void solve<double>(const LowerCsr<double> &, const LevelPlan &, const double *, double *, cudaStream_t);
