// Thread 0 stores the result that ends the loop of all; a slow thread may read the one of the next iteration, and leaves early.
// cuwarp-run: place-of-zero search block=128
__global__ void search(const int *in, int *out) {
    __shared__ int part[128];
    __shared__ volatile int result;
    int t = threadIdx.x;
    part[t] = in[blockIdx.x * 128 + t];
    if (t == 0)
        result = -1;
    __syncthreads();
    for (int k = 0; k < 128 && result == -1; k++) {
        if (t == 0 && part[k] == 0)
            result = k; //~ error: scratch-reuse
        __syncthreads(); //~ warning: racy-uniform-barrier
    }
    out[blockIdx.x * 128 + t] = result == -1 ? 128 : result;
}

void run(const int *in, int *out) {
    search<<<4, 128>>>(in, out);
}
// cuwarp-gpu: racy-uniform-barrier corrected=good_result_ends_loop grid=256
