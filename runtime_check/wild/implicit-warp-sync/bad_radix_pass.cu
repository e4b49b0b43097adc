// A warp sorts by one bit after the other through two buffers in volatile shared memory; nothing orders a pass and the next.
// cuwarp-run: sort sort block=32
__global__ void sort(const unsigned *in, unsigned *out, int n) {
    __shared__ volatile unsigned s[64];
    unsigned lane = threadIdx.x, at = 0, before = ~((2u << lane) - 1), i = blockIdx.x * 32 + lane;
    s[lane] = i < n ? in[i] : 0;
    for (int bit = 0; bit < 6; bit++) {
        unsigned v = s[31 - lane + at]; //~ error: implicit-warp-sync
        unsigned ones = __ballot_sync(0xffffffff, v >> bit & 1);
        unsigned place = v >> bit & 1 ? __popc(~ones) + __popc(ones & before) : __popc(~ones & before);
        at ^= 32;
        s[place + at] = v;
    }
    if (i < n)
        out[i] = s[lane + at];
}

void run(const unsigned *in, unsigned *out, int n) {
    sort<<<(n + 31) / 32, 32>>>(in, out, n);
}
// cuwarp-gpu: implicit-warp-sync corrected=good_radix_pass grid=1024
