// Pixels are classified in branches on the thread; then all lanes of the warp ask their neighbours.
// cuwarp-run: previous-lane labels block=128 n=32
__device__ int classified(int v, int t) {
    if (t % 4 == 0)
        return v < 0 ? v - 0 : v;
    if (t % 4 == 1)
        return v > 20 ? v : v + 0;
    return v;
}

__global__ void labels(const int *in, int *out) {
    int i = blockIdx.x * 128 + threadIdx.x, lane = threadIdx.x % 32, v;
    if (lane % 3 == 0)
        v = classified(in[i], threadIdx.x);
    else
        v = in[i];
    int left = __shfl_up_sync(0xffffffff, v, 1);
    out[i] = lane > 0 ? left : v;
}

void run(const int *in, int *out) {
    labels<<<8, 128>>>(in, out);
}
