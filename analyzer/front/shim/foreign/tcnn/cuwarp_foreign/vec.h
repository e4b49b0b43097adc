// tiny-cuda-nn: vectors, matrices of columns and quaternions, whose component-wise functions macros write once.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <limits>
#include <type_traits>
#define TCNN_HOST_DEVICE __host__ __device__
#define TCNN_DEVICE __device__
#define TCNN_HOST __host__
#define TCNN_PRAGMA_UNROLL _Pragma("unroll")
#define TCNN_PRAGMA_NO_UNROLL _Pragma("unroll 1")
#define CW_TCNN __host__ __device__
namespace tcnn {
template <typename T, uint32_t N, size_t A = sizeof(T)> struct tvec;
template <uint32_t N, typename T, typename... Ts>
using cuwarp_all = std::enable_if_t<sizeof...(Ts) == N && (std::is_same<Ts, T>::value && ...)>;

// ---- vectors ----

#define CW_TCNN_MEMBERS                                                                                                \
    typedef T underlying_type;                                                                                         \
    tvec() = default;                                                                                                  \
    CW_TCNN tvec(T s) {                                                                                                \
        for (uint32_t i = 0; i < N; i++)                                                                               \
            (*this)[i] = s;                                                                                            \
    }                                                                                                                  \
    CW_TCNN tvec(const T *from) {                                                                                      \
        for (uint32_t i = 0; i < N; i++)                                                                               \
            (*this)[i] = from[i];                                                                                      \
    }                                                                                                                  \
    template <typename U, uint32_t M, size_t B> CW_TCNN tvec(const tvec<U, M, B> &v) {                                 \
        for (uint32_t i = 0; i < N; i++)                                                                               \
            (*this)[i] = i < M ? (T)v[i] : (T)0;                                                                       \
    }                                                                                                                  \
    CW_TCNN static tvec<T, N> ones() { return tvec<T, N>((T)1); }                                                      \
    CW_TCNN static tvec<T, N> zero() { return tvec<T, N>((T)0); }                                                      \
    CW_TCNN void to_array(T *to) const {                                                                               \
        for (uint32_t i = 0; i < N; i++)                                                                               \
            to[i] = (*this)[i];                                                                                        \
    }                                                                                                                  \
    CW_TCNN T *data() { return (T *)this; }                                                                            \
    CW_TCNN const T *data() const { return (const T *)this; }                                                          \
    CW_TCNN T &operator[](uint32_t i) { return ((T *)this)[i]; }                                                       \
    CW_TCNN const T &operator[](uint32_t i) const { return ((T *)this)[i]; }                                           \
    CW_TCNN T &operator()(uint32_t i) { return ((T *)this)[i]; }                                                       \
    CW_TCNN const T &operator()(uint32_t i) const { return ((T *)this)[i]; }                                           \
    template <uint32_t FROM, uint32_t M> CW_TCNN tvec<T, M> &slice() { return *(tvec<T, M> *)(data() + FROM); }        \
    template <uint32_t FROM, uint32_t M> CW_TCNN const tvec<T, M> &slice() const {                                     \
        return *(tvec<T, M> *)(data() + FROM);                                                                         \
    }                                                                                                                  \
    CW_TCNN_PART(xy, 0, 2)                                                                                             \
    CW_TCNN_PART(yz, 1, 2)                                                                                             \
    CW_TCNN_PART(xyz, 0, 3)                                                                                            \
    CW_TCNN_PART(rgb, 0, 3)                                                                                            \
    CW_TCNN_PART(xyzw, 0, 4)                                                                                           \
    CW_TCNN_PART(rgba, 0, 4)                                                                                           \
    CW_TCNN static constexpr uint32_t size() { return N; }
#define CW_TCNN_PART(name, from, n)                                                                                    \
    CW_TCNN tvec<T, n> &name() { return slice<from, n>(); }                                                            \
    CW_TCNN const tvec<T, n> &name() const { return slice<from, n>(); }

template <typename T, uint32_t N, size_t A> struct alignas(A) tvec {
    CW_TCNN_MEMBERS
    T elems[N];
    template <typename... Ts, typename = cuwarp_all<N, T, Ts...>> CW_TCNN tvec(Ts... each) : elems{each...} {}
};
template <typename T, size_t A> struct alignas(A) tvec<T, 1, A> {
    static constexpr uint32_t N = 1;
    CW_TCNN_MEMBERS
    union { T x, r; };
};
template <typename T, size_t A> struct alignas(A) tvec<T, 2, A> {
    static constexpr uint32_t N = 2;
    CW_TCNN_MEMBERS
    union { T x, r; };
    union { T y, g; };
    CW_TCNN tvec(T a0, T a1) : x(a0), y(a1) {}
};
template <typename T, size_t A> struct alignas(A) tvec<T, 3, A> {
    static constexpr uint32_t N = 3;
    CW_TCNN_MEMBERS
    union { T x, r; };
    union { T y, g; };
    union { T z, b; };
    CW_TCNN tvec(T a0, T a1, T a2) : x(a0), y(a1), z(a2) {}
    template <size_t B> CW_TCNN tvec(const tvec<T, 2, B> &v, T c) : x(v.x), y(v.y), z(c) {}
    template <size_t B> CW_TCNN tvec(T c, const tvec<T, 2, B> &v) : x(c), y(v.x), z(v.y) {}
};
template <typename T, size_t A> struct alignas(A) tvec<T, 4, A> {
    static constexpr uint32_t N = 4;
    CW_TCNN_MEMBERS
    union { T x, r; };
    union { T y, g; };
    union { T z, b; };
    union { T w, a; };
    CW_TCNN tvec(T a0, T a1, T a2, T a3) : x(a0), y(a1), z(a2), w(a3) {}
    template <size_t B> CW_TCNN tvec(const tvec<T, 3, B> &v, T c) : x(v.x), y(v.y), z(v.z), w(c) {}
    template <size_t B> CW_TCNN tvec(T c, const tvec<T, 3, B> &v) : x(c), y(v.x), z(v.y), w(v.z) {}
    template <size_t B, size_t C>
    CW_TCNN tvec(const tvec<T, 2, B> &v, const tvec<T, 2, C> &u) : x(v.x), y(v.y), z(u.x), w(u.y) {}
    template <size_t B> CW_TCNN tvec(const tvec<T, 2, B> &v, T c, T d) : x(v.x), y(v.y), z(c), w(d) {}
    template <size_t B> CW_TCNN tvec(T c, const tvec<T, 2, B> &v, T d) : x(c), y(v.x), z(v.y), w(d) {}
    template <size_t B> CW_TCNN tvec(T c, T d, const tvec<T, 2, B> &v) : x(c), y(d), z(v.x), w(v.y) {}
};

// ---- functions of numbers, beside those of vectors ----

template <typename T> CW_TCNN T min(T a, T b) { return b < a ? b : a; }
template <typename T> CW_TCNN T max(T a, T b) { return a < b ? b : a; }
template <typename T> CW_TCNN T clamp(T a, T b, T c) { return a < b ? b : c < a ? c : a; }
template <typename T> CW_TCNN T mix(T a, T b, T c) { return a * ((T)1 - c) + b * c; }
template <typename T> CW_TCNN T copysign(T a, T b) { return std::copysign(a, b); }
template <typename T> CW_TCNN T sign(T a) { return std::copysign((T)1, a); }
template <typename T> CW_TCNN T distance(T a, T b) { return std::abs(a - b); }
template <typename T> CW_TCNN T pow(T a, T b) { return std::pow(a, b); }
#define CW_TCNN_OF_NUMBER(name)                                                                                        \
    template <typename T> CW_TCNN T name(T a) { return std::name(a); }
CW_TCNN_OF_NUMBER(floor)
CW_TCNN_OF_NUMBER(round)
CW_TCNN_OF_NUMBER(ceil)
CW_TCNN_OF_NUMBER(abs)
CW_TCNN_OF_NUMBER(sin)
CW_TCNN_OF_NUMBER(asin)
CW_TCNN_OF_NUMBER(cos)
CW_TCNN_OF_NUMBER(acos)
CW_TCNN_OF_NUMBER(tan)
CW_TCNN_OF_NUMBER(atan)
CW_TCNN_OF_NUMBER(sqrt)
CW_TCNN_OF_NUMBER(exp)
CW_TCNN_OF_NUMBER(log)
CW_TCNN_OF_NUMBER(exp2)
CW_TCNN_OF_NUMBER(log2)
template <typename T> CW_TCNN T isfinite(T a) { return std::isfinite(a); }
inline CW_TCNN float fma(float a, float b, float c) { return fmaf(a, b, c); }

// ---- component by component ----

#define CW_TVEC tvec<T, N, A>
#define CW_TCNN_EACH(result_type, name, value, ...)                                                                    \
    template <typename T, uint32_t N, size_t A> CW_TCNN result_type name(__VA_ARGS__) {                                \
        result_type result;                                                                                            \
        for (uint32_t i = 0; i < N; i++)                                                                               \
            result[i] = value;                                                                                         \
        return result;                                                                                                 \
    }
#define CW_TCNN_TWO(name)                                                                                              \
    CW_TCNN_EACH(CW_TVEC, name, name(a[i], b[i]), const CW_TVEC &a, const CW_TVEC &b)                                  \
    CW_TCNN_EACH(CW_TVEC, name, name(a[i], b), const CW_TVEC &a, T b)                                                  \
    CW_TCNN_EACH(CW_TVEC, name, name(a, b[i]), T a, const CW_TVEC &b)
#define CW_TCNN_ONE(name) CW_TCNN_EACH(CW_TVEC, name, name(a[i]), const CW_TVEC &a)
#define CW_TCNN_OPERATOR(op, assign)                                                                                   \
    CW_TCNN_EACH(CW_TVEC, operator op, a[i] op b[i], const CW_TVEC &a, const CW_TVEC &b)                               \
    CW_TCNN_EACH(CW_TVEC, operator op, a op b[i], T a, const CW_TVEC &b)                                               \
    CW_TCNN_EACH(CW_TVEC, operator op, a[i] op b, const CW_TVEC &a, T b)                                               \
    template <typename T, uint32_t N, size_t A> CW_TCNN CW_TVEC &operator assign(CW_TVEC &a, const CW_TVEC &b) {       \
        for (uint32_t i = 0; i < N; i++)                                                                               \
            a[i] assign b[i];                                                                                          \
        return a;                                                                                                      \
    }
#define CW_TCNN_ASSIGN(assign)                                                                                         \
    template <typename T, uint32_t N, size_t A> CW_TCNN CW_TVEC &operator assign(CW_TVEC &a, T b) {                    \
        for (uint32_t i = 0; i < N; i++)                                                                               \
            a[i] assign b;                                                                                             \
        return a;                                                                                                      \
    }
CW_TCNN_OPERATOR(+, +=)
CW_TCNN_OPERATOR(-, -=)
CW_TCNN_OPERATOR(*, *=)
CW_TCNN_OPERATOR(/, /=)
CW_TCNN_ASSIGN(*=)
CW_TCNN_ASSIGN(/=)
CW_TCNN_EACH(CW_TVEC, operator-, -a[i], const CW_TVEC &a)
CW_TCNN_TWO(min)
CW_TCNN_TWO(max)
CW_TCNN_TWO(copysign)
CW_TCNN_EACH(CW_TVEC, clamp, clamp(a[i], b[i], c[i]), const CW_TVEC &a, const CW_TVEC &b, const CW_TVEC &c)
CW_TCNN_EACH(CW_TVEC, clamp, clamp(a[i], b[i], c), const CW_TVEC &a, const CW_TVEC &b, T c)
CW_TCNN_EACH(CW_TVEC, clamp, clamp(a[i], b, c[i]), const CW_TVEC &a, T b, const CW_TVEC &c)
CW_TCNN_EACH(CW_TVEC, clamp, clamp(a[i], b, c), const CW_TVEC &a, T b, T c)
CW_TCNN_EACH(CW_TVEC, mix, mix(a[i], b[i], c[i]), const CW_TVEC &a, const CW_TVEC &b, const CW_TVEC &c)
CW_TCNN_EACH(CW_TVEC, mix, mix(a[i], b[i], c), const CW_TVEC &a, const CW_TVEC &b, T c)
CW_TCNN_EACH(CW_TVEC, fma, fma(a[i], b[i], c[i]), const CW_TVEC &a, const CW_TVEC &b, const CW_TVEC &c)
CW_TCNN_EACH(CW_TVEC, fma, fma(a[i], b, c[i]), const CW_TVEC &a, T b, const CW_TVEC &c)
CW_TCNN_EACH(CW_TVEC, fma, fma(a, b[i], c[i]), T a, const CW_TVEC &b, const CW_TVEC &c)
CW_TCNN_EACH(CW_TVEC, pow, pow(a[i], b), const CW_TVEC &a, T b)
CW_TCNN_EACH(CW_TVEC, pow, pow(a[i], b[i]), const CW_TVEC &a, const CW_TVEC &b)
CW_TCNN_ONE(sign)
CW_TCNN_ONE(floor)
CW_TCNN_ONE(round)
CW_TCNN_ONE(ceil)
CW_TCNN_ONE(abs)
CW_TCNN_ONE(sin)
CW_TCNN_ONE(asin)
CW_TCNN_ONE(cos)
CW_TCNN_ONE(acos)
CW_TCNN_ONE(tan)
CW_TCNN_ONE(atan)
CW_TCNN_ONE(sqrt)
CW_TCNN_ONE(exp)
CW_TCNN_ONE(log)
CW_TCNN_ONE(exp2)
CW_TCNN_ONE(log2)
template <typename T, uint32_t N, size_t A> CW_TCNN tvec<bool, N, sizeof(bool)> isfinite(const CW_TVEC &a) {
    tvec<bool, N, sizeof(bool)> result;
    for (uint32_t i = 0; i < N; i++)
        result[i] = isfinite(a[i]);
    return result;
}

// ---- all components ----

#define CW_TCNN_FOLD(type, name, first, step, ...)                                                                     \
    template <typename T, uint32_t N, size_t A> CW_TCNN type name(__VA_ARGS__) {                                       \
        type result = first;                                                                                           \
        for (uint32_t i = 0; i < N; i++)                                                                               \
            result = step;                                                                                             \
        return result;                                                                                                 \
    }
CW_TCNN_FOLD(T, dot, (T)0, result + a[i] * b[i], const CW_TVEC &a, const CW_TVEC &b)
CW_TCNN_FOLD(T, sum, (T)0, result + a[i], const CW_TVEC &a)
CW_TCNN_FOLD(T, mean, (T)0, result + a[i] / (T)N, const CW_TVEC &a)
CW_TCNN_FOLD(T, product, (T)1, result *a[i], const CW_TVEC &a)
CW_TCNN_FOLD(T, min, a[0], min(result, a[i]), const CW_TVEC &a)
CW_TCNN_FOLD(T, max, a[0], max(result, a[i]), const CW_TVEC &a)
CW_TCNN_FOLD(T, length2, (T)0, result + a[i] * a[i], const CW_TVEC &a)
CW_TCNN_FOLD(bool, operator==, true, result && a[i] == b[i], const CW_TVEC &a, const CW_TVEC &b)
CW_TCNN_FOLD(bool, operator!=, false, result || a[i] != b[i], const CW_TVEC &a, const CW_TVEC &b)
CW_TCNN_FOLD(bool, all, true, result && (bool)a[i], const CW_TVEC &a)
CW_TCNN_FOLD(bool, any, false, result || (bool)a[i], const CW_TVEC &a)
template <typename T, uint32_t N, size_t A> CW_TCNN T length(const CW_TVEC &a) { return std::sqrt(length2(a)); }
template <typename T, uint32_t N, size_t A> CW_TCNN T distance(const CW_TVEC &a, const CW_TVEC &b) {
    return length(a - b);
}
template <typename T, uint32_t N, size_t A> CW_TCNN CW_TVEC normalize(const CW_TVEC &v) { return v / length(v); }
template <typename T, uint32_t N, size_t A> CW_TCNN CW_TVEC cross(const CW_TVEC &a, const CW_TVEC &b) {
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
template <typename T, uint32_t N, size_t A>
CW_TCNN CW_TVEC faceforward(const CW_TVEC &n, const CW_TVEC &i, const CW_TVEC &reference) {
    return n * -copysign((T)1, dot(i, reference));
}

#define CW_TCNN_VECTORS(name, T)                                                                                       \
    template <uint32_t N> using name = tvec<T, N>;                                                                     \
    template <uint32_t N> using a##name = tvec<T, N, sizeof(T) * N>;                                                   \
    typedef name<1> name##1;                                                                                           \
    typedef name<2> name##2;                                                                                           \
    typedef name<3> name##3;                                                                                           \
    typedef name<4> name##4;
CW_TCNN_VECTORS(bvec, bool)
CW_TCNN_VECTORS(vec, float)
CW_TCNN_VECTORS(dvec, double)
CW_TCNN_VECTORS(ivec, int)
CW_TCNN_VECTORS(uvec, unsigned int)
CW_TCNN_VECTORS(i32vec, int32_t)
CW_TCNN_VECTORS(u32vec, uint32_t)
CW_TCNN_VECTORS(i16vec, int16_t)
CW_TCNN_VECTORS(u16vec, uint16_t)
CW_TCNN_VECTORS(i8vec, int8_t)
CW_TCNN_VECTORS(u8vec, uint8_t)
CW_TCNN_VECTORS(hvec, __half)
inline CW_TCNN float4 to_float4(const vec4 &v) { return {v.x, v.y, v.z, v.w}; }
inline CW_TCNN float3 to_float3(const vec3 &v) { return {v.x, v.y, v.z}; }
inline CW_TCNN float2 to_float2(const vec2 &v) { return {v.x, v.y}; }
inline CW_TCNN vec4 to_vec4(const float4 &v) { return {v.x, v.y, v.z, v.w}; }
inline CW_TCNN vec3 to_vec3(const float3 &v) { return {v.x, v.y, v.z}; }
inline CW_TCNN vec2 to_vec2(const float2 &v) { return {v.x, v.y}; }
inline __device__ void atomic_add_gmem_float(float *to, float value) { atomicAdd(to, value); }
template <typename T, uint32_t N, size_t A> __device__ void atomic_add(T *to, const CW_TVEC &v) {
    for (uint32_t i = 0; i < N; i++)
        atomicAdd(to + i, v[i]);
}
template <typename T, uint32_t N, size_t A> __device__ void atomic_add_gmem(T *to, const CW_TVEC &v) {
    atomic_add(to, v);
}

// ---- matrices of N columns ----

#define CW_TMAT tmat<T, N, M>
template <typename T, uint32_t N, uint32_t M> struct tmat {
    union {
        tvec<T, M> m[N];
        T d[M * N];
    };
    tmat() = default;
    CW_TCNN tmat(T s) {
        for (uint32_t i = 0; i < N; i++)
            for (uint32_t k = 0; k < M; k++)
                m[i][k] = i == k ? s : (T)0;
    }
    CW_TCNN tmat(const T *from) {
        for (uint32_t i = 0; i < N * M; i++)
            d[i] = from[i];
    }
    template <typename... Ts, typename = cuwarp_all<N * M, T, Ts...>> CW_TCNN tmat(Ts... each) : d{each...} {}
    template <size_t A> CW_TCNN tmat(const tvec<T, M, A> &a) {
        for (uint32_t i = 0; i < N; i++)
            m[i] = a;
    }
    template <size_t A> CW_TCNN tmat(const tvec<T, M, A> &a, const tvec<T, M, A> &b) {
        m[0] = a;
        m[1] = b;
    }
    template <size_t A> CW_TCNN tmat(const tvec<T, M, A> &a, const tvec<T, M, A> &b, const tvec<T, M, A> &c) {
        m[0] = a;
        m[1] = b;
        m[2] = c;
    }
    template <size_t A>
    CW_TCNN tmat(const tvec<T, M, A> &a, const tvec<T, M, A> &b, const tvec<T, M, A> &c, const tvec<T, M, A> &e) {
        m[0] = a;
        m[1] = b;
        m[2] = c;
        m[3] = e;
    }
    template <typename U, uint32_t P, uint32_t Q> CW_TCNN tmat(const tmat<U, P, Q> &from) {
        for (uint32_t i = 0; i < N; i++)
            for (uint32_t k = 0; k < M; k++)
                m[i][k] = i < P && k < Q ? (T)from[i][k] : (T)(i == k);
    }
    CW_TCNN static tmat identity() { return tmat((T)1); }
    CW_TCNN static tmat zero() { return tmat((T)0); }
    template <size_t A> CW_TCNN tvec<T, M, A> operator*(const tvec<T, N, A> &v) const {
        tvec<T, M, A> result((T)0);
        for (uint32_t i = 0; i < N; i++)
            for (uint32_t k = 0; k < M; k++)
                result[k] += m[i][k] * v[i];
        return result;
    }
    template <uint32_t K> CW_TCNN tmat<T, K, M> operator*(const tmat<T, K, N> &right) const {
        tmat<T, K, M> result;
        for (uint32_t i = 0; i < K; i++)
            result[i] = *this * right[i];
        return result;
    }
    CW_TCNN tvec<T, M> &at(uint32_t i) { return m[i]; }
    CW_TCNN tvec<T, M> at(uint32_t i) const { return m[i]; }
    CW_TCNN tvec<T, M> &operator[](uint32_t i) { return m[i]; }
    CW_TCNN tvec<T, M> operator[](uint32_t i) const { return m[i]; }
    CW_TCNN T *data() { return d; }
    CW_TCNN const T *data() const { return d; }
};
#define CW_TCNN_MATRIX(name, value, ...)                                                                               \
    template <typename T, uint32_t N, uint32_t M> CW_TCNN CW_TMAT name(__VA_ARGS__) {                                  \
        CW_TMAT result;                                                                                                \
        for (uint32_t i = 0; i < N; i++)                                                                               \
            result[i] = value;                                                                                         \
        return result;                                                                                                 \
    }
CW_TCNN_MATRIX(operator+, a[i] + b[i], const CW_TMAT &a, const CW_TMAT &b)
CW_TCNN_MATRIX(operator-, a[i] - b[i], const CW_TMAT &a, const CW_TMAT &b)
CW_TCNN_MATRIX(operator-, -a[i], const CW_TMAT &a)
CW_TCNN_MATRIX(operator*, a *b[i], T a, const CW_TMAT &b)
CW_TCNN_MATRIX(operator*, a[i] * b, const CW_TMAT &a, T b)
CW_TCNN_MATRIX(operator/, a[i] / b, const CW_TMAT &a, T b)
template <typename T, uint32_t N, uint32_t M>
CW_TCNN CW_TMAT &operator+=(CW_TMAT &a, const CW_TMAT &b) { return a = a + b; }
template <typename T, uint32_t N, uint32_t M>
CW_TCNN CW_TMAT &operator-=(CW_TMAT &a, const CW_TMAT &b) { return a = a - b; }
template <typename T, uint32_t N, uint32_t M> CW_TCNN CW_TMAT &operator*=(CW_TMAT &a, T b) { return a = a * b; }
template <typename T, uint32_t N, uint32_t M> CW_TCNN CW_TMAT &operator/=(CW_TMAT &a, T b) { return a = a / b; }
template <typename T, uint32_t N> CW_TCNN tmat<T, N, N> &operator*=(tmat<T, N, N> &a, const tmat<T, N, N> &b) {
    return a = a * b;
}
template <typename T, uint32_t N, uint32_t M> CW_TCNN bool operator==(const CW_TMAT &a, const CW_TMAT &b) {
    bool result = true;
    for (uint32_t i = 0; i < N; i++)
        result = result && a[i] == b[i];
    return result;
}
template <typename T, uint32_t N, uint32_t M>
CW_TCNN bool operator!=(const CW_TMAT &a, const CW_TMAT &b) { return !(a == b); }
template <typename T, uint32_t N, uint32_t M> CW_TCNN bool isfinite(const CW_TMAT &a) {
    bool result = true;
    for (uint32_t i = 0; i < N; i++)
        result = result && all(isfinite(a[i]));
    return result;
}
template <typename T, uint32_t N, uint32_t M> CW_TCNN T frobenius_norm(const CW_TMAT &a) {
    T result = (T)0;
    for (uint32_t i = 0; i < N; i++)
        result += length2(a[i]);
    return sqrt(result);
}
template <typename T, uint32_t N, uint32_t M> CW_TCNN tmat<T, M, N> transpose(const CW_TMAT &a) {
    tmat<T, M, N> result;
    for (uint32_t i = 0; i < N; i++)
        for (uint32_t k = 0; k < M; k++)
            result[k][i] = a[i][k];
    return result;
}
template <typename T, uint32_t N, uint32_t M> CW_TCNN tvec<T, N> row(const CW_TMAT &a, int r) {
    tvec<T, N> result;
    for (uint32_t i = 0; i < N; i++)
        result[i] = a[i][r];
    return result;
}
template <typename T, uint32_t N, uint32_t M, size_t A>
CW_TCNN CW_TMAT row(const CW_TMAT &a, int r, const tvec<T, N, A> &v) {
    CW_TMAT result = a;
    for (uint32_t i = 0; i < N; i++)
        result[i][r] = v[i];
    return result;
}
// Of the components' values nothing is said: they are some function of the operand's.
template <typename T, uint32_t N, uint32_t M> CW_TCNN CW_TMAT cuwarp_mixed(const CW_TMAT &a) {
    CW_TMAT result;
    for (uint32_t i = 0; i < N; i++)
        for (uint32_t k = 0; k < M; k++)
            result[i][k] = (T)std::exp((float)frobenius_norm(a) + (float)(i * M + k));
    return result;
}
template <typename T, uint32_t N> CW_TCNN T determinant(const tmat<T, N, N> &a) { return frobenius_norm(a); }
#define CW_TCNN_MIXED(name)                                                                                            \
    template <typename T, uint32_t N, uint32_t M> CW_TCNN CW_TMAT name(const CW_TMAT &a) { return cuwarp_mixed(a); }
CW_TCNN_MIXED(adjoint)
CW_TCNN_MIXED(inverse)
CW_TCNN_MIXED(mat_log)
CW_TCNN_MIXED(mat_exp)
CW_TCNN_MIXED(orthogonalize)
CW_TCNN_MIXED(so3_log)
CW_TCNN_MIXED(so3_exp)
CW_TCNN_MIXED(se3_log)
CW_TCNN_MIXED(se3_exp)
template <typename T, uint32_t N>
CW_TCNN tmat<T, N, N> mat_sqrt(const tmat<T, N, N> &a, T = (T)0) { return cuwarp_mixed(a); }
template <typename T, size_t A> CW_TCNN tmat<T, 3, 3> rotmat(T angle, const tvec<T, 3, A> &axis) {
    return cuwarp_mixed(tmat<T, 3, 3>(axis * angle));
}
template <typename T, size_t A> CW_TCNN tmat<T, 3, 3> rotmat(const tvec<T, 3, A> &axis) {
    return cuwarp_mixed(tmat<T, 3, 3>(axis));
}
#define CW_TCNN_MATRICES(name, T)                                                                                      \
    template <uint32_t N, uint32_t M> using name = tmat<T, N, M>;                                                      \
    typedef name<4, 4> name##4x4, name##4;                                                                             \
    typedef name<4, 3> name##4x3;                                                                                      \
    typedef name<4, 2> name##4x2;                                                                                      \
    typedef name<3, 4> name##3x4;                                                                                      \
    typedef name<3, 3> name##3x3, name##3;                                                                             \
    typedef name<3, 2> name##3x2;                                                                                      \
    typedef name<2, 4> name##2x4;                                                                                      \
    typedef name<2, 3> name##2x3;                                                                                      \
    typedef name<2, 2> name##2x2, name##2;
CW_TCNN_MATRICES(mat, float)
CW_TCNN_MATRICES(dmat, double)
CW_TCNN_MATRICES(hmat, __half)

// ---- quaternions ----

template <typename T> struct tquat {
    T w, x, y, z;
    tquat() = default;
    CW_TCNN tquat(T a, T b, T c, T d) : w(a), x(b), y(c), z(d) {}
    CW_TCNN tquat(const tmat<T, 3, 3> &m) : w(frobenius_norm(m)), x(m[1][2]), y(m[2][0]), z(m[0][1]) {}
};
#define CW_TQUAT tquat<T>
template <typename T> CW_TCNN CW_TQUAT operator-(const CW_TQUAT &a) { return {-a.w, -a.x, -a.y, -a.z}; }
template <typename T> CW_TCNN CW_TQUAT operator+(const CW_TQUAT &a, const CW_TQUAT &b) {
    return {a.w + b.w, a.x + b.x, a.y + b.y, a.z + b.z};
}
template <typename T> CW_TCNN CW_TQUAT operator-(const CW_TQUAT &a, const CW_TQUAT &b) { return a + -b; }
template <typename T>
CW_TCNN CW_TQUAT operator*(const CW_TQUAT &a, T b) { return {a.w * b, a.x * b, a.y * b, a.z * b}; }
template <typename T> CW_TCNN CW_TQUAT operator*(T a, const CW_TQUAT &b) { return b * a; }
template <typename T>
CW_TCNN CW_TQUAT operator/(const CW_TQUAT &a, T b) { return {a.w / b, a.x / b, a.y / b, a.z / b}; }
template <typename T> CW_TCNN T dot(const CW_TQUAT &a, const CW_TQUAT &b) {
    return a.w * b.w + a.x * b.x + a.y * b.y + a.z * b.z;
}
template <typename T> CW_TCNN T length2(const CW_TQUAT &a) { return dot(a, a); }
template <typename T> CW_TCNN T length(const CW_TQUAT &a) { return sqrt(dot(a, a)); }
template <typename T> CW_TCNN CW_TQUAT mix(const CW_TQUAT &a, const CW_TQUAT &b, T t) { return a * ((T)1 - t) + b * t; }
template <typename T> CW_TCNN CW_TQUAT slerp(const CW_TQUAT &a, const CW_TQUAT &b, T t) { return mix(a, b, t); }
template <typename T> CW_TCNN CW_TQUAT normalize(const CW_TQUAT &a) { return a / length(a); }
template <typename T> CW_TCNN CW_TQUAT cross(const CW_TQUAT &a, const CW_TQUAT &b) { return a * dot(a, b); }
template <typename T> CW_TCNN T angle(const CW_TQUAT &a) { return acos(a.w); }
template <typename T> CW_TCNN tvec<T, 3> axis(const CW_TQUAT &a) { return {a.x, a.y, a.z}; }
template <typename T> CW_TCNN tmat<T, 3, 3> to_mat3(const CW_TQUAT &a) {
    return cuwarp_mixed(tmat<T, 3, 3>(axis(a) * a.w));
}
template <typename T> CW_TCNN tmat<T, 3, 3> slerp(const tmat<T, 3, 3> &a, const tmat<T, 3, 3> &b, float t) {
    return cuwarp_mixed(a * (T)t + b);
}
template <typename T> CW_TCNN tvec<T, 3> rotvec(const tmat<T, 3, 3> &a) { return a[0]; }
typedef tquat<float> quat;
} // namespace tcnn
