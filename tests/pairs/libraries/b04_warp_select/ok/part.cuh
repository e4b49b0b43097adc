#pragma once
#include <cuda_runtime.h>
#include <cfloat>

namespace topk {

constexpr int kWarp = 32;
constexpr unsigned kAll = 0xffffffffu;

__host__ __device__ constexpr int log2i(int v) { return v <= 1 ? 0 : 1 + log2i(v / 2); }

template <typename T> struct limits;
template <> struct limits<float> { static constexpr float worst = FLT_MAX; };
template <> struct limits<int> { static constexpr int worst = 2147483647; };

// bitonic network over one register per lane
template <typename K, typename V>
struct bitonic {
    __device__ static void exchange(K& k, V& v, int stride, bool up)
    {
        const K ok = __shfl_xor_sync(kAll, k, stride);
        const V ov = __shfl_xor_sync(kAll, v, stride);
        const bool lower = (threadIdx.x & stride) == 0;
        const bool take = (lower == up) ? ok < k : k < ok;
        if (take) { k = ok; v = ov; }
    }
    __device__ static void sort(K& k, V& v)
    {
        const int lane = threadIdx.x & (kWarp - 1);
#pragma unroll
        for (int size = 2; size <= kWarp; size *= 2)
#pragma unroll
            for (int stride = size / 2; stride > 0; stride /= 2)
                exchange(k, v, stride, (lane & size) == 0);
    }
    __device__ static void merge(K& k, V& v)
    {
#pragma unroll
        for (int stride = kWarp / 2; stride > 0; stride /= 2) exchange(k, v, stride, true);
    }
};

// Keeps the 32 smallest keys of a stream, one per lane, ascending.  New keys
// below the current bound go to a per-lane buffer first.
template <typename K, typename V, int BUF>
class warp_sort_filtered {
public:
    __device__ warp_sort_filtered() : k_(limits<K>::worst), v_(), bound_(limits<K>::worst), fill_(0)
    {
#pragma unroll
        for (int i = 0; i < BUF; ++i) bk_[i] = limits<K>::worst;
    }

    __device__ void add(K key, V val)
    {
        if (key < bound_) push(key, val);
        if (__any_sync(kAll, fill_ == BUF)) flush();
    }

    __device__ void done()
    {
        if (__any_sync(kAll, fill_ > 0)) flush();
    }

    __device__ void store(K* keys, V* vals, int k) const
    {
        const int lane = threadIdx.x & (kWarp - 1);
        if (lane < k) { keys[lane] = k_; vals[lane] = v_; }
    }

private:
    __device__ void push(K key, V val)
    {
#pragma unroll
        for (int i = 0; i < BUF; ++i)
            if (i == fill_) { bk_[i] = key; bv_[i] = val; }
        ++fill_;
    }
    __device__ void flush()
    {
#pragma unroll
        for (int i = 0; i < BUF; ++i) {
            K k = bk_[i];
            V v = bv_[i];
            bitonic<K, V>::sort(k, v);
            // partner comes from the mirrored lane
            k = __shfl_xor_sync(kAll, k, kWarp - 1);
            v = __shfl_xor_sync(kAll, v, kWarp - 1);
            if (k < k_) { k_ = k; v_ = v; }
            bitonic<K, V>::merge(k_, v_);
            bk_[i] = limits<K>::worst;
        }
        fill_ = 0;
        bound_ = __shfl_sync(kAll, k_, kWarp - 1);
    }

    K k_, bk_[BUF];
    V v_, bv_[BUF];
    K bound_;
    int fill_;
};

template <typename K, int BUF>
__device__ void select_row(const K* row, int len, K* out_k, int* out_i, int k)
{
    const int lane = threadIdx.x & (kWarp - 1);
    warp_sort_filtered<K, int, BUF> q;
    const int padded = (len + kWarp - 1) / kWarp * kWarp;
    for (int i = lane; i < padded; i += kWarp) q.add(i < len ? row[i] : limits<K>::worst, i);
    q.done();
    q.store(out_k, out_i, k);
}

}  // namespace topk
