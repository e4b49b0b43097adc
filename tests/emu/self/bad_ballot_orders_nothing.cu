// cuwarp-run: any share block=32
// cuwarp-emu: race
// A vote that all lanes make between a write and the read of it.
__global__ void share(int *out, const int *in) {
    __shared__ int s[32];
    int t = threadIdx.x;
    s[t] = in[t];
    int any = __any_sync(0xffffffff, s[t] > 0);
    out[t] = any ? s[31 - t] : 0;
}
