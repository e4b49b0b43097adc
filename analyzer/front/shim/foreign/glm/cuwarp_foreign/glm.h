// glm: vectors, matrices of columns, quaternions, and the functions on them. Macros write each of them once for all
// sizes: LISTn has an entry for each component, COLn and ROWn one for each column and row.
#pragma once
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cuda_runtime.h>
#include <limits>
#include <type_traits>
#define GLM_FUNC_QUALIFIER __host__ __device__ inline
#define GLM_FUNC_DECL __host__ __device__
#define GLM_CONSTEXPR constexpr
#define CUWARP_GLM __host__ __device__ inline
#define CUWARP_GLM_CX __host__ __device__ constexpr

#define CUWARP_GLM_LIST2(entry, p) entry(x, p), entry(y, p)
#define CUWARP_GLM_LIST3(entry, p) entry(x, p), entry(y, p), entry(z, p)
#define CUWARP_GLM_LIST4(entry, p) entry(x, p), entry(y, p), entry(z, p), entry(w, p)
#define CUWARP_GLM_JOIN2(entry, op) entry(x) op entry(y)
#define CUWARP_GLM_JOIN3(entry, op) entry(x) op entry(y) op entry(z)
#define CUWARP_GLM_JOIN4(entry, op) entry(x) op entry(y) op entry(z) op entry(w)
#define CUWARP_GLM_EACH2(entry, p) entry(x, p) entry(y, p)
#define CUWARP_GLM_EACH3(entry, p) entry(x, p) entry(y, p) entry(z, p)
#define CUWARP_GLM_EACH4(entry, p) entry(x, p) entry(y, p) entry(z, p) entry(w, p)
#define CUWARP_GLM_COL2(entry, p) entry(0, p), entry(1, p)
#define CUWARP_GLM_COL3(entry, p) entry(0, p), entry(1, p), entry(2, p)
#define CUWARP_GLM_COL4(entry, p) entry(0, p), entry(1, p), entry(2, p), entry(3, p)
#define CUWARP_GLM_ROW2(entry, c) entry(c, 0), entry(c, 1)
#define CUWARP_GLM_ROW3(entry, c) entry(c, 0), entry(c, 1), entry(c, 2)
#define CUWARP_GLM_ROW4(entry, c) entry(c, 0), entry(c, 1), entry(c, 2), entry(c, 3)
#define CUWARP_GLM_DO2(entry, p) entry(0, p) entry(1, p)
#define CUWARP_GLM_DO3(entry, p) entry(0, p) entry(1, p) entry(2, p)
#define CUWARP_GLM_DO4(entry, p) entry(0, p) entry(1, p) entry(2, p) entry(3, p)

namespace glm {
enum qualifier {
    packed_highp,
    packed_mediump,
    packed_lowp,
    highp = packed_highp,
    mediump = packed_mediump,
    lowp = packed_lowp,
    defaultp = highp
};
typedef qualifier precision;
typedef int length_t;
typedef unsigned int uint;
template <length_t L, typename T, qualifier Q = defaultp> struct vec;
template <length_t C, length_t R, typename T, qualifier Q = defaultp> struct mat;
template <typename T, qualifier Q = defaultp> struct qua;

// ---- vectors: members ----

#define CUWARP_GLM_FIELDS2 union { T x, r; }; union { T y, g; };
#define CUWARP_GLM_FIELDS3 CUWARP_GLM_FIELDS2 union { T z, b; };
#define CUWARP_GLM_FIELDS4 CUWARP_GLM_FIELDS3 union { T w, a; };
#define CUWARP_GLM_FROM_ALL(c, from) c(T(from))
#define CUWARP_GLM_FROM_OF(c, from) c(T(from.c))
#define CUWARP_GLM_STEP_ALL(c, op) c op T(s);
#define CUWARP_GLM_STEP_OF(c, op) c op T(v.c);
#define CUWARP_GLM_ASSIGN(len, op)                                                                                     \
    template <typename U> CUWARP_GLM_CX std::enable_if_t<std::is_arithmetic<U>::value, vec &> operator op(U s) {       \
        CUWARP_GLM_EACH##len(CUWARP_GLM_STEP_ALL, op) return *this;                                                    \
    }                                                                                                                  \
    template <typename U> CUWARP_GLM_CX vec &operator op(const vec<len, U, Q> &v) {                                    \
        CUWARP_GLM_EACH##len(CUWARP_GLM_STEP_OF, op) return *this;                                                     \
    }
#define CUWARP_GLM_VEC(len)                                                                                            \
    typedef T value_type;                                                                                              \
    typedef vec type;                                                                                                  \
    CUWARP_GLM_FIELDS##len CUWARP_GLM_CX static length_t length() { return len; }                                      \
    vec() = default;                                                                                                   \
    template <typename U, typename = std::enable_if_t<std::is_arithmetic<U>::value>>                                   \
    CUWARP_GLM_CX explicit vec(U s) : CUWARP_GLM_LIST##len(CUWARP_GLM_FROM_ALL, s) {}                                  \
    template <typename U, qualifier P>                                                                                 \
    CUWARP_GLM_CX vec(const vec<len, U, P> &v) : CUWARP_GLM_LIST##len(CUWARP_GLM_FROM_OF, v) {}                        \
    CUWARP_GLM_CX T &operator[](length_t i) { return (&x)[i]; }                                                        \
    CUWARP_GLM_CX const T &operator[](length_t i) const { return (&x)[i]; }                                            \
    CUWARP_GLM_ASSIGN(len, +=) CUWARP_GLM_ASSIGN(len, -=) CUWARP_GLM_ASSIGN(len, *=) CUWARP_GLM_ASSIGN(len, /=)
// The first components of a longer vector.
#define CUWARP_GLM_CUT(len, longer)                                                                                    \
    template <typename U, qualifier P>                                                                                 \
    CUWARP_GLM_CX explicit vec(const vec<longer, U, P> &v) : CUWARP_GLM_LIST##len(CUWARP_GLM_FROM_OF, v) {}

template <typename T, qualifier Q> struct vec<2, T, Q> {
    CUWARP_GLM_VEC(2)
    CUWARP_GLM_CUT(2, 3)
    CUWARP_GLM_CUT(2, 4)
    template <typename A, typename B,
              typename = std::enable_if_t<std::is_arithmetic<A>::value && std::is_arithmetic<B>::value>>
    CUWARP_GLM_CX vec(A a0, B a1) : x(T(a0)), y(T(a1)) {}
};
template <typename T, qualifier Q> struct vec<3, T, Q> {
    CUWARP_GLM_VEC(3)
    CUWARP_GLM_CUT(3, 4)
    template <typename A, typename B, typename C,
              typename = std::enable_if_t<std::is_arithmetic<A>::value && std::is_arithmetic<B>::value &&
                                          std::is_arithmetic<C>::value>>
    CUWARP_GLM_CX vec(A a0, B a1, C a2) : x(T(a0)), y(T(a1)), z(T(a2)) {}
    template <typename U, typename V> CUWARP_GLM_CX vec(const vec<2, U, Q> &v, V c) : x(T(v.x)), y(T(v.y)), z(T(c)) {}
    template <typename U, typename V> CUWARP_GLM_CX vec(V c, const vec<2, U, Q> &v) : x(T(c)), y(T(v.x)), z(T(v.y)) {}
};
template <typename T, qualifier Q> struct vec<4, T, Q> {
    CUWARP_GLM_VEC(4)
    template <typename A, typename B, typename C, typename D,
              typename = std::enable_if_t<std::is_arithmetic<A>::value && std::is_arithmetic<B>::value &&
                                          std::is_arithmetic<C>::value && std::is_arithmetic<D>::value>>
    CUWARP_GLM_CX vec(A a0, B a1, C a2, D a3) : x(T(a0)), y(T(a1)), z(T(a2)), w(T(a3)) {}
    template <typename U, typename V>
    CUWARP_GLM_CX vec(const vec<3, U, Q> &v, V c) : x(T(v.x)), y(T(v.y)), z(T(v.z)), w(T(c)) {}
    template <typename U, typename V>
    CUWARP_GLM_CX vec(V c, const vec<3, U, Q> &v) : x(T(c)), y(T(v.x)), z(T(v.y)), w(T(v.z)) {}
    template <typename U, typename V>
    CUWARP_GLM_CX vec(const vec<2, U, Q> &v, const vec<2, V, Q> &u) : x(T(v.x)), y(T(v.y)), z(T(u.x)), w(T(u.y)) {}
};

// ---- vectors: functions ----

#define CUWARP_GLM_E_VV(c, op) T(a.c op b.c)
#define CUWARP_GLM_E_VS(c, op) T(a.c op s)
#define CUWARP_GLM_E_SV(c, op) T(s op a.c)
#define CUWARP_GLM_E_COMPARE(c, op) a.c op b.c
#define CUWARP_GLM_E_NEGATIVE(c, p) -a.c
#define CUWARP_GLM_E_EQUAL(c) a.c == b.c
#define CUWARP_GLM_E_PRODUCT(c) a.c *b.c
#define CUWARP_GLM_E_PLAIN(c) a.c
#define CUWARP_GLM_E_MIN(c, p) b.c < a.c ? b.c : a.c
#define CUWARP_GLM_E_MAX(c, p) a.c < b.c ? b.c : a.c
#define CUWARP_GLM_E_MOD(c, p) a.c - b.c * ::floor(a.c / b.c)
#define CUWARP_GLM_E_POW(c, p) T(::pow(a.c, b.c))
#define CUWARP_GLM_E_CALL(c, f) T(::f(a.c))
#define CUWARP_GLM_E_SIGN(c, p) T((a.c > T(0)) - (a.c < T(0)))
#define CUWARP_GLM_E_AT(i, p) p[i]

// Of two vectors: bits and comparisons.
#define CUWARP_GLM_BITS(len, op)                                                                                       \
    template <typename T, qualifier Q>                                                                                 \
    CUWARP_GLM_CX vec<len, T, Q> operator op(const vec<len, T, Q> &a, const vec<len, T, Q> &b) {                       \
        return vec<len, T, Q>(CUWARP_GLM_LIST##len(CUWARP_GLM_E_VV, op));                                              \
    }
#define CUWARP_GLM_COMPARE(len, name, op)                                                                              \
    template <typename T, qualifier Q>                                                                                 \
    CUWARP_GLM vec<len, bool, Q> name(const vec<len, T, Q> &a, const vec<len, T, Q> &b) {                              \
        return vec<len, bool, Q>(CUWARP_GLM_LIST##len(CUWARP_GLM_E_COMPARE, op));                                      \
    }
// Also with a scalar on one side.
#define CUWARP_GLM_ARITHMETIC(len, op)                                                                                 \
    CUWARP_GLM_BITS(len, op)                                                                                           \
    template <typename T, qualifier Q>                                                                                 \
    CUWARP_GLM_CX vec<len, T, Q> operator op(const vec<len, T, Q> &a, std::common_type_t<T> s) {                       \
        return vec<len, T, Q>(CUWARP_GLM_LIST##len(CUWARP_GLM_E_VS, op));                                              \
    }                                                                                                                  \
    template <typename T, qualifier Q>                                                                                 \
    CUWARP_GLM_CX vec<len, T, Q> operator op(std::common_type_t<T> s, const vec<len, T, Q> &a) {                       \
        return vec<len, T, Q>(CUWARP_GLM_LIST##len(CUWARP_GLM_E_SV, op));                                              \
    }
#define CUWARP_GLM_BINARY(len, name, entry)                                                                            \
    template <typename T, qualifier Q>                                                                                 \
    CUWARP_GLM vec<len, T, Q> name(const vec<len, T, Q> &a, const vec<len, T, Q> &b) {                                 \
        return vec<len, T, Q>(CUWARP_GLM_LIST##len(entry, ));                                                          \
    }
#define CUWARP_GLM_UNARY(len, name, f)                                                                                 \
    template <typename T, qualifier Q> CUWARP_GLM vec<len, T, Q> name(const vec<len, T, Q> &a) {                       \
        return vec<len, T, Q>(CUWARP_GLM_LIST##len(CUWARP_GLM_E_CALL, f));                                             \
    }
#define CUWARP_GLM_FUNCTIONS(len)                                                                                      \
    CUWARP_GLM_ARITHMETIC(len, +)                                                                                      \
    CUWARP_GLM_ARITHMETIC(len, -)                                                                                      \
    CUWARP_GLM_ARITHMETIC(len, *)                                                                                      \
    CUWARP_GLM_ARITHMETIC(len, /)                                                                                      \
    CUWARP_GLM_ARITHMETIC(len, %)                                                                                      \
    CUWARP_GLM_BITS(len, &) CUWARP_GLM_BITS(len, |) CUWARP_GLM_BITS(len, ^)                                            \
    template <typename T, qualifier Q> CUWARP_GLM_CX vec<len, T, Q> operator-(const vec<len, T, Q> &a) {               \
        return vec<len, T, Q>(CUWARP_GLM_LIST##len(CUWARP_GLM_E_NEGATIVE, ));                                          \
    }                                                                                                                  \
    template <typename T, qualifier Q>                                                                                 \
    CUWARP_GLM_CX bool operator==(const vec<len, T, Q> &a, const vec<len, T, Q> &b) {                                  \
        return CUWARP_GLM_JOIN##len(CUWARP_GLM_E_EQUAL, &&);                                                           \
    }                                                                                                                  \
    template <typename T, qualifier Q> CUWARP_GLM T dot(const vec<len, T, Q> &a, const vec<len, T, Q> &b) {            \
        return CUWARP_GLM_JOIN##len(CUWARP_GLM_E_PRODUCT, +);                                                          \
    }                                                                                                                  \
    CUWARP_GLM_BINARY(len, min, CUWARP_GLM_E_MIN)                                                                      \
    CUWARP_GLM_BINARY(len, max, CUWARP_GLM_E_MAX)                                                                      \
    CUWARP_GLM_BINARY(len, mod, CUWARP_GLM_E_MOD)                                                                      \
    CUWARP_GLM_BINARY(len, pow, CUWARP_GLM_E_POW)                                                                      \
    CUWARP_GLM_UNARY(len, abs, fabs) CUWARP_GLM_UNARY(len, floor, floor) CUWARP_GLM_UNARY(len, ceil, ceil)             \
    CUWARP_GLM_UNARY(len, round, round) CUWARP_GLM_UNARY(len, exp, exp) CUWARP_GLM_UNARY(len, exp2, exp2)              \
    CUWARP_GLM_UNARY(len, log, log) CUWARP_GLM_UNARY(len, log2, log2) CUWARP_GLM_UNARY(len, sqrt, sqrt)                \
    CUWARP_GLM_UNARY(len, sin, sin) CUWARP_GLM_UNARY(len, cos, cos) CUWARP_GLM_UNARY(len, tan, tan)                    \
    CUWARP_GLM_UNARY(len, asin, asin) CUWARP_GLM_UNARY(len, acos, acos) CUWARP_GLM_UNARY(len, atan, atan)              \
    CUWARP_GLM_UNARY(len, sinh, sinh) CUWARP_GLM_UNARY(len, cosh, cosh) CUWARP_GLM_UNARY(len, tanh, tanh)              \
    CUWARP_GLM_UNARY(len, trunc, trunc)                                                                                \
    template <typename T, qualifier Q> CUWARP_GLM vec<len, T, Q> sign(const vec<len, T, Q> &a) {                       \
        return vec<len, T, Q>(CUWARP_GLM_LIST##len(CUWARP_GLM_E_SIGN, ));                                              \
    }                                                                                                                  \
    CUWARP_GLM_COMPARE(len, lessThan, <)                                                                               \
    CUWARP_GLM_COMPARE(len, lessThanEqual, <=)                                                                         \
    CUWARP_GLM_COMPARE(len, greaterThan, >)                                                                            \
    CUWARP_GLM_COMPARE(len, greaterThanEqual, >=)                                                                      \
    CUWARP_GLM_COMPARE(len, equal, ==)                                                                                 \
    CUWARP_GLM_COMPARE(len, notEqual, !=)                                                                              \
    template <qualifier Q> CUWARP_GLM bool any(const vec<len, bool, Q> &a) {                                           \
        return CUWARP_GLM_JOIN##len(CUWARP_GLM_E_PLAIN, ||);                                                           \
    }                                                                                                                  \
    template <qualifier Q> CUWARP_GLM bool all(const vec<len, bool, Q> &a) {                                           \
        return CUWARP_GLM_JOIN##len(CUWARP_GLM_E_PLAIN, &&);                                                           \
    }                                                                                                                  \
    template <typename T> CUWARP_GLM vec<len, T> make_vec##len(const T *p) {                                           \
        return vec<len, T>(CUWARP_GLM_COL##len(CUWARP_GLM_E_AT, p));                                                   \
    }
CUWARP_GLM_FUNCTIONS(2)
CUWARP_GLM_FUNCTIONS(3)
CUWARP_GLM_FUNCTIONS(4)

// Those that are the same for all sizes.
#define CUWARP_GLM_WITH_SCALAR(name)                                                                                   \
    template <length_t L, typename T, qualifier Q>                                                                     \
    CUWARP_GLM vec<L, T, Q> name(const vec<L, T, Q> &a, std::common_type_t<T> s) {                                     \
        return name(a, vec<L, T, Q>(s));                                                                               \
    }
CUWARP_GLM_WITH_SCALAR(min)
CUWARP_GLM_WITH_SCALAR(max)
CUWARP_GLM_WITH_SCALAR(mod)
template <length_t L, typename T, qualifier Q>
CUWARP_GLM_CX bool operator!=(const vec<L, T, Q> &a, const vec<L, T, Q> &b) {
    return !(a == b);
}
template <length_t L, typename T, qualifier Q>
CUWARP_GLM vec<L, T, Q> clamp(const vec<L, T, Q> &v, std::common_type_t<T> a, std::common_type_t<T> b) {
    return min(max(v, a), b);
}
template <length_t L, typename T, qualifier Q>
CUWARP_GLM vec<L, T, Q> clamp(const vec<L, T, Q> &v, const vec<L, T, Q> &a, const vec<L, T, Q> &b) {
    return min(max(v, a), b);
}
template <length_t L, typename T, qualifier Q>
CUWARP_GLM vec<L, T, Q> mix(const vec<L, T, Q> &a, const vec<L, T, Q> &b, std::common_type_t<T> t) {
    return a * (T(1) - t) + b * t;
}
template <length_t L, typename T, qualifier Q>
CUWARP_GLM vec<L, T, Q> mix(const vec<L, T, Q> &a, const vec<L, T, Q> &b, const vec<L, T, Q> &t) {
    return a * (vec<L, T, Q>(T(1)) - t) + b * t;
}
template <length_t L, typename T, qualifier Q> CUWARP_GLM vec<L, T, Q> fract(const vec<L, T, Q> &a) {
    return a - floor(a);
}

template <length_t L, typename T, qualifier Q> CUWARP_GLM T length(const vec<L, T, Q> &v) {
    return T(::sqrt(dot(v, v)));
}
template <length_t L, typename T, qualifier Q> CUWARP_GLM T length2(const vec<L, T, Q> &v) { return dot(v, v); }
template <length_t L, typename T, qualifier Q> CUWARP_GLM T distance(const vec<L, T, Q> &a, const vec<L, T, Q> &b) {
    return length(b - a);
}
template <length_t L, typename T, qualifier Q> CUWARP_GLM vec<L, T, Q> normalize(const vec<L, T, Q> &v) {
    return v * (T(1) / length(v));
}
template <length_t L, typename T, qualifier Q>
CUWARP_GLM vec<L, T, Q> reflect(const vec<L, T, Q> &i, const vec<L, T, Q> &n) {
    return i - n * dot(n, i) * T(2);
}
template <length_t L, typename T, qualifier Q> CUWARP_GLM T *value_ptr(vec<L, T, Q> &v) { return &v.x; }
template <length_t L, typename T, qualifier Q> CUWARP_GLM const T *value_ptr(const vec<L, T, Q> &v) { return &v.x; }
template <typename T, qualifier Q> CUWARP_GLM_CX vec<3, T, Q> cross(const vec<3, T, Q> &a, const vec<3, T, Q> &b) {
    return vec<3, T, Q>(a.y * b.z - b.y * a.z, a.z * b.x - b.z * a.x, a.x * b.y - b.x * a.y);
}

// ---- scalars ----

#define CUWARP_GLM_SCALAR(name, f)                                                                                     \
    template <typename T> CUWARP_GLM std::enable_if_t<std::is_arithmetic<T>::value, T> name(T v) { return T(::f(v)); }
CUWARP_GLM_SCALAR(abs, fabs)
CUWARP_GLM_SCALAR(floor, floor)
CUWARP_GLM_SCALAR(ceil, ceil)
CUWARP_GLM_SCALAR(round, round)
CUWARP_GLM_SCALAR(exp, exp)
CUWARP_GLM_SCALAR(log, log)
CUWARP_GLM_SCALAR(log2, log2)
CUWARP_GLM_SCALAR(sqrt, sqrt)
CUWARP_GLM_SCALAR(sin, sin)
CUWARP_GLM_SCALAR(cos, cos)
CUWARP_GLM_SCALAR(tan, tan)
CUWARP_GLM_SCALAR(asin, asin)
CUWARP_GLM_SCALAR(acos, acos)
CUWARP_GLM_SCALAR(inversesqrt, rsqrt)
CUWARP_GLM_SCALAR(atan, atan)
template <typename T> CUWARP_GLM std::enable_if_t<std::is_arithmetic<T>::value, T> atan(T a, T b) {
    return T(::atan2(a, b));
}
template <typename T> CUWARP_GLM std::enable_if_t<std::is_arithmetic<T>::value, T> pow(T a, T b) {
    return T(::pow(a, b));
}
template <typename T> CUWARP_GLM_CX std::enable_if_t<std::is_arithmetic<T>::value, T> min(T a, T b) {
    return b < a ? b : a;
}
template <typename T> CUWARP_GLM_CX std::enable_if_t<std::is_arithmetic<T>::value, T> max(T a, T b) {
    return a < b ? b : a;
}
template <typename T> CUWARP_GLM_CX std::enable_if_t<std::is_arithmetic<T>::value, T> clamp(T v, T a, T b) {
    return v < a ? a : b < v ? b : v;
}
template <typename T> CUWARP_GLM_CX std::enable_if_t<std::is_arithmetic<T>::value, T> mix(T a, T b, T t) {
    return a * (T(1) - t) + b * t;
}
template <typename T> CUWARP_GLM_CX T radians(T d) { return d * T(0.01745329251994329576923690768489); }
template <typename T> CUWARP_GLM_CX T degrees(T r) { return r * T(57.295779513082320876798154814105); }
template <typename T> CUWARP_GLM_CX T epsilon() { return std::numeric_limits<T>::epsilon(); }
template <typename T> CUWARP_GLM_CX T pi() { return T(3.14159265358979323846264338327950288); }

// ---- matrices ----

#define CUWARP_GLM_M_PARAMETER(c, r) T m##c##r
#define CUWARP_GLM_M_PARAMETERS(c, rows) CUWARP_GLM_ROW##rows(CUWARP_GLM_M_PARAMETER, c)
#define CUWARP_GLM_M_ARGUMENT(c, r) m##c##r
#define CUWARP_GLM_M_ARGUMENTS(c, rows) vec<rows, T, Q>(CUWARP_GLM_ROW##rows(CUWARP_GLM_M_ARGUMENT, c))
#define CUWARP_GLM_M_UNIT(c, r) T(c == r ? s : U(0))
#define CUWARP_GLM_M_UNITS(c, rows) vec<rows, T, Q>(CUWARP_GLM_ROW##rows(CUWARP_GLM_M_UNIT, c))
#define CUWARP_GLM_M_COLUMN(i, rows) const vec<rows, T, Q> &c##i
#define CUWARP_GLM_M_NAME(i, p) c##i
#define CUWARP_GLM_M_STEP(c, op) value[c] op m.value[c];
#define CUWARP_GLM_M_STEP_ALL(c, op) value[c] op s;
#define CUWARP_GLM_M_MM(c, op) a[c] op b[c]
#define CUWARP_GLM_M_MS(c, op) a[c] op s
#define CUWARP_GLM_M_NEGATIVE(c, p) -a[c]
#define CUWARP_GLM_M_DOT(c, p) dot(m[c], v)
#define CUWARP_GLM_M_TURNED(r, c) m[c][r]
#define CUWARP_GLM_M_TURN(r, cols) CUWARP_GLM_ROW##cols(CUWARP_GLM_M_TURNED, r)
#define CUWARP_GLM_M_OUTER(i, p) c * r[i]
#define CUWARP_GLM_M_TIMES(k, p) a * b[k]
#define CUWARP_GLM_M_SUM2 m[0] * v[0] + m[1] * v[1]
#define CUWARP_GLM_M_SUM3 CUWARP_GLM_M_SUM2 + m[2] * v[2]
#define CUWARP_GLM_M_SUM4 CUWARP_GLM_M_SUM3 + m[3] * v[3]

#define CUWARP_GLM_M_ASSIGN(cols, op, type, entry)                                                                     \
    CUWARP_GLM_CX mat &operator op(type) {                                                                             \
        CUWARP_GLM_DO##cols(entry, op) return *this;                                                                   \
    }
#define CUWARP_GLM_MAT(cols, rows)                                                                                     \
    typedef T value_type;                                                                                              \
    typedef vec<rows, T, Q> col_type;                                                                                  \
    vec<rows, T, Q> value[cols];                                                                                       \
    mat() = default;                                                                                                   \
    CUWARP_GLM_CX static length_t length() { return cols; }                                                            \
    template <typename U, typename = std::enable_if_t<std::is_arithmetic<U>::value>>                                   \
    CUWARP_GLM_CX explicit mat(U s) : value{CUWARP_GLM_COL##cols(CUWARP_GLM_M_UNITS, rows)} {}                         \
    CUWARP_GLM_CX mat(CUWARP_GLM_COL##cols(CUWARP_GLM_M_COLUMN, rows))                                                 \
        : value{CUWARP_GLM_COL##cols(CUWARP_GLM_M_NAME, )} {}                                                          \
    CUWARP_GLM_CX mat(CUWARP_GLM_COL##cols(CUWARP_GLM_M_PARAMETERS, rows))                                             \
        : value{CUWARP_GLM_COL##cols(CUWARP_GLM_M_ARGUMENTS, rows)} {}                                                 \
    CUWARP_GLM_CX vec<rows, T, Q> &operator[](length_t i) { return value[i]; }                                         \
    CUWARP_GLM_CX const vec<rows, T, Q> &operator[](length_t i) const { return value[i]; }                             \
    CUWARP_GLM_M_ASSIGN(cols, +=, const mat &m, CUWARP_GLM_M_STEP)                                                     \
    CUWARP_GLM_M_ASSIGN(cols, -=, const mat &m, CUWARP_GLM_M_STEP)                                                     \
    CUWARP_GLM_M_ASSIGN(cols, *=, T s, CUWARP_GLM_M_STEP_ALL)                                                          \
    CUWARP_GLM_M_ASSIGN(cols, /=, T s, CUWARP_GLM_M_STEP_ALL)

template <typename T, qualifier Q> struct mat<2, 2, T, Q> {
    CUWARP_GLM_MAT(2, 2)
    template <length_t N> CUWARP_GLM_CX explicit mat(const mat<N, N, T, Q> &m)
        : value{vec<2, T, Q>(m[0][0], m[0][1]), vec<2, T, Q>(m[1][0], m[1][1])} {}
};
template <typename T, qualifier Q> struct mat<3, 3, T, Q> {
    CUWARP_GLM_MAT(3, 3)
    CUWARP_GLM_CX explicit mat(const mat<2, 2, T, Q> &m)
        : value{vec<3, T, Q>(m[0][0], m[0][1], T(0)), vec<3, T, Q>(m[1][0], m[1][1], T(0)),
                vec<3, T, Q>(T(0), T(0), T(1))} {}
    CUWARP_GLM_CX explicit mat(const mat<4, 4, T, Q> &m)
        : value{vec<3, T, Q>(m[0][0], m[0][1], m[0][2]), vec<3, T, Q>(m[1][0], m[1][1], m[1][2]),
                vec<3, T, Q>(m[2][0], m[2][1], m[2][2])} {}
};
template <typename T, qualifier Q> struct mat<4, 4, T, Q> {
    CUWARP_GLM_MAT(4, 4)
    CUWARP_GLM_CX explicit mat(const mat<2, 2, T, Q> &m)
        : value{vec<4, T, Q>(m[0][0], m[0][1], T(0), T(0)), vec<4, T, Q>(m[1][0], m[1][1], T(0), T(0)),
                vec<4, T, Q>(T(0), T(0), T(1), T(0)), vec<4, T, Q>(T(0), T(0), T(0), T(1))} {}
    CUWARP_GLM_CX explicit mat(const mat<3, 3, T, Q> &m)
        : value{vec<4, T, Q>(m[0][0], m[0][1], m[0][2], T(0)), vec<4, T, Q>(m[1][0], m[1][1], m[1][2], T(0)),
                vec<4, T, Q>(m[2][0], m[2][1], m[2][2], T(0)), vec<4, T, Q>(T(0), T(0), T(0), T(1))} {}
};
template <typename T, qualifier Q> struct mat<2, 3, T, Q> { CUWARP_GLM_MAT(2, 3) };
template <typename T, qualifier Q> struct mat<2, 4, T, Q> { CUWARP_GLM_MAT(2, 4) };
template <typename T, qualifier Q> struct mat<3, 2, T, Q> { CUWARP_GLM_MAT(3, 2) };
template <typename T, qualifier Q> struct mat<3, 4, T, Q> { CUWARP_GLM_MAT(3, 4) };
template <typename T, qualifier Q> struct mat<4, 2, T, Q> { CUWARP_GLM_MAT(4, 2) };
template <typename T, qualifier Q> struct mat<4, 3, T, Q> { CUWARP_GLM_MAT(4, 3) };

#define CUWARP_GLM_M_SUM(cols, rows, op)                                                                               \
    template <typename T, qualifier Q> CUWARP_GLM mat<cols, rows, T, Q>                                                \
        operator op(const mat<cols, rows, T, Q> &a, const mat<cols, rows, T, Q> &b) {                                  \
        return mat<cols, rows, T, Q>(CUWARP_GLM_COL##cols(CUWARP_GLM_M_MM, op));                                       \
    }
#define CUWARP_GLM_M_SCALE(cols, rows, op)                                                                             \
    template <typename T, qualifier Q>                                                                                 \
    CUWARP_GLM mat<cols, rows, T, Q> operator op(const mat<cols, rows, T, Q> &a, std::common_type_t<T> s) {            \
        return mat<cols, rows, T, Q>(CUWARP_GLM_COL##cols(CUWARP_GLM_M_MS, op));                                       \
    }
#define CUWARP_GLM_M_FUNCTIONS(cols, rows)                                                                             \
    CUWARP_GLM_M_SUM(cols, rows, +)                                                                                    \
    CUWARP_GLM_M_SUM(cols, rows, -)                                                                                    \
    template <typename T, qualifier Q> CUWARP_GLM mat<cols, rows, T, Q> operator-(const mat<cols, rows, T, Q> &a) {    \
        return mat<cols, rows, T, Q>(CUWARP_GLM_COL##cols(CUWARP_GLM_M_NEGATIVE, ));                                   \
    }                                                                                                                  \
    CUWARP_GLM_M_SCALE(cols, rows, *)                                                                                  \
    CUWARP_GLM_M_SCALE(cols, rows, /)                                                                                  \
    template <typename T, qualifier Q>                                                                                 \
    CUWARP_GLM vec<rows, T, Q> operator*(const mat<cols, rows, T, Q> &m, const vec<cols, T, Q> &v) {                   \
        return CUWARP_GLM_M_SUM##cols;                                                                                 \
    }                                                                                                                  \
    template <typename T, qualifier Q>                                                                                 \
    CUWARP_GLM vec<cols, T, Q> operator*(const vec<rows, T, Q> &v, const mat<cols, rows, T, Q> &m) {                   \
        return vec<cols, T, Q>(CUWARP_GLM_COL##cols(CUWARP_GLM_M_DOT, ));                                              \
    }                                                                                                                  \
    template <typename T, qualifier Q> CUWARP_GLM mat<rows, cols, T, Q> transpose(const mat<cols, rows, T, Q> &m) {    \
        return mat<rows, cols, T, Q>(CUWARP_GLM_COL##rows(CUWARP_GLM_M_TURN, cols));                                   \
    }                                                                                                                  \
    template <typename T, qualifier Q>                                                                                 \
    CUWARP_GLM mat<cols, rows, T, Q> outerProduct(const vec<rows, T, Q> &c, const vec<cols, T, Q> &r) {                \
        return mat<cols, rows, T, Q>(CUWARP_GLM_COL##cols(CUWARP_GLM_M_OUTER, ));                                      \
    }
CUWARP_GLM_M_FUNCTIONS(2, 2)
CUWARP_GLM_M_FUNCTIONS(2, 3)
CUWARP_GLM_M_FUNCTIONS(2, 4)
CUWARP_GLM_M_FUNCTIONS(3, 2)
CUWARP_GLM_M_FUNCTIONS(3, 3)
CUWARP_GLM_M_FUNCTIONS(3, 4)
CUWARP_GLM_M_FUNCTIONS(4, 2)
CUWARP_GLM_M_FUNCTIONS(4, 3)
CUWARP_GLM_M_FUNCTIONS(4, 4)
template <length_t C, length_t R, typename T, qualifier Q>
CUWARP_GLM mat<C, R, T, Q> operator*(std::common_type_t<T> s, const mat<C, R, T, Q> &a) {
    return a * s;
}
#define CUWARP_GLM_M_PRODUCT(cols)                                                                                     \
    template <length_t C, length_t R, typename T, qualifier Q>                                                         \
    CUWARP_GLM mat<cols, R, T, Q> operator*(const mat<C, R, T, Q> &a, const mat<cols, C, T, Q> &b) {                   \
        return mat<cols, R, T, Q>(CUWARP_GLM_COL##cols(CUWARP_GLM_M_TIMES, ));                                         \
    }
CUWARP_GLM_M_PRODUCT(2)
CUWARP_GLM_M_PRODUCT(3)
CUWARP_GLM_M_PRODUCT(4)
#define CUWARP_GLM_M_AT(c, r) p[c * order + r]
#define CUWARP_GLM_M_ATS(c, len) CUWARP_GLM_ROW##len(CUWARP_GLM_M_AT, c)
#define CUWARP_GLM_M_MAKE(len)                                                                                         \
    template <typename T> CUWARP_GLM mat<len, len, T> make_mat##len(const T *p) {                                      \
        constexpr int order = len;                                                                                     \
        return mat<len, len, T>(CUWARP_GLM_COL##len(CUWARP_GLM_M_ATS, len));                                           \
    }
CUWARP_GLM_M_MAKE(2)
CUWARP_GLM_M_MAKE(3)
CUWARP_GLM_M_MAKE(4)
template <typename T, qualifier Q> CUWARP_GLM T determinant(const mat<2, 2, T, Q> &m) {
    return m[0][0] * m[1][1] - m[1][0] * m[0][1];
}
template <typename T, qualifier Q> CUWARP_GLM T determinant(const mat<3, 3, T, Q> &m) {
    return dot(m[0], cross(m[1], m[2]));
}
template <typename T, qualifier Q> CUWARP_GLM mat<2, 2, T, Q> inverse(const mat<2, 2, T, Q> &m) {
    return mat<2, 2, T, Q>(m[1][1], -m[0][1], -m[1][0], m[0][0]) * (T(1) / determinant(m));
}
template <typename T, qualifier Q> CUWARP_GLM mat<3, 3, T, Q> inverse(const mat<3, 3, T, Q> &m) {
    return transpose(mat<3, 3, T, Q>(cross(m[1], m[2]), cross(m[2], m[0]), cross(m[0], m[1]))) *
           (T(1) / determinant(m));
}
template <typename T, qualifier Q> CUWARP_GLM mat<4, 4, T, Q> inverse(const mat<4, 4, T, Q> &m);
template <length_t C, length_t R, typename T, qualifier Q> CUWARP_GLM T *value_ptr(mat<C, R, T, Q> &m) {
    return &m[0].x;
}
template <length_t C, length_t R, typename T, qualifier Q> CUWARP_GLM const T *value_ptr(const mat<C, R, T, Q> &m) {
    return &m[0].x;
}
template <typename T, qualifier Q> CUWARP_GLM mat<2, 2, T, Q> diagonal2x2(const vec<2, T, Q> &v) {
    return mat<2, 2, T, Q>(v.x, T(0), T(0), v.y);
}
template <typename T, qualifier Q> CUWARP_GLM mat<3, 3, T, Q> diagonal3x3(const vec<3, T, Q> &v) {
    return mat<3, 3, T, Q>(v.x, T(0), T(0), T(0), v.y, T(0), T(0), T(0), v.z);
}
template <typename T, qualifier Q> struct qua {
    typedef T value_type;
    T x, y, z, w;
    qua() = default;
    CUWARP_GLM_CX qua(T w_, T x_, T y_, T z_) : x(x_), y(y_), z(z_), w(w_) {}
    CUWARP_GLM_CX qua(T s, const vec<3, T, Q> &v) : x(v.x), y(v.y), z(v.z), w(s) {}
    CUWARP_GLM_CX static length_t length() { return 4; }
    CUWARP_GLM_CX T &operator[](length_t i) { return (&x)[i]; }
    CUWARP_GLM_CX const T &operator[](length_t i) const { return (&x)[i]; }
};
template <typename T, qualifier Q> CUWARP_GLM qua<T, Q> operator+(const qua<T, Q> &a, const qua<T, Q> &b) {
    return qua<T, Q>(a.w + b.w, a.x + b.x, a.y + b.y, a.z + b.z);
}
template <typename T, qualifier Q> CUWARP_GLM qua<T, Q> operator-(const qua<T, Q> &a) {
    return qua<T, Q>(-a.w, -a.x, -a.y, -a.z);
}
template <typename T, qualifier Q> CUWARP_GLM qua<T, Q> operator*(const qua<T, Q> &a, std::common_type_t<T> s) {
    return qua<T, Q>(a.w * s, a.x * s, a.y * s, a.z * s);
}
template <typename T, qualifier Q> CUWARP_GLM qua<T, Q> operator*(std::common_type_t<T> s, const qua<T, Q> &a) {
    return a * s;
}
template <typename T, qualifier Q> CUWARP_GLM qua<T, Q> operator/(const qua<T, Q> &a, std::common_type_t<T> s) {
    return a * (T(1) / s);
}
template <typename T, qualifier Q> CUWARP_GLM qua<T, Q> operator*(const qua<T, Q> &p, const qua<T, Q> &q) {
    return qua<T, Q>(p.w * q.w - p.x * q.x - p.y * q.y - p.z * q.z, p.w * q.x + p.x * q.w + p.y * q.z - p.z * q.y,
                     p.w * q.y + p.y * q.w + p.z * q.x - p.x * q.z, p.w * q.z + p.z * q.w + p.x * q.y - p.y * q.x);
}
template <typename T, qualifier Q> CUWARP_GLM vec<3, T, Q> operator*(const qua<T, Q> &q, const vec<3, T, Q> &v) {
    const vec<3, T, Q> u(q.x, q.y, q.z), uv = cross(u, v);
    return v + (uv * q.w + cross(u, uv)) * T(2);
}
template <typename T, qualifier Q> CUWARP_GLM vec<3, T, Q> rotate(const qua<T, Q> &q, const vec<3, T, Q> &v) {
    return q * v;
}
template <typename T, qualifier Q> CUWARP_GLM T dot(const qua<T, Q> &a, const qua<T, Q> &b) {
    return a.w * b.w + a.x * b.x + a.y * b.y + a.z * b.z;
}
template <typename T, qualifier Q> CUWARP_GLM T length(const qua<T, Q> &q) { return T(::sqrt(dot(q, q))); }
template <typename T, qualifier Q>
CUWARP_GLM qua<T, Q> normalize(const qua<T, Q> &q) { return q * (T(1) / length(q)); }
template <typename T, qualifier Q> CUWARP_GLM qua<T, Q> conjugate(const qua<T, Q> &q) {
    return qua<T, Q>(q.w, -q.x, -q.y, -q.z);
}
template <typename T, qualifier Q>
CUWARP_GLM qua<T, Q> inverse(const qua<T, Q> &q) { return conjugate(q) / dot(q, q); }
template <typename T, qualifier Q>
CUWARP_GLM qua<T, Q> lerp(const qua<T, Q> &a, const qua<T, Q> &b, std::common_type_t<T> t) {
    return a * (T(1) - t) + b * t;
}
template <typename T, qualifier Q>
CUWARP_GLM qua<T, Q> mix(const qua<T, Q> &a, const qua<T, Q> &b, std::common_type_t<T> t);
template <typename T, qualifier Q>
CUWARP_GLM qua<T, Q> slerp(const qua<T, Q> &a, const qua<T, Q> &b, std::common_type_t<T> t);
template <typename T, qualifier Q> CUWARP_GLM mat<3, 3, T, Q> mat3_cast(const qua<T, Q> &q) {
    return mat<3, 3, T, Q>(
        T(1) - T(2) * (q.y * q.y + q.z * q.z), T(2) * (q.x * q.y + q.w * q.z), T(2) * (q.x * q.z - q.w * q.y),
        T(2) * (q.x * q.y - q.w * q.z), T(1) - T(2) * (q.x * q.x + q.z * q.z), T(2) * (q.y * q.z + q.w * q.x),
        T(2) * (q.x * q.z + q.w * q.y), T(2) * (q.y * q.z - q.w * q.x), T(1) - T(2) * (q.x * q.x + q.y * q.y));
}
template <typename T, qualifier Q> CUWARP_GLM mat<4, 4, T, Q> mat4_cast(const qua<T, Q> &q) {
    return mat<4, 4, T, Q>(mat3_cast(q));
}
template <typename T, qualifier Q> CUWARP_GLM qua<T, Q> quat_cast(const mat<3, 3, T, Q> &m);
template <typename T, qualifier Q> CUWARP_GLM qua<T, Q> quat_cast(const mat<4, 4, T, Q> &m);
template <typename T, qualifier Q> CUWARP_GLM qua<T, Q> angleAxis(T angle, const vec<3, T, Q> &axis);
template <typename T> CUWARP_GLM qua<T> make_quat(const T *p) { return qua<T>(p[3], p[0], p[1], p[2]); }

// ---- names ----

#define CUWARP_GLM_VECTORS(len)                                                                                        \
    typedef vec<len, float> vec##len, fvec##len;                                                                       \
    typedef vec<len, double> dvec##len;                                                                                \
    typedef vec<len, int> ivec##len;                                                                                   \
    typedef vec<len, unsigned> uvec##len;                                                                              \
    typedef vec<len, bool> bvec##len;                                                                                  \
    typedef vec<len, int64_t> i64vec##len;                                                                             \
    typedef vec<len, uint8_t> u8vec##len;
#define CUWARP_GLM_MATRICES(cols, rows)                                                                                \
    typedef mat<cols, rows, float> mat##cols##x##rows, fmat##cols##x##rows;                                            \
    typedef mat<cols, rows, double> dmat##cols##x##rows;
#define CUWARP_GLM_ALL(len)                                                                                            \
    CUWARP_GLM_VECTORS(len)                                                                                            \
    CUWARP_GLM_MATRICES(len, 2) CUWARP_GLM_MATRICES(len, 3) CUWARP_GLM_MATRICES(len, 4)                                \
    typedef mat<len, len, float> mat##len, fmat##len;                                                                  \
    typedef mat<len, len, double> dmat##len;
CUWARP_GLM_ALL(2)
CUWARP_GLM_ALL(3)
CUWARP_GLM_ALL(4)
typedef qua<float> quat;
typedef qua<float> fquat;
typedef qua<double> dquat;
} // namespace glm
