// cuwarp-run: any odd block=32
// cuwarp-emu: violation
__global__ void odd(int *out, const int *in) {
    out[threadIdx.x] = __ballot_sync(0x0000ffff, in[threadIdx.x] > 0);
}
