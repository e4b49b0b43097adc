// Block-sparse matrix product: C tile (bm,bn) accumulates only the active K tiles.
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

#define CK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { \
    fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e_)); exit(1); } } while (0)

constexpr int T = 16;

struct SparseArgs {
    const float *a;
    const float *b;
    float *c;
    const int *row_ptr;          // per block row: first entry in tile_col
    const unsigned char *active; // per stored tile
    const int *tile_col;
    int n;                       // multiple of T, checked by the host
};

__global__ void __launch_bounds__(T * T) sparse_tile_gemm(SparseArgs p)
{
    __shared__ float as[T][T + 1];
    __shared__ float bs[T][T + 1];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int row = blockIdx.y * T + ty;
    const int col = blockIdx.x * T + tx;
    const int beg = p.row_ptr[blockIdx.y];
    const int end = p.row_ptr[blockIdx.y + 1];
    if (beg == end) {
        p.c[row * p.n + col] = 0.0f;
        return;
    }
    float acc = 0.0f;
    for (int t = beg; t < end; ++t) {
        if (!p.active[t])
            continue;
        const int k0 = p.tile_col[t] * T;
        as[ty][tx] = p.a[row * p.n + k0 + tx];
        bs[ty][tx] = p.b[(k0 + ty) * p.n + col];
        __syncthreads();
#pragma unroll
        for (int k = 0; k < T; ++k)
            acc += as[ty][k] * bs[k][tx];
        __syncthreads();
    }
    p.c[row * p.n + col] = acc;
}

int main(int argc, char **argv)
{
    const int n = argc > 1 ? atoi(argv[1]) : 256;
    if (n <= 0 || n % T != 0 || n > 8192) {
        fprintf(stderr, "n must be a positive multiple of %d\n", T);
        return 1;
    }
    const int nb = n / T;
    std::vector<int> ptr(nb + 1, 0), colv;
    std::vector<unsigned char> act;
    for (int i = 0; i < nb; ++i) {
        for (int j = 0; j < nb; ++j)
            if ((i * 7 + j * 3) % 4 == 0) { colv.push_back(j); act.push_back((i + j) % 5 != 0); }
        ptr[i + 1] = (int)colv.size();
    }
    if (colv.empty()) { colv.push_back(0); act.push_back(0); }
    std::vector<float> h(n * (size_t)n, 0.5f);
    SparseArgs p{};
    float *a, *b; int *rp, *tc; unsigned char *ac;
    CK(cudaMalloc(&a, h.size() * 4)); CK(cudaMalloc(&b, h.size() * 4)); CK(cudaMalloc(&p.c, h.size() * 4));
    CK(cudaMalloc(&rp, ptr.size() * 4)); CK(cudaMalloc(&tc, colv.size() * 4)); CK(cudaMalloc(&ac, act.size()));
    CK(cudaMemcpy(a, h.data(), h.size() * 4, cudaMemcpyHostToDevice));
    CK(cudaMemcpy(b, h.data(), h.size() * 4, cudaMemcpyHostToDevice));
    CK(cudaMemcpy(rp, ptr.data(), ptr.size() * 4, cudaMemcpyHostToDevice));
    CK(cudaMemcpy(tc, colv.data(), colv.size() * 4, cudaMemcpyHostToDevice));
    CK(cudaMemcpy(ac, act.data(), act.size(), cudaMemcpyHostToDevice));
    p.a = a; p.b = b; p.row_ptr = rp; p.tile_col = tc; p.active = ac; p.n = n;
    sparse_tile_gemm<<<dim3(nb, nb), dim3(T, T)>>>(p);
    CK(cudaGetLastError());
    CK(cudaMemcpy(h.data(), p.c, h.size() * 4, cudaMemcpyDeviceToHost));
    printf("%f\n", h[0]);
    return 0;
}
