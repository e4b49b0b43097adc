#include <cuda_runtime.h>
#include <stdexcept>
#include <string>

// z <- z^2 + c escape counts; lane 2k: real part, lane 2k+1: imaginary part.
__global__ void escape_counts(const float *c_parts, int pairs, int limit, int *counts)
{
    const int t = blockIdx.x * blockDim.x + threadIdx.x;
    const int pair = t >> 1;
    if (pair >= pairs)
        return;
    const int imag = t & 1;
    const unsigned both = 3u << (threadIdx.x & 30);

    const float c = c_parts[t];
    float z = 0.0f;
    int steps = 0;
    while (steps < limit) {
        const float other = __shfl_xor_sync(both, z, 1);
        const float square = z * z + other * other;
        if (__shfl_sync(both, square, 0, 2) > 4.0f)
            break;
        const float re = imag ? other : z;
        const float im = imag ? z : other;
        z = imag ? 2.0f * re * im + c : re * re - im * im + c;
        ++steps;
    }
    if (!imag)
        counts[pair] = steps;
}

class EscapeTime {
  public:
    explicit EscapeTime(int limit) : limit_(limit)
    {
        if (limit < 1)
            throw std::invalid_argument("limit must be positive");
    }

    void run(const float2 *c, int n, int *counts, cudaStream_t stream) const
    {
        if (n < 0 || n > (1 << 29))
            throw std::invalid_argument("bad number of points");
        if (n == 0)
            return;
        const int block = 160;
        const int grid = (2 * n + block - 1) / block;
        escape_counts<<<grid, block, 0, stream>>>(reinterpret_cast<const float *>(c), n, limit_,
                                                  counts);
        const cudaError_t err = cudaGetLastError();
        if (err != cudaSuccess)
            throw std::runtime_error(std::string("escape_counts: ") + cudaGetErrorString(err));
    }

  private:
    int limit_;
};

void julia_counts(const float2 *c, int n, int *counts)
{
    EscapeTime(256).run(c, n, counts, nullptr);
}
