// A loop reads a tile; the next loop's first step stores to the tile while slow warps are still in the first one.
// cuwarp-run: next-warp-plus-sum steps block=256
__global__ void steps(const int *in, int *out) {
    __shared__ int tile[256];
    int t = threadIdx.x, lane = t % 32, warp = t / 32, v = in[blockIdx.x * 256 + t], sum = 0, next = 0;
    tile[t] = v;
    __syncthreads();
    for (int k = 0; k < 256; k++)
        sum += tile[k];
    for (int k = 0; k < 8; k++) {
        if (warp == k)
            tile[lane] = sum - v; //~ error: missing-syncthreads
        __syncthreads();
        if (k == (warp + 1) % 8)
            next = sum - tile[lane];
        __syncthreads();
    }
    out[blockIdx.x * 256 + t] = sum + next;
}

void run(const int *in, int *out) {
    steps<<<16, 256>>>(in, out);
}
// cuwarp-gpu: missing-syncthreads corrected=good_tile_stored_in_next_loop grid=1024
