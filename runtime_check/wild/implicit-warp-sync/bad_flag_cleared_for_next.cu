// Thread 0 clears the flag for the next key while other lanes may still read it to end the trials for this one.
// cuwarp-run: row-trials add block=32 grid=2 n=9
__global__ void add(const int *in, int *out, int n) {
    __shared__ volatile int is_done;
    int lane = threadIdx.x;
    for (int key = blockIdx.x; key < n; key += gridDim.x) {
        int trials = 0, wanted = (in[key * 32] & 3) + 1;
        if (lane == 0)
            is_done = 0; //~ error: implicit-warp-sync
        for (int k = 0; k < 4 && !is_done; k++) { //~ error: single-lane-publish
            trials++;
            __syncthreads(); //~ warning: racy-uniform-barrier
            if (lane == 5 && trials == wanted)
                is_done = 1;
            __syncthreads();
        }
        if (is_done)
            out[key * 32 + lane] = trials;
    }
}

void run(const int *in, int *out) {
    add<<<256, 32>>>(in, out, 2048);
}
// cuwarp-gpu: implicit-warp-sync corrected=good_flag_cleared_for_next grid=256 n=2048
