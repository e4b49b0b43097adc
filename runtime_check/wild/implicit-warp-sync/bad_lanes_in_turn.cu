// Lanes add to one element of global memory in turn, by a loop in which each waits for its number and for nobody else.
// cuwarp-run: sum-of-16 tissue block=64
__global__ void tissue(const int *in, int *out) {
    int i = blockIdx.x * 64 + threadIdx.x, place = i / 16, turn = i % 16, v = in[i];
    if (turn == 0)
        out[place] = v;
    for (int k = 1; k < 16; k++)
        if (turn == k)
            out[place] += v; //~ error: implicit-warp-sync
}

void run(const int *in, int *out) {
    tissue<<<4, 64>>>(in, out);
}
// cuwarp-gpu: implicit-warp-sync corrected=good_lanes_in_turn grid=1024
