// Tensor and what host code around launches names. Sizes and pointers are members, so that what a launch takes from one
// tensor is known to be the same; all that computes is declared only.
#pragma once
#include <cuwarp_foreign/accessors.h>
#include <cuwarp_foreign/dispatch.h>
#include <algorithm>
#include <array>
#include <cublas_v2.h>
#include <functional>
#include <iostream>
#include <map>
#include <mutex>
#include <sstream>
#include <stdexcept>
#include <unordered_map>
namespace caffe2 {
struct TypeMeta {
    c10::ScalarType type_;
    TypeMeta(c10::ScalarType t = c10::ScalarType::Undefined) : type_(t) {}
    c10::ScalarType toScalarType() const { return type_; }
    size_t itemsize() const;
    std::string name() const;
    template <typename T> static TypeMeta Make();
    template <typename T> bool Match() const;
};
inline bool operator==(TypeMeta a, TypeMeta b) { return a.type_ == b.type_; }
inline bool operator!=(TypeMeta a, TypeMeta b) { return a.type_ != b.type_; }
std::ostream &operator<<(std::ostream &o, TypeMeta t);
} // namespace caffe2
namespace c10 {
inline ScalarType typeMetaToScalarType(caffe2::TypeMeta t) { return t.type_; }
std::optional<ScalarType> optTypeMetaToScalarType(std::optional<caffe2::TypeMeta> t);
inline caffe2::TypeMeta scalarTypeToTypeMeta(ScalarType t) { return caffe2::TypeMeta(t); }
struct Scalar {
    Scalar();
    template <typename T, typename = std::enable_if_t<std::is_arithmetic<T>::value || std::is_same<T, Half>::value>>
    Scalar(T v);
    template <typename T> T to() const;
    double toDouble() const;
    float toFloat() const;
    int64_t toLong() const;
    int toInt() const;
    bool toBool() const;
    bool isFloatingPoint() const;
    bool isIntegral(bool with_bool = false) const;
    Scalar operator-() const;
};
struct TensorOptions {
    TensorOptions() {}
    TensorOptions(ScalarType) {}
    TensorOptions(caffe2::TypeMeta) {}
    TensorOptions(Device) {}
    TensorOptions(DeviceType) {}
    TensorOptions(Layout) {}
    template <typename T> TensorOptions dtype(T &&t) const;
    template <typename T> TensorOptions dtype() const;
    template <typename... T> TensorOptions device(T &&...t) const;
    template <typename T> TensorOptions layout(T &&t) const;
    TensorOptions requires_grad(bool r = true) const;
    TensorOptions pinned_memory(bool p = true) const;
    TensorOptions memory_format(MemoryFormat f) const;
    caffe2::TypeMeta dtype() const;
    Device device() const;
    Layout layout() const;
};
template <typename T> TensorOptions dtype(T &&t);
template <typename T> TensorOptions dtype();
template <typename... T> TensorOptions device(T &&...t);
template <typename T> TensorOptions layout(T &&t);
TensorOptions requires_grad(bool r = true);
struct DataPtr {
    void *get() const;
    void *get_context() const;
    Device device() const;
    template <typename... T> DataPtr(T &&...);
};
struct Storage {
    void *data() const;
    void *mutable_data() const;
    DataPtr &data_ptr() const;
    size_t nbytes() const;
    template <typename... T> Storage(T &&...);
};
struct Allocator {
    DataPtr allocate(size_t n);
    void *raw_allocate(size_t n);
    void raw_deallocate(void *p);
};
struct StorageImpl : intrusive_ptr_target {
    struct use_byte_size_t {};
    template <typename... T> StorageImpl(T &&...);
};
struct DispatchKeySet {
    template <typename... T> DispatchKeySet(T &&...);
    bool has(DispatchKey k) const;
};
struct InferenceMode {
    InferenceMode(bool on = true);
};
struct GradMode {
    static bool is_enabled();
    static void set_enabled(bool on);
};
struct NoGradGuard {
    NoGradGuard();
    ~NoGradGuard();
};
struct AutoGradMode {
    AutoGradMode(bool on);
    ~AutoGradMode();
};
struct Generator {
    template <typename T> T *get() const;
    std::mutex &mutex();
    Device device() const;
    bool defined() const;
};
struct Stream {
    Device device() const;
    DeviceIndex device_index() const;
};
struct DeviceGuard {
    DeviceGuard(Device d);
    void reset_device(Device d);
};
struct OptionalDeviceGuard {
    OptionalDeviceGuard();
    OptionalDeviceGuard(std::optional<Device> d);
    void reset_device(Device d);
};
} // namespace c10
namespace at {
namespace indexing {
enum class TensorIndexType { None, Ellipsis, Integer, Boolean, Slice, Tensor };
struct Slice {
    template <typename... T> Slice(T &&...);
};
struct TensorIndex {
    template <typename... T> TensorIndex(T &&...);
};
constexpr TensorIndexType None = TensorIndexType::None, Ellipsis = TensorIndexType::Ellipsis;
} // namespace indexing
struct indexing_any {
    template <typename... T> indexing_any(T &&...t);
};
struct Tensor {
    void *cuwarp_data;
    int64_t cuwarp_sizes[8], cuwarp_strides[8];
    int64_t cuwarp_dim, cuwarp_numel;
    Device cuwarp_device = Device(DeviceType::CUDA);
    ScalarType cuwarp_type;
    Tensor() : cuwarp_data(nullptr) {}
    bool defined() const { return cuwarp_data != nullptr; }
    int64_t size(int64_t d) const { return cuwarp_sizes[d]; }
    int64_t stride(int64_t d) const { return cuwarp_strides[d]; }
    SymInt sym_size(int64_t d) const { return cuwarp_sizes[d]; }
    SymInt sym_stride(int64_t d) const { return cuwarp_strides[d]; }
    SymInt sym_numel() const { return cuwarp_numel; }
    SymIntArrayRef sym_sizes() const;
    IntArrayRef sizes() const { return IntArrayRef(cuwarp_sizes, (size_t)cuwarp_dim); }
    IntArrayRef strides() const { return IntArrayRef(cuwarp_strides, (size_t)cuwarp_dim); }
    int64_t dim() const { return cuwarp_dim; }
    int64_t ndimension() const { return cuwarp_dim; }
    int64_t numel() const { return cuwarp_numel; }
    size_t nbytes() const;
    size_t itemsize() const;
    int64_t element_size() const;
    int64_t storage_offset() const;
    ScalarType scalar_type() const { return cuwarp_type; }
    caffe2::TypeMeta dtype() const { return caffe2::TypeMeta(cuwarp_type); }
    Device device() const { return cuwarp_device; }
    int64_t get_device() const { return cuwarp_device.index_; }
    int32_t get_device_index() const { return cuwarp_device.index_; }
    Layout layout() const;
    TensorOptions options() const;
    const Storage &storage() const;
    bool is_cuda() const;
    bool is_cpu() const;
    bool is_meta() const;
    bool is_hip() const;
    bool is_mtia() const;
    bool is_xpu() const;
    bool is_conj() const;
    bool is_neg() const;
    int64_t use_count() const;
    Tensor *getIntrusivePtr() const;
    bool is_sparse() const;
    int64_t sparse_dim() const;
    int64_t dense_dim() const;
    bool is_coalesced() const;
    bool is_pinned() const;
    bool is_quantized() const;
    bool is_alias_of(const Tensor &t) const;
    bool is_same(const Tensor &t) const;
    bool is_contiguous(MemoryFormat f = MemoryFormat::Contiguous) const;
    bool is_non_overlapping_and_dense() const;
    bool is_floating_point() const;
    bool is_complex() const;
    bool requires_grad() const;
    bool has_storage() const;
    bool equal(const Tensor &t) const;
    bool allclose(const Tensor &t, double a = 0, double b = 0) const;
    void *data_ptr() const { return cuwarp_data; }
    const void *const_data_ptr() const { return cuwarp_data; }
    void *mutable_data_ptr() const { return cuwarp_data; }
    template <typename T> T *data_ptr() const { return (T *)cuwarp_data; }
    template <typename T> T *data() const { return (T *)cuwarp_data; }
    template <typename T> const T *const_data_ptr() const { return (const T *)cuwarp_data; }
    template <typename T> T *mutable_data_ptr() const { return (T *)cuwarp_data; }
    template <typename T, size_t N> TensorAccessor<T, N> accessor() const {
        return TensorAccessor<T, N>((T *)cuwarp_data, cuwarp_sizes, cuwarp_strides);
    }
    template <typename T, size_t N, template <typename U> class PtrTraits = DefaultPtrTraits>
    PackedTensorAccessor32<T, N, PtrTraits> packed_accessor32() const {
        return PackedTensorAccessor32<T, N, PtrTraits>((T *)cuwarp_data, cuwarp_sizes, cuwarp_strides);
    }
    template <typename T, size_t N, template <typename U> class PtrTraits = DefaultPtrTraits>
    PackedTensorAccessor64<T, N, PtrTraits> packed_accessor64() const {
        return PackedTensorAccessor64<T, N, PtrTraits>((T *)cuwarp_data, cuwarp_sizes, cuwarp_strides);
    }
    template <typename T, size_t N, template <typename U> class PtrTraits = DefaultPtrTraits,
              typename index_t = int64_t>
    GenericPackedTensorAccessor<T, N, PtrTraits, index_t> generic_packed_accessor() const {
        return GenericPackedTensorAccessor<T, N, PtrTraits, index_t>((T *)cuwarp_data, cuwarp_sizes, cuwarp_strides);
    }
    template <typename T, size_t N, template <typename U> class PtrTraits = DefaultPtrTraits,
              typename index_t = int64_t>
    GenericPackedTensorAccessor<T, N, PtrTraits, index_t> packed_accessor() const {
        return GenericPackedTensorAccessor<T, N, PtrTraits, index_t>((T *)cuwarp_data, cuwarp_sizes, cuwarp_strides);
    }
    template <typename T> T item() const;
    Scalar item() const;
    Tensor operator[](int64_t i) const;
    Tensor operator[](const Tensor &i) const;
    Tensor operator-() const;
    Tensor operator~() const;
    template <typename T> Tensor &operator+=(const T &);
    template <typename T> Tensor &operator-=(const T &);
    template <typename T> Tensor &operator*=(const T &);
    template <typename T> Tensor &operator/=(const T &);
    template <typename... T> std::vector<Tensor> split(T &&...) const;
    template <typename... T> std::vector<Tensor> chunk(T &&...) const;
    template <typename... T> std::vector<Tensor> unbind(T &&...) const;
    template <typename... T> std::tuple<Tensor, Tensor> sort(T &&...) const;
    template <typename... T> std::tuple<Tensor, Tensor> topk(T &&...) const;
    Tensor index(std::initializer_list<indexing::TensorIndex> at) const;
    template <typename T> Tensor index_put_(std::initializer_list<indexing::TensorIndex> at, const T &value) const;
    template <typename... T> Tensor max(T &&...) const;
    template <typename... T> Tensor min(T &&...) const;
    const Tensor *operator->() const { return this; }
    const Tensor &operator*() const { return *this; }
    const Tensor *expect_contiguous() const { return this; }
    struct Impl {
        bool storage_initialized() const;
    };
    Impl *unsafeGetTensorImpl() const;
    Tensor *unsafeReleaseIntrusivePtr() const;
    void backward() const;
    Generator generator() const;
    std::string toString() const;
#define CUWARP_METHOD(name)                                                                                            \
    template <typename... T> Tensor name(IntArrayRef, T &&...) const;                                                  \
    template <typename... T> Tensor name(T &&...) const;
    CUWARP_METHOD(abs) CUWARP_METHOD(abs_) CUWARP_METHOD(add) CUWARP_METHOD(add_) CUWARP_METHOD(all)
    CUWARP_METHOD(amax) CUWARP_METHOD(amin) CUWARP_METHOD(any) CUWARP_METHOD(arange) CUWARP_METHOD(argmax)
    CUWARP_METHOD(argsort) CUWARP_METHOD(bernoulli) CUWARP_METHOD(bitwise_and) CUWARP_METHOD(bmm)
    CUWARP_METHOD(ceil) CUWARP_METHOD(clamp) CUWARP_METHOD(clamp_) CUWARP_METHOD(clamp_min) CUWARP_METHOD(clamp_max)
    CUWARP_METHOD(clone) CUWARP_METHOD(coalesce) CUWARP_METHOD(contiguous) CUWARP_METHOD(copy_) CUWARP_METHOD(cos)
    CUWARP_METHOD(cpu) CUWARP_METHOD(cross) CUWARP_METHOD(cuda) CUWARP_METHOD(cumsum) CUWARP_METHOD(cumprod)
    CUWARP_METHOD(detach) CUWARP_METHOD(detach_) CUWARP_METHOD(diag) CUWARP_METHOD(diff) CUWARP_METHOD(div)
    CUWARP_METHOD(div_) CUWARP_METHOD(dot) CUWARP_METHOD(eq) CUWARP_METHOD(eq_) CUWARP_METHOD(exp)
    CUWARP_METHOD(exp_) CUWARP_METHOD(expand) CUWARP_METHOD(expand_as) CUWARP_METHOD(fill_) CUWARP_METHOD(flatten)
    CUWARP_METHOD(flip) CUWARP_METHOD(floor) CUWARP_METHOD(fmod) CUWARP_METHOD(ge) CUWARP_METHOD(gather)
    CUWARP_METHOD(gt) CUWARP_METHOD(half) CUWARP_METHOD(bfloat16) CUWARP_METHOD(index) CUWARP_METHOD(index_add)
    CUWARP_METHOD(index_add_) CUWARP_METHOD(index_fill_) CUWARP_METHOD(index_put_) CUWARP_METHOD(index_select)
    CUWARP_METHOD(indices) CUWARP_METHOD(int_repr) CUWARP_METHOD(inverse) CUWARP_METHOD(isnan) CUWARP_METHOD(le)
    CUWARP_METHOD(lerp) CUWARP_METHOD(log) CUWARP_METHOD(log2) CUWARP_METHOD(logical_and) CUWARP_METHOD(logical_not)
    CUWARP_METHOD(logical_or) CUWARP_METHOD(lt) CUWARP_METHOD(masked_fill) CUWARP_METHOD(masked_fill_)
    CUWARP_METHOD(masked_select) CUWARP_METHOD(matmul) CUWARP_METHOD(maximum) CUWARP_METHOD(mean)
    CUWARP_METHOD(median) CUWARP_METHOD(minimum) CUWARP_METHOD(mm) CUWARP_METHOD(mul) CUWARP_METHOD(mul_)
    CUWARP_METHOD(mv) CUWARP_METHOD(narrow) CUWARP_METHOD(ne) CUWARP_METHOD(neg) CUWARP_METHOD(neg_)
    CUWARP_METHOD(new_empty) CUWARP_METHOD(new_full) CUWARP_METHOD(new_ones) CUWARP_METHOD(new_zeros)
    CUWARP_METHOD(nonzero) CUWARP_METHOD(norm) CUWARP_METHOD(normal_) CUWARP_METHOD(ones_like)
    CUWARP_METHOD(permute) CUWARP_METHOD(pin_memory) CUWARP_METHOD(pow) CUWARP_METHOD(pow_) CUWARP_METHOD(prod)
    CUWARP_METHOD(random_) CUWARP_METHOD(reciprocal) CUWARP_METHOD(remainder) CUWARP_METHOD(repeat)
    CUWARP_METHOD(repeat_interleave) CUWARP_METHOD(requires_grad_) CUWARP_METHOD(reshape) CUWARP_METHOD(reshape_as)
    CUWARP_METHOD(resize_) CUWARP_METHOD(resize_as_) CUWARP_METHOD(roll) CUWARP_METHOD(round) CUWARP_METHOD(rsqrt)
    CUWARP_METHOD(scatter) CUWARP_METHOD(scatter_) CUWARP_METHOD(scatter_add) CUWARP_METHOD(scatter_add_)
    CUWARP_METHOD(select) CUWARP_METHOD(set_) CUWARP_METHOD(sigmoid) CUWARP_METHOD(sign) CUWARP_METHOD(sin)
    CUWARP_METHOD(slice) CUWARP_METHOD(softmax) CUWARP_METHOD(sqrt) CUWARP_METHOD(sqrt_) CUWARP_METHOD(square)
    CUWARP_METHOD(squeeze) CUWARP_METHOD(squeeze_) CUWARP_METHOD(std) CUWARP_METHOD(sub) CUWARP_METHOD(sub_)
    CUWARP_METHOD(sum) CUWARP_METHOD(swapaxes) CUWARP_METHOD(t) CUWARP_METHOD(t_) CUWARP_METHOD(tan)
    CUWARP_METHOD(tanh) CUWARP_METHOD(to) CUWARP_METHOD(to_dense) CUWARP_METHOD(to_sparse) CUWARP_METHOD(transpose)
    CUWARP_METHOD(transpose_) CUWARP_METHOD(tril) CUWARP_METHOD(triu) CUWARP_METHOD(true_divide)
    CUWARP_METHOD(trunc) CUWARP_METHOD(type) CUWARP_METHOD(type_as) CUWARP_METHOD(unfold) CUWARP_METHOD(uniform_)
    CUWARP_METHOD(unsqueeze) CUWARP_METHOD(unsqueeze_) CUWARP_METHOD(values) CUWARP_METHOD(view)
    CUWARP_METHOD(view_as) CUWARP_METHOD(view_symint) CUWARP_METHOD(where) CUWARP_METHOD(zero_) CUWARP_METHOD(grad)
    CUWARP_METHOD(toType) CUWARP_METHOD(baddbmm) CUWARP_METHOD(addmm) CUWARP_METHOD(addmm_) CUWARP_METHOD(cauchy_)
    CUWARP_METHOD(take) CUWARP_METHOD(tensor_data) CUWARP_METHOD(variable_data) CUWARP_METHOD(alias)
    CUWARP_METHOD(expand_symint) CUWARP_METHOD(slice_symint) CUWARP_METHOD(fill) CUWARP_METHOD(_indices)
    CUWARP_METHOD(_values) CUWARP_METHOD(crow_indices) CUWARP_METHOD(col_indices)
};
#define CUWARP_TENSOR_OPERATOR(o)                                                                                      \
    template <typename T> Tensor operator o(const Tensor &a, const T &b);                                              \
    template <typename T, typename = std::enable_if_t<std::is_arithmetic<T>::value>>                                   \
    Tensor operator o(T a, const Tensor &b);
CUWARP_TENSOR_OPERATOR(+)
CUWARP_TENSOR_OPERATOR(-) CUWARP_TENSOR_OPERATOR(*) CUWARP_TENSOR_OPERATOR(/) CUWARP_TENSOR_OPERATOR(<)
    CUWARP_TENSOR_OPERATOR(>) CUWARP_TENSOR_OPERATOR(<=) CUWARP_TENSOR_OPERATOR(>=) CUWARP_TENSOR_OPERATOR(==)
    CUWARP_TENSOR_OPERATOR(!=) CUWARP_TENSOR_OPERATOR(&) CUWARP_TENSOR_OPERATOR(|)
    std::ostream &
        operator<<(std::ostream &o, const Tensor &t);
std::optional<Device> device_of(const Tensor &t);
typedef Tensor TensorBase;
typedef ArrayRef<Tensor> TensorList;
typedef std::vector<Tensor> TensorVector;
struct TensorArg {
    Tensor tensor;
    TensorArg(const Tensor &t, const char *name, int n);
    const Tensor *operator->() const;
};
typedef const char *CheckedFrom;
#define CUWARP_FUNCTION(name)                                                                                          \
    template <typename... T> Tensor name(IntArrayRef, T &&...);                                                        \
    template <typename U, typename... T> Tensor name(U &&, T &&...);
CUWARP_FUNCTION(empty)
CUWARP_FUNCTION(zeros) CUWARP_FUNCTION(ones) CUWARP_FUNCTION(full) CUWARP_FUNCTION(rand) CUWARP_FUNCTION(
    randn) CUWARP_FUNCTION(randint) CUWARP_FUNCTION(arange) CUWARP_FUNCTION(linspace) CUWARP_FUNCTION(eye)
    CUWARP_FUNCTION(empty_strided) CUWARP_FUNCTION(empty_symint) CUWARP_FUNCTION(zeros_symint)
    CUWARP_FUNCTION(empty_like) CUWARP_FUNCTION(zeros_like) CUWARP_FUNCTION(ones_like) CUWARP_FUNCTION(full_like)
    CUWARP_FUNCTION(rand_like) CUWARP_FUNCTION(randn_like) CUWARP_FUNCTION(from_blob) CUWARP_FUNCTION(hstack)
    CUWARP_FUNCTION(vstack) CUWARP_FUNCTION(sum) CUWARP_FUNCTION(mean) CUWARP_FUNCTION(abs) CUWARP_FUNCTION(exp)
    CUWARP_FUNCTION(log) CUWARP_FUNCTION(pow) CUWARP_FUNCTION(sqrt) CUWARP_FUNCTION(where) CUWARP_FUNCTION(matmul)
    CUWARP_FUNCTION(mm) CUWARP_FUNCTION(mm_out) CUWARP_FUNCTION(bmm) CUWARP_FUNCTION(bmm_out) CUWARP_FUNCTION(addmm)
    CUWARP_FUNCTION(addmm_out) CUWARP_FUNCTION(baddbmm) CUWARP_FUNCTION(cumsum) CUWARP_FUNCTION(cumsum_out)
    CUWARP_FUNCTION(nonzero) CUWARP_FUNCTION(index_select) CUWARP_FUNCTION(index_put_) CUWARP_FUNCTION(index)
    CUWARP_FUNCTION(masked_select) CUWARP_FUNCTION(gather) CUWARP_FUNCTION(scatter) CUWARP_FUNCTION(softmax)
    CUWARP_FUNCTION(sigmoid) CUWARP_FUNCTION(relu) CUWARP_FUNCTION(tanh) CUWARP_FUNCTION(transpose)
    CUWARP_FUNCTION(permute) CUWARP_FUNCTION(reshape) CUWARP_FUNCTION(flatten) CUWARP_FUNCTION(squeeze)
    CUWARP_FUNCTION(unsqueeze) CUWARP_FUNCTION(narrow) CUWARP_FUNCTION(slice) CUWARP_FUNCTION(select)
    CUWARP_FUNCTION(clamp) CUWARP_FUNCTION(clamp_min) CUWARP_FUNCTION(ones_out) CUWARP_FUNCTION(zeros_out)
    CUWARP_FUNCTION(arange_out) CUWARP_FUNCTION(empty_out) CUWARP_FUNCTION(sparse_coo_tensor)
    CUWARP_FUNCTION(scalar_tensor) CUWARP_FUNCTION(all) CUWARP_FUNCTION(any) CUWARP_FUNCTION(eq) CUWARP_FUNCTION(ne)
    CUWARP_FUNCTION(lt) CUWARP_FUNCTION(gt) CUWARP_FUNCTION(le) CUWARP_FUNCTION(ge) CUWARP_FUNCTION(add)
    CUWARP_FUNCTION(sub) CUWARP_FUNCTION(mul) CUWARP_FUNCTION(div) CUWARP_FUNCTION(maximum) CUWARP_FUNCTION(minimum)
    CUWARP_FUNCTION(floor) CUWARP_FUNCTION(ceil) CUWARP_FUNCTION(round) CUWARP_FUNCTION(isnan)
    CUWARP_FUNCTION(argsort) CUWARP_FUNCTION(argmax) CUWARP_FUNCTION(prod) CUWARP_FUNCTION(norm)
    CUWARP_FUNCTION(diff) CUWARP_FUNCTION(flip) CUWARP_FUNCTION(roll) CUWARP_FUNCTION(repeat_interleave)
    CUWARP_FUNCTION(logical_and) CUWARP_FUNCTION(logical_or) CUWARP_FUNCTION(logical_not) CUWARP_FUNCTION(bincount)
    CUWARP_FUNCTION(searchsorted) CUWARP_FUNCTION(bucketize) CUWARP_FUNCTION(empty_quantized) CUWARP_FUNCTION(cdist)
    CUWARP_FUNCTION(cross) CUWARP_FUNCTION(dot) CUWARP_FUNCTION(outer) CUWARP_FUNCTION(conv2d)
    CUWARP_FUNCTION(scalar_to_tensor) CUWARP_FUNCTION(asynchronous_complete_cumsum)
    CUWARP_FUNCTION(quantize_per_tensor) CUWARP_FUNCTION(empty_cpu) CUWARP_FUNCTION(empty_cuda)
    CUWARP_FUNCTION(tensor)
    Tensor
    cat(TensorList l, int64_t d = 0);
Tensor stack(TensorList l, int64_t d = 0);
template <typename T> Tensor tensor(std::initializer_list<T> l, const TensorOptions &o = TensorOptions());
#define CUWARP_PAIR(name) template <typename... T> std::tuple<Tensor, Tensor, Tensor> name(const Tensor &, T &&...);
CUWARP_PAIR(_unique)
CUWARP_PAIR(_unique2) CUWARP_PAIR(unique_dim) CUWARP_PAIR(unique_consecutive) CUWARP_PAIR(sort) CUWARP_PAIR(topk)
    CUWARP_PAIR(kthvalue) CUWARP_PAIR(max) CUWARP_PAIR(min) CUWARP_PAIR(var_mean) CUWARP_PAIR(median)
    CUWARP_FUNCTION(isinf) CUWARP_FUNCTION(isfinite)
    template <typename... T>
        std::vector<Tensor> split(const Tensor &, T &&...);
template <typename... T> std::vector<Tensor> chunk(const Tensor &, T &&...);
bool equal(const Tensor &a, const Tensor &b);
bool allclose(const Tensor &a, const Tensor &b);
template <typename... T> void checkDim(T &&...);
template <typename... T> void checkContiguous(T &&...);
template <typename... T> void checkAllContiguous(T &&...);
template <typename... T> void checkScalarType(T &&...);
template <typename... T> void checkBackend(T &&...);
template <typename... T> void checkSize(T &&...);
template <typename... T> void checkSameGPU(T &&...);
template <typename... T> void checkAllSameGPU(T &&...);
template <typename... T> void checkSameType(T &&...);
template <typename... T> void checkAllSameType(T &&...);
template <typename... T> void checkDeviceType(T &&...);
template <typename F> void parallel_for(int64_t a, int64_t b, int64_t grain, const F &f);
int get_num_threads();
struct Context {
    bool deterministicAlgorithms() const;
    void alertNotDeterministic(const char *);
    bool allowTF32CuBLAS() const;
};
Context &globalContext();
typedef c10::Generator Generator;
struct PhiloxCudaState {
    union Payload {
        uint64_t val;
        int64_t *ptr;
    };
    Payload seed_{}, offset_{};
    uint32_t offset_intragraph_ = 0;
    bool captured_ = false;
    PhiloxCudaState() = default;
    PhiloxCudaState(uint64_t seed, uint64_t offset) {
        seed_.val = seed;
        offset_.val = offset;
    }
};
struct CUDAGeneratorImpl {
    std::mutex mutex_;
    uint64_t seed();
    uint64_t current_seed() const;
    PhiloxCudaState philox_cuda_state(uint64_t n);
    std::pair<uint64_t, uint64_t> philox_engine_inputs(uint64_t n);
};
struct CPUGeneratorImpl {
    std::mutex mutex_;
    uint64_t random();
    uint64_t random64();
    uint64_t current_seed() const;
};
template <typename T> T *get_generator_or_default(const std::optional<Generator> &g, const Generator &d);
template <typename T> T *check_generator(const std::optional<Generator> &g);
struct AutoDispatchBelowADInplaceOrView {
    AutoDispatchBelowADInplaceOrView();
};
struct AutoNonVariableTypeMode {
    AutoNonVariableTypeMode(bool on = true);
};
namespace detail {
const Generator &getDefaultCPUGenerator();
template <typename... T> size_t computeStorageNbytes(T &&...);
template <typename... T> Tensor make_tensor(T &&...);
inline ScalarType scalar_type(ScalarType s) { return s; }
} // namespace detail
} // namespace at
namespace c10 {
namespace cuda {
struct CUDAStream {
    cudaStream_t stream_;
    enum Unchecked { UNCHECKED };
    template <typename... T> explicit CUDAStream(T &&...);
    CUDAStream(const CUDAStream &) = default;
    operator cudaStream_t() const { return stream_; }
    cudaStream_t stream() const { return stream_; }
    Stream unwrap() const;
    DeviceIndex device_index() const;
    Device device() const;
    int64_t id() const;
    bool query() const;
    void synchronize() const;
    bool operator==(const CUDAStream &o) const { return stream_ == o.stream_; }
};
CUDAStream getCurrentCUDAStream(DeviceIndex d = -1);
CUDAStream getDefaultCUDAStream(DeviceIndex d = -1);
CUDAStream getStreamFromPool(bool high = false, DeviceIndex d = -1);
CUDAStream getStreamFromExternal(cudaStream_t s, DeviceIndex d);
void setCurrentCUDAStream(CUDAStream s);
struct CUDAGuard {
    template <typename T> CUDAGuard(const T &d);
    void set_device(Device d);
    void set_index(DeviceIndex i);
    Device current_device() const;
    Device original_device() const;
};
struct OptionalCUDAGuard {
    OptionalCUDAGuard();
    template <typename T> OptionalCUDAGuard(const T &d);
    void set_device(Device d);
    void set_index(DeviceIndex i);
};
struct CUDAStreamGuard {
    CUDAStreamGuard(CUDAStream s);
};
struct CUDAMultiStreamGuard {
    CUDAMultiStreamGuard(ArrayRef<CUDAStream> s);
};
DeviceIndex device_count();
DeviceIndex current_device();
void set_device(DeviceIndex d);
void device_synchronize();
template <typename... T> void stream_synchronize(T &&...);
const char *get_cuda_check_suffix();
namespace CUDACachingAllocator {
Allocator *get();
void *raw_alloc(size_t n);
void *raw_alloc_with_stream(size_t n, cudaStream_t s);
void raw_delete(void *p);
void emptyCache();
template <typename... T> void recordStream(T &&...);
} // namespace CUDACachingAllocator
} // namespace cuda
} // namespace c10
namespace at {
namespace cuda {
using namespace c10::cuda;
cudaDeviceProp *getCurrentDeviceProperties();
cudaDeviceProp *getDeviceProperties(c10::DeviceIndex d);
cublasHandle_t getCurrentCUDABlasHandle();
inline int warp_size() { return 32; }
inline int64_t getNumGPUs() { return c10::cuda::device_count(); }
bool is_available();
bool check_device(TensorList l);
bool canDeviceAccessPeer(c10::DeviceIndex a, c10::DeviceIndex b);
c10::Allocator *getCUDADeviceAllocator();
namespace detail {
const Generator &getDefaultCUDAGenerator(c10::DeviceIndex d = -1);
template <typename... T> bool canUse32BitIndexMath(T &&...);
constexpr int CUDA_NUM_THREADS = 1024;
inline int GET_BLOCKS(const int64_t n, const int64_t per_block = CUDA_NUM_THREADS) {
    return (int)((n + per_block - 1) / per_block);
}
} // namespace detail
namespace philox {
__host__ __device__ inline std::tuple<uint64_t, uint64_t> unpack(at::PhiloxCudaState a) {
    if (a.captured_)
        return std::make_tuple((uint64_t)*a.seed_.ptr, (uint64_t)(*a.offset_.ptr + a.offset_intragraph_));
    return std::make_tuple(a.seed_.val, a.offset_.val);
}
} // namespace philox
struct CUDAEvent {
    template <typename... T> CUDAEvent(T &&...);
    template <typename... T> void record(T &&...);
    template <typename... T> void block(T &&...);
    void synchronize() const;
    float elapsed_time(const CUDAEvent &) const;
    bool query() const;
    operator cudaEvent_t() const;
};
template <typename T> __host__ __device__ constexpr T ATenCeilDiv(T a, T b) { return (a + b - 1) / b; }
enum class CaptureStatus : int { None, Active, Invalidated };
CaptureStatus currentStreamCaptureStatus();
} // namespace cuda
} // namespace at
struct TensorIterator;
namespace torch {
using namespace at;
using c10::nullopt;
constexpr ScalarType kUInt8 = ScalarType::Byte, kInt8 = ScalarType::Char, kInt16 = ScalarType::Short,
                     kInt32 = ScalarType::Int, kInt64 = ScalarType::Long, kFloat16 = ScalarType::Half,
                     kFloat32 = ScalarType::Float, kFloat64 = ScalarType::Double;
typedef ScalarType Dtype;
struct CustomClassHolder : c10::intrusive_ptr_target {};
namespace cuda {
using namespace at::cuda;
bool is_available();
void synchronize(int64_t d = -1);
} // namespace cuda
namespace jit {
using torch::CustomClassHolder;
}
namespace autograd {
typedef at::Tensor Variable;
typedef std::vector<at::Tensor> variable_list;
typedef std::vector<at::Tensor> tensor_list;
struct AutogradContext {
    template <typename... T> void save_for_backward(T &&...);
    variable_list get_saved_variables() const;
    std::map<std::string, indexing_any> saved_data;
    template <typename... T> void mark_non_differentiable(T &&...);
};
template <typename T> struct Function { template <typename... A> static variable_list apply(A &&...); };
} // namespace autograd
struct Library {
    template <typename... T> Library &def(T &&...);
    template <typename... T> Library &impl(T &&...);
    template <typename... T> Library &fallback(T &&...);
    template <typename T> Library &class_(const char *);
    template <typename... T> Library &set_python_module(T &&...);
};
template <typename T> struct class_ {
    template <typename... A> class_(A &&...);
    template <typename... A> class_ &def(A &&...);
    template <typename... A> class_ &def_pickle(A &&...);
    template <typename... A> class_ &def_readwrite(A &&...);
    template <typename... A> class_ &def_static(A &&...);
};
template <typename... A> struct init {};
template <typename... T> indexing_any dispatch(T &&...);
template <typename... T> indexing_any schema(T &&...);
namespace nn {
namespace init {
template <typename... T> Tensor uniform_(T &&...);
}
} // namespace nn
} // namespace torch
#define TORCH_FN(...) (&__VA_ARGS__)
#define TORCH_LIBRARY(ns, m) static void C10_CONCATENATE(cuwarp_library_##ns, __LINE__)(torch::Library & m)
#define TORCH_LIBRARY_FRAGMENT(ns, m) TORCH_LIBRARY(ns, m)
#define TORCH_LIBRARY_IMPL(ns, key, m) TORCH_LIBRARY(ns##key, m)
#define TORCH_SELECTIVE_SCHEMA(...) __VA_ARGS__
#ifndef TORCH_EXTENSION_NAME
#define TORCH_EXTENSION_NAME cuwarp_extension
#endif
#define RECORD_FUNCTION(...)
#define RECORD_USER_SCOPE(...)
#define THArgCheck(...) ((void)0)
#define TORCH_DSA_KERNEL_LAUNCH(kernel, grid, block, shared, stream, ...)                                              \
    kernel<<<grid, block, shared, stream>>>(__VA_ARGS__, nullptr, 0u)
