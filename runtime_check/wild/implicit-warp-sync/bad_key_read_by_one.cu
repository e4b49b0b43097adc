// The lanes of a block decode a key into global memory, and thread 0 goes on to read it.
// cuwarp-run: block-reduce decode block=32 n=60
__device__ int decoded[1024 * 32];

__global__ void decode(const int *in, int *out, int n) {
    int *key = &decoded[blockIdx.x * 32], i = blockIdx.x * 32 + threadIdx.x;
    key[threadIdx.x] = i < n ? in[i] : 0;
    if (threadIdx.x == 0) {
        int sum = 0;
        for (int k = 0; k < 32; k++)
            sum += key[k]; //~ error: implicit-warp-sync
        out[blockIdx.x] = sum;
    }
}

void run(const int *in, int *out, int n) {
    decode<<<1024, 32>>>(in, out, n);
}
// cuwarp-gpu: implicit-warp-sync corrected=good_key_read_by_one grid=1024 n=32761
