// Lanes add to one element of global memory in turn, with a barrier of the warp in each iteration.
// cuwarp-run: sum-of-16 tissue block=64
__global__ void tissue(const int *in, int *out) {
    int i = blockIdx.x * 64 + threadIdx.x, place = i / 16, turn = i % 16, v = in[i];
    if (turn == 0)
        out[place] = v;
    for (int k = 1; k < 16; k++) {
        __syncwarp();
        if (turn == k)
            out[place] += v;
    }
}

void run(const int *in, int *out) {
    tissue<<<4, 64>>>(in, out);
}
