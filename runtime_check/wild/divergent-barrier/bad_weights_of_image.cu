// Weights of a tile are shared below a check of the pixel; in the last block some threads bring none, and all are added up.
// cuwarp-run: block-total weigh block=256 grid=2 n=400
__global__ void weigh(const int *in, int *out, int n) {
    __shared__ int weight[256];
    int t = threadIdx.x, i = blockIdx.x * 256 + t;
    if (i < n) {
        weight[t] = in[i];
        __syncthreads(); //~ error: divergent-barrier
        int sum = 0;
        for (int k = 0; k < 256; k++)
            sum += weight[k];
        out[i] = sum;
    }
}

void run(const int *in, int *out) {
    weigh<<<16, 256>>>(in, out, 4000);
}
// cuwarp-gpu: divergent-barrier corrected=good_weights_of_image grid=16 n=4000
