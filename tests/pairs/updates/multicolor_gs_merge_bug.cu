// Multi-colour Gauss-Seidel smoother on a CSR matrix. Rows are listed colour by colour.
#include <cuda_runtime.h>
#include <vector>
#include <algorithm>

struct CsrMatrix {
    int n;
    int *ptr, *col;
    double *val;
};

struct Coloring {
    std::vector<int> offsets;   // host: start of each colour in rows, plus end
    int *rows;                  // device: row numbers grouped by colour
};

__global__ void gs_rows(CsrMatrix A, const int *__restrict__ rows, int count, const double *__restrict__ b,
                        double *x, double omega)
{
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k >= count)
        return;
    int i = rows[k];
    double sum = b[i], diag = 1.0;
    for (int p = A.ptr[i]; p < A.ptr[i + 1]; ++p) {
        int j = A.col[p];
        if (j == i)
            diag = A.val[p];
        else
            sum -= A.val[p] * x[j];
    }
    x[i] += omega * (sum / diag - x[i]);
}

/* Greedy colouring of the (symmetric) adjacency graph, on the host. */
Coloring color_rows(int n, const std::vector<int> &ptr, const std::vector<int> &col)
{
    std::vector<int> color(n, -1), used, order(n);
    int ncol = 0;
    for (int i = 0; i < n; ++i) {
        used.assign(ncol + 1, 0);
        for (int p = ptr[i]; p < ptr[i + 1]; ++p)
            if (col[p] != i && color[col[p]] >= 0)
                used[color[col[p]]] = 1;
        int c = 0;
        while (used[c]) ++c;
        color[i] = c;
        ncol = std::max(ncol, c + 1);
        order[i] = i;
    }
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return color[a] < color[b]; });
    Coloring out;
    out.offsets.assign(ncol + 1, 0);
    for (int i = 0; i < n; ++i) out.offsets[color[i] + 1]++;
    for (int c = 0; c < ncol; ++c) out.offsets[c + 1] += out.offsets[c];
    cudaMalloc(&out.rows, n * sizeof(int));
    cudaMemcpy(out.rows, order.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    return out;
}

void smooth(const CsrMatrix &A, const Coloring &c, const double *b, double *x, double omega, int sweeps)
{
    const int ncol = (int)c.offsets.size() - 1;
    for (int s = 0; s < sweeps; ++s) {
        for (int k = 0; k < ncol;) {
            int from = c.offsets[k], next = k + 1;
            while (next < ncol && c.offsets[next + 1] - from <= 1024)   // save launches for tiny colours
                ++next;
            int count = c.offsets[next] - from;
            gs_rows<<<(count + 127) / 128, 128>>>(A, c.rows + from, count, b, x, omega);
            k = next;
        }
    }
}
