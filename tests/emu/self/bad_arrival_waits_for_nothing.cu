// cuwarp-run: any hand_over block=64
// cuwarp-emu: race
// Who only arrives is not ordered behind those who wait.
__global__ void hand_over(int *out, const int *in) {
    __shared__ int s[32];
    int lane = threadIdx.x % 32;
    if (threadIdx.x < 32) {
        asm volatile("bar.arrive 1, 64;" ::: "memory");
        out[lane] = s[lane];
    } else {
        s[lane] = in[lane];
        asm volatile("bar.sync 1, 64;" ::: "memory");
    }
}
