// Cells that take part ask their neighbour; their mask is a ballot of the lanes that happen to be converged.
// cuwarp-run: previous-lane cells block=64 n=24
__global__ void cells(const int *in, int *out) {
    int i = blockIdx.x * 64 + threadIdx.x, lane = threadIdx.x % 32, v = in[i];
    bool is_valid = lane < 24;
    if (lane % 2 == 0)
        v = v * 3 - 2 * v;
    if (is_valid) {
        unsigned mask = __ballot_sync(__activemask(), is_valid);
        int left = __shfl_sync(mask, v, lane > 0 ? lane - 1 : 0); //~ warning: activemask-as-mask
        out[i] = left;
    }
}

void run(const int *in, int *out) {
    cells<<<8, 64>>>(in, out);
}
// cuwarp-gpu: activemask-as-mask corrected=good_ballot_of_converged grid=1024
