// c10: numbers, scalar types, devices, checks. Arithmetic of Half and BFloat16 goes through float, as c10's does.
#pragma once
#include <cfloat>
#include <climits>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <cuda_runtime.h>
#include <initializer_list>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>
#define C10_HOST_DEVICE __host__ __device__
#define C10_DEVICE __device__
#define C10_HOST __host__
#define AT_HOST_DEVICE __host__ __device__
#define AT_DEVICE __device__
#define AT_HOST __host__
#define C10_ALWAYS_INLINE inline
#define C10_NOINLINE
#define C10_UNUSED
#define C10_NODISCARD
#define C10_API
#define C10_EXPORT
#define C10_CUDA_API
#define TORCH_API
#define TORCH_CUDA_CPP_API
#define TORCH_CUDA_CU_API
#define C10_LIKELY(...) (__VA_ARGS__)
#define C10_UNLIKELY(...) (__VA_ARGS__)
#define C10_RESTRICT __restrict__
#define C10_STRINGIZE_(x) #x
#define C10_STRINGIZE(x) C10_STRINGIZE_(x)
#define C10_CONCATENATE_(a, b) a##b
#define C10_CONCATENATE(a, b) C10_CONCATENATE_(a, b)
#define C10_ANONYMOUS_VARIABLE(name) C10_CONCATENATE(name, __LINE__)
#define C10_WARP_SIZE 32
#define C10_LAUNCH_BOUNDS_0 __launch_bounds__(256, 4)
#define C10_LAUNCH_BOUNDS_1(n) __launch_bounds__(n)
#define C10_LAUNCH_BOUNDS_2(n, m) __launch_bounds__(n, m)
#define CUDA_MAX_THREADS_PER_BLOCK 1024
#define TORCH_VERSION_MAJOR 2
#define TORCH_VERSION_MINOR 6
namespace c10 {
namespace detail {
[[noreturn]] void cuwarp_check_failed(...);
template <typename... T> void cuwarp_warn(T &&...);
} // namespace detail
struct Error {
    template <typename... T> Error(T &&...);
    const char *what() const;
};
struct ValueError : Error {
    using Error::Error;
};
struct IndexError : Error {
    using Error::Error;
};
} // namespace c10
/* A statement that needs no semicolon, as the real one. */
#define TORCH_CHECK(condition, ...)                                                                                    \
    if (!(condition)) {                                                                                                \
        ::c10::detail::cuwarp_check_failed();                                                                          \
    }
#define TORCH_CHECK_WITH(error, condition, ...) TORCH_CHECK(condition)
#define TORCH_CHECK_INDEX(condition, ...) TORCH_CHECK(condition)
#define TORCH_CHECK_VALUE(condition, ...) TORCH_CHECK(condition)
#define TORCH_CHECK_TYPE(condition, ...) TORCH_CHECK(condition)
#define TORCH_CHECK_ARG(condition, ...) TORCH_CHECK(condition)
#define TORCH_CHECK_NOT_IMPLEMENTED(condition, ...) TORCH_CHECK(condition)
#define TORCH_SYM_CHECK(condition, ...) TORCH_CHECK(condition)
#define TORCH_INTERNAL_ASSERT(condition, ...) TORCH_CHECK(condition)
#define TORCH_INTERNAL_ASSERT_DEBUG_ONLY(...)
#define TORCH_CHECK_EQ(a, b, ...) TORCH_CHECK((a) == (b))
#define TORCH_CHECK_NE(a, b, ...) TORCH_CHECK((a) != (b))
#define TORCH_CHECK_LT(a, b, ...) TORCH_CHECK((a) < (b))
#define TORCH_CHECK_LE(a, b, ...) TORCH_CHECK((a) <= (b))
#define TORCH_CHECK_GT(a, b, ...) TORCH_CHECK((a) > (b))
#define TORCH_CHECK_GE(a, b, ...) TORCH_CHECK((a) >= (b))
#define TORCH_CHECK_NOTNULL(a, ...) (a)
#define AT_ASSERT(condition, ...) TORCH_CHECK(condition)
#define AT_ASSERTM(condition, ...) TORCH_CHECK(condition)
#define AT_CHECK(condition, ...) TORCH_CHECK(condition)
#define AT_ERROR(...) ::c10::detail::cuwarp_check_failed()
#define TORCH_WARN(...) ((void)0)
#define TORCH_WARN_ONCE(...) ((void)0)
#define TORCH_LOG(...) ((void)0)
#define C10_THROW_ERROR(...) ::c10::detail::cuwarp_check_failed()
#define CUDA_KERNEL_ASSERT(...) ((__VA_ARGS__) ? (void)0 : __assert_fail(#__VA_ARGS__, __FILE__, __LINE__, __func__))
#define CUDA_KERNEL_ASSERT2(...) CUDA_KERNEL_ASSERT(__VA_ARGS__)
#define CUDA_KERNEL_ASSERT_MSG(condition, ...) CUDA_KERNEL_ASSERT(condition)
#define CUDA_KERNEL_ASSERT_PRINTF(condition, ...) CUDA_KERNEL_ASSERT(condition)
#define TORCH_DSA_KERNEL_ARGS ::c10::cuda::DeviceAssertionsData *const assertions_data, uint32_t assertion_caller_id
#define TORCH_DSA_KERNEL_ARGS_PASS assertions_data, assertion_caller_id
#define C10_CUDA_CHECK(...)                                                                                            \
    do {                                                                                                               \
        const cudaError_t cuwarp_error = (__VA_ARGS__);                                                                \
        (void)cuwarp_error;                                                                                            \
    } while (0)
#define C10_CUDA_CHECK_WARN(...) C10_CUDA_CHECK(__VA_ARGS__)
#define C10_CUDA_IGNORE_ERROR(...) C10_CUDA_CHECK(__VA_ARGS__)
#define C10_CUDA_ERROR_HANDLED(...) (__VA_ARGS__)
#define C10_CUDA_CLEAR_ERROR() ((void)cudaGetLastError())
#define C10_CUDA_KERNEL_LAUNCH_CHECK() C10_CUDA_CHECK(cudaGetLastError())
#define AT_CUDA_CHECK(...) C10_CUDA_CHECK(__VA_ARGS__)
#define THCudaCheck(...) C10_CUDA_CHECK(__VA_ARGS__)
#define AT_CUDA_DRIVER_CHECK(...) ((void)(__VA_ARGS__))
#define TORCH_CUDABLAS_CHECK(...) ((void)(__VA_ARGS__))
#define TORCH_CUDASPARSE_CHECK(...) ((void)(__VA_ARGS__))
#define CUWARP_REAL(R, S)                                                                                              \
    __host__ __device__ inline R operator S(const R &a, const R &b) { return R((float)a S(float) b); }                 \
    __host__ __device__ inline float operator S(R a, float b) { return (float)a S b; }                                 \
    __host__ __device__ inline float operator S(float a, R b) { return a S(float) b; }                                 \
    __host__ __device__ inline double operator S(R a, double b) { return (double)(float)a S b; }                       \
    __host__ __device__ inline double operator S(double a, R b) { return a S(double)(float) b; }                       \
    __host__ __device__ inline R operator S(R a, int b) { return R((float)a S(float) b); }                             \
    __host__ __device__ inline R operator S(int a, R b) { return R((float)a S(float) b); }                             \
    __host__ __device__ inline R operator S(R a, int64_t b) { return R((float)a S(float) b); }                         \
    __host__ __device__ inline R operator S(int64_t a, R b) { return R((float)a S(float) b); }                         \
    __host__ __device__ inline R &operator S##=(R &a, const R &b) { return a = R((float)a S(float) b); }               \
    __host__ __device__ inline float &operator S##=(float &a, const R &b) { return a = a S(float) b; }
#define CUWARP_REALS(R)                                                                                                \
    CUWARP_REAL(R, +)                                                                                                  \
    CUWARP_REAL(R, -) CUWARP_REAL(R, *) CUWARP_REAL(R, /) __host__ __device__ inline R operator-(const R &a) {         \
        return R(-(float)a);                                                                                           \
    }
namespace c10 {
struct alignas(2) Half {
    unsigned short x;
    struct from_bits_t {};
    __host__ __device__ static constexpr from_bits_t from_bits() { return from_bits_t(); }
    Half() = default;
    __host__ __device__ constexpr Half(unsigned short bits, from_bits_t) : x(bits) {}
    __host__ __device__ Half(float v) : x(__half_as_ushort(__float2half(v))) {}
    __host__ __device__ Half(const __half &v) : x(__half_as_ushort(v)) {}
    __host__ __device__ operator float() const { return __half2float(__ushort_as_half(x)); }
    __host__ __device__ explicit operator __half() const { return __ushort_as_half(x); }
};
struct alignas(2) BFloat16 {
    uint16_t x;
    struct from_bits_t {};
    __host__ __device__ static constexpr from_bits_t from_bits() { return from_bits_t(); }
    BFloat16() = default;
    __host__ __device__ constexpr BFloat16(unsigned short bits, from_bits_t) : x(bits) {}
    __host__ __device__ BFloat16(float v) : x(__bfloat16_as_ushort(__float2bfloat16(v))) {}
    __host__ __device__ explicit BFloat16(const __nv_bfloat16 &v) : x(__bfloat16_as_ushort(v)) {}
    __host__ __device__ operator float() const { return __bfloat162float(__ushort_as_bfloat16(x)); }
    __host__ __device__ explicit operator __nv_bfloat16() const { return __ushort_as_bfloat16(x); }
};
CUWARP_REALS(Half)
CUWARP_REALS(BFloat16)
__host__ __device__ inline float __half2float(Half v) { return v; }
__host__ __device__ inline float __bfloat162float(BFloat16 v) { return v; }
#define CUWARP_FLOAT8(name, kind)                                                                                      \
    struct alignas(1) name {                                                                                           \
        uint8_t x;                                                                                                     \
        struct from_bits_t {};                                                                                         \
        __host__ __device__ static constexpr from_bits_t from_bits() { return from_bits_t(); }                         \
        name() = default;                                                                                              \
        __host__ __device__ constexpr name(uint8_t bits, from_bits_t) : x(bits) {}                                     \
        __host__ __device__ name(float v) : x(__nv_cvt_float_to_fp8(v, __NV_NOSAT, kind)) {}                           \
        __host__ __device__ operator float() const { return __half2float(__half(__nv_cvt_fp8_to_halfraw(x, kind))); }  \
    };
CUWARP_FLOAT8(Float8_e4m3fn, __NV_E4M3)
CUWARP_FLOAT8(Float8_e4m3fnuz, __NV_E4M3)
CUWARP_FLOAT8(Float8_e5m2, __NV_E5M2)
CUWARP_FLOAT8(Float8_e5m2fnuz, __NV_E5M2)
CUWARP_FLOAT8(Float8_e8m0fnu, __NV_E4M3)
struct alignas(1) Float4_e2m1fn_x2 {
    uint8_t val_;
};
template <typename T> struct alignas(sizeof(T) * 2) complex {
    typedef T value_type;
    T real_ = T(0), imag_ = T(0);
    constexpr complex() = default;
    __host__ __device__ constexpr complex(const T &r, const T &i = T()) : real_(r), imag_(i) {}
    __host__ __device__ constexpr T real() const { return real_; }
    __host__ __device__ constexpr T imag() const { return imag_; }
};
template <typename T> struct qtype {
    typedef T underlying;
    T val_;
};
typedef qtype<int8_t> qint8;
typedef qtype<uint8_t> quint8;
typedef qtype<int32_t> qint32;
enum class ScalarType : int8_t {
    Byte,
    Char,
    Short,
    Int,
    Long,
    Half,
    Float,
    Double,
    ComplexHalf,
    ComplexFloat,
    ComplexDouble,
    Bool,
    QInt8,
    QUInt8,
    QInt32,
    BFloat16,
    QUInt4x2,
    QUInt2x4,
    Bits1x8,
    Bits2x4,
    Bits4x2,
    Bits8,
    Bits16,
    Float8_e5m2,
    Float8_e4m3fn,
    Float8_e5m2fnuz,
    Float8_e4m3fnuz,
    UInt16,
    UInt32,
    UInt64,
    UInt1,
    UInt2,
    UInt3,
    UInt4,
    UInt5,
    UInt6,
    UInt7,
    Int1,
    Int2,
    Int3,
    Int4,
    Int5,
    Int6,
    Int7,
    Float8_e8m0fnu,
    Float4_e2m1fn_x2,
    Undefined,
    NumOptions
};
namespace impl {
template <ScalarType s> struct ScalarTypeToCPPType;
template <ScalarType s> using ScalarTypeToCPPTypeT = typename ScalarTypeToCPPType<s>::type;
} // namespace impl
template <typename T> struct CppTypeToScalarType;
#define CUWARP_SCALAR(type_, name)                                                                                     \
    template <> struct impl::ScalarTypeToCPPType<ScalarType::name> { typedef type_ type; };                            \
    template <> struct CppTypeToScalarType<type_> : std::integral_constant<ScalarType, ScalarType::name> {};           \
    constexpr ScalarType k##name = ScalarType::name;
CUWARP_SCALAR(uint8_t, Byte)
CUWARP_SCALAR(int8_t, Char) CUWARP_SCALAR(int16_t, Short) CUWARP_SCALAR(int, Int) CUWARP_SCALAR(int64_t, Long)
    CUWARP_SCALAR(c10::Half, Half) CUWARP_SCALAR(float, Float) CUWARP_SCALAR(double, Double)
        CUWARP_SCALAR(c10::complex<c10::Half>, ComplexHalf) CUWARP_SCALAR(c10::complex<float>, ComplexFloat)
            CUWARP_SCALAR(c10::complex<double>, ComplexDouble) CUWARP_SCALAR(bool, Bool) CUWARP_SCALAR(qint8, QInt8)
                CUWARP_SCALAR(quint8, QUInt8) CUWARP_SCALAR(qint32, QInt32) CUWARP_SCALAR(c10::BFloat16, BFloat16)
                    CUWARP_SCALAR(c10::Float8_e5m2, Float8_e5m2) CUWARP_SCALAR(c10::Float8_e4m3fn, Float8_e4m3fn)
                        CUWARP_SCALAR(c10::Float8_e5m2fnuz, Float8_e5m2fnuz) CUWARP_SCALAR(c10::Float8_e4m3fnuz,
                                                                                           Float8_e4m3fnuz)
                            CUWARP_SCALAR(uint16_t, UInt16) CUWARP_SCALAR(uint32_t, UInt32) CUWARP_SCALAR(uint64_t,
                                                                                                          UInt64)
                                CUWARP_SCALAR(c10::Float4_e2m1fn_x2,
                                              Float4_e2m1fn_x2)
                                    CUWARP_SCALAR(c10::Float8_e8m0fnu, Float8_e8m0fnu)
                                        constexpr ScalarType kQUInt4x2 = ScalarType::QUInt4x2,
                                                                                     kQUInt2x4 = ScalarType::QUInt2x4;
#define AT_FORALL_SCALAR_TYPES(_)                                                                                      \
    _(uint8_t, Byte) _(int8_t, Char) _(int16_t, Short) _(int, Int) _(int64_t, Long) _(float, Float) _(double, Double)
#define AT_FORALL_SCALAR_TYPES_WITH_COMPLEX(_)                                                                         \
    _(uint8_t, Byte)                                                                                                   \
    _(int8_t, Char) _(int16_t, Short) _(int, Int) _(int64_t, Long) _(c10::Half, Half) _(float, Float)                  \
        _(double, Double) _(bool, Bool) _(c10::BFloat16, BFloat16) _(c10::complex<float>, ComplexFloat)                \
            _(c10::complex<double>, ComplexDouble)
#define AT_FORALL_SCALAR_TYPES_AND(T1, _) AT_FORALL_SCALAR_TYPES(_)
#define AT_FORALL_SCALAR_TYPES_AND2(T1, T2, _) AT_FORALL_SCALAR_TYPES(_)
#define AT_FORALL_SCALAR_TYPES_AND3(T1, T2, T3, _) AT_FORALL_SCALAR_TYPES(_)
#define AT_FORALL_SCALAR_TYPES_WITH_COMPLEX_AND_QINTS(_) AT_FORALL_SCALAR_TYPES_WITH_COMPLEX(_)
size_t elementSize(ScalarType t);
bool isQIntType(ScalarType t);
bool isComplexType(ScalarType t);
ScalarType toUnderlying(ScalarType t);
const char *toString(ScalarType t);
bool isFloatingType(ScalarType t);
bool isReducedFloatingType(ScalarType t);
bool isIntegralType(ScalarType t, bool with_bool = false);
ScalarType promoteTypes(ScalarType a, ScalarType b);
std::ostream &operator<<(std::ostream &o, ScalarType t);
enum class DeviceType : int8_t {
    CPU,
    CUDA,
    MKLDNN,
    OPENGL,
    OPENCL,
    IDEEP,
    HIP,
    FPGA,
    MAIA,
    XLA,
    Vulkan,
    Metal,
    XPU,
    MPS,
    Meta
};
constexpr DeviceType kCPU = DeviceType::CPU, kCUDA = DeviceType::CUDA, kHIP = DeviceType::HIP, kMeta = DeviceType::Meta,
                     kXPU = DeviceType::XPU;
typedef int8_t DeviceIndex;
std::string DeviceTypeName(DeviceType t, bool lower = false);
struct Device {
    DeviceType type_;
    DeviceIndex index_;
    Device(DeviceType type, DeviceIndex index = -1) : type_(type), index_(index) {}
    Device(const std::string &name);
    Device(const char *name);
    DeviceType type() const { return type_; }
    DeviceIndex index() const { return index_; }
    bool has_index() const { return index_ != -1; }
    bool is_cuda() const { return type_ == DeviceType::CUDA; }
    bool is_cpu() const { return type_ == DeviceType::CPU; }
    bool is_meta() const { return type_ == DeviceType::Meta; }
    std::string str() const;
    bool operator==(const Device &d) const { return type_ == d.type_ && index_ == d.index_; }
    bool operator!=(const Device &d) const { return !(*this == d); }
};
std::ostream &operator<<(std::ostream &o, const Device &d);
enum class Layout : int8_t { Strided, Sparse, SparseCsr, Mkldnn };
constexpr Layout kStrided = Layout::Strided, kSparse = Layout::Sparse;
enum class MemoryFormat : int8_t { Contiguous, Preserve, ChannelsLast, ChannelsLast3d };
enum class DispatchKey : uint16_t {
    Undefined,
    CPU,
    CUDA,
    HIP,
    Meta,
    Autograd,
    AutogradCPU,
    AutogradCUDA,
    CatchAll,
    CompositeImplicitAutograd,
    CompositeExplicitAutograd,
    QuantizedCPU,
    QuantizedCUDA,
    Autocast
};
enum class Backend { CPU, CUDA, HIP, SparseCPU, SparseCUDA, Undefined };
template <typename T> struct ArrayRef {
    typedef T value_type;
    typedef const T *iterator;
    typedef const T *const_iterator;
    const T *data_;
    size_t size_;
    constexpr ArrayRef() : data_(nullptr), size_(0) {}
    constexpr ArrayRef(const T &one) : data_(&one), size_(1) {}
    constexpr ArrayRef(const T *data, size_t n) : data_(data), size_(n) {}
    ArrayRef(const std::vector<T> &v) : data_(v.data()), size_(v.size()) {}
    template <size_t n> constexpr ArrayRef(const T (&a)[n]) : data_(a), size_(n) {}
    ArrayRef(const std::initializer_list<T> &l) : data_(l.begin()), size_(l.size()) {}
    constexpr const T *begin() const { return data_; }
    constexpr const T *end() const { return data_ + size_; }
    constexpr bool empty() const { return size_ == 0; }
    constexpr const T *data() const { return data_; }
    constexpr size_t size() const { return size_; }
    constexpr const T &operator[](size_t i) const { return data_[i]; }
    constexpr const T &at(size_t i) const { return data_[i]; }
    const T &front() const { return data_[0]; }
    const T &back() const { return data_[size_ - 1]; }
    ArrayRef slice(size_t from, size_t n) const { return ArrayRef(data_ + from, n); }
    std::vector<T> vec() const;
    bool equals(ArrayRef o) const;
};
template <typename T> bool operator==(ArrayRef<T> a, ArrayRef<T> b);
template <typename T> bool operator!=(ArrayRef<T> a, ArrayRef<T> b);
typedef ArrayRef<int64_t> IntArrayRef;
typedef IntArrayRef IntList;
struct SymInt {
    int64_t data_;
    SymInt(int64_t d = 0) : data_(d) {}
    int64_t guard_int(const char *, int64_t) const { return data_; }
    int64_t expect_int() const { return data_; }
    std::optional<int64_t> maybe_as_int() const;
    operator int64_t() const { return data_; }
};
typedef ArrayRef<SymInt> SymIntArrayRef;
SymIntArrayRef fromIntArrayRefKnownNonNegative(IntArrayRef a);
template <typename T> using optional = std::optional<T>;
using std::make_optional;
using std::nullopt;
using std::nullopt_t;
template <typename T> struct intrusive_ptr : std::shared_ptr<T> { using std::shared_ptr<T>::shared_ptr; };
struct intrusive_ptr_target {
    virtual ~intrusive_ptr_target();
};
template <typename T, typename... A> intrusive_ptr<T> make_intrusive(A &&...a);
typedef std::string_view string_view;
template <typename T> struct integer_range {
    struct iterator {
        T value;
        T operator*() const { return value; }
        iterator &operator++() {
            ++value;
            return *this;
        }
        bool operator!=(const iterator &o) const { return value != o.value; }
        bool operator==(const iterator &o) const { return value == o.value; }
    };
    T from, to;
    iterator begin() const { return iterator{from}; }
    iterator end() const { return iterator{to}; }
};
template <typename A, typename B> integer_range<B> irange(A a, B b) {
    return integer_range<B>{(B)a, b < (B)a ? (B)a : b};
}
template <typename A> integer_range<A> irange(A n) { return integer_range<A>{A(0), n}; }
template <typename T> int64_t multiply_integers(const T &list);
template <typename I> int64_t multiply_integers(I a, I b);
int64_t size_to_dim_(int n, IntArrayRef sizes);
template <typename To, typename From> __host__ __device__ To bit_cast(const From &from) {
    To to;
    memcpy(&to, &from, sizeof(To));
    return to;
}
template <typename T> __host__ __device__ T load(const T *p) { return *p; }
namespace cuda {
struct DeviceAssertionsData {
    int32_t assertion_count;
};
struct CUDAKernelLaunchRegistry {
    static CUDAKernelLaunchRegistry &get_singleton_ref();
    bool enabled_at_runtime;
    bool has_failed() const;
    DeviceAssertionsData *get_uvm_assertions_ptr_for_current_device();
    template <typename... T> uint32_t insert(T &&...);
};
std::string c10_retrieve_device_side_assertion_info();
const char *get_cuda_error_help(cudaError_t e) noexcept;
} // namespace cuda
} // namespace c10
namespace std {
#define CUWARP_LIMITS(R, M, L, E)                                                                                      \
    template <> struct numeric_limits<R> {                                                                             \
        static constexpr bool is_specialized = true, is_signed = true, is_integer = false, has_infinity = true;        \
        static constexpr int digits = E;                                                                               \
        __host__ __device__ static constexpr R lowest() { return R(L, R::from_bits()); }                               \
        __host__ __device__ static constexpr R max() { return R(M, R::from_bits()); }                                  \
        __host__ __device__ static constexpr R min() { return R(E == 11 ? 0x0400 : 0x0080, R::from_bits()); }          \
        __host__ __device__ static constexpr R infinity() { return R(M + 1, R::from_bits()); }                         \
        __host__ __device__ static constexpr R quiet_NaN() { return R(M + 1 + 64, R::from_bits()); }                   \
        __host__ __device__ static constexpr R epsilon() { return R(E == 11 ? 0x1400 : 0x3c00, R::from_bits()); }      \
    };
CUWARP_LIMITS(c10::Half, 0x7bff, 0xfbff, 11)
CUWARP_LIMITS(c10::BFloat16, 0x7f7f, 0xff7f, 8)
} // namespace std
namespace at {
using namespace c10;
typedef c10::Half Half;
typedef c10::BFloat16 BFloat16;
namespace cuda {
using namespace c10::cuda;
}
template <typename T, bool is_cuda> struct AccumulateType { typedef T type; };
#define CUWARP_ACCUMULATE(T_, is_cuda, A_)                                                                             \
    template <> struct AccumulateType<T_, is_cuda> { typedef A_ type; };
CUWARP_ACCUMULATE(c10::Half, true, float)
CUWARP_ACCUMULATE(c10::BFloat16, true, float) CUWARP_ACCUMULATE(__half, true, float)
    CUWARP_ACCUMULATE(__nv_bfloat16, true, float) CUWARP_ACCUMULATE(int8_t, true, int64_t)
        CUWARP_ACCUMULATE(uint8_t, true, int64_t) CUWARP_ACCUMULATE(char, true, int64_t)
            CUWARP_ACCUMULATE(int16_t, true, int64_t) CUWARP_ACCUMULATE(int32_t, true, int64_t)
                CUWARP_ACCUMULATE(float, false, double) CUWARP_ACCUMULATE(c10::Half, false, float)
                    CUWARP_ACCUMULATE(c10::BFloat16, false, float)
                        CUWARP_ACCUMULATE(int32_t, false, int64_t) template <typename T, bool is_cuda>
                        using acc_type = typename AccumulateType<T, is_cuda>::type;
template <typename T> using acc_type_device = typename AccumulateType<T, true>::type;
template <typename T> struct OpMathType { typedef T type; };
template <> struct OpMathType<c10::Half> { typedef float type; };
template <> struct OpMathType<c10::BFloat16> { typedef float type; };
template <> struct OpMathType<c10::Float8_e4m3fn> { typedef float type; };
template <> struct OpMathType<c10::Float8_e5m2> { typedef float type; };
template <typename T> using opmath_type = typename OpMathType<T>::type;
ScalarType toAccumulateType(ScalarType t, bool is_cuda);
ScalarType toOpMathType(ScalarType t);
template <typename T, typename = std::enable_if_t<std::is_integral<T>::value>>
__host__ __device__ constexpr T ceil_div(T a, T b) {
    return (a + b - 1) / b;
}
template <typename T, typename = std::enable_if_t<std::is_integral<T>::value>>
__host__ __device__ constexpr T round_up(T a, T b) {
    return (a + b - 1) / b * b;
}
} // namespace at
