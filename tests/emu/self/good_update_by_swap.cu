// cuwarp-run: any largest block=64
// The guide's loop around atomicCAS() begins with a plain read.
__global__ void largest(float *out, const float *in) {
    int *at = (int *)out, old = *at, seen;
    do {
        seen = old;
        old = atomicCAS(at, seen, __float_as_int(fmaxf(in[threadIdx.x], __int_as_float(seen))));
    } while (old != seen);
}
