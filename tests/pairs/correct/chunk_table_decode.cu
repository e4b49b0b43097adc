// Run-length decoding: the host computes where every chunk starts in the output.
#include <algorithm>
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

struct Run { unsigned char value; unsigned char length; };

struct Chunk {
    int first_run;
    int runs;
    int out_at;
};

__global__ void decode(const Run *__restrict__ runs, const Chunk *__restrict__ chunks, int nchunk, unsigned char *out)
{
    const int warp = (blockIdx.x * blockDim.x + threadIdx.x) >> 5;
    const int lane = threadIdx.x & 31;
    if (warp >= nchunk)
        return;
    const Chunk c = chunks[warp];
    int at = c.out_at;
    for (int base = 0; base < c.runs; base += 32) {
        Run r{0, 0};
        if (base + lane < c.runs)
            r = runs[c.first_run + base + lane];
        int inc = r.length;
#pragma unroll
        for (int d = 1; d < 32; d <<= 1) {
            const int o = __shfl_up_sync(0xffffffffu, inc, d);
            if (lane >= d)
                inc += o;
        }
        unsigned char *p = out + at + inc - r.length;
        for (int k = 0; k < r.length; ++k)
            p[k] = r.value;
        at += __shfl_sync(0xffffffffu, inc, 31);
    }
}

int main()
{
    std::vector<Run> runs(40000);
    for (size_t i = 0; i < runs.size(); ++i)
        runs[i] = Run{(unsigned char)(i & 255), (unsigned char)(i * 7 % 31)};
    std::vector<Chunk> chunks;
    int out_at = 0;
    for (int r = 0; r < (int)runs.size();) {
        const int take = std::min<int>(50 + (r % 101), (int)runs.size() - r);
        chunks.push_back(Chunk{r, take, out_at});
        for (int k = 0; k < take; ++k)
            out_at += runs[r + k].length;
        r += take;
    }
    Run *dr;
    Chunk *dc;
    unsigned char *out;
    cudaMalloc(&dr, runs.size() * sizeof(Run));
    cudaMalloc(&dc, chunks.size() * sizeof(Chunk));
    cudaMalloc(&out, out_at);
    cudaMemcpy(dr, runs.data(), runs.size() * sizeof(Run), cudaMemcpyHostToDevice);
    cudaMemcpy(dc, chunks.data(), chunks.size() * sizeof(Chunk), cudaMemcpyHostToDevice);
    const int threads = (int)chunks.size() * 32;
    decode<<<(threads + 127) / 128, 128>>>(dr, dc, (int)chunks.size(), out);
    printf("%d bytes %s\n", out_at, cudaGetErrorString(cudaDeviceSynchronize()));
    cudaFree(dr);
    cudaFree(dc);
    cudaFree(out);
    return 0;
}
