// dlpack's tensors, and those of tvm-ffi, whose kernels a Python package compiles when it needs them. Data, sizes and
// strides are members, so that a launch and its arguments agree; a check ends in a call that never returns.
#pragma once
#include <cstddef>
#include <cstdint>
#include <ostream>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>
#define DLPACK_MAJOR_VERSION 1
#define DLPACK_MINOR_VERSION 1
#define DLPACK_VERSION 110
#define DLPACK_DLL
enum DLDeviceType : int32_t {
    kDLCPU = 1,
    kDLCUDA = 2,
    kDLCUDAHost = 3,
    kDLOpenCL = 4,
    kDLVulkan = 7,
    kDLMetal = 8,
    kDLVPI = 9,
    kDLROCM = 10,
    kDLROCMHost = 11,
    kDLExtDev = 12,
    kDLCUDAManaged = 13,
    kDLOneAPI = 14,
    kDLWebGPU = 15,
    kDLHexagon = 16,
    kDLMAIA = 17,
    kDLTrn = 18
};
enum DLDataTypeCode {
    kDLInt = 0,
    kDLUInt = 1,
    kDLFloat = 2,
    kDLOpaqueHandle = 3,
    kDLBfloat = 4,
    kDLComplex = 5,
    kDLBool = 6,
    kDLFloat8_e3m4 = 7,
    kDLFloat8_e4m3 = 8,
    kDLFloat8_e4m3b11fnuz = 9,
    kDLFloat8_e4m3fn = 10,
    kDLFloat8_e4m3fnuz = 11,
    kDLFloat8_e5m2 = 12,
    kDLFloat8_e5m2fnuz = 13,
    kDLFloat8_e8m0fnu = 14,
    kDLFloat6_e2m3fn = 15,
    kDLFloat6_e3m2fn = 16,
    kDLFloat4_e2m1fn = 17
};
struct DLDevice {
    DLDeviceType device_type;
    int32_t device_id;
};
struct DLDataType {
    uint8_t code;
    uint8_t bits;
    uint16_t lanes;
};
struct DLPackVersion {
    uint32_t major, minor;
};
struct DLTensor {
    void *data;
    DLDevice device;
    int32_t ndim;
    DLDataType dtype;
    int64_t *shape;
    int64_t *strides;
    uint64_t byte_offset;
};
struct DLManagedTensor {
    DLTensor dl_tensor;
    void *manager_ctx;
    void (*deleter)(DLManagedTensor *);
};
struct DLManagedTensorVersioned {
    DLPackVersion version;
    void *manager_ctx;
    void (*deleter)(DLManagedTensorVersioned *);
    uint64_t flags;
    DLTensor dl_tensor;
};
inline bool operator==(const DLDataType &a, const DLDataType &b) {
    return a.code == b.code && a.bits == b.bits && a.lanes == b.lanes;
}
inline bool operator!=(const DLDataType &a, const DLDataType &b) { return !(a == b); }
std::ostream &operator<<(std::ostream &, DLDataType);

typedef void *TVMFFIStreamHandle;
typedef void *TVMFFIObjectHandle;
extern "C" {
void *TVMFFIEnvGetStream(int32_t device_type, int32_t device_id);
int TVMFFIEnvSetStream(int32_t device_type, int32_t device_id, void *stream, void **old);
int TVMFFIEnvCheckSignals();
}
[[noreturn]] void cuwarp_tvm_fail();
struct cuwarp_tvm_failure {
    cuwarp_tvm_failure() { cuwarp_tvm_fail(); }
    template <typename T> const cuwarp_tvm_failure &operator<<(const T &) const { return *this; }
    ~cuwarp_tvm_failure() noexcept(false) {}
};
namespace tvm {
namespace ffi {
template <typename T> struct cuwarp_span {
    const T *first_;
    size_t size_;
    size_t size() const { return size_; }
    bool empty() const { return size_ == 0; }
    const T *data() const { return first_; }
    const T *begin() const { return first_; }
    const T *end() const { return first_ + size_; }
    const T &operator[](size_t i) const { return first_[i]; }
    const T &at(size_t i) const { return first_[i]; }
    const T &front() const { return first_[0]; }
    const T &back() const { return first_[size_ - 1]; }
    int64_t Product() const;
};
typedef cuwarp_span<int64_t> ShapeView;
struct Shape : ShapeView {
    Shape();
    Shape(std::initializer_list<int64_t>);
    Shape(const std::vector<int64_t> &);
};
struct cuwarp_tensor {
    DLTensor tensor_;
    void *data_ptr() const { return tensor_.data; }
    DLDevice device() const { return tensor_.device; }
    int32_t ndim() const { return tensor_.ndim; }
    int32_t dim() const { return tensor_.ndim; }
    DLDataType dtype() const { return tensor_.dtype; }
    ShapeView shape() const { return ShapeView{tensor_.shape, (size_t)tensor_.ndim}; }
    ShapeView strides() const { return ShapeView{tensor_.strides, (size_t)tensor_.ndim}; }
    int64_t size(int64_t i) const { return tensor_.shape[i < 0 ? tensor_.ndim + i : i]; }
    int64_t stride(int64_t i) const { return tensor_.strides[i < 0 ? tensor_.ndim + i : i]; }
    int64_t numel() const {
        int64_t n = 1;
        for (int i = 0; i < tensor_.ndim; i++)
            n *= tensor_.shape[i];
        return n;
    }
    uint64_t byte_offset() const { return tensor_.byte_offset; }
    bool IsContiguous() const;
    bool is_contiguous() const;
};
struct Tensor : cuwarp_tensor {
    const DLTensor *operator->() const { return &tensor_; }
    const DLTensor *GetDLTensorPtr() const { return &tensor_; }
    bool defined() const;
    template <typename A, typename... B>
    static Tensor FromNDAlloc(A alloc, const ShapeView &, DLDataType, DLDevice, B...);
    static Tensor FromEnvAlloc(int (*alloc)(DLTensor *, DLManagedTensorVersioned **, void *, void *), const ShapeView &,
                               DLDataType, DLDevice);
    static Tensor FromDLPack(DLManagedTensor *);
    DLManagedTensor *ToDLPack() const;
};
struct TensorView : cuwarp_tensor {
    TensorView(const Tensor &t) { tensor_ = t.tensor_; }
    TensorView(const DLTensor *t) { tensor_ = *t; }
    const DLTensor *operator->() const { return &tensor_; }
};
template <typename T> struct Optional {
    T value_;
    bool has_;
    Optional() : value_(), has_(false) {}
    Optional(T v) : value_(v), has_(true) {}
    Optional(decltype(nullptr)) : value_(), has_(false) {}
    bool has_value() const { return has_; }
    bool defined() const { return has_; }
    explicit operator bool() const { return has_; }
    const T &value() const { return value_; }
    const T &operator*() const { return value_; }
    const T *operator->() const { return &value_; }
    template <typename U> T value_or(U &&other) const { return has_ ? value_ : static_cast<T>(other); }
};
template <typename T> struct Array : cuwarp_span<T> {
    Array();
    Array(std::initializer_list<T>);
    void push_back(const T &);
};
template <typename... T> struct Tuple {
    Tuple();
    Tuple(T... values);
    template <size_t i> auto get() const;
};
struct String {
    String();
    String(const char *);
    String(const std::string &);
    const char *c_str() const;
    const char *data() const;
    size_t size() const;
    operator std::string() const;
    bool operator==(const char *) const;
};
struct Object {};
struct ObjectRef {};
struct Any {
    Any();
    template <typename T> Any(T &&);
    template <typename T> T cast() const;
};
struct Function {
    template <typename... A> Any operator()(A &&...) const;
    static Function GetGlobalRequired(const char *);
};
template <typename F> struct TypedFunction;
struct Module {};
struct Error : std::exception {
    Error(std::string kind, std::string message, std::string trace);
};
} // namespace ffi
} // namespace tvm
#define TVM_FFI_INLINE inline
#define TVM_FFI_UNSAFE_ASSUME(x) ((void)0)
#define TVM_FFI_THROW(kind) cuwarp_tvm_failure()
#define TVM_FFI_LOG_AND_THROW(kind) cuwarp_tvm_failure()
#define TVM_FFI_CHECK(x, kind) \
    if (!(x)) cuwarp_tvm_failure()
#define TVM_FFI_ICHECK(x) \
    if (!(x)) cuwarp_tvm_failure()
#define TVM_FFI_ICHECK_EQ(a, b) TVM_FFI_ICHECK((a) == (b))
#define TVM_FFI_ICHECK_NE(a, b) TVM_FFI_ICHECK((a) != (b))
#define TVM_FFI_ICHECK_LT(a, b) TVM_FFI_ICHECK((a) < (b))
#define TVM_FFI_ICHECK_LE(a, b) TVM_FFI_ICHECK((a) <= (b))
#define TVM_FFI_ICHECK_GT(a, b) TVM_FFI_ICHECK((a) > (b))
#define TVM_FFI_ICHECK_GE(a, b) TVM_FFI_ICHECK((a) >= (b))
#define TVM_FFI_ICHECK_NOTNULL(x) (x)
#define TVM_FFI_DCHECK TVM_FFI_ICHECK
#define TVM_FFI_CHECK_CUDA_ERROR(x) TVM_FFI_ICHECK((x) == cudaSuccess)
#define TVM_FFI_DLL_EXPORT_TYPED_FUNC(name, f) static const auto cuwarp_tvm_export_##name = &f
#define TVM_FFI_STATIC_INIT_BLOCK() static void cuwarp_tvm_init()
