// Entropy decoding of a baseline scan with restart markers: one thread per restart interval.
#include <cuda_runtime.h>
#include <cstdint>
#include <vector>

struct HuffTable {
    uint8_t  bits[17];
    uint8_t  vals[256];
    int      mincode[17], maxcode[18], valptr[17];
};

struct Scan {
    const uint8_t *data;
    const int *interval_begin;    // intervals + 1 byte offsets, stuffing already removed
    int intervals;
    int blocks_per_interval;      // the last interval may be shorter
    int total_blocks;
};

__constant__ uint8_t c_zigzag[64];

struct BitReader {
    const uint8_t *p, *end;
    uint32_t acc;
    int left;
    __device__ BitReader(const uint8_t *b, const uint8_t *e) : p(b), end(e), acc(0), left(0) {}
    __device__ int bit()
    {
        if (left == 0) {
            acc = p < end ? *p++ : 0;
            left = 8;
        }
        return (acc >> --left) & 1;
    }
    __device__ int bits(int n)
    {
        int v = 0;
        while (n-- > 0)
            v = v << 1 | bit();
        return v;
    }
};

__device__ int extend(int v, int n) { return n && v < (1 << (n - 1)) ? v - (1 << n) + 1 : v; }

__device__ int symbol(BitReader &r, const HuffTable &h)
{
    int code = r.bit();
    for (int len = 1; len <= 16; ++len) {
        if (h.maxcode[len] >= 0 && code <= h.maxcode[len])
            return h.vals[h.valptr[len] + code - h.mincode[len]];
        code = code << 1 | r.bit();
    }
    return 0;
}

// coeff is cleared; block b of the image occupies coeff[64*b .. 64*b+63]
__global__ void decode(Scan s, const HuffTable *dc, const HuffTable *ac, int16_t *coeff)
{
    const int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k >= s.intervals)
        return;
    BitReader r(s.data + s.interval_begin[k], s.data + s.interval_begin[k + 1]);
    const int first = k * s.blocks_per_interval;
    const int last = min(first + s.blocks_per_interval, s.total_blocks);
    int pred = 0;
    for (int b = first; b < last; ++b) {
        int16_t *blk = coeff + 64 * (size_t)b;
        int n = symbol(r, *dc);
        pred += extend(r.bits(n), n);
        blk[0] = (int16_t)pred;
        for (int i = 1; i < 64; ++i) {
            const int rs = symbol(r, *ac);
            const int run = rs >> 4, size = rs & 15;
            if (size == 0) {
                if (run != 15)
                    break;
                i += 15;
                continue;
            }
            i += run;
            if (i > 63)
                break;
            blk[c_zigzag[i]] = (int16_t)extend(r.bits(size), size);
        }
    }
}

int decode_scan(const Scan &s, const HuffTable *d_dc, const HuffTable *d_ac, int16_t *d_coeff, const uint8_t zigzag[64])
{
    cudaMemcpyToSymbol(c_zigzag, zigzag, 64);
    cudaMemset(d_coeff, 0, sizeof(int16_t) * 64 * (size_t)s.total_blocks);
    decode<<<(s.intervals + 31) / 32, 32>>>(s, d_dc, d_ac, d_coeff);
    return cudaDeviceSynchronize() == cudaSuccess ? 0 : -1;
}
