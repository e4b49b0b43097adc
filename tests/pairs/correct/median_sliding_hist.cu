// Constant-time median (Huang): each thread slides down one image column with its own histogram.
#include <cuda_runtime.h>
#include <cstdint>

struct Image8 {
    uint8_t *data;
    int w, h;
    size_t pitch;
    __host__ __device__ const uint8_t *row(int y) const { return data + y * pitch; }
};

class ColumnHistogram {
public:
    // bins of thread t are at base[b * stride + t]
    __device__ ColumnHistogram(uint16_t *base, int stride, int t) : m_h(base + t), m_stride(stride) {}

    __device__ void clear()
    {
        for (int b = 0; b < 256; ++b)
            m_h[b * m_stride] = 0;
    }
    __device__ void add(uint8_t v) { ++m_h[v * m_stride]; }
    __device__ void remove(uint8_t v) { --m_h[v * m_stride]; }
    __device__ uint8_t kth(int k) const
    {
        int seen = 0;
        for (int b = 0; b < 256; ++b) {
            seen += m_h[b * m_stride];
            if (seen > k)
                return (uint8_t)b;
        }
        return 255;
    }

private:
    uint16_t *m_h;
    int m_stride;
};

__device__ inline int clampi(int v, int lo, int hi) { return v < lo ? lo : (v > hi ? hi : v); }

__global__ void median_columns(Image8 src, Image8 dst, int radius, int strip, uint16_t *work)
{
    const int t = blockIdx.x * blockDim.x + threadIdx.x;
    const int strips = (src.h + strip - 1) / strip;
    const int total = src.w * strips;
    if (t >= total)
        return;
    const int x = t % src.w, y0 = t / src.w * strip, y1 = min(y0 + strip, src.h);
    ColumnHistogram hist(work, total, t);
    hist.clear();
    const int side = 2 * radius + 1;
    for (int dy = -radius; dy <= radius; ++dy)
        for (int dx = -radius; dx <= radius; ++dx)
            hist.add(src.row(clampi(y0 + dy, 0, src.h - 1))[clampi(x + dx, 0, src.w - 1)]);
    for (int y = y0; y < y1; ++y) {
        dst.data[y * dst.pitch + x] = hist.kth(side * side / 2);
        const uint8_t *out = src.row(clampi(y - radius, 0, src.h - 1));
        const uint8_t *in = src.row(clampi(y + radius + 1, 0, src.h - 1));
        for (int dx = -radius; dx <= radius; ++dx) {
            const int xx = clampi(x + dx, 0, src.w - 1);
            hist.remove(out[xx]);
            hist.add(in[xx]);
        }
    }
}

int median_filter(const Image8 &src, Image8 &dst, int radius, cudaStream_t s)
{
    if (src.data == dst.data || src.w != dst.w || src.h != dst.h || radius > 100)
        return -1;
    const int strip = 64;
    const int total = src.w * ((src.h + strip - 1) / strip);
    uint16_t *work;
    if (cudaMallocAsync(&work, sizeof(uint16_t) * 256 * (size_t)total, s) != cudaSuccess)
        return -2;
    median_columns<<<(total + 63) / 64, 64, 0, s>>>(src, dst, radius, strip, work);
    cudaFreeAsync(work, s);
    return cudaGetLastError() == cudaSuccess ? 0 : -3;
}
