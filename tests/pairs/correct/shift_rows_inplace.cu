// Deletes a column from every row of a matrix, in place (rows keep their pitch).
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

constexpr int BLOCK = 256;

// One block per row. Elements move left by one, tile after tile from the left.
__global__ void __launch_bounds__(BLOCK) erase_column(double *m, int pitch, int width, const int *__restrict__ victim)
{
    double *row = m + (size_t)blockIdx.x * pitch;
    const int col = victim[blockIdx.x];
    if (col < 0 || col >= width)
        return;
    for (int base = col; base < width - 1; base += BLOCK) {
        const int i = base + threadIdx.x;
        double v = 0.0;
        if (i < width - 1)
            v = row[i + 1];
        __syncthreads();
        if (i < width - 1)
            row[i] = v;
        // the next tile starts reading right of everything written so far
    }
}

int main(int argc, char **argv)
{
    const int rows = 300;
    const int width = argc > 1 ? atoi(argv[1]) : 1000;
    if (width < 2 || width > 100000)
        return 1;
    const int pitch = (width + 15) / 16 * 16;
    std::vector<double> h((size_t)rows * pitch);
    std::vector<int> victim(rows);
    for (int r = 0; r < rows; ++r) {
        victim[r] = (r * 37) % (width + 1) - 1;
        for (int c = 0; c < width; ++c)
            h[(size_t)r * pitch + c] = r + 0.001 * c;
    }
    double *dm;
    int *dv;
    cudaMalloc(&dm, h.size() * sizeof(double));
    cudaMalloc(&dv, rows * sizeof(int));
    cudaMemcpy(dm, h.data(), h.size() * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(dv, victim.data(), rows * sizeof(int), cudaMemcpyHostToDevice);
    erase_column<<<rows, BLOCK>>>(dm, pitch, width, dv);
    cudaMemcpy(h.data(), dm, h.size() * sizeof(double), cudaMemcpyDeviceToHost);
    printf("%f %s\n", h[0], cudaGetErrorString(cudaGetLastError()));
    cudaFree(dm);
    cudaFree(dv);
    return 0;
}
