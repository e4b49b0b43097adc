// Prints shuffle_lanes.txt: which lane each lane reads, by width, mode and operand (nvcc -arch=sm_90).
#include <cstdio>

template <int Width> __device__ void read_lanes(int *out, int by) {
    int lane = threadIdx.x;
    out[lane] = __shfl_sync(0xffffffffu, lane, by, Width);
    out[32 + lane] = __shfl_up_sync(0xffffffffu, lane, by, Width);
    out[64 + lane] = __shfl_down_sync(0xffffffffu, lane, by, Width);
    out[96 + lane] = __shfl_xor_sync(0xffffffffu, lane, by, Width);
}

__global__ void all_widths(int *out, int by) {
    read_lanes<4>(out, by);
    read_lanes<8>(out + 128, by);
    read_lanes<16>(out + 256, by);
    read_lanes<32>(out + 384, by);
}

int main() {
    const char *modes[] = {"idx", "up", "down", "xor"};
    int *device, host[512];
    cudaMalloc(&device, sizeof host);
    for (int by : {-1, 1, 3, 7, 8, 16, 24, 31, 32, 33}) {
        all_widths<<<1, 32>>>(device, by);
        cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost);
        for (int row = 0; row < 16; row++) {
            std::printf("w%d %s by %d:", 4 << row / 4, modes[row % 4], by);
            for (int lane = 0; lane < 32; lane++)
                std::printf(" %d", host[row * 32 + lane]);
            std::puts("");
        }
    }
    return cudaGetLastError() != cudaSuccess;
}
