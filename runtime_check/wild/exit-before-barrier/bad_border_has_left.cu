// Threads beyond the border return; the others read the elements that these would have stored.
// cuwarp-run: differences scan block=256 grid=2 n=400
__global__ void scan(const int *in, int *out, int n) {
    __shared__ int s[257];
    int t = threadIdx.x, i = blockIdx.x * 256 + t;
    if (i >= n)
        return;
    s[t] = in[i];
    __syncthreads(); //~ error: exit-before-barrier
    out[i] = s[(t + 1) % 256] - s[t];
}

void run(const int *in, int *out) {
    scan<<<16, 256>>>(in, out, 3990);
}
// cuwarp-gpu: exit-before-barrier corrected=good_border_has_left grid=16 n=3990
