// cuwarp-run: any flag block=64
// Several threads write one value: nobody can tell who came first.
__global__ void flag(int *out, const int *in) {
    __shared__ int found;
    found = 0;
    __syncthreads();
    if (in[threadIdx.x] > 10)
        found = 1;
    __syncthreads();
    out[threadIdx.x] = found;
}
