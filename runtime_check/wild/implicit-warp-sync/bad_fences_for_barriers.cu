// Each warp scans through shared memory, with fences between the steps: they order a lane's accesses, and let no lane wait.
// cuwarp-run: block-scan scan block=32 n=60
__global__ void scan(const int *in, int *out, int n) {
    __shared__ int s[48];
    int lane = threadIdx.x, at = lane + 16, i = blockIdx.x * 32 + lane;
    if (lane < 16)
        s[lane] = 0;
    s[at] = i < n ? in[i] : 0;
    __threadfence_block();
    s[at] += s[at - 1]; //~ error: implicit-warp-sync
    __threadfence_block();
    s[at] += s[at - 2];
    __threadfence_block();
    s[at] += s[at - 4];
    __threadfence_block();
    s[at] += s[at - 8];
    __threadfence_block();
    s[at] += s[at - 16];
    __threadfence_block();
    if (i < n)
        out[i] = s[at];
}

void run(const int *in, int *out, int n) {
    scan<<<(n + 31) / 32, 32>>>(in, out, n);
}
// cuwarp-gpu: implicit-warp-sync corrected=good_fences_for_barriers grid=1024 n=0
