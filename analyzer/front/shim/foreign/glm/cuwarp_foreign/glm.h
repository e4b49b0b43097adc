// glm: vectors, matrices of columns, quaternions, and the functions on them.
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
template <typename T, qualifier Q> struct vec<2, T, Q> {
    typedef T value_type;
    typedef vec type;
    union {
        T x, r;
    };
    union {
        T y, g;
    };
    CUWARP_GLM_CX static length_t length() { return 2; }
    vec() = default;
    template <typename U, typename = std::enable_if_t<std::is_arithmetic<U>::value>>
    CUWARP_GLM_CX explicit vec(U s) : x(T(s)), y(T(s)) {}
    template <typename A0, typename A1,
              typename = std::enable_if_t<std::is_arithmetic<A0>::value && std::is_arithmetic<A1>::value>>
    CUWARP_GLM_CX vec(A0 a0, A1 a1) : x(T(a0)), y(T(a1)) {}
    template <typename U, qualifier P> CUWARP_GLM_CX vec(const vec<2, U, P> &v) : x(T(v.x)), y(T(v.y)) {}
    template <typename U, qualifier P> CUWARP_GLM_CX explicit vec(const vec<3, U, P> &v) : x(T(v.x)), y(T(v.y)) {}
    template <typename U, qualifier P> CUWARP_GLM_CX explicit vec(const vec<4, U, P> &v) : x(T(v.x)), y(T(v.y)) {}
    CUWARP_GLM_CX T &operator[](length_t i) { return (&x)[i]; }
    CUWARP_GLM_CX const T &operator[](length_t i) const { return (&x)[i]; }
    template <typename U> CUWARP_GLM_CX std::enable_if_t<std::is_arithmetic<U>::value, vec &> operator+=(U s) {
        x += T(s);
        y += T(s);
        return *this;
    }
    template <typename U> CUWARP_GLM_CX vec &operator+=(const vec<2, U, Q> &v) {
        x += T(v.x);
        y += T(v.y);
        return *this;
    }
    template <typename U> CUWARP_GLM_CX std::enable_if_t<std::is_arithmetic<U>::value, vec &> operator-=(U s) {
        x -= T(s);
        y -= T(s);
        return *this;
    }
    template <typename U> CUWARP_GLM_CX vec &operator-=(const vec<2, U, Q> &v) {
        x -= T(v.x);
        y -= T(v.y);
        return *this;
    }
    template <typename U> CUWARP_GLM_CX std::enable_if_t<std::is_arithmetic<U>::value, vec &> operator*=(U s) {
        x *= T(s);
        y *= T(s);
        return *this;
    }
    template <typename U> CUWARP_GLM_CX vec &operator*=(const vec<2, U, Q> &v) {
        x *= T(v.x);
        y *= T(v.y);
        return *this;
    }
    template <typename U> CUWARP_GLM_CX std::enable_if_t<std::is_arithmetic<U>::value, vec &> operator/=(U s) {
        x /= T(s);
        y /= T(s);
        return *this;
    }
    template <typename U> CUWARP_GLM_CX vec &operator/=(const vec<2, U, Q> &v) {
        x /= T(v.x);
        y /= T(v.y);
        return *this;
    }
};
template <typename T, qualifier Q> struct vec<3, T, Q> {
    typedef T value_type;
    typedef vec type;
    union {
        T x, r;
    };
    union {
        T y, g;
    };
    union {
        T z, b;
    };
    CUWARP_GLM_CX static length_t length() { return 3; }
    vec() = default;
    template <typename U, typename = std::enable_if_t<std::is_arithmetic<U>::value>>
    CUWARP_GLM_CX explicit vec(U s) : x(T(s)), y(T(s)), z(T(s)) {}
    template <typename A0, typename A1, typename A2,
              typename = std::enable_if_t<std::is_arithmetic<A0>::value && std::is_arithmetic<A1>::value &&
                                          std::is_arithmetic<A2>::value>>
    CUWARP_GLM_CX vec(A0 a0, A1 a1, A2 a2) : x(T(a0)), y(T(a1)), z(T(a2)) {}
    template <typename U, qualifier P> CUWARP_GLM_CX vec(const vec<3, U, P> &v) : x(T(v.x)), y(T(v.y)), z(T(v.z)) {}
    template <typename U, qualifier P>
    CUWARP_GLM_CX explicit vec(const vec<4, U, P> &v) : x(T(v.x)), y(T(v.y)), z(T(v.z)) {}
    template <typename U, typename V> CUWARP_GLM_CX vec(const vec<2, U, Q> &v, V c) : x(T(v.x)), y(T(v.y)), z(T(c)) {}
    template <typename U, typename V> CUWARP_GLM_CX vec(V c, const vec<2, U, Q> &v) : x(T(c)), y(T(v.x)), z(T(v.y)) {}
    CUWARP_GLM_CX T &operator[](length_t i) { return (&x)[i]; }
    CUWARP_GLM_CX const T &operator[](length_t i) const { return (&x)[i]; }
    template <typename U> CUWARP_GLM_CX std::enable_if_t<std::is_arithmetic<U>::value, vec &> operator+=(U s) {
        x += T(s);
        y += T(s);
        z += T(s);
        return *this;
    }
    template <typename U> CUWARP_GLM_CX vec &operator+=(const vec<3, U, Q> &v) {
        x += T(v.x);
        y += T(v.y);
        z += T(v.z);
        return *this;
    }
    template <typename U> CUWARP_GLM_CX std::enable_if_t<std::is_arithmetic<U>::value, vec &> operator-=(U s) {
        x -= T(s);
        y -= T(s);
        z -= T(s);
        return *this;
    }
    template <typename U> CUWARP_GLM_CX vec &operator-=(const vec<3, U, Q> &v) {
        x -= T(v.x);
        y -= T(v.y);
        z -= T(v.z);
        return *this;
    }
    template <typename U> CUWARP_GLM_CX std::enable_if_t<std::is_arithmetic<U>::value, vec &> operator*=(U s) {
        x *= T(s);
        y *= T(s);
        z *= T(s);
        return *this;
    }
    template <typename U> CUWARP_GLM_CX vec &operator*=(const vec<3, U, Q> &v) {
        x *= T(v.x);
        y *= T(v.y);
        z *= T(v.z);
        return *this;
    }
    template <typename U> CUWARP_GLM_CX std::enable_if_t<std::is_arithmetic<U>::value, vec &> operator/=(U s) {
        x /= T(s);
        y /= T(s);
        z /= T(s);
        return *this;
    }
    template <typename U> CUWARP_GLM_CX vec &operator/=(const vec<3, U, Q> &v) {
        x /= T(v.x);
        y /= T(v.y);
        z /= T(v.z);
        return *this;
    }
};
template <typename T, qualifier Q> struct vec<4, T, Q> {
    typedef T value_type;
    typedef vec type;
    union {
        T x, r;
    };
    union {
        T y, g;
    };
    union {
        T z, b;
    };
    union {
        T w, a;
    };
    CUWARP_GLM_CX static length_t length() { return 4; }
    vec() = default;
    template <typename U, typename = std::enable_if_t<std::is_arithmetic<U>::value>>
    CUWARP_GLM_CX explicit vec(U s) : x(T(s)), y(T(s)), z(T(s)), w(T(s)) {}
    template <typename A0, typename A1, typename A2, typename A3,
              typename = std::enable_if_t<std::is_arithmetic<A0>::value && std::is_arithmetic<A1>::value &&
                                          std::is_arithmetic<A2>::value && std::is_arithmetic<A3>::value>>
    CUWARP_GLM_CX vec(A0 a0, A1 a1, A2 a2, A3 a3) : x(T(a0)), y(T(a1)), z(T(a2)), w(T(a3)) {}
    template <typename U, qualifier P>
    CUWARP_GLM_CX vec(const vec<4, U, P> &v) : x(T(v.x)), y(T(v.y)), z(T(v.z)), w(T(v.w)) {}
    template <typename U, typename V>
    CUWARP_GLM_CX vec(const vec<3, U, Q> &v, V c) : x(T(v.x)), y(T(v.y)), z(T(v.z)), w(T(c)) {}
    template <typename U, typename V>
    CUWARP_GLM_CX vec(V c, const vec<3, U, Q> &v) : x(T(c)), y(T(v.x)), z(T(v.y)), w(T(v.z)) {}
    template <typename U, typename V>
    CUWARP_GLM_CX vec(const vec<2, U, Q> &v, const vec<2, V, Q> &u) : x(T(v.x)), y(T(v.y)), z(T(u.x)), w(T(u.y)) {}
    CUWARP_GLM_CX T &operator[](length_t i) { return (&x)[i]; }
    CUWARP_GLM_CX const T &operator[](length_t i) const { return (&x)[i]; }
    template <typename U> CUWARP_GLM_CX std::enable_if_t<std::is_arithmetic<U>::value, vec &> operator+=(U s) {
        x += T(s);
        y += T(s);
        z += T(s);
        w += T(s);
        return *this;
    }
    template <typename U> CUWARP_GLM_CX vec &operator+=(const vec<4, U, Q> &v) {
        x += T(v.x);
        y += T(v.y);
        z += T(v.z);
        w += T(v.w);
        return *this;
    }
    template <typename U> CUWARP_GLM_CX std::enable_if_t<std::is_arithmetic<U>::value, vec &> operator-=(U s) {
        x -= T(s);
        y -= T(s);
        z -= T(s);
        w -= T(s);
        return *this;
    }
    template <typename U> CUWARP_GLM_CX vec &operator-=(const vec<4, U, Q> &v) {
        x -= T(v.x);
        y -= T(v.y);
        z -= T(v.z);
        w -= T(v.w);
        return *this;
    }
    template <typename U> CUWARP_GLM_CX std::enable_if_t<std::is_arithmetic<U>::value, vec &> operator*=(U s) {
        x *= T(s);
        y *= T(s);
        z *= T(s);
        w *= T(s);
        return *this;
    }
    template <typename U> CUWARP_GLM_CX vec &operator*=(const vec<4, U, Q> &v) {
        x *= T(v.x);
        y *= T(v.y);
        z *= T(v.z);
        w *= T(v.w);
        return *this;
    }
    template <typename U> CUWARP_GLM_CX std::enable_if_t<std::is_arithmetic<U>::value, vec &> operator/=(U s) {
        x /= T(s);
        y /= T(s);
        z /= T(s);
        w /= T(s);
        return *this;
    }
    template <typename U> CUWARP_GLM_CX vec &operator/=(const vec<4, U, Q> &v) {
        x /= T(v.x);
        y /= T(v.y);
        z /= T(v.z);
        w /= T(v.w);
        return *this;
    }
};
template <typename T, qualifier Q> CUWARP_GLM_CX vec<2, T, Q> operator+(const vec<2, T, Q> &a, const vec<2, T, Q> &b) {
    return vec<2, T, Q>(T(a.x + b.x), T(a.y + b.y));
}
template <typename T, qualifier Q>
CUWARP_GLM_CX vec<2, T, Q> operator+(const vec<2, T, Q> &a, std::common_type_t<T> s) {
    return vec<2, T, Q>(T(a.x + s), T(a.y + s));
}
template <typename T, qualifier Q>
CUWARP_GLM_CX vec<2, T, Q> operator+(std::common_type_t<T> s, const vec<2, T, Q> &a) {
    return vec<2, T, Q>(T(s + a.x), T(s + a.y));
}
template <typename T, qualifier Q> CUWARP_GLM_CX vec<2, T, Q> operator-(const vec<2, T, Q> &a, const vec<2, T, Q> &b) {
    return vec<2, T, Q>(T(a.x - b.x), T(a.y - b.y));
}
template <typename T, qualifier Q>
CUWARP_GLM_CX vec<2, T, Q> operator-(const vec<2, T, Q> &a, std::common_type_t<T> s) {
    return vec<2, T, Q>(T(a.x - s), T(a.y - s));
}
template <typename T, qualifier Q>
CUWARP_GLM_CX vec<2, T, Q> operator-(std::common_type_t<T> s, const vec<2, T, Q> &a) {
    return vec<2, T, Q>(T(s - a.x), T(s - a.y));
}
template <typename T, qualifier Q> CUWARP_GLM_CX vec<2, T, Q> operator*(const vec<2, T, Q> &a, const vec<2, T, Q> &b) {
    return vec<2, T, Q>(T(a.x * b.x), T(a.y * b.y));
}
template <typename T, qualifier Q>
CUWARP_GLM_CX vec<2, T, Q> operator*(const vec<2, T, Q> &a, std::common_type_t<T> s) {
    return vec<2, T, Q>(T(a.x * s), T(a.y * s));
}
template <typename T, qualifier Q>
CUWARP_GLM_CX vec<2, T, Q> operator*(std::common_type_t<T> s, const vec<2, T, Q> &a) {
    return vec<2, T, Q>(T(s * a.x), T(s * a.y));
}
template <typename T, qualifier Q> CUWARP_GLM_CX vec<2, T, Q> operator/(const vec<2, T, Q> &a, const vec<2, T, Q> &b) {
    return vec<2, T, Q>(T(a.x / b.x), T(a.y / b.y));
}
template <typename T, qualifier Q>
CUWARP_GLM_CX vec<2, T, Q> operator/(const vec<2, T, Q> &a, std::common_type_t<T> s) {
    return vec<2, T, Q>(T(a.x / s), T(a.y / s));
}
template <typename T, qualifier Q>
CUWARP_GLM_CX vec<2, T, Q> operator/(std::common_type_t<T> s, const vec<2, T, Q> &a) {
    return vec<2, T, Q>(T(s / a.x), T(s / a.y));
}
template <typename T, qualifier Q> CUWARP_GLM_CX vec<2, T, Q> operator%(const vec<2, T, Q> &a, const vec<2, T, Q> &b) {
    return vec<2, T, Q>(T(a.x % b.x), T(a.y % b.y));
}
template <typename T, qualifier Q>
CUWARP_GLM_CX vec<2, T, Q> operator%(const vec<2, T, Q> &a, std::common_type_t<T> s) {
    return vec<2, T, Q>(T(a.x % s), T(a.y % s));
}
template <typename T, qualifier Q>
CUWARP_GLM_CX vec<2, T, Q> operator%(std::common_type_t<T> s, const vec<2, T, Q> &a) {
    return vec<2, T, Q>(T(s % a.x), T(s % a.y));
}
template <typename T, qualifier Q> CUWARP_GLM_CX vec<2, T, Q> operator&(const vec<2, T, Q> &a, const vec<2, T, Q> &b) {
    return vec<2, T, Q>(T(a.x & b.x), T(a.y & b.y));
}
template <typename T, qualifier Q> CUWARP_GLM_CX vec<2, T, Q> operator|(const vec<2, T, Q> &a, const vec<2, T, Q> &b) {
    return vec<2, T, Q>(T(a.x | b.x), T(a.y | b.y));
}
template <typename T, qualifier Q> CUWARP_GLM_CX vec<2, T, Q> operator^(const vec<2, T, Q> &a, const vec<2, T, Q> &b) {
    return vec<2, T, Q>(T(a.x ^ b.x), T(a.y ^ b.y));
}
template <typename T, qualifier Q> CUWARP_GLM_CX vec<2, T, Q> operator-(const vec<2, T, Q> &a) {
    return vec<2, T, Q>(-a.x, -a.y);
}
template <typename T, qualifier Q> CUWARP_GLM_CX bool operator==(const vec<2, T, Q> &a, const vec<2, T, Q> &b) {
    return a.x == b.x && a.y == b.y;
}
template <typename T, qualifier Q> CUWARP_GLM_CX bool operator!=(const vec<2, T, Q> &a, const vec<2, T, Q> &b) {
    return !(a == b);
}
template <typename T, qualifier Q> CUWARP_GLM T dot(const vec<2, T, Q> &a, const vec<2, T, Q> &b) {
    return a.x * b.x + a.y * b.y;
}
template <typename T, qualifier Q> CUWARP_GLM vec<2, T, Q> min(const vec<2, T, Q> &a, const vec<2, T, Q> &b) {
    return vec<2, T, Q>(b.x < a.x ? b.x : a.x, b.y < a.y ? b.y : a.y);
}
template <typename T, qualifier Q> CUWARP_GLM vec<2, T, Q> min(const vec<2, T, Q> &a, std::common_type_t<T> s) {
    return min(a, vec<2, T, Q>(s));
}
template <typename T, qualifier Q> CUWARP_GLM vec<2, T, Q> max(const vec<2, T, Q> &a, const vec<2, T, Q> &b) {
    return vec<2, T, Q>(a.x < b.x ? b.x : a.x, a.y < b.y ? b.y : a.y);
}
template <typename T, qualifier Q> CUWARP_GLM vec<2, T, Q> max(const vec<2, T, Q> &a, std::common_type_t<T> s) {
    return max(a, vec<2, T, Q>(s));
}
template <typename T, qualifier Q> CUWARP_GLM vec<2, T, Q> mod(const vec<2, T, Q> &a, const vec<2, T, Q> &b) {
    return vec<2, T, Q>(a.x - b.x * ::floor(a.x / b.x), a.y - b.y * ::floor(a.y / b.y));
}
template <typename T, qualifier Q> CUWARP_GLM vec<2, T, Q> mod(const vec<2, T, Q> &a, std::common_type_t<T> s) {
    return mod(a, vec<2, T, Q>(s));
}
template <typename T, qualifier Q> CUWARP_GLM vec<2, T, Q> pow(const vec<2, T, Q> &a, const vec<2, T, Q> &b) {
    return vec<2, T, Q>(T(::pow(a.x, b.x)), T(::pow(a.y, b.y)));
}
template <typename T, qualifier Q>
CUWARP_GLM vec<2, T, Q> clamp(const vec<2, T, Q> &v, std::common_type_t<T> a, std::common_type_t<T> b) {
    return min(max(v, a), b);
}
template <typename T, qualifier Q>
CUWARP_GLM vec<2, T, Q> clamp(const vec<2, T, Q> &v, const vec<2, T, Q> &a, const vec<2, T, Q> &b) {
    return min(max(v, a), b);
}
template <typename T, qualifier Q>
CUWARP_GLM vec<2, T, Q> mix(const vec<2, T, Q> &a, const vec<2, T, Q> &b, std::common_type_t<T> t) {
    return a * (T(1) - t) + b * t;
}
template <typename T, qualifier Q>
CUWARP_GLM vec<2, T, Q> mix(const vec<2, T, Q> &a, const vec<2, T, Q> &b, const vec<2, T, Q> &t) {
    return a * (vec<2, T, Q>(T(1)) - t) + b * t;
}
template <typename T, qualifier Q> CUWARP_GLM vec<2, T, Q> abs(const vec<2, T, Q> &a) {
    return vec<2, T, Q>(T(::fabs(a.x)), T(::fabs(a.y)));
}
template <typename T, qualifier Q> CUWARP_GLM vec<2, T, Q> floor(const vec<2, T, Q> &a) {
    return vec<2, T, Q>(T(::floor(a.x)), T(::floor(a.y)));
}
template <typename T, qualifier Q> CUWARP_GLM vec<2, T, Q> ceil(const vec<2, T, Q> &a) {
    return vec<2, T, Q>(T(::ceil(a.x)), T(::ceil(a.y)));
}
template <typename T, qualifier Q> CUWARP_GLM vec<2, T, Q> round(const vec<2, T, Q> &a) {
    return vec<2, T, Q>(T(::round(a.x)), T(::round(a.y)));
}
template <typename T, qualifier Q> CUWARP_GLM vec<2, T, Q> exp(const vec<2, T, Q> &a) {
    return vec<2, T, Q>(T(::exp(a.x)), T(::exp(a.y)));
}
template <typename T, qualifier Q> CUWARP_GLM vec<2, T, Q> exp2(const vec<2, T, Q> &a) {
    return vec<2, T, Q>(T(::exp2(a.x)), T(::exp2(a.y)));
}
template <typename T, qualifier Q> CUWARP_GLM vec<2, T, Q> log(const vec<2, T, Q> &a) {
    return vec<2, T, Q>(T(::log(a.x)), T(::log(a.y)));
}
template <typename T, qualifier Q> CUWARP_GLM vec<2, T, Q> log2(const vec<2, T, Q> &a) {
    return vec<2, T, Q>(T(::log2(a.x)), T(::log2(a.y)));
}
template <typename T, qualifier Q> CUWARP_GLM vec<2, T, Q> sqrt(const vec<2, T, Q> &a) {
    return vec<2, T, Q>(T(::sqrt(a.x)), T(::sqrt(a.y)));
}
template <typename T, qualifier Q> CUWARP_GLM vec<2, T, Q> sin(const vec<2, T, Q> &a) {
    return vec<2, T, Q>(T(::sin(a.x)), T(::sin(a.y)));
}
template <typename T, qualifier Q> CUWARP_GLM vec<2, T, Q> cos(const vec<2, T, Q> &a) {
    return vec<2, T, Q>(T(::cos(a.x)), T(::cos(a.y)));
}
template <typename T, qualifier Q> CUWARP_GLM vec<2, T, Q> tan(const vec<2, T, Q> &a) {
    return vec<2, T, Q>(T(::tan(a.x)), T(::tan(a.y)));
}
template <typename T, qualifier Q> CUWARP_GLM vec<2, T, Q> asin(const vec<2, T, Q> &a) {
    return vec<2, T, Q>(T(::asin(a.x)), T(::asin(a.y)));
}
template <typename T, qualifier Q> CUWARP_GLM vec<2, T, Q> acos(const vec<2, T, Q> &a) {
    return vec<2, T, Q>(T(::acos(a.x)), T(::acos(a.y)));
}
template <typename T, qualifier Q> CUWARP_GLM vec<2, T, Q> atan(const vec<2, T, Q> &a) {
    return vec<2, T, Q>(T(::atan(a.x)), T(::atan(a.y)));
}
template <typename T, qualifier Q> CUWARP_GLM vec<2, T, Q> sinh(const vec<2, T, Q> &a) {
    return vec<2, T, Q>(T(::sinh(a.x)), T(::sinh(a.y)));
}
template <typename T, qualifier Q> CUWARP_GLM vec<2, T, Q> cosh(const vec<2, T, Q> &a) {
    return vec<2, T, Q>(T(::cosh(a.x)), T(::cosh(a.y)));
}
template <typename T, qualifier Q> CUWARP_GLM vec<2, T, Q> tanh(const vec<2, T, Q> &a) {
    return vec<2, T, Q>(T(::tanh(a.x)), T(::tanh(a.y)));
}
template <typename T, qualifier Q> CUWARP_GLM vec<2, T, Q> trunc(const vec<2, T, Q> &a) {
    return vec<2, T, Q>(T(::trunc(a.x)), T(::trunc(a.y)));
}
template <typename T, qualifier Q> CUWARP_GLM vec<2, T, Q> fract(const vec<2, T, Q> &a) { return a - floor(a); }
template <typename T, qualifier Q> CUWARP_GLM vec<2, T, Q> sign(const vec<2, T, Q> &a) {
    return vec<2, T, Q>(T((a.x > T(0)) - (a.x < T(0))), T((a.y > T(0)) - (a.y < T(0))));
}
template <typename T, qualifier Q> CUWARP_GLM vec<2, bool, Q> lessThan(const vec<2, T, Q> &a, const vec<2, T, Q> &b) {
    return vec<2, bool, Q>(a.x < b.x, a.y < b.y);
}
template <typename T, qualifier Q>
CUWARP_GLM vec<2, bool, Q> lessThanEqual(const vec<2, T, Q> &a, const vec<2, T, Q> &b) {
    return vec<2, bool, Q>(a.x <= b.x, a.y <= b.y);
}
template <typename T, qualifier Q>
CUWARP_GLM vec<2, bool, Q> greaterThan(const vec<2, T, Q> &a, const vec<2, T, Q> &b) {
    return vec<2, bool, Q>(a.x > b.x, a.y > b.y);
}
template <typename T, qualifier Q>
CUWARP_GLM vec<2, bool, Q> greaterThanEqual(const vec<2, T, Q> &a, const vec<2, T, Q> &b) {
    return vec<2, bool, Q>(a.x >= b.x, a.y >= b.y);
}
template <typename T, qualifier Q> CUWARP_GLM vec<2, bool, Q> equal(const vec<2, T, Q> &a, const vec<2, T, Q> &b) {
    return vec<2, bool, Q>(a.x == b.x, a.y == b.y);
}
template <typename T, qualifier Q> CUWARP_GLM vec<2, bool, Q> notEqual(const vec<2, T, Q> &a, const vec<2, T, Q> &b) {
    return vec<2, bool, Q>(a.x != b.x, a.y != b.y);
}
template <qualifier Q> CUWARP_GLM bool any(const vec<2, bool, Q> &a) { return a.x || a.y; }
template <qualifier Q> CUWARP_GLM bool all(const vec<2, bool, Q> &a) { return a.x && a.y; }
template <typename T> CUWARP_GLM vec<2, T> make_vec2(const T *p) { return vec<2, T>(p[0], p[1]); }
template <typename T, qualifier Q> CUWARP_GLM_CX vec<3, T, Q> operator+(const vec<3, T, Q> &a, const vec<3, T, Q> &b) {
    return vec<3, T, Q>(T(a.x + b.x), T(a.y + b.y), T(a.z + b.z));
}
template <typename T, qualifier Q>
CUWARP_GLM_CX vec<3, T, Q> operator+(const vec<3, T, Q> &a, std::common_type_t<T> s) {
    return vec<3, T, Q>(T(a.x + s), T(a.y + s), T(a.z + s));
}
template <typename T, qualifier Q>
CUWARP_GLM_CX vec<3, T, Q> operator+(std::common_type_t<T> s, const vec<3, T, Q> &a) {
    return vec<3, T, Q>(T(s + a.x), T(s + a.y), T(s + a.z));
}
template <typename T, qualifier Q> CUWARP_GLM_CX vec<3, T, Q> operator-(const vec<3, T, Q> &a, const vec<3, T, Q> &b) {
    return vec<3, T, Q>(T(a.x - b.x), T(a.y - b.y), T(a.z - b.z));
}
template <typename T, qualifier Q>
CUWARP_GLM_CX vec<3, T, Q> operator-(const vec<3, T, Q> &a, std::common_type_t<T> s) {
    return vec<3, T, Q>(T(a.x - s), T(a.y - s), T(a.z - s));
}
template <typename T, qualifier Q>
CUWARP_GLM_CX vec<3, T, Q> operator-(std::common_type_t<T> s, const vec<3, T, Q> &a) {
    return vec<3, T, Q>(T(s - a.x), T(s - a.y), T(s - a.z));
}
template <typename T, qualifier Q> CUWARP_GLM_CX vec<3, T, Q> operator*(const vec<3, T, Q> &a, const vec<3, T, Q> &b) {
    return vec<3, T, Q>(T(a.x * b.x), T(a.y * b.y), T(a.z * b.z));
}
template <typename T, qualifier Q>
CUWARP_GLM_CX vec<3, T, Q> operator*(const vec<3, T, Q> &a, std::common_type_t<T> s) {
    return vec<3, T, Q>(T(a.x * s), T(a.y * s), T(a.z * s));
}
template <typename T, qualifier Q>
CUWARP_GLM_CX vec<3, T, Q> operator*(std::common_type_t<T> s, const vec<3, T, Q> &a) {
    return vec<3, T, Q>(T(s * a.x), T(s * a.y), T(s * a.z));
}
template <typename T, qualifier Q> CUWARP_GLM_CX vec<3, T, Q> operator/(const vec<3, T, Q> &a, const vec<3, T, Q> &b) {
    return vec<3, T, Q>(T(a.x / b.x), T(a.y / b.y), T(a.z / b.z));
}
template <typename T, qualifier Q>
CUWARP_GLM_CX vec<3, T, Q> operator/(const vec<3, T, Q> &a, std::common_type_t<T> s) {
    return vec<3, T, Q>(T(a.x / s), T(a.y / s), T(a.z / s));
}
template <typename T, qualifier Q>
CUWARP_GLM_CX vec<3, T, Q> operator/(std::common_type_t<T> s, const vec<3, T, Q> &a) {
    return vec<3, T, Q>(T(s / a.x), T(s / a.y), T(s / a.z));
}
template <typename T, qualifier Q> CUWARP_GLM_CX vec<3, T, Q> operator%(const vec<3, T, Q> &a, const vec<3, T, Q> &b) {
    return vec<3, T, Q>(T(a.x % b.x), T(a.y % b.y), T(a.z % b.z));
}
template <typename T, qualifier Q>
CUWARP_GLM_CX vec<3, T, Q> operator%(const vec<3, T, Q> &a, std::common_type_t<T> s) {
    return vec<3, T, Q>(T(a.x % s), T(a.y % s), T(a.z % s));
}
template <typename T, qualifier Q>
CUWARP_GLM_CX vec<3, T, Q> operator%(std::common_type_t<T> s, const vec<3, T, Q> &a) {
    return vec<3, T, Q>(T(s % a.x), T(s % a.y), T(s % a.z));
}
template <typename T, qualifier Q> CUWARP_GLM_CX vec<3, T, Q> operator&(const vec<3, T, Q> &a, const vec<3, T, Q> &b) {
    return vec<3, T, Q>(T(a.x & b.x), T(a.y & b.y), T(a.z & b.z));
}
template <typename T, qualifier Q> CUWARP_GLM_CX vec<3, T, Q> operator|(const vec<3, T, Q> &a, const vec<3, T, Q> &b) {
    return vec<3, T, Q>(T(a.x | b.x), T(a.y | b.y), T(a.z | b.z));
}
template <typename T, qualifier Q> CUWARP_GLM_CX vec<3, T, Q> operator^(const vec<3, T, Q> &a, const vec<3, T, Q> &b) {
    return vec<3, T, Q>(T(a.x ^ b.x), T(a.y ^ b.y), T(a.z ^ b.z));
}
template <typename T, qualifier Q> CUWARP_GLM_CX vec<3, T, Q> operator-(const vec<3, T, Q> &a) {
    return vec<3, T, Q>(-a.x, -a.y, -a.z);
}
template <typename T, qualifier Q> CUWARP_GLM_CX bool operator==(const vec<3, T, Q> &a, const vec<3, T, Q> &b) {
    return a.x == b.x && a.y == b.y && a.z == b.z;
}
template <typename T, qualifier Q> CUWARP_GLM_CX bool operator!=(const vec<3, T, Q> &a, const vec<3, T, Q> &b) {
    return !(a == b);
}
template <typename T, qualifier Q> CUWARP_GLM T dot(const vec<3, T, Q> &a, const vec<3, T, Q> &b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
template <typename T, qualifier Q> CUWARP_GLM vec<3, T, Q> min(const vec<3, T, Q> &a, const vec<3, T, Q> &b) {
    return vec<3, T, Q>(b.x < a.x ? b.x : a.x, b.y < a.y ? b.y : a.y, b.z < a.z ? b.z : a.z);
}
template <typename T, qualifier Q> CUWARP_GLM vec<3, T, Q> min(const vec<3, T, Q> &a, std::common_type_t<T> s) {
    return min(a, vec<3, T, Q>(s));
}
template <typename T, qualifier Q> CUWARP_GLM vec<3, T, Q> max(const vec<3, T, Q> &a, const vec<3, T, Q> &b) {
    return vec<3, T, Q>(a.x < b.x ? b.x : a.x, a.y < b.y ? b.y : a.y, a.z < b.z ? b.z : a.z);
}
template <typename T, qualifier Q> CUWARP_GLM vec<3, T, Q> max(const vec<3, T, Q> &a, std::common_type_t<T> s) {
    return max(a, vec<3, T, Q>(s));
}
template <typename T, qualifier Q> CUWARP_GLM vec<3, T, Q> mod(const vec<3, T, Q> &a, const vec<3, T, Q> &b) {
    return vec<3, T, Q>(a.x - b.x * ::floor(a.x / b.x), a.y - b.y * ::floor(a.y / b.y), a.z - b.z * ::floor(a.z / b.z));
}
template <typename T, qualifier Q> CUWARP_GLM vec<3, T, Q> mod(const vec<3, T, Q> &a, std::common_type_t<T> s) {
    return mod(a, vec<3, T, Q>(s));
}
template <typename T, qualifier Q> CUWARP_GLM vec<3, T, Q> pow(const vec<3, T, Q> &a, const vec<3, T, Q> &b) {
    return vec<3, T, Q>(T(::pow(a.x, b.x)), T(::pow(a.y, b.y)), T(::pow(a.z, b.z)));
}
template <typename T, qualifier Q>
CUWARP_GLM vec<3, T, Q> clamp(const vec<3, T, Q> &v, std::common_type_t<T> a, std::common_type_t<T> b) {
    return min(max(v, a), b);
}
template <typename T, qualifier Q>
CUWARP_GLM vec<3, T, Q> clamp(const vec<3, T, Q> &v, const vec<3, T, Q> &a, const vec<3, T, Q> &b) {
    return min(max(v, a), b);
}
template <typename T, qualifier Q>
CUWARP_GLM vec<3, T, Q> mix(const vec<3, T, Q> &a, const vec<3, T, Q> &b, std::common_type_t<T> t) {
    return a * (T(1) - t) + b * t;
}
template <typename T, qualifier Q>
CUWARP_GLM vec<3, T, Q> mix(const vec<3, T, Q> &a, const vec<3, T, Q> &b, const vec<3, T, Q> &t) {
    return a * (vec<3, T, Q>(T(1)) - t) + b * t;
}
template <typename T, qualifier Q> CUWARP_GLM vec<3, T, Q> abs(const vec<3, T, Q> &a) {
    return vec<3, T, Q>(T(::fabs(a.x)), T(::fabs(a.y)), T(::fabs(a.z)));
}
template <typename T, qualifier Q> CUWARP_GLM vec<3, T, Q> floor(const vec<3, T, Q> &a) {
    return vec<3, T, Q>(T(::floor(a.x)), T(::floor(a.y)), T(::floor(a.z)));
}
template <typename T, qualifier Q> CUWARP_GLM vec<3, T, Q> ceil(const vec<3, T, Q> &a) {
    return vec<3, T, Q>(T(::ceil(a.x)), T(::ceil(a.y)), T(::ceil(a.z)));
}
template <typename T, qualifier Q> CUWARP_GLM vec<3, T, Q> round(const vec<3, T, Q> &a) {
    return vec<3, T, Q>(T(::round(a.x)), T(::round(a.y)), T(::round(a.z)));
}
template <typename T, qualifier Q> CUWARP_GLM vec<3, T, Q> exp(const vec<3, T, Q> &a) {
    return vec<3, T, Q>(T(::exp(a.x)), T(::exp(a.y)), T(::exp(a.z)));
}
template <typename T, qualifier Q> CUWARP_GLM vec<3, T, Q> exp2(const vec<3, T, Q> &a) {
    return vec<3, T, Q>(T(::exp2(a.x)), T(::exp2(a.y)), T(::exp2(a.z)));
}
template <typename T, qualifier Q> CUWARP_GLM vec<3, T, Q> log(const vec<3, T, Q> &a) {
    return vec<3, T, Q>(T(::log(a.x)), T(::log(a.y)), T(::log(a.z)));
}
template <typename T, qualifier Q> CUWARP_GLM vec<3, T, Q> log2(const vec<3, T, Q> &a) {
    return vec<3, T, Q>(T(::log2(a.x)), T(::log2(a.y)), T(::log2(a.z)));
}
template <typename T, qualifier Q> CUWARP_GLM vec<3, T, Q> sqrt(const vec<3, T, Q> &a) {
    return vec<3, T, Q>(T(::sqrt(a.x)), T(::sqrt(a.y)), T(::sqrt(a.z)));
}
template <typename T, qualifier Q> CUWARP_GLM vec<3, T, Q> sin(const vec<3, T, Q> &a) {
    return vec<3, T, Q>(T(::sin(a.x)), T(::sin(a.y)), T(::sin(a.z)));
}
template <typename T, qualifier Q> CUWARP_GLM vec<3, T, Q> cos(const vec<3, T, Q> &a) {
    return vec<3, T, Q>(T(::cos(a.x)), T(::cos(a.y)), T(::cos(a.z)));
}
template <typename T, qualifier Q> CUWARP_GLM vec<3, T, Q> tan(const vec<3, T, Q> &a) {
    return vec<3, T, Q>(T(::tan(a.x)), T(::tan(a.y)), T(::tan(a.z)));
}
template <typename T, qualifier Q> CUWARP_GLM vec<3, T, Q> asin(const vec<3, T, Q> &a) {
    return vec<3, T, Q>(T(::asin(a.x)), T(::asin(a.y)), T(::asin(a.z)));
}
template <typename T, qualifier Q> CUWARP_GLM vec<3, T, Q> acos(const vec<3, T, Q> &a) {
    return vec<3, T, Q>(T(::acos(a.x)), T(::acos(a.y)), T(::acos(a.z)));
}
template <typename T, qualifier Q> CUWARP_GLM vec<3, T, Q> atan(const vec<3, T, Q> &a) {
    return vec<3, T, Q>(T(::atan(a.x)), T(::atan(a.y)), T(::atan(a.z)));
}
template <typename T, qualifier Q> CUWARP_GLM vec<3, T, Q> sinh(const vec<3, T, Q> &a) {
    return vec<3, T, Q>(T(::sinh(a.x)), T(::sinh(a.y)), T(::sinh(a.z)));
}
template <typename T, qualifier Q> CUWARP_GLM vec<3, T, Q> cosh(const vec<3, T, Q> &a) {
    return vec<3, T, Q>(T(::cosh(a.x)), T(::cosh(a.y)), T(::cosh(a.z)));
}
template <typename T, qualifier Q> CUWARP_GLM vec<3, T, Q> tanh(const vec<3, T, Q> &a) {
    return vec<3, T, Q>(T(::tanh(a.x)), T(::tanh(a.y)), T(::tanh(a.z)));
}
template <typename T, qualifier Q> CUWARP_GLM vec<3, T, Q> trunc(const vec<3, T, Q> &a) {
    return vec<3, T, Q>(T(::trunc(a.x)), T(::trunc(a.y)), T(::trunc(a.z)));
}
template <typename T, qualifier Q> CUWARP_GLM vec<3, T, Q> fract(const vec<3, T, Q> &a) { return a - floor(a); }
template <typename T, qualifier Q> CUWARP_GLM vec<3, T, Q> sign(const vec<3, T, Q> &a) {
    return vec<3, T, Q>(T((a.x > T(0)) - (a.x < T(0))), T((a.y > T(0)) - (a.y < T(0))), T((a.z > T(0)) - (a.z < T(0))));
}
template <typename T, qualifier Q> CUWARP_GLM vec<3, bool, Q> lessThan(const vec<3, T, Q> &a, const vec<3, T, Q> &b) {
    return vec<3, bool, Q>(a.x < b.x, a.y < b.y, a.z < b.z);
}
template <typename T, qualifier Q>
CUWARP_GLM vec<3, bool, Q> lessThanEqual(const vec<3, T, Q> &a, const vec<3, T, Q> &b) {
    return vec<3, bool, Q>(a.x <= b.x, a.y <= b.y, a.z <= b.z);
}
template <typename T, qualifier Q>
CUWARP_GLM vec<3, bool, Q> greaterThan(const vec<3, T, Q> &a, const vec<3, T, Q> &b) {
    return vec<3, bool, Q>(a.x > b.x, a.y > b.y, a.z > b.z);
}
template <typename T, qualifier Q>
CUWARP_GLM vec<3, bool, Q> greaterThanEqual(const vec<3, T, Q> &a, const vec<3, T, Q> &b) {
    return vec<3, bool, Q>(a.x >= b.x, a.y >= b.y, a.z >= b.z);
}
template <typename T, qualifier Q> CUWARP_GLM vec<3, bool, Q> equal(const vec<3, T, Q> &a, const vec<3, T, Q> &b) {
    return vec<3, bool, Q>(a.x == b.x, a.y == b.y, a.z == b.z);
}
template <typename T, qualifier Q> CUWARP_GLM vec<3, bool, Q> notEqual(const vec<3, T, Q> &a, const vec<3, T, Q> &b) {
    return vec<3, bool, Q>(a.x != b.x, a.y != b.y, a.z != b.z);
}
template <qualifier Q> CUWARP_GLM bool any(const vec<3, bool, Q> &a) { return a.x || a.y || a.z; }
template <qualifier Q> CUWARP_GLM bool all(const vec<3, bool, Q> &a) { return a.x && a.y && a.z; }
template <typename T> CUWARP_GLM vec<3, T> make_vec3(const T *p) { return vec<3, T>(p[0], p[1], p[2]); }
template <typename T, qualifier Q> CUWARP_GLM_CX vec<4, T, Q> operator+(const vec<4, T, Q> &a, const vec<4, T, Q> &b) {
    return vec<4, T, Q>(T(a.x + b.x), T(a.y + b.y), T(a.z + b.z), T(a.w + b.w));
}
template <typename T, qualifier Q>
CUWARP_GLM_CX vec<4, T, Q> operator+(const vec<4, T, Q> &a, std::common_type_t<T> s) {
    return vec<4, T, Q>(T(a.x + s), T(a.y + s), T(a.z + s), T(a.w + s));
}
template <typename T, qualifier Q>
CUWARP_GLM_CX vec<4, T, Q> operator+(std::common_type_t<T> s, const vec<4, T, Q> &a) {
    return vec<4, T, Q>(T(s + a.x), T(s + a.y), T(s + a.z), T(s + a.w));
}
template <typename T, qualifier Q> CUWARP_GLM_CX vec<4, T, Q> operator-(const vec<4, T, Q> &a, const vec<4, T, Q> &b) {
    return vec<4, T, Q>(T(a.x - b.x), T(a.y - b.y), T(a.z - b.z), T(a.w - b.w));
}
template <typename T, qualifier Q>
CUWARP_GLM_CX vec<4, T, Q> operator-(const vec<4, T, Q> &a, std::common_type_t<T> s) {
    return vec<4, T, Q>(T(a.x - s), T(a.y - s), T(a.z - s), T(a.w - s));
}
template <typename T, qualifier Q>
CUWARP_GLM_CX vec<4, T, Q> operator-(std::common_type_t<T> s, const vec<4, T, Q> &a) {
    return vec<4, T, Q>(T(s - a.x), T(s - a.y), T(s - a.z), T(s - a.w));
}
template <typename T, qualifier Q> CUWARP_GLM_CX vec<4, T, Q> operator*(const vec<4, T, Q> &a, const vec<4, T, Q> &b) {
    return vec<4, T, Q>(T(a.x * b.x), T(a.y * b.y), T(a.z * b.z), T(a.w * b.w));
}
template <typename T, qualifier Q>
CUWARP_GLM_CX vec<4, T, Q> operator*(const vec<4, T, Q> &a, std::common_type_t<T> s) {
    return vec<4, T, Q>(T(a.x * s), T(a.y * s), T(a.z * s), T(a.w * s));
}
template <typename T, qualifier Q>
CUWARP_GLM_CX vec<4, T, Q> operator*(std::common_type_t<T> s, const vec<4, T, Q> &a) {
    return vec<4, T, Q>(T(s * a.x), T(s * a.y), T(s * a.z), T(s * a.w));
}
template <typename T, qualifier Q> CUWARP_GLM_CX vec<4, T, Q> operator/(const vec<4, T, Q> &a, const vec<4, T, Q> &b) {
    return vec<4, T, Q>(T(a.x / b.x), T(a.y / b.y), T(a.z / b.z), T(a.w / b.w));
}
template <typename T, qualifier Q>
CUWARP_GLM_CX vec<4, T, Q> operator/(const vec<4, T, Q> &a, std::common_type_t<T> s) {
    return vec<4, T, Q>(T(a.x / s), T(a.y / s), T(a.z / s), T(a.w / s));
}
template <typename T, qualifier Q>
CUWARP_GLM_CX vec<4, T, Q> operator/(std::common_type_t<T> s, const vec<4, T, Q> &a) {
    return vec<4, T, Q>(T(s / a.x), T(s / a.y), T(s / a.z), T(s / a.w));
}
template <typename T, qualifier Q> CUWARP_GLM_CX vec<4, T, Q> operator%(const vec<4, T, Q> &a, const vec<4, T, Q> &b) {
    return vec<4, T, Q>(T(a.x % b.x), T(a.y % b.y), T(a.z % b.z), T(a.w % b.w));
}
template <typename T, qualifier Q>
CUWARP_GLM_CX vec<4, T, Q> operator%(const vec<4, T, Q> &a, std::common_type_t<T> s) {
    return vec<4, T, Q>(T(a.x % s), T(a.y % s), T(a.z % s), T(a.w % s));
}
template <typename T, qualifier Q>
CUWARP_GLM_CX vec<4, T, Q> operator%(std::common_type_t<T> s, const vec<4, T, Q> &a) {
    return vec<4, T, Q>(T(s % a.x), T(s % a.y), T(s % a.z), T(s % a.w));
}
template <typename T, qualifier Q> CUWARP_GLM_CX vec<4, T, Q> operator&(const vec<4, T, Q> &a, const vec<4, T, Q> &b) {
    return vec<4, T, Q>(T(a.x & b.x), T(a.y & b.y), T(a.z & b.z), T(a.w & b.w));
}
template <typename T, qualifier Q> CUWARP_GLM_CX vec<4, T, Q> operator|(const vec<4, T, Q> &a, const vec<4, T, Q> &b) {
    return vec<4, T, Q>(T(a.x | b.x), T(a.y | b.y), T(a.z | b.z), T(a.w | b.w));
}
template <typename T, qualifier Q> CUWARP_GLM_CX vec<4, T, Q> operator^(const vec<4, T, Q> &a, const vec<4, T, Q> &b) {
    return vec<4, T, Q>(T(a.x ^ b.x), T(a.y ^ b.y), T(a.z ^ b.z), T(a.w ^ b.w));
}
template <typename T, qualifier Q> CUWARP_GLM_CX vec<4, T, Q> operator-(const vec<4, T, Q> &a) {
    return vec<4, T, Q>(-a.x, -a.y, -a.z, -a.w);
}
template <typename T, qualifier Q> CUWARP_GLM_CX bool operator==(const vec<4, T, Q> &a, const vec<4, T, Q> &b) {
    return a.x == b.x && a.y == b.y && a.z == b.z && a.w == b.w;
}
template <typename T, qualifier Q> CUWARP_GLM_CX bool operator!=(const vec<4, T, Q> &a, const vec<4, T, Q> &b) {
    return !(a == b);
}
template <typename T, qualifier Q> CUWARP_GLM T dot(const vec<4, T, Q> &a, const vec<4, T, Q> &b) {
    return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
}
template <typename T, qualifier Q> CUWARP_GLM vec<4, T, Q> min(const vec<4, T, Q> &a, const vec<4, T, Q> &b) {
    return vec<4, T, Q>(b.x < a.x ? b.x : a.x, b.y < a.y ? b.y : a.y, b.z < a.z ? b.z : a.z, b.w < a.w ? b.w : a.w);
}
template <typename T, qualifier Q> CUWARP_GLM vec<4, T, Q> min(const vec<4, T, Q> &a, std::common_type_t<T> s) {
    return min(a, vec<4, T, Q>(s));
}
template <typename T, qualifier Q> CUWARP_GLM vec<4, T, Q> max(const vec<4, T, Q> &a, const vec<4, T, Q> &b) {
    return vec<4, T, Q>(a.x < b.x ? b.x : a.x, a.y < b.y ? b.y : a.y, a.z < b.z ? b.z : a.z, a.w < b.w ? b.w : a.w);
}
template <typename T, qualifier Q> CUWARP_GLM vec<4, T, Q> max(const vec<4, T, Q> &a, std::common_type_t<T> s) {
    return max(a, vec<4, T, Q>(s));
}
template <typename T, qualifier Q> CUWARP_GLM vec<4, T, Q> mod(const vec<4, T, Q> &a, const vec<4, T, Q> &b) {
    return vec<4, T, Q>(a.x - b.x * ::floor(a.x / b.x), a.y - b.y * ::floor(a.y / b.y), a.z - b.z * ::floor(a.z / b.z),
                        a.w - b.w * ::floor(a.w / b.w));
}
template <typename T, qualifier Q> CUWARP_GLM vec<4, T, Q> mod(const vec<4, T, Q> &a, std::common_type_t<T> s) {
    return mod(a, vec<4, T, Q>(s));
}
template <typename T, qualifier Q> CUWARP_GLM vec<4, T, Q> pow(const vec<4, T, Q> &a, const vec<4, T, Q> &b) {
    return vec<4, T, Q>(T(::pow(a.x, b.x)), T(::pow(a.y, b.y)), T(::pow(a.z, b.z)), T(::pow(a.w, b.w)));
}
template <typename T, qualifier Q>
CUWARP_GLM vec<4, T, Q> clamp(const vec<4, T, Q> &v, std::common_type_t<T> a, std::common_type_t<T> b) {
    return min(max(v, a), b);
}
template <typename T, qualifier Q>
CUWARP_GLM vec<4, T, Q> clamp(const vec<4, T, Q> &v, const vec<4, T, Q> &a, const vec<4, T, Q> &b) {
    return min(max(v, a), b);
}
template <typename T, qualifier Q>
CUWARP_GLM vec<4, T, Q> mix(const vec<4, T, Q> &a, const vec<4, T, Q> &b, std::common_type_t<T> t) {
    return a * (T(1) - t) + b * t;
}
template <typename T, qualifier Q>
CUWARP_GLM vec<4, T, Q> mix(const vec<4, T, Q> &a, const vec<4, T, Q> &b, const vec<4, T, Q> &t) {
    return a * (vec<4, T, Q>(T(1)) - t) + b * t;
}
template <typename T, qualifier Q> CUWARP_GLM vec<4, T, Q> abs(const vec<4, T, Q> &a) {
    return vec<4, T, Q>(T(::fabs(a.x)), T(::fabs(a.y)), T(::fabs(a.z)), T(::fabs(a.w)));
}
template <typename T, qualifier Q> CUWARP_GLM vec<4, T, Q> floor(const vec<4, T, Q> &a) {
    return vec<4, T, Q>(T(::floor(a.x)), T(::floor(a.y)), T(::floor(a.z)), T(::floor(a.w)));
}
template <typename T, qualifier Q> CUWARP_GLM vec<4, T, Q> ceil(const vec<4, T, Q> &a) {
    return vec<4, T, Q>(T(::ceil(a.x)), T(::ceil(a.y)), T(::ceil(a.z)), T(::ceil(a.w)));
}
template <typename T, qualifier Q> CUWARP_GLM vec<4, T, Q> round(const vec<4, T, Q> &a) {
    return vec<4, T, Q>(T(::round(a.x)), T(::round(a.y)), T(::round(a.z)), T(::round(a.w)));
}
template <typename T, qualifier Q> CUWARP_GLM vec<4, T, Q> exp(const vec<4, T, Q> &a) {
    return vec<4, T, Q>(T(::exp(a.x)), T(::exp(a.y)), T(::exp(a.z)), T(::exp(a.w)));
}
template <typename T, qualifier Q> CUWARP_GLM vec<4, T, Q> exp2(const vec<4, T, Q> &a) {
    return vec<4, T, Q>(T(::exp2(a.x)), T(::exp2(a.y)), T(::exp2(a.z)), T(::exp2(a.w)));
}
template <typename T, qualifier Q> CUWARP_GLM vec<4, T, Q> log(const vec<4, T, Q> &a) {
    return vec<4, T, Q>(T(::log(a.x)), T(::log(a.y)), T(::log(a.z)), T(::log(a.w)));
}
template <typename T, qualifier Q> CUWARP_GLM vec<4, T, Q> log2(const vec<4, T, Q> &a) {
    return vec<4, T, Q>(T(::log2(a.x)), T(::log2(a.y)), T(::log2(a.z)), T(::log2(a.w)));
}
template <typename T, qualifier Q> CUWARP_GLM vec<4, T, Q> sqrt(const vec<4, T, Q> &a) {
    return vec<4, T, Q>(T(::sqrt(a.x)), T(::sqrt(a.y)), T(::sqrt(a.z)), T(::sqrt(a.w)));
}
template <typename T, qualifier Q> CUWARP_GLM vec<4, T, Q> sin(const vec<4, T, Q> &a) {
    return vec<4, T, Q>(T(::sin(a.x)), T(::sin(a.y)), T(::sin(a.z)), T(::sin(a.w)));
}
template <typename T, qualifier Q> CUWARP_GLM vec<4, T, Q> cos(const vec<4, T, Q> &a) {
    return vec<4, T, Q>(T(::cos(a.x)), T(::cos(a.y)), T(::cos(a.z)), T(::cos(a.w)));
}
template <typename T, qualifier Q> CUWARP_GLM vec<4, T, Q> tan(const vec<4, T, Q> &a) {
    return vec<4, T, Q>(T(::tan(a.x)), T(::tan(a.y)), T(::tan(a.z)), T(::tan(a.w)));
}
template <typename T, qualifier Q> CUWARP_GLM vec<4, T, Q> asin(const vec<4, T, Q> &a) {
    return vec<4, T, Q>(T(::asin(a.x)), T(::asin(a.y)), T(::asin(a.z)), T(::asin(a.w)));
}
template <typename T, qualifier Q> CUWARP_GLM vec<4, T, Q> acos(const vec<4, T, Q> &a) {
    return vec<4, T, Q>(T(::acos(a.x)), T(::acos(a.y)), T(::acos(a.z)), T(::acos(a.w)));
}
template <typename T, qualifier Q> CUWARP_GLM vec<4, T, Q> atan(const vec<4, T, Q> &a) {
    return vec<4, T, Q>(T(::atan(a.x)), T(::atan(a.y)), T(::atan(a.z)), T(::atan(a.w)));
}
template <typename T, qualifier Q> CUWARP_GLM vec<4, T, Q> sinh(const vec<4, T, Q> &a) {
    return vec<4, T, Q>(T(::sinh(a.x)), T(::sinh(a.y)), T(::sinh(a.z)), T(::sinh(a.w)));
}
template <typename T, qualifier Q> CUWARP_GLM vec<4, T, Q> cosh(const vec<4, T, Q> &a) {
    return vec<4, T, Q>(T(::cosh(a.x)), T(::cosh(a.y)), T(::cosh(a.z)), T(::cosh(a.w)));
}
template <typename T, qualifier Q> CUWARP_GLM vec<4, T, Q> tanh(const vec<4, T, Q> &a) {
    return vec<4, T, Q>(T(::tanh(a.x)), T(::tanh(a.y)), T(::tanh(a.z)), T(::tanh(a.w)));
}
template <typename T, qualifier Q> CUWARP_GLM vec<4, T, Q> trunc(const vec<4, T, Q> &a) {
    return vec<4, T, Q>(T(::trunc(a.x)), T(::trunc(a.y)), T(::trunc(a.z)), T(::trunc(a.w)));
}
template <typename T, qualifier Q> CUWARP_GLM vec<4, T, Q> fract(const vec<4, T, Q> &a) { return a - floor(a); }
template <typename T, qualifier Q> CUWARP_GLM vec<4, T, Q> sign(const vec<4, T, Q> &a) {
    return vec<4, T, Q>(T((a.x > T(0)) - (a.x < T(0))), T((a.y > T(0)) - (a.y < T(0))), T((a.z > T(0)) - (a.z < T(0))),
                        T((a.w > T(0)) - (a.w < T(0))));
}
template <typename T, qualifier Q> CUWARP_GLM vec<4, bool, Q> lessThan(const vec<4, T, Q> &a, const vec<4, T, Q> &b) {
    return vec<4, bool, Q>(a.x < b.x, a.y < b.y, a.z < b.z, a.w < b.w);
}
template <typename T, qualifier Q>
CUWARP_GLM vec<4, bool, Q> lessThanEqual(const vec<4, T, Q> &a, const vec<4, T, Q> &b) {
    return vec<4, bool, Q>(a.x <= b.x, a.y <= b.y, a.z <= b.z, a.w <= b.w);
}
template <typename T, qualifier Q>
CUWARP_GLM vec<4, bool, Q> greaterThan(const vec<4, T, Q> &a, const vec<4, T, Q> &b) {
    return vec<4, bool, Q>(a.x > b.x, a.y > b.y, a.z > b.z, a.w > b.w);
}
template <typename T, qualifier Q>
CUWARP_GLM vec<4, bool, Q> greaterThanEqual(const vec<4, T, Q> &a, const vec<4, T, Q> &b) {
    return vec<4, bool, Q>(a.x >= b.x, a.y >= b.y, a.z >= b.z, a.w >= b.w);
}
template <typename T, qualifier Q> CUWARP_GLM vec<4, bool, Q> equal(const vec<4, T, Q> &a, const vec<4, T, Q> &b) {
    return vec<4, bool, Q>(a.x == b.x, a.y == b.y, a.z == b.z, a.w == b.w);
}
template <typename T, qualifier Q> CUWARP_GLM vec<4, bool, Q> notEqual(const vec<4, T, Q> &a, const vec<4, T, Q> &b) {
    return vec<4, bool, Q>(a.x != b.x, a.y != b.y, a.z != b.z, a.w != b.w);
}
template <qualifier Q> CUWARP_GLM bool any(const vec<4, bool, Q> &a) { return a.x || a.y || a.z || a.w; }
template <qualifier Q> CUWARP_GLM bool all(const vec<4, bool, Q> &a) { return a.x && a.y && a.z && a.w; }
template <typename T> CUWARP_GLM vec<4, T> make_vec4(const T *p) { return vec<4, T>(p[0], p[1], p[2], p[3]); }
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
#define CUWARP_GLM_SCALAR(name, f)                                                                                     \
    template <typename T> CUWARP_GLM std::enable_if_t<std::is_arithmetic<T>::value, T> name(T v) { return T(::f(v)); }
CUWARP_GLM_SCALAR(abs, fabs)
CUWARP_GLM_SCALAR(floor, floor) CUWARP_GLM_SCALAR(ceil, ceil) CUWARP_GLM_SCALAR(round, round)
    CUWARP_GLM_SCALAR(exp, exp) CUWARP_GLM_SCALAR(log, log) CUWARP_GLM_SCALAR(log2, log2) CUWARP_GLM_SCALAR(sqrt, sqrt)
        CUWARP_GLM_SCALAR(sin, sin) CUWARP_GLM_SCALAR(cos, cos) CUWARP_GLM_SCALAR(tan, tan)
            CUWARP_GLM_SCALAR(asin, asin) CUWARP_GLM_SCALAR(acos, acos) CUWARP_GLM_SCALAR(inversesqrt, rsqrt)
                CUWARP_GLM_SCALAR(atan, atan) template <typename T>
                CUWARP_GLM std::enable_if_t<std::is_arithmetic<T>::value, T> atan(T a, T b) {
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
template <typename T, qualifier Q> struct mat<2, 2, T, Q> {
    typedef T value_type;
    typedef vec<2, T, Q> col_type;
    vec<2, T, Q> value[2];
    mat() = default;
    CUWARP_GLM_CX static length_t length() { return 2; }
    template <typename U, typename = std::enable_if_t<std::is_arithmetic<U>::value>>
    CUWARP_GLM_CX explicit mat(U s) : value{vec<2, T, Q>(T(s), T(0)), vec<2, T, Q>(T(0), T(s))} {}
    CUWARP_GLM_CX mat(const vec<2, T, Q> &c0, const vec<2, T, Q> &c1) : value{c0, c1} {}
    CUWARP_GLM_CX mat(T m00, T m01, T m10, T m11) : value{vec<2, T, Q>(m00, m01), vec<2, T, Q>(m10, m11)} {}
    CUWARP_GLM_CX explicit mat(const mat<3, 3, T, Q> &m)
        : value{vec<2, T, Q>(m[0][0], m[0][1]), vec<2, T, Q>(m[1][0], m[1][1])} {}
    CUWARP_GLM_CX explicit mat(const mat<4, 4, T, Q> &m)
        : value{vec<2, T, Q>(m[0][0], m[0][1]), vec<2, T, Q>(m[1][0], m[1][1])} {}
    CUWARP_GLM_CX vec<2, T, Q> &operator[](length_t i) { return value[i]; }
    CUWARP_GLM_CX const vec<2, T, Q> &operator[](length_t i) const { return value[i]; }
    CUWARP_GLM_CX mat &operator+=(const mat &m) {
        value[0] += m.value[0];
        value[1] += m.value[1];
        return *this;
    }
    CUWARP_GLM_CX mat &operator-=(const mat &m) {
        value[0] -= m.value[0];
        value[1] -= m.value[1];
        return *this;
    }
    CUWARP_GLM_CX mat &operator*=(T s) {
        value[0] *= s;
        value[1] *= s;
        return *this;
    }
    CUWARP_GLM_CX mat &operator/=(T s) {
        value[0] /= s;
        value[1] /= s;
        return *this;
    }
};
template <typename T, qualifier Q>
CUWARP_GLM mat<2, 2, T, Q> operator+(const mat<2, 2, T, Q> &a, const mat<2, 2, T, Q> &b) {
    return mat<2, 2, T, Q>(a[0] + b[0], a[1] + b[1]);
}
template <typename T, qualifier Q>
CUWARP_GLM mat<2, 2, T, Q> operator-(const mat<2, 2, T, Q> &a, const mat<2, 2, T, Q> &b) {
    return mat<2, 2, T, Q>(a[0] - b[0], a[1] - b[1]);
}
template <typename T, qualifier Q> CUWARP_GLM mat<2, 2, T, Q> operator-(const mat<2, 2, T, Q> &a) {
    return mat<2, 2, T, Q>(-a[0], -a[1]);
}
template <typename T, qualifier Q>
CUWARP_GLM mat<2, 2, T, Q> operator*(const mat<2, 2, T, Q> &a, std::common_type_t<T> s) {
    return mat<2, 2, T, Q>(a[0] * s, a[1] * s);
}
template <typename T, qualifier Q>
CUWARP_GLM mat<2, 2, T, Q> operator/(const mat<2, 2, T, Q> &a, std::common_type_t<T> s) {
    return mat<2, 2, T, Q>(a[0] / s, a[1] / s);
}
template <typename T, qualifier Q>
CUWARP_GLM mat<2, 2, T, Q> operator*(std::common_type_t<T> s, const mat<2, 2, T, Q> &a) {
    return a * s;
}
template <typename T, qualifier Q> CUWARP_GLM vec<2, T, Q> operator*(const mat<2, 2, T, Q> &m, const vec<2, T, Q> &v) {
    return m[0] * v[0] + m[1] * v[1];
}
template <typename T, qualifier Q> CUWARP_GLM vec<2, T, Q> operator*(const vec<2, T, Q> &v, const mat<2, 2, T, Q> &m) {
    return vec<2, T, Q>(dot(m[0], v), dot(m[1], v));
}
template <typename T, qualifier Q> CUWARP_GLM mat<2, 2, T, Q> transpose(const mat<2, 2, T, Q> &m) {
    return mat<2, 2, T, Q>(m[0][0], m[1][0], m[0][1], m[1][1]);
}
template <typename T, qualifier Q>
CUWARP_GLM mat<2, 2, T, Q> outerProduct(const vec<2, T, Q> &c, const vec<2, T, Q> &r) {
    return mat<2, 2, T, Q>(c * r[0], c * r[1]);
}
template <typename T, qualifier Q>
CUWARP_GLM mat<2, 2, T, Q> operator*(const mat<2, 2, T, Q> &a, const mat<2, 2, T, Q> &b) {
    return mat<2, 2, T, Q>(a * b[0], a * b[1]);
}
template <typename T, qualifier Q>
CUWARP_GLM mat<3, 2, T, Q> operator*(const mat<2, 2, T, Q> &a, const mat<3, 2, T, Q> &b) {
    return mat<3, 2, T, Q>(a * b[0], a * b[1], a * b[2]);
}
template <typename T, qualifier Q>
CUWARP_GLM mat<4, 2, T, Q> operator*(const mat<2, 2, T, Q> &a, const mat<4, 2, T, Q> &b) {
    return mat<4, 2, T, Q>(a * b[0], a * b[1], a * b[2], a * b[3]);
}
template <typename T, qualifier Q> struct mat<2, 3, T, Q> {
    typedef T value_type;
    typedef vec<3, T, Q> col_type;
    vec<3, T, Q> value[2];
    mat() = default;
    CUWARP_GLM_CX static length_t length() { return 2; }
    template <typename U, typename = std::enable_if_t<std::is_arithmetic<U>::value>>
    CUWARP_GLM_CX explicit mat(U s) : value{vec<3, T, Q>(T(s), T(0), T(0)), vec<3, T, Q>(T(0), T(s), T(0))} {}
    CUWARP_GLM_CX mat(const vec<3, T, Q> &c0, const vec<3, T, Q> &c1) : value{c0, c1} {}
    CUWARP_GLM_CX mat(T m00, T m01, T m02, T m10, T m11, T m12)
        : value{vec<3, T, Q>(m00, m01, m02), vec<3, T, Q>(m10, m11, m12)} {}
    CUWARP_GLM_CX vec<3, T, Q> &operator[](length_t i) { return value[i]; }
    CUWARP_GLM_CX const vec<3, T, Q> &operator[](length_t i) const { return value[i]; }
    CUWARP_GLM_CX mat &operator+=(const mat &m) {
        value[0] += m.value[0];
        value[1] += m.value[1];
        return *this;
    }
    CUWARP_GLM_CX mat &operator-=(const mat &m) {
        value[0] -= m.value[0];
        value[1] -= m.value[1];
        return *this;
    }
    CUWARP_GLM_CX mat &operator*=(T s) {
        value[0] *= s;
        value[1] *= s;
        return *this;
    }
    CUWARP_GLM_CX mat &operator/=(T s) {
        value[0] /= s;
        value[1] /= s;
        return *this;
    }
};
template <typename T, qualifier Q>
CUWARP_GLM mat<2, 3, T, Q> operator+(const mat<2, 3, T, Q> &a, const mat<2, 3, T, Q> &b) {
    return mat<2, 3, T, Q>(a[0] + b[0], a[1] + b[1]);
}
template <typename T, qualifier Q>
CUWARP_GLM mat<2, 3, T, Q> operator-(const mat<2, 3, T, Q> &a, const mat<2, 3, T, Q> &b) {
    return mat<2, 3, T, Q>(a[0] - b[0], a[1] - b[1]);
}
template <typename T, qualifier Q> CUWARP_GLM mat<2, 3, T, Q> operator-(const mat<2, 3, T, Q> &a) {
    return mat<2, 3, T, Q>(-a[0], -a[1]);
}
template <typename T, qualifier Q>
CUWARP_GLM mat<2, 3, T, Q> operator*(const mat<2, 3, T, Q> &a, std::common_type_t<T> s) {
    return mat<2, 3, T, Q>(a[0] * s, a[1] * s);
}
template <typename T, qualifier Q>
CUWARP_GLM mat<2, 3, T, Q> operator/(const mat<2, 3, T, Q> &a, std::common_type_t<T> s) {
    return mat<2, 3, T, Q>(a[0] / s, a[1] / s);
}
template <typename T, qualifier Q>
CUWARP_GLM mat<2, 3, T, Q> operator*(std::common_type_t<T> s, const mat<2, 3, T, Q> &a) {
    return a * s;
}
template <typename T, qualifier Q> CUWARP_GLM vec<3, T, Q> operator*(const mat<2, 3, T, Q> &m, const vec<2, T, Q> &v) {
    return m[0] * v[0] + m[1] * v[1];
}
template <typename T, qualifier Q> CUWARP_GLM vec<2, T, Q> operator*(const vec<3, T, Q> &v, const mat<2, 3, T, Q> &m) {
    return vec<2, T, Q>(dot(m[0], v), dot(m[1], v));
}
template <typename T, qualifier Q> CUWARP_GLM mat<3, 2, T, Q> transpose(const mat<2, 3, T, Q> &m) {
    return mat<3, 2, T, Q>(m[0][0], m[1][0], m[0][1], m[1][1], m[0][2], m[1][2]);
}
template <typename T, qualifier Q>
CUWARP_GLM mat<2, 3, T, Q> outerProduct(const vec<3, T, Q> &c, const vec<2, T, Q> &r) {
    return mat<2, 3, T, Q>(c * r[0], c * r[1]);
}
template <typename T, qualifier Q>
CUWARP_GLM mat<2, 3, T, Q> operator*(const mat<2, 3, T, Q> &a, const mat<2, 2, T, Q> &b) {
    return mat<2, 3, T, Q>(a * b[0], a * b[1]);
}
template <typename T, qualifier Q>
CUWARP_GLM mat<3, 3, T, Q> operator*(const mat<2, 3, T, Q> &a, const mat<3, 2, T, Q> &b) {
    return mat<3, 3, T, Q>(a * b[0], a * b[1], a * b[2]);
}
template <typename T, qualifier Q>
CUWARP_GLM mat<4, 3, T, Q> operator*(const mat<2, 3, T, Q> &a, const mat<4, 2, T, Q> &b) {
    return mat<4, 3, T, Q>(a * b[0], a * b[1], a * b[2], a * b[3]);
}
template <typename T, qualifier Q> struct mat<2, 4, T, Q> {
    typedef T value_type;
    typedef vec<4, T, Q> col_type;
    vec<4, T, Q> value[2];
    mat() = default;
    CUWARP_GLM_CX static length_t length() { return 2; }
    template <typename U, typename = std::enable_if_t<std::is_arithmetic<U>::value>>
    CUWARP_GLM_CX explicit mat(U s)
        : value{vec<4, T, Q>(T(s), T(0), T(0), T(0)), vec<4, T, Q>(T(0), T(s), T(0), T(0))} {}
    CUWARP_GLM_CX mat(const vec<4, T, Q> &c0, const vec<4, T, Q> &c1) : value{c0, c1} {}
    CUWARP_GLM_CX mat(T m00, T m01, T m02, T m03, T m10, T m11, T m12, T m13)
        : value{vec<4, T, Q>(m00, m01, m02, m03), vec<4, T, Q>(m10, m11, m12, m13)} {}
    CUWARP_GLM_CX vec<4, T, Q> &operator[](length_t i) { return value[i]; }
    CUWARP_GLM_CX const vec<4, T, Q> &operator[](length_t i) const { return value[i]; }
    CUWARP_GLM_CX mat &operator+=(const mat &m) {
        value[0] += m.value[0];
        value[1] += m.value[1];
        return *this;
    }
    CUWARP_GLM_CX mat &operator-=(const mat &m) {
        value[0] -= m.value[0];
        value[1] -= m.value[1];
        return *this;
    }
    CUWARP_GLM_CX mat &operator*=(T s) {
        value[0] *= s;
        value[1] *= s;
        return *this;
    }
    CUWARP_GLM_CX mat &operator/=(T s) {
        value[0] /= s;
        value[1] /= s;
        return *this;
    }
};
template <typename T, qualifier Q>
CUWARP_GLM mat<2, 4, T, Q> operator+(const mat<2, 4, T, Q> &a, const mat<2, 4, T, Q> &b) {
    return mat<2, 4, T, Q>(a[0] + b[0], a[1] + b[1]);
}
template <typename T, qualifier Q>
CUWARP_GLM mat<2, 4, T, Q> operator-(const mat<2, 4, T, Q> &a, const mat<2, 4, T, Q> &b) {
    return mat<2, 4, T, Q>(a[0] - b[0], a[1] - b[1]);
}
template <typename T, qualifier Q> CUWARP_GLM mat<2, 4, T, Q> operator-(const mat<2, 4, T, Q> &a) {
    return mat<2, 4, T, Q>(-a[0], -a[1]);
}
template <typename T, qualifier Q>
CUWARP_GLM mat<2, 4, T, Q> operator*(const mat<2, 4, T, Q> &a, std::common_type_t<T> s) {
    return mat<2, 4, T, Q>(a[0] * s, a[1] * s);
}
template <typename T, qualifier Q>
CUWARP_GLM mat<2, 4, T, Q> operator/(const mat<2, 4, T, Q> &a, std::common_type_t<T> s) {
    return mat<2, 4, T, Q>(a[0] / s, a[1] / s);
}
template <typename T, qualifier Q>
CUWARP_GLM mat<2, 4, T, Q> operator*(std::common_type_t<T> s, const mat<2, 4, T, Q> &a) {
    return a * s;
}
template <typename T, qualifier Q> CUWARP_GLM vec<4, T, Q> operator*(const mat<2, 4, T, Q> &m, const vec<2, T, Q> &v) {
    return m[0] * v[0] + m[1] * v[1];
}
template <typename T, qualifier Q> CUWARP_GLM vec<2, T, Q> operator*(const vec<4, T, Q> &v, const mat<2, 4, T, Q> &m) {
    return vec<2, T, Q>(dot(m[0], v), dot(m[1], v));
}
template <typename T, qualifier Q> CUWARP_GLM mat<4, 2, T, Q> transpose(const mat<2, 4, T, Q> &m) {
    return mat<4, 2, T, Q>(m[0][0], m[1][0], m[0][1], m[1][1], m[0][2], m[1][2], m[0][3], m[1][3]);
}
template <typename T, qualifier Q>
CUWARP_GLM mat<2, 4, T, Q> outerProduct(const vec<4, T, Q> &c, const vec<2, T, Q> &r) {
    return mat<2, 4, T, Q>(c * r[0], c * r[1]);
}
template <typename T, qualifier Q>
CUWARP_GLM mat<2, 4, T, Q> operator*(const mat<2, 4, T, Q> &a, const mat<2, 2, T, Q> &b) {
    return mat<2, 4, T, Q>(a * b[0], a * b[1]);
}
template <typename T, qualifier Q>
CUWARP_GLM mat<3, 4, T, Q> operator*(const mat<2, 4, T, Q> &a, const mat<3, 2, T, Q> &b) {
    return mat<3, 4, T, Q>(a * b[0], a * b[1], a * b[2]);
}
template <typename T, qualifier Q>
CUWARP_GLM mat<4, 4, T, Q> operator*(const mat<2, 4, T, Q> &a, const mat<4, 2, T, Q> &b) {
    return mat<4, 4, T, Q>(a * b[0], a * b[1], a * b[2], a * b[3]);
}
template <typename T> CUWARP_GLM mat<2, 2, T> make_mat2(const T *p) { return mat<2, 2, T>(p[0], p[1], p[2], p[3]); }
template <typename T, qualifier Q> struct mat<3, 2, T, Q> {
    typedef T value_type;
    typedef vec<2, T, Q> col_type;
    vec<2, T, Q> value[3];
    mat() = default;
    CUWARP_GLM_CX static length_t length() { return 3; }
    template <typename U, typename = std::enable_if_t<std::is_arithmetic<U>::value>>
    CUWARP_GLM_CX explicit mat(U s)
        : value{vec<2, T, Q>(T(s), T(0)), vec<2, T, Q>(T(0), T(s)), vec<2, T, Q>(T(0), T(0))} {}
    CUWARP_GLM_CX mat(const vec<2, T, Q> &c0, const vec<2, T, Q> &c1, const vec<2, T, Q> &c2) : value{c0, c1, c2} {}
    CUWARP_GLM_CX mat(T m00, T m01, T m10, T m11, T m20, T m21)
        : value{vec<2, T, Q>(m00, m01), vec<2, T, Q>(m10, m11), vec<2, T, Q>(m20, m21)} {}
    CUWARP_GLM_CX vec<2, T, Q> &operator[](length_t i) { return value[i]; }
    CUWARP_GLM_CX const vec<2, T, Q> &operator[](length_t i) const { return value[i]; }
    CUWARP_GLM_CX mat &operator+=(const mat &m) {
        value[0] += m.value[0];
        value[1] += m.value[1];
        value[2] += m.value[2];
        return *this;
    }
    CUWARP_GLM_CX mat &operator-=(const mat &m) {
        value[0] -= m.value[0];
        value[1] -= m.value[1];
        value[2] -= m.value[2];
        return *this;
    }
    CUWARP_GLM_CX mat &operator*=(T s) {
        value[0] *= s;
        value[1] *= s;
        value[2] *= s;
        return *this;
    }
    CUWARP_GLM_CX mat &operator/=(T s) {
        value[0] /= s;
        value[1] /= s;
        value[2] /= s;
        return *this;
    }
};
template <typename T, qualifier Q>
CUWARP_GLM mat<3, 2, T, Q> operator+(const mat<3, 2, T, Q> &a, const mat<3, 2, T, Q> &b) {
    return mat<3, 2, T, Q>(a[0] + b[0], a[1] + b[1], a[2] + b[2]);
}
template <typename T, qualifier Q>
CUWARP_GLM mat<3, 2, T, Q> operator-(const mat<3, 2, T, Q> &a, const mat<3, 2, T, Q> &b) {
    return mat<3, 2, T, Q>(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}
template <typename T, qualifier Q> CUWARP_GLM mat<3, 2, T, Q> operator-(const mat<3, 2, T, Q> &a) {
    return mat<3, 2, T, Q>(-a[0], -a[1], -a[2]);
}
template <typename T, qualifier Q>
CUWARP_GLM mat<3, 2, T, Q> operator*(const mat<3, 2, T, Q> &a, std::common_type_t<T> s) {
    return mat<3, 2, T, Q>(a[0] * s, a[1] * s, a[2] * s);
}
template <typename T, qualifier Q>
CUWARP_GLM mat<3, 2, T, Q> operator/(const mat<3, 2, T, Q> &a, std::common_type_t<T> s) {
    return mat<3, 2, T, Q>(a[0] / s, a[1] / s, a[2] / s);
}
template <typename T, qualifier Q>
CUWARP_GLM mat<3, 2, T, Q> operator*(std::common_type_t<T> s, const mat<3, 2, T, Q> &a) {
    return a * s;
}
template <typename T, qualifier Q> CUWARP_GLM vec<2, T, Q> operator*(const mat<3, 2, T, Q> &m, const vec<3, T, Q> &v) {
    return m[0] * v[0] + m[1] * v[1] + m[2] * v[2];
}
template <typename T, qualifier Q> CUWARP_GLM vec<3, T, Q> operator*(const vec<2, T, Q> &v, const mat<3, 2, T, Q> &m) {
    return vec<3, T, Q>(dot(m[0], v), dot(m[1], v), dot(m[2], v));
}
template <typename T, qualifier Q> CUWARP_GLM mat<2, 3, T, Q> transpose(const mat<3, 2, T, Q> &m) {
    return mat<2, 3, T, Q>(m[0][0], m[1][0], m[2][0], m[0][1], m[1][1], m[2][1]);
}
template <typename T, qualifier Q>
CUWARP_GLM mat<3, 2, T, Q> outerProduct(const vec<2, T, Q> &c, const vec<3, T, Q> &r) {
    return mat<3, 2, T, Q>(c * r[0], c * r[1], c * r[2]);
}
template <typename T, qualifier Q>
CUWARP_GLM mat<2, 2, T, Q> operator*(const mat<3, 2, T, Q> &a, const mat<2, 3, T, Q> &b) {
    return mat<2, 2, T, Q>(a * b[0], a * b[1]);
}
template <typename T, qualifier Q>
CUWARP_GLM mat<3, 2, T, Q> operator*(const mat<3, 2, T, Q> &a, const mat<3, 3, T, Q> &b) {
    return mat<3, 2, T, Q>(a * b[0], a * b[1], a * b[2]);
}
template <typename T, qualifier Q>
CUWARP_GLM mat<4, 2, T, Q> operator*(const mat<3, 2, T, Q> &a, const mat<4, 3, T, Q> &b) {
    return mat<4, 2, T, Q>(a * b[0], a * b[1], a * b[2], a * b[3]);
}
template <typename T, qualifier Q> struct mat<3, 3, T, Q> {
    typedef T value_type;
    typedef vec<3, T, Q> col_type;
    vec<3, T, Q> value[3];
    mat() = default;
    CUWARP_GLM_CX static length_t length() { return 3; }
    template <typename U, typename = std::enable_if_t<std::is_arithmetic<U>::value>>
    CUWARP_GLM_CX explicit mat(U s)
        : value{vec<3, T, Q>(T(s), T(0), T(0)), vec<3, T, Q>(T(0), T(s), T(0)), vec<3, T, Q>(T(0), T(0), T(s))} {}
    CUWARP_GLM_CX mat(const vec<3, T, Q> &c0, const vec<3, T, Q> &c1, const vec<3, T, Q> &c2) : value{c0, c1, c2} {}
    CUWARP_GLM_CX mat(T m00, T m01, T m02, T m10, T m11, T m12, T m20, T m21, T m22)
        : value{vec<3, T, Q>(m00, m01, m02), vec<3, T, Q>(m10, m11, m12), vec<3, T, Q>(m20, m21, m22)} {}
    CUWARP_GLM_CX explicit mat(const mat<2, 2, T, Q> &m)
        : value{vec<3, T, Q>(m[0][0], m[0][1], T(0)), vec<3, T, Q>(m[1][0], m[1][1], T(0)),
                vec<3, T, Q>(T(0), T(0), T(1))} {}
    CUWARP_GLM_CX explicit mat(const mat<4, 4, T, Q> &m)
        : value{vec<3, T, Q>(m[0][0], m[0][1], m[0][2]), vec<3, T, Q>(m[1][0], m[1][1], m[1][2]),
                vec<3, T, Q>(m[2][0], m[2][1], m[2][2])} {}
    CUWARP_GLM_CX vec<3, T, Q> &operator[](length_t i) { return value[i]; }
    CUWARP_GLM_CX const vec<3, T, Q> &operator[](length_t i) const { return value[i]; }
    CUWARP_GLM_CX mat &operator+=(const mat &m) {
        value[0] += m.value[0];
        value[1] += m.value[1];
        value[2] += m.value[2];
        return *this;
    }
    CUWARP_GLM_CX mat &operator-=(const mat &m) {
        value[0] -= m.value[0];
        value[1] -= m.value[1];
        value[2] -= m.value[2];
        return *this;
    }
    CUWARP_GLM_CX mat &operator*=(T s) {
        value[0] *= s;
        value[1] *= s;
        value[2] *= s;
        return *this;
    }
    CUWARP_GLM_CX mat &operator/=(T s) {
        value[0] /= s;
        value[1] /= s;
        value[2] /= s;
        return *this;
    }
};
template <typename T, qualifier Q>
CUWARP_GLM mat<3, 3, T, Q> operator+(const mat<3, 3, T, Q> &a, const mat<3, 3, T, Q> &b) {
    return mat<3, 3, T, Q>(a[0] + b[0], a[1] + b[1], a[2] + b[2]);
}
template <typename T, qualifier Q>
CUWARP_GLM mat<3, 3, T, Q> operator-(const mat<3, 3, T, Q> &a, const mat<3, 3, T, Q> &b) {
    return mat<3, 3, T, Q>(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}
template <typename T, qualifier Q> CUWARP_GLM mat<3, 3, T, Q> operator-(const mat<3, 3, T, Q> &a) {
    return mat<3, 3, T, Q>(-a[0], -a[1], -a[2]);
}
template <typename T, qualifier Q>
CUWARP_GLM mat<3, 3, T, Q> operator*(const mat<3, 3, T, Q> &a, std::common_type_t<T> s) {
    return mat<3, 3, T, Q>(a[0] * s, a[1] * s, a[2] * s);
}
template <typename T, qualifier Q>
CUWARP_GLM mat<3, 3, T, Q> operator/(const mat<3, 3, T, Q> &a, std::common_type_t<T> s) {
    return mat<3, 3, T, Q>(a[0] / s, a[1] / s, a[2] / s);
}
template <typename T, qualifier Q>
CUWARP_GLM mat<3, 3, T, Q> operator*(std::common_type_t<T> s, const mat<3, 3, T, Q> &a) {
    return a * s;
}
template <typename T, qualifier Q> CUWARP_GLM vec<3, T, Q> operator*(const mat<3, 3, T, Q> &m, const vec<3, T, Q> &v) {
    return m[0] * v[0] + m[1] * v[1] + m[2] * v[2];
}
template <typename T, qualifier Q> CUWARP_GLM vec<3, T, Q> operator*(const vec<3, T, Q> &v, const mat<3, 3, T, Q> &m) {
    return vec<3, T, Q>(dot(m[0], v), dot(m[1], v), dot(m[2], v));
}
template <typename T, qualifier Q> CUWARP_GLM mat<3, 3, T, Q> transpose(const mat<3, 3, T, Q> &m) {
    return mat<3, 3, T, Q>(m[0][0], m[1][0], m[2][0], m[0][1], m[1][1], m[2][1], m[0][2], m[1][2], m[2][2]);
}
template <typename T, qualifier Q>
CUWARP_GLM mat<3, 3, T, Q> outerProduct(const vec<3, T, Q> &c, const vec<3, T, Q> &r) {
    return mat<3, 3, T, Q>(c * r[0], c * r[1], c * r[2]);
}
template <typename T, qualifier Q>
CUWARP_GLM mat<2, 3, T, Q> operator*(const mat<3, 3, T, Q> &a, const mat<2, 3, T, Q> &b) {
    return mat<2, 3, T, Q>(a * b[0], a * b[1]);
}
template <typename T, qualifier Q>
CUWARP_GLM mat<3, 3, T, Q> operator*(const mat<3, 3, T, Q> &a, const mat<3, 3, T, Q> &b) {
    return mat<3, 3, T, Q>(a * b[0], a * b[1], a * b[2]);
}
template <typename T, qualifier Q>
CUWARP_GLM mat<4, 3, T, Q> operator*(const mat<3, 3, T, Q> &a, const mat<4, 3, T, Q> &b) {
    return mat<4, 3, T, Q>(a * b[0], a * b[1], a * b[2], a * b[3]);
}
template <typename T, qualifier Q> struct mat<3, 4, T, Q> {
    typedef T value_type;
    typedef vec<4, T, Q> col_type;
    vec<4, T, Q> value[3];
    mat() = default;
    CUWARP_GLM_CX static length_t length() { return 3; }
    template <typename U, typename = std::enable_if_t<std::is_arithmetic<U>::value>>
    CUWARP_GLM_CX explicit mat(U s)
        : value{vec<4, T, Q>(T(s), T(0), T(0), T(0)), vec<4, T, Q>(T(0), T(s), T(0), T(0)),
                vec<4, T, Q>(T(0), T(0), T(s), T(0))} {}
    CUWARP_GLM_CX mat(const vec<4, T, Q> &c0, const vec<4, T, Q> &c1, const vec<4, T, Q> &c2) : value{c0, c1, c2} {}
    CUWARP_GLM_CX mat(T m00, T m01, T m02, T m03, T m10, T m11, T m12, T m13, T m20, T m21, T m22, T m23)
        : value{vec<4, T, Q>(m00, m01, m02, m03), vec<4, T, Q>(m10, m11, m12, m13), vec<4, T, Q>(m20, m21, m22, m23)} {}
    CUWARP_GLM_CX vec<4, T, Q> &operator[](length_t i) { return value[i]; }
    CUWARP_GLM_CX const vec<4, T, Q> &operator[](length_t i) const { return value[i]; }
    CUWARP_GLM_CX mat &operator+=(const mat &m) {
        value[0] += m.value[0];
        value[1] += m.value[1];
        value[2] += m.value[2];
        return *this;
    }
    CUWARP_GLM_CX mat &operator-=(const mat &m) {
        value[0] -= m.value[0];
        value[1] -= m.value[1];
        value[2] -= m.value[2];
        return *this;
    }
    CUWARP_GLM_CX mat &operator*=(T s) {
        value[0] *= s;
        value[1] *= s;
        value[2] *= s;
        return *this;
    }
    CUWARP_GLM_CX mat &operator/=(T s) {
        value[0] /= s;
        value[1] /= s;
        value[2] /= s;
        return *this;
    }
};
template <typename T, qualifier Q>
CUWARP_GLM mat<3, 4, T, Q> operator+(const mat<3, 4, T, Q> &a, const mat<3, 4, T, Q> &b) {
    return mat<3, 4, T, Q>(a[0] + b[0], a[1] + b[1], a[2] + b[2]);
}
template <typename T, qualifier Q>
CUWARP_GLM mat<3, 4, T, Q> operator-(const mat<3, 4, T, Q> &a, const mat<3, 4, T, Q> &b) {
    return mat<3, 4, T, Q>(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}
template <typename T, qualifier Q> CUWARP_GLM mat<3, 4, T, Q> operator-(const mat<3, 4, T, Q> &a) {
    return mat<3, 4, T, Q>(-a[0], -a[1], -a[2]);
}
template <typename T, qualifier Q>
CUWARP_GLM mat<3, 4, T, Q> operator*(const mat<3, 4, T, Q> &a, std::common_type_t<T> s) {
    return mat<3, 4, T, Q>(a[0] * s, a[1] * s, a[2] * s);
}
template <typename T, qualifier Q>
CUWARP_GLM mat<3, 4, T, Q> operator/(const mat<3, 4, T, Q> &a, std::common_type_t<T> s) {
    return mat<3, 4, T, Q>(a[0] / s, a[1] / s, a[2] / s);
}
template <typename T, qualifier Q>
CUWARP_GLM mat<3, 4, T, Q> operator*(std::common_type_t<T> s, const mat<3, 4, T, Q> &a) {
    return a * s;
}
template <typename T, qualifier Q> CUWARP_GLM vec<4, T, Q> operator*(const mat<3, 4, T, Q> &m, const vec<3, T, Q> &v) {
    return m[0] * v[0] + m[1] * v[1] + m[2] * v[2];
}
template <typename T, qualifier Q> CUWARP_GLM vec<3, T, Q> operator*(const vec<4, T, Q> &v, const mat<3, 4, T, Q> &m) {
    return vec<3, T, Q>(dot(m[0], v), dot(m[1], v), dot(m[2], v));
}
template <typename T, qualifier Q> CUWARP_GLM mat<4, 3, T, Q> transpose(const mat<3, 4, T, Q> &m) {
    return mat<4, 3, T, Q>(m[0][0], m[1][0], m[2][0], m[0][1], m[1][1], m[2][1], m[0][2], m[1][2], m[2][2], m[0][3],
                           m[1][3], m[2][3]);
}
template <typename T, qualifier Q>
CUWARP_GLM mat<3, 4, T, Q> outerProduct(const vec<4, T, Q> &c, const vec<3, T, Q> &r) {
    return mat<3, 4, T, Q>(c * r[0], c * r[1], c * r[2]);
}
template <typename T, qualifier Q>
CUWARP_GLM mat<2, 4, T, Q> operator*(const mat<3, 4, T, Q> &a, const mat<2, 3, T, Q> &b) {
    return mat<2, 4, T, Q>(a * b[0], a * b[1]);
}
template <typename T, qualifier Q>
CUWARP_GLM mat<3, 4, T, Q> operator*(const mat<3, 4, T, Q> &a, const mat<3, 3, T, Q> &b) {
    return mat<3, 4, T, Q>(a * b[0], a * b[1], a * b[2]);
}
template <typename T, qualifier Q>
CUWARP_GLM mat<4, 4, T, Q> operator*(const mat<3, 4, T, Q> &a, const mat<4, 3, T, Q> &b) {
    return mat<4, 4, T, Q>(a * b[0], a * b[1], a * b[2], a * b[3]);
}
template <typename T> CUWARP_GLM mat<3, 3, T> make_mat3(const T *p) {
    return mat<3, 3, T>(p[0], p[1], p[2], p[3], p[4], p[5], p[6], p[7], p[8]);
}
template <typename T, qualifier Q> struct mat<4, 2, T, Q> {
    typedef T value_type;
    typedef vec<2, T, Q> col_type;
    vec<2, T, Q> value[4];
    mat() = default;
    CUWARP_GLM_CX static length_t length() { return 4; }
    template <typename U, typename = std::enable_if_t<std::is_arithmetic<U>::value>>
    CUWARP_GLM_CX explicit mat(U s)
        : value{vec<2, T, Q>(T(s), T(0)), vec<2, T, Q>(T(0), T(s)), vec<2, T, Q>(T(0), T(0)),
                vec<2, T, Q>(T(0), T(0))} {}
    CUWARP_GLM_CX mat(const vec<2, T, Q> &c0, const vec<2, T, Q> &c1, const vec<2, T, Q> &c2, const vec<2, T, Q> &c3)
        : value{c0, c1, c2, c3} {}
    CUWARP_GLM_CX mat(T m00, T m01, T m10, T m11, T m20, T m21, T m30, T m31)
        : value{vec<2, T, Q>(m00, m01), vec<2, T, Q>(m10, m11), vec<2, T, Q>(m20, m21), vec<2, T, Q>(m30, m31)} {}
    CUWARP_GLM_CX vec<2, T, Q> &operator[](length_t i) { return value[i]; }
    CUWARP_GLM_CX const vec<2, T, Q> &operator[](length_t i) const { return value[i]; }
    CUWARP_GLM_CX mat &operator+=(const mat &m) {
        value[0] += m.value[0];
        value[1] += m.value[1];
        value[2] += m.value[2];
        value[3] += m.value[3];
        return *this;
    }
    CUWARP_GLM_CX mat &operator-=(const mat &m) {
        value[0] -= m.value[0];
        value[1] -= m.value[1];
        value[2] -= m.value[2];
        value[3] -= m.value[3];
        return *this;
    }
    CUWARP_GLM_CX mat &operator*=(T s) {
        value[0] *= s;
        value[1] *= s;
        value[2] *= s;
        value[3] *= s;
        return *this;
    }
    CUWARP_GLM_CX mat &operator/=(T s) {
        value[0] /= s;
        value[1] /= s;
        value[2] /= s;
        value[3] /= s;
        return *this;
    }
};
template <typename T, qualifier Q>
CUWARP_GLM mat<4, 2, T, Q> operator+(const mat<4, 2, T, Q> &a, const mat<4, 2, T, Q> &b) {
    return mat<4, 2, T, Q>(a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3]);
}
template <typename T, qualifier Q>
CUWARP_GLM mat<4, 2, T, Q> operator-(const mat<4, 2, T, Q> &a, const mat<4, 2, T, Q> &b) {
    return mat<4, 2, T, Q>(a[0] - b[0], a[1] - b[1], a[2] - b[2], a[3] - b[3]);
}
template <typename T, qualifier Q> CUWARP_GLM mat<4, 2, T, Q> operator-(const mat<4, 2, T, Q> &a) {
    return mat<4, 2, T, Q>(-a[0], -a[1], -a[2], -a[3]);
}
template <typename T, qualifier Q>
CUWARP_GLM mat<4, 2, T, Q> operator*(const mat<4, 2, T, Q> &a, std::common_type_t<T> s) {
    return mat<4, 2, T, Q>(a[0] * s, a[1] * s, a[2] * s, a[3] * s);
}
template <typename T, qualifier Q>
CUWARP_GLM mat<4, 2, T, Q> operator/(const mat<4, 2, T, Q> &a, std::common_type_t<T> s) {
    return mat<4, 2, T, Q>(a[0] / s, a[1] / s, a[2] / s, a[3] / s);
}
template <typename T, qualifier Q>
CUWARP_GLM mat<4, 2, T, Q> operator*(std::common_type_t<T> s, const mat<4, 2, T, Q> &a) {
    return a * s;
}
template <typename T, qualifier Q> CUWARP_GLM vec<2, T, Q> operator*(const mat<4, 2, T, Q> &m, const vec<4, T, Q> &v) {
    return m[0] * v[0] + m[1] * v[1] + m[2] * v[2] + m[3] * v[3];
}
template <typename T, qualifier Q> CUWARP_GLM vec<4, T, Q> operator*(const vec<2, T, Q> &v, const mat<4, 2, T, Q> &m) {
    return vec<4, T, Q>(dot(m[0], v), dot(m[1], v), dot(m[2], v), dot(m[3], v));
}
template <typename T, qualifier Q> CUWARP_GLM mat<2, 4, T, Q> transpose(const mat<4, 2, T, Q> &m) {
    return mat<2, 4, T, Q>(m[0][0], m[1][0], m[2][0], m[3][0], m[0][1], m[1][1], m[2][1], m[3][1]);
}
template <typename T, qualifier Q>
CUWARP_GLM mat<4, 2, T, Q> outerProduct(const vec<2, T, Q> &c, const vec<4, T, Q> &r) {
    return mat<4, 2, T, Q>(c * r[0], c * r[1], c * r[2], c * r[3]);
}
template <typename T, qualifier Q>
CUWARP_GLM mat<2, 2, T, Q> operator*(const mat<4, 2, T, Q> &a, const mat<2, 4, T, Q> &b) {
    return mat<2, 2, T, Q>(a * b[0], a * b[1]);
}
template <typename T, qualifier Q>
CUWARP_GLM mat<3, 2, T, Q> operator*(const mat<4, 2, T, Q> &a, const mat<3, 4, T, Q> &b) {
    return mat<3, 2, T, Q>(a * b[0], a * b[1], a * b[2]);
}
template <typename T, qualifier Q>
CUWARP_GLM mat<4, 2, T, Q> operator*(const mat<4, 2, T, Q> &a, const mat<4, 4, T, Q> &b) {
    return mat<4, 2, T, Q>(a * b[0], a * b[1], a * b[2], a * b[3]);
}
template <typename T, qualifier Q> struct mat<4, 3, T, Q> {
    typedef T value_type;
    typedef vec<3, T, Q> col_type;
    vec<3, T, Q> value[4];
    mat() = default;
    CUWARP_GLM_CX static length_t length() { return 4; }
    template <typename U, typename = std::enable_if_t<std::is_arithmetic<U>::value>>
    CUWARP_GLM_CX explicit mat(U s)
        : value{vec<3, T, Q>(T(s), T(0), T(0)), vec<3, T, Q>(T(0), T(s), T(0)), vec<3, T, Q>(T(0), T(0), T(s)),
                vec<3, T, Q>(T(0), T(0), T(0))} {}
    CUWARP_GLM_CX mat(const vec<3, T, Q> &c0, const vec<3, T, Q> &c1, const vec<3, T, Q> &c2, const vec<3, T, Q> &c3)
        : value{c0, c1, c2, c3} {}
    CUWARP_GLM_CX mat(T m00, T m01, T m02, T m10, T m11, T m12, T m20, T m21, T m22, T m30, T m31, T m32)
        : value{vec<3, T, Q>(m00, m01, m02), vec<3, T, Q>(m10, m11, m12), vec<3, T, Q>(m20, m21, m22),
                vec<3, T, Q>(m30, m31, m32)} {}
    CUWARP_GLM_CX vec<3, T, Q> &operator[](length_t i) { return value[i]; }
    CUWARP_GLM_CX const vec<3, T, Q> &operator[](length_t i) const { return value[i]; }
    CUWARP_GLM_CX mat &operator+=(const mat &m) {
        value[0] += m.value[0];
        value[1] += m.value[1];
        value[2] += m.value[2];
        value[3] += m.value[3];
        return *this;
    }
    CUWARP_GLM_CX mat &operator-=(const mat &m) {
        value[0] -= m.value[0];
        value[1] -= m.value[1];
        value[2] -= m.value[2];
        value[3] -= m.value[3];
        return *this;
    }
    CUWARP_GLM_CX mat &operator*=(T s) {
        value[0] *= s;
        value[1] *= s;
        value[2] *= s;
        value[3] *= s;
        return *this;
    }
    CUWARP_GLM_CX mat &operator/=(T s) {
        value[0] /= s;
        value[1] /= s;
        value[2] /= s;
        value[3] /= s;
        return *this;
    }
};
template <typename T, qualifier Q>
CUWARP_GLM mat<4, 3, T, Q> operator+(const mat<4, 3, T, Q> &a, const mat<4, 3, T, Q> &b) {
    return mat<4, 3, T, Q>(a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3]);
}
template <typename T, qualifier Q>
CUWARP_GLM mat<4, 3, T, Q> operator-(const mat<4, 3, T, Q> &a, const mat<4, 3, T, Q> &b) {
    return mat<4, 3, T, Q>(a[0] - b[0], a[1] - b[1], a[2] - b[2], a[3] - b[3]);
}
template <typename T, qualifier Q> CUWARP_GLM mat<4, 3, T, Q> operator-(const mat<4, 3, T, Q> &a) {
    return mat<4, 3, T, Q>(-a[0], -a[1], -a[2], -a[3]);
}
template <typename T, qualifier Q>
CUWARP_GLM mat<4, 3, T, Q> operator*(const mat<4, 3, T, Q> &a, std::common_type_t<T> s) {
    return mat<4, 3, T, Q>(a[0] * s, a[1] * s, a[2] * s, a[3] * s);
}
template <typename T, qualifier Q>
CUWARP_GLM mat<4, 3, T, Q> operator/(const mat<4, 3, T, Q> &a, std::common_type_t<T> s) {
    return mat<4, 3, T, Q>(a[0] / s, a[1] / s, a[2] / s, a[3] / s);
}
template <typename T, qualifier Q>
CUWARP_GLM mat<4, 3, T, Q> operator*(std::common_type_t<T> s, const mat<4, 3, T, Q> &a) {
    return a * s;
}
template <typename T, qualifier Q> CUWARP_GLM vec<3, T, Q> operator*(const mat<4, 3, T, Q> &m, const vec<4, T, Q> &v) {
    return m[0] * v[0] + m[1] * v[1] + m[2] * v[2] + m[3] * v[3];
}
template <typename T, qualifier Q> CUWARP_GLM vec<4, T, Q> operator*(const vec<3, T, Q> &v, const mat<4, 3, T, Q> &m) {
    return vec<4, T, Q>(dot(m[0], v), dot(m[1], v), dot(m[2], v), dot(m[3], v));
}
template <typename T, qualifier Q> CUWARP_GLM mat<3, 4, T, Q> transpose(const mat<4, 3, T, Q> &m) {
    return mat<3, 4, T, Q>(m[0][0], m[1][0], m[2][0], m[3][0], m[0][1], m[1][1], m[2][1], m[3][1], m[0][2], m[1][2],
                           m[2][2], m[3][2]);
}
template <typename T, qualifier Q>
CUWARP_GLM mat<4, 3, T, Q> outerProduct(const vec<3, T, Q> &c, const vec<4, T, Q> &r) {
    return mat<4, 3, T, Q>(c * r[0], c * r[1], c * r[2], c * r[3]);
}
template <typename T, qualifier Q>
CUWARP_GLM mat<2, 3, T, Q> operator*(const mat<4, 3, T, Q> &a, const mat<2, 4, T, Q> &b) {
    return mat<2, 3, T, Q>(a * b[0], a * b[1]);
}
template <typename T, qualifier Q>
CUWARP_GLM mat<3, 3, T, Q> operator*(const mat<4, 3, T, Q> &a, const mat<3, 4, T, Q> &b) {
    return mat<3, 3, T, Q>(a * b[0], a * b[1], a * b[2]);
}
template <typename T, qualifier Q>
CUWARP_GLM mat<4, 3, T, Q> operator*(const mat<4, 3, T, Q> &a, const mat<4, 4, T, Q> &b) {
    return mat<4, 3, T, Q>(a * b[0], a * b[1], a * b[2], a * b[3]);
}
template <typename T, qualifier Q> struct mat<4, 4, T, Q> {
    typedef T value_type;
    typedef vec<4, T, Q> col_type;
    vec<4, T, Q> value[4];
    mat() = default;
    CUWARP_GLM_CX static length_t length() { return 4; }
    template <typename U, typename = std::enable_if_t<std::is_arithmetic<U>::value>>
    CUWARP_GLM_CX explicit mat(U s)
        : value{vec<4, T, Q>(T(s), T(0), T(0), T(0)), vec<4, T, Q>(T(0), T(s), T(0), T(0)),
                vec<4, T, Q>(T(0), T(0), T(s), T(0)), vec<4, T, Q>(T(0), T(0), T(0), T(s))} {}
    CUWARP_GLM_CX mat(const vec<4, T, Q> &c0, const vec<4, T, Q> &c1, const vec<4, T, Q> &c2, const vec<4, T, Q> &c3)
        : value{c0, c1, c2, c3} {}
    CUWARP_GLM_CX mat(T m00, T m01, T m02, T m03, T m10, T m11, T m12, T m13, T m20, T m21, T m22, T m23, T m30, T m31,
                      T m32, T m33)
        : value{vec<4, T, Q>(m00, m01, m02, m03), vec<4, T, Q>(m10, m11, m12, m13), vec<4, T, Q>(m20, m21, m22, m23),
                vec<4, T, Q>(m30, m31, m32, m33)} {}
    CUWARP_GLM_CX explicit mat(const mat<2, 2, T, Q> &m)
        : value{vec<4, T, Q>(m[0][0], m[0][1], T(0), T(0)), vec<4, T, Q>(m[1][0], m[1][1], T(0), T(0)),
                vec<4, T, Q>(T(0), T(0), T(1), T(0)), vec<4, T, Q>(T(0), T(0), T(0), T(1))} {}
    CUWARP_GLM_CX explicit mat(const mat<3, 3, T, Q> &m)
        : value{vec<4, T, Q>(m[0][0], m[0][1], m[0][2], T(0)), vec<4, T, Q>(m[1][0], m[1][1], m[1][2], T(0)),
                vec<4, T, Q>(m[2][0], m[2][1], m[2][2], T(0)), vec<4, T, Q>(T(0), T(0), T(0), T(1))} {}
    CUWARP_GLM_CX vec<4, T, Q> &operator[](length_t i) { return value[i]; }
    CUWARP_GLM_CX const vec<4, T, Q> &operator[](length_t i) const { return value[i]; }
    CUWARP_GLM_CX mat &operator+=(const mat &m) {
        value[0] += m.value[0];
        value[1] += m.value[1];
        value[2] += m.value[2];
        value[3] += m.value[3];
        return *this;
    }
    CUWARP_GLM_CX mat &operator-=(const mat &m) {
        value[0] -= m.value[0];
        value[1] -= m.value[1];
        value[2] -= m.value[2];
        value[3] -= m.value[3];
        return *this;
    }
    CUWARP_GLM_CX mat &operator*=(T s) {
        value[0] *= s;
        value[1] *= s;
        value[2] *= s;
        value[3] *= s;
        return *this;
    }
    CUWARP_GLM_CX mat &operator/=(T s) {
        value[0] /= s;
        value[1] /= s;
        value[2] /= s;
        value[3] /= s;
        return *this;
    }
};
template <typename T, qualifier Q>
CUWARP_GLM mat<4, 4, T, Q> operator+(const mat<4, 4, T, Q> &a, const mat<4, 4, T, Q> &b) {
    return mat<4, 4, T, Q>(a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3]);
}
template <typename T, qualifier Q>
CUWARP_GLM mat<4, 4, T, Q> operator-(const mat<4, 4, T, Q> &a, const mat<4, 4, T, Q> &b) {
    return mat<4, 4, T, Q>(a[0] - b[0], a[1] - b[1], a[2] - b[2], a[3] - b[3]);
}
template <typename T, qualifier Q> CUWARP_GLM mat<4, 4, T, Q> operator-(const mat<4, 4, T, Q> &a) {
    return mat<4, 4, T, Q>(-a[0], -a[1], -a[2], -a[3]);
}
template <typename T, qualifier Q>
CUWARP_GLM mat<4, 4, T, Q> operator*(const mat<4, 4, T, Q> &a, std::common_type_t<T> s) {
    return mat<4, 4, T, Q>(a[0] * s, a[1] * s, a[2] * s, a[3] * s);
}
template <typename T, qualifier Q>
CUWARP_GLM mat<4, 4, T, Q> operator/(const mat<4, 4, T, Q> &a, std::common_type_t<T> s) {
    return mat<4, 4, T, Q>(a[0] / s, a[1] / s, a[2] / s, a[3] / s);
}
template <typename T, qualifier Q>
CUWARP_GLM mat<4, 4, T, Q> operator*(std::common_type_t<T> s, const mat<4, 4, T, Q> &a) {
    return a * s;
}
template <typename T, qualifier Q> CUWARP_GLM vec<4, T, Q> operator*(const mat<4, 4, T, Q> &m, const vec<4, T, Q> &v) {
    return m[0] * v[0] + m[1] * v[1] + m[2] * v[2] + m[3] * v[3];
}
template <typename T, qualifier Q> CUWARP_GLM vec<4, T, Q> operator*(const vec<4, T, Q> &v, const mat<4, 4, T, Q> &m) {
    return vec<4, T, Q>(dot(m[0], v), dot(m[1], v), dot(m[2], v), dot(m[3], v));
}
template <typename T, qualifier Q> CUWARP_GLM mat<4, 4, T, Q> transpose(const mat<4, 4, T, Q> &m) {
    return mat<4, 4, T, Q>(m[0][0], m[1][0], m[2][0], m[3][0], m[0][1], m[1][1], m[2][1], m[3][1], m[0][2], m[1][2],
                           m[2][2], m[3][2], m[0][3], m[1][3], m[2][3], m[3][3]);
}
template <typename T, qualifier Q>
CUWARP_GLM mat<4, 4, T, Q> outerProduct(const vec<4, T, Q> &c, const vec<4, T, Q> &r) {
    return mat<4, 4, T, Q>(c * r[0], c * r[1], c * r[2], c * r[3]);
}
template <typename T, qualifier Q>
CUWARP_GLM mat<2, 4, T, Q> operator*(const mat<4, 4, T, Q> &a, const mat<2, 4, T, Q> &b) {
    return mat<2, 4, T, Q>(a * b[0], a * b[1]);
}
template <typename T, qualifier Q>
CUWARP_GLM mat<3, 4, T, Q> operator*(const mat<4, 4, T, Q> &a, const mat<3, 4, T, Q> &b) {
    return mat<3, 4, T, Q>(a * b[0], a * b[1], a * b[2]);
}
template <typename T, qualifier Q>
CUWARP_GLM mat<4, 4, T, Q> operator*(const mat<4, 4, T, Q> &a, const mat<4, 4, T, Q> &b) {
    return mat<4, 4, T, Q>(a * b[0], a * b[1], a * b[2], a * b[3]);
}
template <typename T> CUWARP_GLM mat<4, 4, T> make_mat4(const T *p) {
    return mat<4, 4, T>(p[0], p[1], p[2], p[3], p[4], p[5], p[6], p[7], p[8], p[9], p[10], p[11], p[12], p[13], p[14],
                        p[15]);
}
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
template <typename T, qualifier Q> CUWARP_GLM qua<T, Q> normalize(const qua<T, Q> &q) { return q * (T(1) / length(q)); }
template <typename T, qualifier Q> CUWARP_GLM qua<T, Q> conjugate(const qua<T, Q> &q) {
    return qua<T, Q>(q.w, -q.x, -q.y, -q.z);
}
template <typename T, qualifier Q> CUWARP_GLM qua<T, Q> inverse(const qua<T, Q> &q) { return conjugate(q) / dot(q, q); }
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
typedef vec<2, float> vec2;
typedef vec<2, float> fvec2;
typedef vec<2, double> dvec2;
typedef vec<2, int> ivec2;
typedef vec<2, unsigned> uvec2;
typedef vec<2, bool> bvec2;
typedef vec<2, int64_t> i64vec2;
typedef vec<2, uint8_t> u8vec2;
typedef mat<2, 2, float> mat2;
typedef mat<2, 2, float> mat2x2;
typedef mat<2, 3, float> mat2x3;
typedef mat<2, 4, float> mat2x4;
typedef mat<2, 2, float> fmat2;
typedef mat<2, 2, float> fmat2x2;
typedef mat<2, 3, float> fmat2x3;
typedef mat<2, 4, float> fmat2x4;
typedef mat<2, 2, double> dmat2;
typedef mat<2, 2, double> dmat2x2;
typedef mat<2, 3, double> dmat2x3;
typedef mat<2, 4, double> dmat2x4;
typedef vec<3, float> vec3;
typedef vec<3, float> fvec3;
typedef vec<3, double> dvec3;
typedef vec<3, int> ivec3;
typedef vec<3, unsigned> uvec3;
typedef vec<3, bool> bvec3;
typedef vec<3, int64_t> i64vec3;
typedef vec<3, uint8_t> u8vec3;
typedef mat<3, 3, float> mat3;
typedef mat<3, 2, float> mat3x2;
typedef mat<3, 3, float> mat3x3;
typedef mat<3, 4, float> mat3x4;
typedef mat<3, 3, float> fmat3;
typedef mat<3, 2, float> fmat3x2;
typedef mat<3, 3, float> fmat3x3;
typedef mat<3, 4, float> fmat3x4;
typedef mat<3, 3, double> dmat3;
typedef mat<3, 2, double> dmat3x2;
typedef mat<3, 3, double> dmat3x3;
typedef mat<3, 4, double> dmat3x4;
typedef vec<4, float> vec4;
typedef vec<4, float> fvec4;
typedef vec<4, double> dvec4;
typedef vec<4, int> ivec4;
typedef vec<4, unsigned> uvec4;
typedef vec<4, bool> bvec4;
typedef vec<4, int64_t> i64vec4;
typedef vec<4, uint8_t> u8vec4;
typedef mat<4, 4, float> mat4;
typedef mat<4, 2, float> mat4x2;
typedef mat<4, 3, float> mat4x3;
typedef mat<4, 4, float> mat4x4;
typedef mat<4, 4, float> fmat4;
typedef mat<4, 2, float> fmat4x2;
typedef mat<4, 3, float> fmat4x3;
typedef mat<4, 4, float> fmat4x4;
typedef mat<4, 4, double> dmat4;
typedef mat<4, 2, double> dmat4x2;
typedef mat<4, 3, double> dmat4x3;
typedef mat<4, 4, double> dmat4x4;
typedef qua<float> quat;
typedef qua<float> fquat;
typedef qua<double> dquat;
} // namespace glm
