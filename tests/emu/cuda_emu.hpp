/* The part of CUDA C++ that the fixtures use, as C++17 on the emulation's run time. What CUDA leaves undefined is either
 * reported or filled with bytes that differ from run to run. */
#ifndef CUWARP_CUDA_EMU_HPP
#define CUWARP_CUDA_EMU_HPP

#include <cassert>
#include <climits>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <tuple>
#include <type_traits>
#include <utility>

#include "runtime.hpp"

#define __CUDACC__ 1
#define __CUDA_ARCH__ 900
#define CUWARP_EMULATION 1

#define __global__
#define __device__
#define __host__
#define __constant__
#define __managed__
#define __shared__ static __thread
#define __forceinline__ inline
#define __noinline__
#define __launch_bounds__(...)
#define __grid_constant__
#define __align__(n) __attribute__((aligned(n)))

#define threadIdx (::cuemu::thread_index())
#define blockIdx (::cuemu::block_index())
#define blockDim (::cuemu::block_dim())
#define gridDim (::cuemu::grid_dim())
constexpr int warpSize = 32;

#undef assert
#define assert(condition) ((condition) ? void() : ::cuemu::trap({__FILE__, __LINE__}))

/* As a default argument: the place of the call. */
#define CUEMU_HERE ::cuemu::place at_ = ::cuemu::here()
#define CUEMU_PLAIN __attribute__((no_sanitize("thread")))
/* A frame of its own on ThreadSanitizer's stack, so that the caller's line is known. */
#define CUEMU_FRAME __attribute__((noinline))

/* --- vector types --------------------------------------------------------------------------------------------------- */

#define CUEMU_VECTORS(type, name, bytes)                                                                               \
    struct name##1 { type x; };                                                                                        \
    struct alignas(2 * bytes) name##2 { type x, y; };                                                                  \
    struct name##3 { type x, y, z; };                                                                                  \
    struct alignas(4 * bytes > 16 ? 16 : 4 * bytes) name##4 { type x, y, z, w; };                                      \
    inline name##1 make_##name##1(type x) { return {x}; }                                                              \
    inline name##2 make_##name##2(type x, type y) { return {x, y}; }                                                   \
    inline name##3 make_##name##3(type x, type y, type z) { return {x, y, z}; }                                        \
    inline name##4 make_##name##4(type x, type y, type z, type w) { return {x, y, z, w}; }
#define uint3 cuemu_uint3 /* that one is in runtime.hpp already */
CUEMU_VECTORS(unsigned, uint, 4)
#undef uint3
CUEMU_VECTORS(char, char, 1)
CUEMU_VECTORS(unsigned char, uchar, 1)
CUEMU_VECTORS(short, short, 2)
CUEMU_VECTORS(unsigned short, ushort, 2)
CUEMU_VECTORS(int, int, 4)
CUEMU_VECTORS(long long, longlong, 8)
CUEMU_VECTORS(unsigned long long, ulonglong, 8)
CUEMU_VECTORS(float, float, 4)
CUEMU_VECTORS(double, double, 8)

/* --- warp collectives ----------------------------------------------------------------------------------------------- */

namespace cuemu {

template <typename T> using promoted = decltype(+std::declval<T>());

template <typename T> T lane_value(const exchange &e, unsigned lane) {
    T v;
    static_assert(sizeof v <= value_bytes, "a value is at most 32 bytes");
    lane_bytes(e, lane, &v, sizeof v);
    return v;
}

enum class shuffle_mode { index, up, down, exclusive_or };

/* The lane that a shuffle reads, PTX ISA "shfl.sync". */
inline unsigned shuffle_source(shuffle_mode mode, unsigned lane, unsigned operand, unsigned width) {
    unsigned first = lane & ~(width - 1), last = first | (width - 1), by = operand & 31;
    switch (mode) {
    case shuffle_mode::index: return first | (by & (width - 1));
    case shuffle_mode::up: return lane >= first + by ? lane - by : lane;
    case shuffle_mode::down: return lane + by <= last ? lane + by : lane;
    default: return (lane ^ by) <= last ? lane ^ by : lane;
    }
}

template <typename T> T shuffle(shuffle_mode mode, unsigned mask, T v, unsigned operand, int width, place at) {
    if (width <= 0 || width > 32 || (width & (width - 1)))
        bad_width(width, at);
    const exchange &e = meet(op::shuffle, mask, at, &v, sizeof v, false);
    return lane_value<T>(e, shuffle_source(mode, lane_index(), operand, static_cast<unsigned>(width)));
}

/* The lanes of the collective for which `test` holds. */
template <typename T, typename F> unsigned lanes_where(const exchange &e, F test) {
    unsigned found = 0;
    for (unsigned l = 0; l < warp_lanes; l++)
        if (lanes_of(e) >> l & 1)
            found |= unsigned(test(lane_value<T>(e, l)) ? 1 : 0) << l;
    return found;
}

inline unsigned ballot(unsigned mask, bool predicate, place at, op what = op::vote) {
    return lanes_where<bool>(meet(what, mask, at, &predicate, sizeof predicate, false), [](bool p) { return p; });
}

template <typename T> bool same_bits(const T &a, const T &b) { return std::memcmp(&a, &b, sizeof a) == 0; }

template <typename T, typename F> T reduce_lanes(unsigned mask, T v, F f, place at) {
    const exchange &e = meet(op::reduce, mask, at, &v, sizeof v, false);
    bool any = false;
    T sum = v;
    for (unsigned l = 0; l < warp_lanes; l++)
        if (lanes_of(e) >> l & 1) {
            sum = any ? f(sum, lane_value<T>(e, l)) : lane_value<T>(e, l);
            any = true;
        }
    return sum;
}

} // namespace cuemu

template <typename T> auto __shfl_sync(unsigned mask, T v, int lane, int width = 32, CUEMU_HERE) {
    return cuemu::shuffle<cuemu::promoted<T>>(cuemu::shuffle_mode::index, mask, v, static_cast<unsigned>(lane), width, at_);
}
template <typename T> auto __shfl_up_sync(unsigned mask, T v, unsigned delta, int width = 32, CUEMU_HERE) {
    return cuemu::shuffle<cuemu::promoted<T>>(cuemu::shuffle_mode::up, mask, v, delta, width, at_);
}
template <typename T> auto __shfl_down_sync(unsigned mask, T v, unsigned delta, int width = 32, CUEMU_HERE) {
    return cuemu::shuffle<cuemu::promoted<T>>(cuemu::shuffle_mode::down, mask, v, delta, width, at_);
}
template <typename T> auto __shfl_xor_sync(unsigned mask, T v, int lanes, int width = 32, CUEMU_HERE) {
    return cuemu::shuffle<cuemu::promoted<T>>(cuemu::shuffle_mode::exclusive_or, mask, v, static_cast<unsigned>(lanes),
                                              width, at_);
}

inline unsigned __ballot_sync(unsigned mask, int p, CUEMU_HERE) { return cuemu::ballot(mask, p != 0, at_); }
inline int __any_sync(unsigned mask, int p, CUEMU_HERE) { return cuemu::ballot(mask, p != 0, at_) != 0; }
inline int __all_sync(unsigned mask, int p, CUEMU_HERE) { return cuemu::ballot(mask, p == 0, at_) == 0; }
inline int __uni_sync(unsigned mask, int p, CUEMU_HERE) {
    return cuemu::reduce_lanes<int>(mask, 1 << (p != 0), [](int a, int b) { return a | b; }, at_) != 3;
}

template <typename T> unsigned __match_any_sync(unsigned mask, T v, CUEMU_HERE) {
    const cuemu::exchange &e = cuemu::meet(cuemu::op::match, mask, at_, &v, sizeof v, false);
    return cuemu::lanes_where<T>(e, [v](T other) { return cuemu::same_bits(v, other); });
}
template <typename T> unsigned __match_all_sync(unsigned mask, T v, int *all, CUEMU_HERE) {
    const cuemu::exchange &e = cuemu::meet(cuemu::op::match, mask, at_, &v, sizeof v, false);
    *all = cuemu::lanes_where<T>(e, [v](T other) { return cuemu::same_bits(v, other); }) == cuemu::lanes_of(e);
    return *all ? cuemu::lanes_of(e) : 0;
}

#define CUEMU_REDUCE(name, type, expression)                                                                           \
    inline type __reduce_##name##_sync(unsigned mask, type v, CUEMU_HERE) {                                            \
        return cuemu::reduce_lanes<type>(mask, v, [](type a, type b) -> type { return expression; }, at_);             \
    }
CUEMU_REDUCE(add, int, static_cast<int>(static_cast<unsigned>(a) + static_cast<unsigned>(b)))
CUEMU_REDUCE(add, unsigned, a + b)
CUEMU_REDUCE(min, int, a < b ? a : b)
CUEMU_REDUCE(min, unsigned, a < b ? a : b)
CUEMU_REDUCE(max, int, a > b ? a : b)
CUEMU_REDUCE(max, unsigned, a > b ? a : b)
CUEMU_REDUCE(and, unsigned, a & b)
CUEMU_REDUCE(or, unsigned, a | b)
CUEMU_REDUCE(xor, unsigned, a ^ b)

inline unsigned __activemask(CUEMU_HERE) { return cuemu::active_lanes(at_); }

inline void __syncwarp(unsigned mask = 0xffffffff, CUEMU_HERE) {
    cuemu::meet(cuemu::op::syncwarp, mask, at_, nullptr, 0, true);
}

/* --- block barriers, fences, time ----------------------------------------------------------------------------------- */

namespace cuemu {
inline votes syncthreads(arrival how, const char *name, bool vote, place at) {
    return block_barrier({0, 0, how, true, true, name}, vote, at);
}
} // namespace cuemu

inline void __syncthreads(CUEMU_HERE) { cuemu::syncthreads(cuemu::arrival::sync, "__syncthreads()", false, at_); }
inline int __syncthreads_count(int p, CUEMU_HERE) {
    return static_cast<int>(cuemu::syncthreads(cuemu::arrival::reduce, "__syncthreads_count()", p != 0, at_).count);
}
inline int __syncthreads_and(int p, CUEMU_HERE) {
    return cuemu::syncthreads(cuemu::arrival::reduce, "__syncthreads_and()", p != 0, at_).all;
}
inline int __syncthreads_or(int p, CUEMU_HERE) {
    return cuemu::syncthreads(cuemu::arrival::reduce, "__syncthreads_or()", p != 0, at_).any;
}

inline void __threadfence() { cuemu::fence(); }
inline void __threadfence_block() { cuemu::fence(); }
inline void __threadfence_system() { cuemu::fence(); }
inline void __nanosleep(unsigned) { cuemu::yield(); }
inline long long clock64() { return cuemu::ticks(); }
inline int clock_() { return static_cast<int>(clock64()); }
#define clock clock_
inline void __trap(CUEMU_HERE) { cuemu::trap(at_); }

/* --- atomics -------------------------------------------------------------------------------------------------------- */

namespace cuemu {
template <typename T> CUEMU_PLAIN T read_value(const void *p) {
    T v;
    __builtin_memcpy(&v, p, sizeof v);
    return v;
}
} // namespace cuemu

#define CUEMU_ATOMIC(name, expression, is_compare)                                                                                 \
    namespace cuemu {                                                                                                  \
    template <typename T> CUEMU_PLAIN void change_##name(void *at, const void *first, const void *second) {            \
        T old, v, w;                                                                                                   \
        __builtin_memcpy(&old, at, sizeof old);                                                                        \
        __builtin_memcpy(&v, first, sizeof v);                                                                         \
        __builtin_memcpy(&w, second, sizeof w);                                                                        \
        (void)v, (void)w;                                                                                              \
        T result = static_cast<T>(expression);                                                                         \
        __builtin_memcpy(at, &result, sizeof result);                                                                  \
    }                                                                                                                  \
    template <typename T> CUEMU_FRAME T atomic_##name(T *at, T v, T w, order o = order::relaxed) {                     \
        T old;                                                                                                         \
        atomic_update(at, sizeof(T), &old, change_##name<T>, &v, &w, o, is_compare);                                   \
        return old;                                                                                                    \
    }                                                                                                                  \
    }
CUEMU_ATOMIC(add, old + v, false)
CUEMU_ATOMIC(sub, old - v, false)
CUEMU_ATOMIC(min, v < old ? v : old, false)
CUEMU_ATOMIC(max, v > old ? v : old, false)
CUEMU_ATOMIC(exch, v, false)
CUEMU_ATOMIC(cas, old == v ? w : old, true)
CUEMU_ATOMIC(inc, old >= v ? T(0) : T(old + 1), false)
CUEMU_ATOMIC(dec, old == T(0) || old > v ? v : T(old - 1), false)
CUEMU_ATOMIC(and, T(static_cast<std::uint64_t>(old) & static_cast<std::uint64_t>(v)), false)
CUEMU_ATOMIC(or, T(static_cast<std::uint64_t>(old) | static_cast<std::uint64_t>(v)), false)
CUEMU_ATOMIC(xor, T(static_cast<std::uint64_t>(old) ^ static_cast<std::uint64_t>(v)), false)

#define CUEMU_ATOMIC_API(name, Name)                                                                                   \
    template <typename T, typename V> CUEMU_FRAME T atomic##Name(T *at, V v) {                                         \
        return cuemu::atomic_##name<T>(at, static_cast<T>(v), T());                                                    \
    }                                                                                                                  \
    template <typename T, typename V> CUEMU_FRAME T atomic##Name##_block(T *at, V v) {                                 \
        return cuemu::atomic_##name<T>(at, static_cast<T>(v), T());                                                    \
    }
CUEMU_ATOMIC_API(add, Add)
CUEMU_ATOMIC_API(sub, Sub)
CUEMU_ATOMIC_API(min, Min)
CUEMU_ATOMIC_API(max, Max)
CUEMU_ATOMIC_API(exch, Exch)
CUEMU_ATOMIC_API(inc, Inc)
CUEMU_ATOMIC_API(dec, Dec)
CUEMU_ATOMIC_API(and, And)
CUEMU_ATOMIC_API(or, Or)
CUEMU_ATOMIC_API(xor, Xor)
template <typename T, typename V, typename W> CUEMU_FRAME T atomicCAS(T *at, V expected, W desired) {
    return cuemu::atomic_cas<T>(at, static_cast<T>(expected), static_cast<T>(desired));
}
template <typename T, typename V, typename W> CUEMU_FRAME T atomicCAS_block(T *at, V expected, W desired) {
    return atomicCAS(at, expected, desired);
}

/* --- arithmetic ----------------------------------------------------------------------------------------------------- */

template <typename A, typename B> constexpr std::common_type_t<A, B> min(A a, B b) {
    using T = std::common_type_t<A, B>;
    return static_cast<T>(b) < static_cast<T>(a) ? static_cast<T>(b) : static_cast<T>(a);
}
template <typename A, typename B> constexpr std::common_type_t<A, B> max(A a, B b) {
    using T = std::common_type_t<A, B>;
    return static_cast<T>(a) < static_cast<T>(b) ? static_cast<T>(b) : static_cast<T>(a);
}
inline int __popc(unsigned v) { return __builtin_popcount(v); }
inline int __popcll(unsigned long long v) { return __builtin_popcountll(v); }
inline int __ffs(int v) { return __builtin_ffs(v); }
inline int __ffsll(long long v) { return __builtin_ffsll(v); }
inline int __clz(int v) { return v ? __builtin_clz(static_cast<unsigned>(v)) : 32; }
inline int __clzll(long long v) { return v ? __builtin_clzll(static_cast<unsigned long long>(v)) : 64; }
inline unsigned __brev(unsigned v) {
    unsigned r = 0;
    for (int i = 0; i < 32; i++)
        r |= (v >> i & 1) << (31 - i);
    return r;
}
/* Position of the offset-th set bit from `base` on. */
inline unsigned __fns(unsigned mask, unsigned base, int offset) {
    int step = offset < 0 ? -1 : 1, left = offset < 0 ? -offset : offset;
    if (left == 0)
        return mask >> base & 1 ? base : 0xffffffffu;
    for (int i = static_cast<int>(base); i >= 0 && i < 32; i += step)
        if ((mask >> i & 1) && --left == 0)
            return static_cast<unsigned>(i);
    return 0xffffffffu;
}
inline int __mul24(int a, int b) { return a * b; }
inline unsigned __umul24(unsigned a, unsigned b) { return a * b; }
inline int __float_as_int(float v) { return cuemu::read_value<int>(&v); }
inline unsigned __float_as_uint(float v) { return cuemu::read_value<unsigned>(&v); }
inline float __int_as_float(int v) { return cuemu::read_value<float>(&v); }
inline float __uint_as_float(unsigned v) { return cuemu::read_value<float>(&v); }
inline long long __double_as_longlong(double v) { return cuemu::read_value<long long>(&v); }
inline double __longlong_as_double(long long v) { return cuemu::read_value<double>(&v); }
inline float __fdividef(float a, float b) { return a / b; }
inline float __expf(float v) { return std::exp(v); }
inline float __logf(float v) { return std::log(v); }
inline float __sinf(float v) { return std::sin(v); }
inline float __cosf(float v) { return std::cos(v); }
inline float __fadd_rn(float a, float b) { return a + b; }
inline float __fmul_rn(float a, float b) { return a * b; }
inline float __frcp_rn(float v) { return 1.0f / v; }
inline float rsqrtf(float v) { return 1.0f / std::sqrt(v); }
inline float __saturatef(float v) { return v < 0 ? 0 : v > 1 ? 1 : v; }
template <typename T> T __ldg(const T *p) { return *p; }
template <typename T> T __ldcg(const T *p) { return *p; }
template <typename T> T __ldca(const T *p) { return *p; }
template <typename T> void __stcg(T *p, T v) { *p = v; }
inline std::size_t __cvta_generic_to_shared(const void *p) { return reinterpret_cast<std::size_t>(p); }
inline bool __isShared(const void *) { return true; }
inline bool __isGlobal(const void *) { return true; }

/* --- asynchronous copies, C interface ------------------------------------------------------------------------------- */

inline CUEMU_FRAME void __pipeline_memcpy_async(void *to, const void *from, std::size_t size, std::size_t zeros = 0) {
    static const unsigned char nothing[16] = {};
    if (size > zeros)
        cuemu::copy_async(to, from, size - zeros);
    if (zeros)
        cuemu::copy_async(static_cast<unsigned char *>(to) + (size - zeros), nothing, zeros);
}
inline void __pipeline_commit() { cuemu::copy_commit(); }
inline CUEMU_FRAME void __pipeline_wait_prior(std::size_t n) { cuemu::copy_wait(static_cast<unsigned>(n)); }

/* --- inline PTX: cuwarp's tests/emu/run.py turns asm statements into this call ---------------------------------------- */

namespace cuemu {
template <typename T> operand op_out(T &v) {
    operand o = {&v, 0, sizeof v};
    std::memcpy(&o.from, &v, sizeof v);
    return o;
}
template <typename T> operand op_in(const T &v) {
    operand o = {nullptr, 0, sizeof v};
    std::memcpy(&o.from, &v, sizeof v);
    return o;
}
} // namespace cuemu

/* --- the host's side: fixtures compile with it, and it is never run ---------------------------------------------------- */

enum cudaError_t { cudaSuccess = 0 };
enum cudaMemcpyKind { cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost, cudaMemcpyDeviceToDevice };
enum cudaFuncAttribute { cudaFuncAttributeMaxDynamicSharedMemorySize };
using cudaStream_t = void *;
template <typename... A> cudaError_t cuemu_host(A &&...) { return cudaSuccess; }
inline const char *cudaGetErrorString(cudaError_t) { return ""; }
#define cudaDeviceSynchronize cuemu_host
#define cudaGetLastError cuemu_host
#define cudaMalloc cuemu_host
#define cudaMallocManaged cuemu_host
#define cudaFree cuemu_host
#define cudaMemcpy cuemu_host
#define cudaMemset cuemu_host
#define cudaGetSymbolAddress cuemu_host
#define cudaMemcpyToSymbol cuemu_host
#define cudaMemcpyFromSymbol cuemu_host
#define cudaFuncSetAttribute cuemu_host
#define cudaLaunchCooperativeKernel cuemu_host
#define cudaLaunchKernel cuemu_host
#define cudaStreamCreate cuemu_host

#endif
