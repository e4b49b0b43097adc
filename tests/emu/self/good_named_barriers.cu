// cuwarp-run: copy hand_over block=64
// One warp arrives, the other waits, and back again.
__device__ inline void arrive(int id) {
    asm volatile("bar.arrive %0, %1;" ::"r"(id), "r"(64) : "memory");
}
__device__ inline void await(int id) {
    asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(64) : "memory");
}

__global__ void hand_over(const int *in, int *out, int n) {
    __shared__ int s[32];
    int lane = threadIdx.x % 32;
    for (int base = 0; base < 64; base += 32) {
        int at = blockIdx.x * 64 + base + lane;
        if (threadIdx.x < 32) {
            if (base > 0)
                await(2);
            s[lane] = at < n ? in[at] : 0;
            arrive(1);
        } else {
            await(1);
            if (at < n)
                out[at] = s[31 - (31 - lane)];
            if (base == 0)
                arrive(2);
        }
    }
}
