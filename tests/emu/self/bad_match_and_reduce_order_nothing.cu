// cuwarp-run: any share block=32
// cuwarp-emu: race
__global__ void share(int *out, const int *in) {
    __shared__ int s[32];
    int t = threadIdx.x;
    s[t] = in[t];
    unsigned same = __match_any_sync(0xffffffff, t / 2);
    int sum = __reduce_add_sync(0xffffffff, t);
    out[t] = s[31 - t] + sum + same;
}
