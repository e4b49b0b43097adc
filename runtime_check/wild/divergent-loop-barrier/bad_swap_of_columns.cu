// A loop over columns, strided by the block, holds a barrier: threads leave it in different iterations.
// cuwarp-run: swapped-pairs swap block=256 grid=1 n=1000
__global__ void swap(const int *in, int *out, int n) {
    for (int pair = threadIdx.x; pair < n / 2; pair += 256) {
        int left = in[2 * pair];
        out[2 * pair] = in[2 * pair + 1];
        out[2 * pair + 1] = left;
        __syncthreads(); //~ error: divergent-loop-barrier
    }
}

void run(const int *in, int *out) {
    swap<<<1, 256>>>(in, out, 1000);
}
// cuwarp-gpu: divergent-loop-barrier corrected=good_swap_of_columns
