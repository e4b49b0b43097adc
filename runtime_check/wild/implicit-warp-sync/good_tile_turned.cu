// Eight lanes turn a tile of 8 by 8 through shared memory: columns are stored, the warp waits, rows are loaded.
// cuwarp-run: tiles-of-8 turn block=64
__global__ void turn(const int *in, int *out) {
    __shared__ int s[8][8 * 9];
    int t = threadIdx.x, column = t % 8, i = (blockIdx.x * 8 + t / 8) * 64;
    int *tile = s[t / 8];
    int row[8];
    for (int k = 0; k < 8; k++)
        tile[k * 9 + column] = in[i + k * 8 + column];
    __syncwarp();
    for (int k = 0; k < 8; k++)
        row[k] = tile[column * 9 + k];
    for (int k = 0; k < 8; k++)
        out[i + k * 8 + column] = row[k];
}

void run(const int *in, int *out) {
    turn<<<16, 64>>>(in, out);
}
