#pragma once
#include <cuda_runtime.h>

namespace mgl {

struct empty_t {};

struct merge_range_t {
    int a_begin, a_end, b_begin, b_end;
    __device__ int a_count() const { return a_end - a_begin; }
    __device__ int b_count() const { return b_end - b_begin; }
    __device__ int total() const { return a_count() + b_count(); }
};

template <typename T, int N> struct array_t {
    T d[N];
    __device__ T& operator[](int i) { return d[i]; }
    __device__ const T& operator[](int i) const { return d[i]; }
};

template <typename It, typename Comp>
__host__ __device__ int merge_path(It a, int na, It b, int nb, int diag, Comp comp)
{
    int lo = diag > nb ? diag - nb : 0;
    int hi = diag < na ? diag : na;
    while (lo < hi) {
        const int mid = (lo + hi) / 2;
        if (!comp(b[diag - 1 - mid], a[mid])) lo = mid + 1;
        else hi = mid;
    }
    return lo;
}

template <int nt, int vt, typename key_t>
union merge_storage_t {
    key_t keys[nt * vt + 1];
    int indices[nt * vt];
};

template <int nt, int vt, typename key_t, typename val_t, typename Comp>
struct cta_merge_t {
    static constexpr int nv = nt * vt;
    static constexpr bool has_values = !__is_same(val_t, empty_t);
    using storage_t = merge_storage_t<nt, vt, key_t>;

    storage_t& shared;
    Comp comp;

    __device__ void load_keys(const key_t* a, const key_t* b, merge_range_t r)
    {
        const int na = r.a_count(), total = r.total();
#pragma unroll
        for (int i = 0; i < vt; ++i) {
            const int j = nt * i + threadIdx.x;
            if (j < total) shared.keys[j] = j < na ? a[r.a_begin + j] : b[r.b_begin + j - na];
        }
        __syncthreads();
    }

    __device__ int serial_merge(merge_range_t r, array_t<key_t, vt>& keys, array_t<int, vt>& index)
    {
        const int na = r.a_count(), total = r.total();
        const int diag = min(vt * (int)threadIdx.x, total);
        int ai = merge_path(shared.keys, na, shared.keys + na, r.b_count(), diag, comp);
        int bi = na + diag - ai;
        int n = 0;
#pragma unroll
        for (int i = 0; i < vt; ++i) {
            if (diag + i < total) {
                const bool take_a = bi >= total || (ai < na && !comp(shared.keys[bi], shared.keys[ai]));
                index[i] = take_a ? ai : bi;
                keys[i] = shared.keys[index[i]];
                take_a ? ++ai : ++bi;
                ++n;
            }
        }
        return n;
    }

    template <typename T>
    __device__ void thread_to_strided(T* smem, const array_t<T, vt>& x, int n)
    {
#pragma unroll
        for (int i = 0; i < vt; ++i)
            if (i < n) smem[vt * threadIdx.x + i] = x[i];
        __syncthreads();
    }

    __device__ void merge(const key_t* a, const key_t* b, const val_t* va, const val_t* vb,
                          merge_range_t r, key_t* out, val_t* vout, int out_base)
    {
        array_t<key_t, vt> keys;
        array_t<int, vt> index;
        load_keys(a, b, r);
        const int n = serial_merge(r, keys, index);
        const int total = r.total(), na = r.a_count();

        if constexpr (has_values) {
            __syncthreads();
            thread_to_strided(shared.indices, index, n);
            for (int j = threadIdx.x; j < total; j += nt) {
                const int g = shared.indices[j];
                vout[out_base + j] = g < na ? va[r.a_begin + g] : vb[r.b_begin + g - na];
            }
        }
        __syncthreads();
        thread_to_strided(shared.keys, keys, n);
        for (int j = threadIdx.x; j < total; j += nt) out[out_base + j] = shared.keys[j];
    }
};

}  // namespace mgl
