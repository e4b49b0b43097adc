// Verlet ropes: one rope per block, one node per thread, constraint relaxation
// with an even/odd colouring.
#include <cuda/barrier>
#include <cuda_runtime.h>

#include <cstdio>
#include <utility>
#include <vector>

using block_barrier = cuda::barrier<cuda::thread_scope_block>;

struct RopeParams {
    float dt, rest, stiffness, damping;
    float3 gravity;
    int iterations;
};

struct RopeSet {
    float3* pos;
    float3* prev;
    const int* offset;  // [ropes + 1]
    const float* inv_mass;
};

template <int MAX_NODES>
struct RopeShared {
    float3 x[MAX_NODES];
    float im[MAX_NODES];
};

__device__ __forceinline__ void relax(float3& a, float3& b, float wa, float wb, float rest, float k)
{
    const float dx = b.x - a.x, dy = b.y - a.y, dz = b.z - a.z;
    const float len = sqrtf(dx * dx + dy * dy + dz * dz) + 1e-9f;
    const float w = wa + wb;
    if (w == 0.f) return;
    const float s = k * (len - rest) / (len * w);
    a.x += wa * s * dx; a.y += wa * s * dy; a.z += wa * s * dz;
    b.x -= wb * s * dx; b.y -= wb * s * dy; b.z -= wb * s * dz;
}

template <int MAX_NODES>
class RopeSolver {
public:
    __device__ RopeSolver(RopeShared<MAX_NODES>& s, block_barrier& bar, int nodes) : s_(s), bar_(bar), nodes_(nodes) {}

    __device__ void solve(const RopeParams& p)
    {
        const int t = threadIdx.x;
        for (int it = 0; it < p.iterations; ++it) {
            for (int colour = 0; colour < 2; ++colour) {
                if ((t & 1) == colour && t + 1 < nodes_)
                    relax(s_.x[t], s_.x[t + 1], s_.im[t], s_.im[t + 1], p.rest, p.stiffness);
                bar_.arrive_and_wait();
            }
        }
    }

private:
    RopeShared<MAX_NODES>& s_;
    block_barrier& bar_;
    int nodes_;
};

template <int MAX_NODES>
__global__ void __launch_bounds__(MAX_NODES) step_ropes(RopeSet set, RopeParams p)
{
    __shared__ RopeShared<MAX_NODES> s;
#pragma nv_diag_suppress static_var_with_dynamic_init
    __shared__ block_barrier bar;
    if (threadIdx.x == 0) init(&bar, blockDim.x);
    __syncthreads();

    const int first = set.offset[blockIdx.x];
    const int nodes = set.offset[blockIdx.x + 1] - first;
    const int t = threadIdx.x;
    if (t >= nodes) {
        return;
    }

    const int g = first + t;
    const float3 x = set.pos[g], q = set.prev[g];
    const float im = set.inv_mass[g];
    float3 n = x;
    if (im > 0.f) {
        n.x += p.damping * (x.x - q.x) + p.dt * p.dt * p.gravity.x;
        n.y += p.damping * (x.y - q.y) + p.dt * p.dt * p.gravity.y;
        n.z += p.damping * (x.z - q.z) + p.dt * p.dt * p.gravity.z;
    }
    s.x[t] = n;
    s.im[t] = im;
    bar.arrive_and_wait();

    RopeSolver<MAX_NODES>(s, bar, nodes).solve(p);
    set.prev[g] = x;
    set.pos[g] = s.x[t];
}

static cudaError_t step(const RopeSet& set, int ropes, int longest, const RopeParams& p, cudaStream_t st)
{
    if (ropes == 0) return cudaSuccess;
    if (longest <= 64) step_ropes<64><<<ropes, 64, 0, st>>>(set, p);
    else if (longest <= 256) step_ropes<256><<<ropes, 256, 0, st>>>(set, p);
    else return cudaErrorInvalidValue;
    return cudaGetLastError();
}

int main()
{
    const int ropes = 100;
    std::vector<int> off(1, 0);
    int longest = 0;
    for (int r = 0; r < ropes; ++r) {
        const int len = 20 + (r * 37) % 100;
        longest = len > longest ? len : longest;
        off.push_back(off.back() + len);
    }
    const int n = off.back();
    RopeSet set;
    int* d_off;
    float* d_im;
    cudaMalloc(&set.pos, n * sizeof(float3));
    cudaMalloc(&set.prev, n * sizeof(float3));
    cudaMalloc(&d_off, off.size() * sizeof(int));
    cudaMalloc(&d_im, n * sizeof(float));
    cudaMemset(set.pos, 0, n * sizeof(float3));
    cudaMemset(set.prev, 0, n * sizeof(float3));
    std::vector<float> im(n, 1.f);
    for (int r = 0; r < ropes; ++r) im[off[r]] = 0.f;
    cudaMemcpy(d_off, off.data(), off.size() * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpy(d_im, im.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    set.offset = d_off;
    set.inv_mass = d_im;
    const RopeParams p = {0.01f, 0.1f, 0.9f, 0.99f, {0.f, -9.81f, 0.f}, 16};
    for (int i = 0; i < 10; ++i)
        if (step(set, ropes, longest, p, 0) != cudaSuccess) return 1;
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    return 0;
}
