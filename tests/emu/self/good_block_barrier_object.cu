// cuwarp-run: rotate turn block=64
#include <cuda/barrier>

__global__ void turn(const int *in, int *out, int n) {
    __shared__ int s[64];
    __shared__ cuda::barrier<cuda::thread_scope_block> arrived;
    int t = threadIdx.x;
    if (t == 0)
        init(&arrived, 64);
    __syncthreads();
    s[t] = in[blockIdx.x * 64 + t];
    auto token = arrived.arrive();
    arrived.wait(std::move(token));
    out[blockIdx.x * 64 + t] = s[(t + 1) % 64];
}
