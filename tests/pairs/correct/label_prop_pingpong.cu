// Community detection by synchronous label propagation; weights per label in per-block shared tables.
#include <cuda_runtime.h>
#include <utility>

#define TAB 128
#define THREADS 64

struct Csr {
    int n;
    const int *ptr, *adj;
    const float *w;
};

// One block per vertex; lanes of a vertex claim table slots by CAS and add with atomics.
__global__ void propagate(Csr g, const int *__restrict__ label, int *__restrict__ next, unsigned *moved, int round)
{
    __shared__ int key[TAB];
    __shared__ float sum[TAB];
    __shared__ float best_w[THREADS];
    __shared__ int best_l[THREADS];
    const int v = blockIdx.x, t = threadIdx.x;

    for (int i = t; i < TAB; i += THREADS) {
        key[i] = -1;
        sum[i] = 0.f;
    }
    __syncthreads();
    // vertices with more than TAB / 2 neighbours vote with a sample of their edges
    const int first = g.ptr[v], deg = g.ptr[v + 1] - first;
    const int use = min(deg, TAB / 2);
    for (int e = t; e < use; e += THREADS) {
        const int k = first + (deg > use ? (int)(((long long)e * deg) / use) : e);
        const int l = label[g.adj[k]];
        unsigned h = (unsigned)l * 2654435761u % TAB;
        for (;;) {
            const int old = atomicCAS(&key[h], -1, l);
            if (old == -1 || old == l)
                break;
            h = (h + 1) % TAB;
        }
        atomicAdd(&sum[h], g.w[k]);
    }
    __syncthreads();

    float bw = -1.f;
    int bl = label[v];
    for (int i = t; i < TAB; i += THREADS)
        if (key[i] >= 0 && (sum[i] > bw || (sum[i] == bw && key[i] < bl))) {
            bw = sum[i];
            bl = key[i];
        }
    best_w[t] = bw;
    best_l[t] = bl;
    for (int s = THREADS / 2; s > 0; s >>= 1) {
        __syncthreads();
        if (t < s && (best_w[t + s] > best_w[t] || (best_w[t + s] == best_w[t] && best_l[t + s] < best_l[t]))) {
            best_w[t] = best_w[t + s];
            best_l[t] = best_l[t + s];
        }
    }
    if (t == 0) {
        const bool keep = ((v + round) & 1) && round < 4;    // damp oscillations
        next[v] = keep ? label[v] : best_l[0];
        if (next[v] != label[v])
            atomicAdd(moved, 1u);
    }
}

int communities(const Csr &g, int *d_label, int *d_tmp, unsigned *d_moved, int max_rounds)
{
    int *cur = d_label, *nxt = d_tmp;
    for (int r = 0; r < max_rounds; ++r) {
        unsigned moved = 0;
        cudaMemset(d_moved, 0, sizeof(unsigned));
        propagate<<<g.n, THREADS>>>(g, cur, nxt, d_moved, r);
        cudaMemcpy(&moved, d_moved, sizeof(unsigned), cudaMemcpyDeviceToHost);
        std::swap(cur, nxt);
        if (moved * 1000ull < (unsigned)g.n)
            break;
    }
    if (cur != d_label)
        cudaMemcpy(d_label, cur, g.n * sizeof(int), cudaMemcpyDeviceToDevice);
    return cudaGetLastError() == cudaSuccess ? 0 : -1;
}
