// cuwarp-run: any each block=32
// cuwarp-emu: violation
__global__ void each(int *out, const int *in) {
    unsigned mask = threadIdx.x == 0 ? 0xffffffff : 0xfffffffe | 1;
    out[threadIdx.x] = __ballot_sync(threadIdx.x < 16 ? mask : mask & ~2u, in[threadIdx.x] > 0);
}
