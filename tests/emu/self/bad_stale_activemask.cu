// cuwarp-run: any half block=32
// cuwarp-emu: hang
// Where the warp keeps together, the mask names lanes that then go elsewhere.
__global__ void half(int *out, const int *in) {
    unsigned m = __activemask();
    if (threadIdx.x < 16)
        out[threadIdx.x] = __reduce_add_sync(m, in[threadIdx.x]);
}
