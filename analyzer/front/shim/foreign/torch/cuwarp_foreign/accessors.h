// TensorAccessor and the packed accessors that kernels take.
#pragma once
#include <cuwarp_foreign/c10_types.h>
namespace at {
template <typename T> struct DefaultPtrTraits { typedef T *PtrType; };
template <typename T> struct RestrictPtrTraits { typedef T *__restrict__ PtrType; };
template <typename T, size_t N, template <typename U> class PtrTraits = DefaultPtrTraits, typename index_t = int64_t>
struct TensorAccessorBase {
    typedef typename PtrTraits<T>::PtrType PtrType;
    PtrType data_;
    const index_t *sizes_;
    const index_t *strides_;
    __host__ __device__ TensorAccessorBase(PtrType data, const index_t *sizes, const index_t *strides)
        : data_(data), sizes_(sizes), strides_(strides) {}
    __host__ IntArrayRef sizes() const { return IntArrayRef((const int64_t *)sizes_, N); }
    __host__ IntArrayRef strides() const { return IntArrayRef((const int64_t *)strides_, N); }
    __host__ __device__ index_t stride(index_t i) const { return strides_[i]; }
    __host__ __device__ index_t size(index_t i) const { return sizes_[i]; }
    __host__ __device__ PtrType data() { return data_; }
    __host__ __device__ const PtrType data() const { return data_; }
};
template <typename T, size_t N, template <typename U> class PtrTraits = DefaultPtrTraits, typename index_t = int64_t>
struct TensorAccessor : TensorAccessorBase<T, N, PtrTraits, index_t> {
    typedef typename PtrTraits<T>::PtrType PtrType;
    __host__ __device__ TensorAccessor(PtrType data, const index_t *sizes, const index_t *strides)
        : TensorAccessorBase<T, N, PtrTraits, index_t>(data, sizes, strides) {}
    __host__ __device__ TensorAccessor<T, N - 1, PtrTraits, index_t> operator[](index_t i) {
        return TensorAccessor<T, N - 1, PtrTraits, index_t>(this->data_ + this->strides_[0] * i, this->sizes_ + 1,
                                                            this->strides_ + 1);
    }
    __host__ __device__ const TensorAccessor<T, N - 1, PtrTraits, index_t> operator[](index_t i) const {
        return TensorAccessor<T, N - 1, PtrTraits, index_t>(this->data_ + this->strides_[0] * i, this->sizes_ + 1,
                                                            this->strides_ + 1);
    }
};
template <typename T, template <typename U> class PtrTraits, typename index_t>
struct TensorAccessor<T, 1, PtrTraits, index_t> : TensorAccessorBase<T, 1, PtrTraits, index_t> {
    typedef typename PtrTraits<T>::PtrType PtrType;
    __host__ __device__ TensorAccessor(PtrType data, const index_t *sizes, const index_t *strides)
        : TensorAccessorBase<T, 1, PtrTraits, index_t>(data, sizes, strides) {}
    __host__ __device__ T &operator[](index_t i) { return this->data_[this->strides_[0] * i]; }
    __host__ __device__ const T &operator[](index_t i) const { return this->data_[this->strides_[0] * i]; }
};
template <typename T, size_t N, template <typename U> class PtrTraits = DefaultPtrTraits, typename index_t = int64_t>
struct GenericPackedTensorAccessorBase {
    typedef typename PtrTraits<T>::PtrType PtrType;
    PtrType data_;
    index_t sizes_[N];
    index_t strides_[N];
    template <typename I>
    __host__ GenericPackedTensorAccessorBase(PtrType data, const I *sizes, const I *strides) : data_(data) {
        for (size_t i = 0; i < N; i++) {
            sizes_[i] = (index_t)sizes[i];
            strides_[i] = (index_t)strides[i];
        }
    }
    __host__ __device__ index_t stride(index_t i) const { return strides_[i]; }
    __host__ __device__ index_t size(index_t i) const { return sizes_[i]; }
    __host__ __device__ PtrType data() { return data_; }
    __host__ __device__ const PtrType data() const { return data_; }
};
template <typename T, size_t N, template <typename U> class PtrTraits = DefaultPtrTraits, typename index_t = int64_t>
struct GenericPackedTensorAccessor : GenericPackedTensorAccessorBase<T, N, PtrTraits, index_t> {
    typedef typename PtrTraits<T>::PtrType PtrType;
    template <typename I>
    __host__ GenericPackedTensorAccessor(PtrType data, const I *sizes, const I *strides)
        : GenericPackedTensorAccessorBase<T, N, PtrTraits, index_t>(data, sizes, strides) {}
    __device__ TensorAccessor<T, N - 1, PtrTraits, index_t> operator[](index_t i) {
        return TensorAccessor<T, N - 1, PtrTraits, index_t>(this->data_ + this->strides_[0] * i, this->sizes_ + 1,
                                                            this->strides_ + 1);
    }
    __device__ const TensorAccessor<T, N - 1, PtrTraits, index_t> operator[](index_t i) const {
        return TensorAccessor<T, N - 1, PtrTraits, index_t>((PtrType)this->data_ + this->strides_[0] * i,
                                                            this->sizes_ + 1, this->strides_ + 1);
    }
    GenericPackedTensorAccessor<T, N, PtrTraits, index_t> transpose(index_t a, index_t b) const;
};
template <typename T, template <typename U> class PtrTraits, typename index_t>
struct GenericPackedTensorAccessor<T, 1, PtrTraits, index_t>
    : GenericPackedTensorAccessorBase<T, 1, PtrTraits, index_t> {
    typedef typename PtrTraits<T>::PtrType PtrType;
    template <typename I>
    __host__ GenericPackedTensorAccessor(PtrType data, const I *sizes, const I *strides)
        : GenericPackedTensorAccessorBase<T, 1, PtrTraits, index_t>(data, sizes, strides) {}
    __device__ T &operator[](index_t i) { return this->data_[this->strides_[0] * i]; }
    __device__ const T &operator[](index_t i) const { return this->data_[this->strides_[0] * i]; }
};
template <typename T, size_t N, template <typename U> class PtrTraits = DefaultPtrTraits>
using PackedTensorAccessor32 = GenericPackedTensorAccessor<T, N, PtrTraits, int32_t>;
template <typename T, size_t N, template <typename U> class PtrTraits = DefaultPtrTraits>
using PackedTensorAccessor64 = GenericPackedTensorAccessor<T, N, PtrTraits, int64_t>;
template <typename T, size_t N, template <typename U> class PtrTraits = DefaultPtrTraits, typename index_t = int64_t>
using PackedTensorAccessor = GenericPackedTensorAccessor<T, N, PtrTraits, index_t>;
} // namespace at
