// Eigen: small matrices of fixed size, maps, and what they compute element by element. Sizes that are not known are
// kept.
#pragma once
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cuda_runtime.h>
#include <iosfwd>
#include <type_traits>
#define EIGEN_DEVICE_FUNC __host__ __device__
#define EIGEN_STRONG_INLINE inline
#define EIGEN_MAKE_ALIGNED_OPERATOR_NEW
#define EIGEN_ALIGN16
#define CUWARP_EIGEN __host__ __device__
namespace Eigen {
typedef ptrdiff_t Index;
enum {
    Dynamic = -1,
    ColMajor = 0,
    RowMajor = 1,
    AutoAlign = 0,
    DontAlign = 2,
    Unaligned = 0,
    Aligned = 16,
    Aligned16 = 16
};
template <typename T, int R, int C, int O = 0, int MR = R, int MC = C> struct Matrix;
template <typename T, int R, int C> struct cuwarp_storage {
    T cuwarp_at[R * C];
    CUWARP_EIGEN static constexpr Index rows() { return R; }
    CUWARP_EIGEN static constexpr Index cols() { return C; }
    CUWARP_EIGEN T *data() { return cuwarp_at; }
    CUWARP_EIGEN const T *data() const { return cuwarp_at; }
};
template <typename T, int R, int C> struct cuwarp_heap {
    T *cuwarp_at;
    Index rows_, cols_;
    CUWARP_EIGEN Index rows() const { return rows_; }
    CUWARP_EIGEN Index cols() const { return cols_; }
    CUWARP_EIGEN T *data() { return cuwarp_at; }
    CUWARP_EIGEN const T *data() const { return cuwarp_at; }
    void resize(Index n, Index m = 1);
};
template <typename T, int R, int C>
using cuwarp_base =
    std::conditional_t<(R > 0 && C > 0), cuwarp_storage<T, (R > 0 ? R : 1), (C > 0 ? C : 1)>, cuwarp_heap<T, R, C>>;
template <typename T, int R, int C, int O, int MR, int MC> struct Matrix : cuwarp_base<T, R, C> {
    typedef T Scalar;
    enum { RowsAtCompileTime = R, ColsAtCompileTime = C, SizeAtCompileTime = R * C };
    using cuwarp_base<T, R, C>::data;
    CUWARP_EIGEN Matrix() {}
    CUWARP_EIGEN Matrix(T a, T b) {
        data()[0] = a;
        data()[1] = b;
    }
    CUWARP_EIGEN Matrix(T a, T b, T c) {
        data()[0] = a;
        data()[1] = b;
        data()[2] = c;
    }
    CUWARP_EIGEN Matrix(T a, T b, T c, T d) {
        data()[0] = a;
        data()[1] = b;
        data()[2] = c;
        data()[3] = d;
    }
    CUWARP_EIGEN explicit Matrix(const T *p) {
        for (Index i = 0; i < size(); i++)
            data()[i] = p[i];
    }
    CUWARP_EIGEN Index size() const { return this->rows() * this->cols(); }
    CUWARP_EIGEN T &operator()(Index i) { return data()[i]; }
    CUWARP_EIGEN const T &operator()(Index i) const { return data()[i]; }
    CUWARP_EIGEN T &operator[](Index i) { return data()[i]; }
    CUWARP_EIGEN const T &operator[](Index i) const { return data()[i]; }
    CUWARP_EIGEN T &operator()(Index i, Index k) {
        return data()[O & RowMajor ? i * this->cols() + k : k * this->rows() + i];
    }
    CUWARP_EIGEN const T &operator()(Index i, Index k) const {
        return data()[O & RowMajor ? i * this->cols() + k : k * this->rows() + i];
    }
    CUWARP_EIGEN T &coeffRef(Index i, Index k) { return (*this)(i, k); }
    CUWARP_EIGEN T coeff(Index i, Index k) const { return (*this)(i, k); }
    CUWARP_EIGEN T &x() { return data()[0]; }
    CUWARP_EIGEN T &y() { return data()[1]; }
    CUWARP_EIGEN T &z() { return data()[2]; }
    CUWARP_EIGEN T &w() { return data()[3]; }
    CUWARP_EIGEN const T &x() const { return data()[0]; }
    CUWARP_EIGEN const T &y() const { return data()[1]; }
    CUWARP_EIGEN const T &z() const { return data()[2]; }
    CUWARP_EIGEN const T &w() const { return data()[3]; }
    CUWARP_EIGEN Matrix &setZero() {
        for (Index i = 0; i < size(); i++)
            data()[i] = T(0);
        return *this;
    }
    CUWARP_EIGEN static Matrix Constant(T v) {
        Matrix m;
        for (Index i = 0; i < m.size(); i++)
            m.data()[i] = v;
        return m;
    }
    CUWARP_EIGEN static Matrix Zero() { return Constant(T(0)); }
    CUWARP_EIGEN static Matrix Ones() { return Constant(T(1)); }
    CUWARP_EIGEN static Matrix Identity() {
        Matrix m = Zero();
        for (Index i = 0; i < m.rows() && i < m.cols(); i++)
            m(i, i) = T(1);
        return m;
    }
    CUWARP_EIGEN T dot(const Matrix &o) const {
        T s = T(0);
        for (Index i = 0; i < size(); i++)
            s += data()[i] * o.data()[i];
        return s;
    }
    CUWARP_EIGEN T squaredNorm() const { return dot(*this); }
    CUWARP_EIGEN T norm() const { return T(::sqrt(squaredNorm())); }
    CUWARP_EIGEN T sum() const {
        T s = T(0);
        for (Index i = 0; i < size(); i++)
            s += data()[i];
        return s;
    }
    CUWARP_EIGEN Matrix normalized() const { return *this / norm(); }
    CUWARP_EIGEN void normalize() { *this /= norm(); }
    CUWARP_EIGEN Matrix cross(const Matrix &o) const {
        return Matrix(y() * o.z() - z() * o.y(), z() * o.x() - x() * o.z(), x() * o.y() - y() * o.x());
    }
    CUWARP_EIGEN Matrix<T, C, R> transpose() const {
        Matrix<T, C, R> m;
        for (Index i = 0; i < this->rows(); i++)
            for (Index k = 0; k < this->cols(); k++)
                m(k, i) = (*this)(i, k);
        return m;
    }
    CUWARP_EIGEN Matrix<T, R, 1> col(Index k) const {
        Matrix<T, R, 1> m;
        for (Index i = 0; i < this->rows(); i++)
            m(i) = (*this)(i, k);
        return m;
    }
    CUWARP_EIGEN Matrix<T, 1, C> row(Index i) const {
        Matrix<T, 1, C> m;
        for (Index k = 0; k < this->cols(); k++)
            m(k) = (*this)(i, k);
        return m;
    }
    template <typename U> CUWARP_EIGEN Matrix<U, R, C, O> cast() const {
        Matrix<U, R, C, O> m;
        for (Index i = 0; i < size(); i++)
            m.data()[i] = U(data()[i]);
        return m;
    }
    CUWARP_EIGEN Matrix cwiseProduct(const Matrix &o) const {
        Matrix m;
        for (Index i = 0; i < size(); i++)
            m.data()[i] = data()[i] * o.data()[i];
        return m;
    }
    CUWARP_EIGEN Matrix inverse() const;
    CUWARP_EIGEN T determinant() const;
    CUWARP_EIGEN T maxCoeff() const;
    CUWARP_EIGEN T minCoeff() const;
    CUWARP_EIGEN Matrix operator-() const { return *this * T(-1); }
    CUWARP_EIGEN Matrix &operator+=(const Matrix &o) {
        for (Index i = 0; i < size(); i++)
            data()[i] += o.data()[i];
        return *this;
    }
    CUWARP_EIGEN Matrix &operator-=(const Matrix &o) {
        for (Index i = 0; i < size(); i++)
            data()[i] -= o.data()[i];
        return *this;
    }
    CUWARP_EIGEN Matrix &operator*=(T s) {
        for (Index i = 0; i < size(); i++)
            data()[i] *= s;
        return *this;
    }
    CUWARP_EIGEN Matrix &operator/=(T s) {
        for (Index i = 0; i < size(); i++)
            data()[i] /= s;
        return *this;
    }
    CUWARP_EIGEN Matrix operator+(const Matrix &o) const {
        Matrix m = *this;
        m += o;
        return m;
    }
    CUWARP_EIGEN Matrix operator-(const Matrix &o) const {
        Matrix m = *this;
        m -= o;
        return m;
    }
    CUWARP_EIGEN Matrix operator*(T s) const {
        Matrix m = *this;
        m *= s;
        return m;
    }
    CUWARP_EIGEN Matrix operator/(T s) const {
        Matrix m = *this;
        m /= s;
        return m;
    }
    template <int N> CUWARP_EIGEN Matrix<T, R, N> operator*(const Matrix<T, C, N> &o) const {
        Matrix<T, R, N> m;
        for (Index i = 0; i < this->rows(); i++)
            for (Index k = 0; k < o.cols(); k++) {
                T s = T(0);
                for (Index j = 0; j < this->cols(); j++)
                    s += (*this)(i, j) * o(j, k);
                m(i, k) = s;
            }
        return m;
    }
};
template <typename T, int R, int C, int O>
CUWARP_EIGEN Matrix<T, R, C, O> operator*(std::common_type_t<T> s, const Matrix<T, R, C, O> &m) {
    return m * s;
}
template <typename M, int O = 0, typename S = void> struct Map {
    typedef std::remove_const_t<M> Plain;
    typedef typename Plain::Scalar Scalar;
    typedef std::conditional_t<std::is_const<M>::value, const Scalar, Scalar> Element;
    Element *data_;
    CUWARP_EIGEN explicit Map(Element *p) : data_(p) {}
    CUWARP_EIGEN Map(Element *p, Index, Index = 1) : data_(p) {}
    CUWARP_EIGEN Element *data() const { return data_; }
    CUWARP_EIGEN Element &operator()(Index i) const { return data_[i]; }
    CUWARP_EIGEN Element &operator[](Index i) const { return data_[i]; }
    CUWARP_EIGEN Element &operator()(Index i, Index k) const { return data_[k * Plain::RowsAtCompileTime + i]; }
    CUWARP_EIGEN operator Plain() const { return Plain(data_); }
    CUWARP_EIGEN Map &operator=(const Plain &m) {
        for (Index i = 0; i < m.size(); i++)
            data_[i] = m.data()[i];
        return *this;
    }
};
#define CUWARP_EIGEN_TYPES(T_, s)                                                                                      \
    typedef Matrix<T_, 2, 1> Vector2##s;                                                                               \
    typedef Matrix<T_, 3, 1> Vector3##s;                                                                               \
    typedef Matrix<T_, 4, 1> Vector4##s;                                                                               \
    typedef Matrix<T_, 2, 2> Matrix2##s;                                                                               \
    typedef Matrix<T_, 3, 3> Matrix3##s;                                                                               \
    typedef Matrix<T_, 4, 4> Matrix4##s;                                                                               \
    typedef Matrix<T_, 1, 3> RowVector3##s;                                                                            \
    typedef Matrix<T_, Dynamic, 1> VectorX##s;                                                                         \
    typedef Matrix<T_, Dynamic, Dynamic> MatrixX##s;
CUWARP_EIGEN_TYPES(float, f)
CUWARP_EIGEN_TYPES(double, d) CUWARP_EIGEN_TYPES(int, i) template <typename T, int N>
using Vector = Matrix<T, N, 1>;
struct half {
    unsigned short x;
};
template <typename T, int R, int C> std::ostream &operator<<(std::ostream &o, const Matrix<T, R, C> &m);
} // namespace Eigen
