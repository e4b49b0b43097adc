// k-th largest logit per row by MSD radix selection, then compaction of the
// logits at or above it.  Used by the top-k sampler.
#include <cuda_runtime.h>

#include <cstdint>
#include <stdexcept>

namespace sampler {

constexpr int kBits = 8;
constexpr int kBins = 1 << kBits;
constexpr int kThreads = 512;

template <typename T> struct Traits;
template <> struct Traits<float> {
    using Key = uint32_t;
    static __device__ Key key(float f)
    {
        const uint32_t u = __float_as_uint(f);
        return u & 0x80000000u ? ~u : u | 0x80000000u;
    }
};
template <> struct Traits<double> {
    using Key = unsigned long long;
    static __device__ Key key(double d)
    {
        const Key u = (Key)__double_as_longlong(d);
        return u >> 63 ? ~u : u | (1ull << 63);
    }
};

template <typename Key>
struct SelectState {
    int hist[kBins];
    Key prefix;
    int remaining;
    int written, ties;
};

template <typename Key>
__device__ __forceinline__ void clear_bins(SelectState<Key>& s)
{
    if (threadIdx.x < kBins) s.hist[threadIdx.x] = 0;
}

template <typename Key>
__device__ void pick_bin(SelectState<Key>& s, int shift)
{
    if (threadIdx.x == 0) {
        int left = s.remaining, b = kBins - 1;
        while (b > 0 && s.hist[b] < left) left -= s.hist[b--];
        s.prefix |= (Key)b << shift;
        s.remaining = left;
    }
    __syncthreads();
}

template <typename T>
__global__ void __launch_bounds__(kThreads)
topk_kernel(const T* __restrict__ logits, int vocab, int k, T* __restrict__ out_val, int* __restrict__ out_idx)
{
    using Key = typename Traits<T>::Key;
    __shared__ SelectState<Key> s;
    const T* row = logits + (size_t)blockIdx.x * vocab;
    out_val += (size_t)blockIdx.x * k;
    out_idx += (size_t)blockIdx.x * k;

    if (threadIdx.x == 0) {
        s.prefix = 0;
        s.remaining = k;
        s.written = s.ties = 0;
    }
    __syncthreads();

    Key mask = 0;
    for (int shift = sizeof(Key) * 8 - kBits; shift >= 0; shift -= kBits) {
        const Key prefix = s.prefix;
        clear_bins(s);
        for (int i = threadIdx.x; i < vocab; i += kThreads) {
            const Key key = Traits<T>::key(row[i]);
            if ((key & mask) == prefix) atomicAdd(&s.hist[(key >> shift) & (kBins - 1)], 1);
        }
        __syncthreads();
        pick_bin(s, shift);
        mask |= (Key)(kBins - 1) << shift;
    }

    // everything above the threshold, then as many equal ones as still fit
    const Key kth = s.prefix;
    const int fit = s.remaining;
    for (int i = threadIdx.x; i < vocab; i += kThreads) {
        const Key key = Traits<T>::key(row[i]);
        if (key > kth) {
            const int p = atomicAdd(&s.written, 1);
            out_val[p] = row[i];
            out_idx[p] = i;
        } else if (key == kth) {
            const int t = atomicAdd(&s.ties, 1);
            if (t < fit) {
                out_val[k - fit + t] = row[i];
                out_idx[k - fit + t] = i;
            }
        }
    }
}

template <typename T>
__global__ void scale_by_temperature(T* logits, const float* temperature, int vocab)
{
    const float t = temperature[blockIdx.y];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < vocab && t > 0.f) logits[(size_t)blockIdx.y * vocab + i] /= t;
}

template <typename T>
void top_k(T* logits, const float* temperature, int batch, int vocab, int k, T* val, int* idx, cudaStream_t st)
{
    if (k < 1 || k > vocab) throw std::out_of_range("top_k: k");
    if (batch == 0) return;
    if (temperature) {
        const dim3 grid((vocab + 255) / 256, batch);
        scale_by_temperature<T><<<grid, 256, 0, st>>>(logits, temperature, vocab);
    }
    topk_kernel<T><<<batch, kThreads, 0, st>>>(logits, vocab, k, val, idx);
    if (cudaGetLastError() != cudaSuccess) throw std::runtime_error("top_k: launch");
}

template void top_k<float>(float*, const float*, int, int, int, float*, int*, cudaStream_t);
template void top_k<double>(double*, const float*, int, int, int, double*, int*, cudaStream_t);

}  // namespace sampler
