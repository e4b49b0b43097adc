// Dynamic distribution of polylines to groups of eight lanes.
#include <cuda_runtime.h>
#include <cmath>

struct Polyline {
    int first;
    int points;
};

__global__ void polyline_lengths(const Polyline *lines, int n, const float2 *pts, float *length,
                                 int *next)
{
    const int lane = threadIdx.x & 31;
    const int sub = lane & 7;
    const unsigned mask = 0xffu << (lane - sub);

    while (true) {
        int item = 0;
        if (sub == 0)
            item = atomicAdd(next, 1);
        item = __shfl_sync(mask, item, 0, 8);
        if (item >= n)
            break;

        const Polyline line = lines[item];
        if (line.points < 2) {
            if (sub == 0)
                length[item] = 0.0f;
            continue;
        }
        float sum = 0.0f;
        for (int k = sub; k + 1 < line.points; k += 8) {
            const float2 a = pts[line.first + k];
            const float2 b = pts[line.first + k + 1];
            sum += hypotf(b.x - a.x, b.y - a.y);
        }
        sum += __shfl_xor_sync(mask, sum, 4);
        sum += __shfl_xor_sync(mask, sum, 2);
        sum += __shfl_xor_sync(mask, sum, 1);
        if (sub == 0)
            length[item] = sum;
    }
}

cudaError_t compute_lengths(const Polyline *lines, int n, const float2 *pts, float *length,
                            int *counter, cudaStream_t stream)
{
    if (n < 0 || n > (1 << 30) || counter == nullptr)
        return cudaErrorInvalidValue;
    if (n == 0)
        return cudaSuccess;
    int dev = 0, sms = 0;
    cudaError_t err = cudaGetDevice(&dev);
    if (err == cudaSuccess)
        err = cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, dev);
    if (err == cudaSuccess)
        err = cudaMemsetAsync(counter, 0, sizeof(int), stream);
    if (err != cudaSuccess)
        return err;
    polyline_lengths<<<sms * 4, 128, 0, stream>>>(lines, n, pts, length, counter);
    return cudaGetLastError();
}
