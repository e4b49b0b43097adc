// Segment-local key/value sort (one segment per block), one-bit LSD splits in shared memory.
#include <cuda_runtime.h>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace seg {

struct Segments {
  uint32_t* keys;
  uint32_t* vals;
  const int* offset;  // nseg + 1
  int nseg;
};

template <int NT, int ITEMS>
struct Layout {
  static constexpr int kCap = NT * ITEMS;
  static constexpr size_t bytes() { return (2 * (size_t)kCap + NT / 32) * sizeof(uint32_t); }
};

template <int NT, int ITEMS>
class Splitter {
 public:
  __device__ explicit Splitter(uint32_t* base)
      : keys(base), vals(keys + NT), warp_zero(vals + NT * ITEMS) {}

  __device__ void pass(int bit) {
    uint32_t k[ITEMS], v[ITEMS];
    int zero = 0;
#pragma unroll
    for (int i = 0; i < ITEMS; ++i) {
      k[i] = keys[threadIdx.x * ITEMS + i];
      v[i] = vals[threadIdx.x * ITEMS + i];
      zero += !((k[i] >> bit) & 1u);
    }
    int total;
    int z = scan(zero, total);
#pragma unroll
    for (int i = 0; i < ITEMS; ++i) {
      const int idx = threadIdx.x * ITEMS + i;
      const bool is_zero = !((k[i] >> bit) & 1u);
      const int dst = is_zero ? z : total + idx - z;
      keys[dst] = k[i];
      vals[dst] = v[i];
      z += is_zero;
    }
    __syncthreads();
  }

  uint32_t* keys;
  uint32_t* vals;

 private:
  uint32_t* warp_zero;

  __device__ int scan(int x, int& total) {
    const int lane = threadIdx.x & 31, w = threadIdx.x >> 5;
    int inc = x;
    for (int o = 1; o < 32; o <<= 1) {
      const int u = __shfl_up_sync(0xffffffffu, inc, o);
      if (lane >= o) inc += u;
    }
    if (lane == 31) warp_zero[w] = inc;
    __syncthreads();
    int before = 0;
    total = 0;
    for (int i = 0; i < NT / 32; ++i) {
      if (i < w) before += warp_zero[i];
      total += warp_zero[i];
    }
    return before + inc - x;
  }
};

template <int NT, int ITEMS>
__global__ void __launch_bounds__(NT) sort_segments(Segments s, int bits) {
  extern __shared__ uint32_t smem[];
  const int beg = s.offset[blockIdx.x];
  const int len = s.offset[blockIdx.x + 1] - beg;
  if (len <= 1 || len > NT * ITEMS) return;

  Splitter<NT, ITEMS> sp(smem);
  for (int i = threadIdx.x; i < NT * ITEMS; i += NT) {
    sp.keys[i] = i < len ? s.keys[beg + i] : 0xffffffffu;
    sp.vals[i] = i < len ? s.vals[beg + i] : 0u;
  }
  __syncthreads();
  for (int b = 0; b < bits; ++b) sp.pass(b);
  for (int i = threadIdx.x; i < len; i += NT) {
    s.keys[beg + i] = sp.keys[i];
    s.vals[beg + i] = sp.vals[i];
  }
}

template <int NT, int ITEMS>
static cudaError_t dispatch(const Segments& s, int bits, cudaStream_t st) {
  sort_segments<NT, ITEMS><<<s.nseg, NT, Layout<NT, ITEMS>::bytes(), st>>>(s, bits);
  return cudaGetLastError();
}

}  // namespace seg

extern "C" int segmented_sort(uint32_t* keys, uint32_t* vals, const int* off, int nseg, int max_len, int bits,
                              cudaStream_t st) {
  if (nseg <= 0) return 0;
  if (bits < 1 || bits > 32) return -1;
  const seg::Segments s{keys, vals, off, nseg};
  if (max_len <= 256) return seg::dispatch<64, 4>(s, bits, st);
  if (max_len <= 1024) return seg::dispatch<256, 4>(s, bits, st);
  if (max_len <= 4096) return seg::dispatch<512, 8>(s, bits, st);
  return -2;
}

int main(int argc, char** argv) {
  const int nseg = 100, len = argc > 1 ? atoi(argv[1]) : 700;
  uint32_t *k, *v;
  int* off;
  cudaMallocManaged(&k, sizeof(uint32_t) * nseg * len);
  cudaMallocManaged(&v, sizeof(uint32_t) * nseg * len);
  cudaMallocManaged(&off, sizeof(int) * (nseg + 1));
  for (int i = 0; i < nseg * len; ++i) k[i] = (uint32_t)rand(), v[i] = i;
  for (int i = 0; i <= nseg; ++i) off[i] = i * len;
  if (segmented_sort(k, v, off, nseg, len, 31, 0)) return 1;
  return cudaDeviceSynchronize() != cudaSuccess;
}
