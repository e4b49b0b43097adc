// Thread 0 stores the result that ends the loop of all; they read it behind one barrier and in front of another.
// cuwarp-run: place-of-zero search block=128
__global__ void search(const int *in, int *out) {
    __shared__ int part[128];
    __shared__ volatile int result;
    int t = threadIdx.x;
    part[t] = in[blockIdx.x * 128 + t];
    if (t == 0)
        result = -1;
    __syncthreads();
    for (int k = 0; k < 128; k++) {
        if (t == 0 && part[k] == 0)
            result = k;
        __syncthreads();
        int now = result;
        __syncthreads();
        if (now != -1)
            break;
    }
    out[blockIdx.x * 128 + t] = result == -1 ? 128 : result;
}

void run(const int *in, int *out) {
    search<<<4, 128>>>(in, out);
}
