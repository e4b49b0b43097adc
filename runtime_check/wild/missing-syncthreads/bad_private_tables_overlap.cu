// Each thread has a table of four in shared memory; their stride is less than the block, so that tables overlap.
// cuwarp-run: copy tables block=128 n=250
#define STRIDE 64

__global__ void tables(const int *in, int *out, int n) {
    __shared__ int table[4 * 128];
    int t = threadIdx.x, i = blockIdx.x * 128 + t, v = i < n ? in[i] : 0;
    for (int k = 0; k < 4; k++)
        table[STRIDE * k + t] = v; //~ error: missing-syncthreads
    if (i < n)
        out[i] = table[STRIDE * 3 + t];
}

void run(const int *in, int *out, int n) {
    tables<<<(n + 127) / 128, 128>>>(in, out, n);
}
// cuwarp-gpu: missing-syncthreads corrected=good_private_tables_overlap grid=1024 n=0
