// Symmetric reordering B = P A P^T of a CSR matrix with a bandwidth reducing order from the host.
#include <cuda_runtime.h>
#include <algorithm>
#include <queue>
#include <vector>

struct HostCsr {
    int n;
    std::vector<int> ptr, col;
    std::vector<double> val;
};

struct DevCsr {
    int *ptr, *col;
    double *val;
};

// order[k] = old number of the k-th row; visits every row once
std::vector<int> cuthill_mckee(const HostCsr &a)
{
    std::vector<int> order;
    std::vector<char> seen(a.n, 0);
    for (int s = 0; s < a.n; ++s) {
        if (seen[s]) continue;
        std::queue<int> q;
        q.push(s);
        seen[s] = 1;
        while (!q.empty()) {
            int u = q.front();
            q.pop();
            order.push_back(u);
            std::vector<int> nb;
            for (int p = a.ptr[u]; p < a.ptr[u + 1]; ++p)
                if (!seen[a.col[p]]) {
                    seen[a.col[p]] = 1;
                    nb.push_back(a.col[p]);
                }
            std::sort(nb.begin(), nb.end(), [&](int x, int y) { return a.ptr[x + 1] - a.ptr[x] < a.ptr[y + 1] - a.ptr[y]; });
            for (int v : nb) q.push(v);
        }
    }
    std::reverse(order.begin(), order.end());
    return order;
}

__global__ void invert(const int *__restrict__ order, int *inv, int n)
{
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k < n)
        inv[order[k]] = k;
}

__global__ void permute_rows(int n, const int *__restrict__ order, const int *__restrict__ inv, DevCsr a, DevCsr b)
{
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k >= n) return;
    int old = order[k], dst = b.ptr[k];
    for (int p = a.ptr[old]; p < a.ptr[old + 1]; ++p, ++dst) {
        b.col[dst] = inv[a.col[p]];
        b.val[dst] = a.val[p];
    }
}

__global__ void permute_vector(int n, const int *__restrict__ inv, const double *__restrict__ x, double *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[inv[i]] = x[i];
}

void reorder(const HostCsr &h, DevCsr a, DevCsr b, const double *d_x, double *d_y)
{
    std::vector<int> order = cuthill_mckee(h), ptr(h.n + 1, 0);
    for (int k = 0; k < h.n; ++k)
        ptr[k + 1] = ptr[k] + h.ptr[order[k] + 1] - h.ptr[order[k]];
    int *d_order, *d_inv;
    cudaMalloc(&d_order, h.n * sizeof(int));
    cudaMalloc(&d_inv, h.n * sizeof(int));
    cudaMemcpy(d_order, order.data(), h.n * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpy(b.ptr, ptr.data(), (h.n + 1) * sizeof(int), cudaMemcpyHostToDevice);
    const int T = 256, B = (h.n + T - 1) / T;
    invert<<<B, T>>>(d_order, d_inv, h.n);
    permute_rows<<<B, T>>>(h.n, d_order, d_inv, a, b);
    permute_vector<<<B, T>>>(h.n, d_inv, d_x, d_y);
    cudaDeviceSynchronize();
    cudaFree(d_order);
    cudaFree(d_inv);
}
