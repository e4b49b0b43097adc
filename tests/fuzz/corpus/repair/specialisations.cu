template <int N> __device__ int f(int x) { return x; }
template <> __device__ int f<1>(int x) { return x + 5; }
template <> __device__ int f<2>(int x) { return x + 7; }
template <typename T> __device__ int g(T x) { return 1; }
template <> __device__ int g(float x) { return 2; }
template <typename T> struct S { __device__ int h(); __device__ int i() { return 3; } T v; };
template <typename T> __device__ int S<T>::h() { return 10; }
template <> __device__ int S<int>::h() { return 20; }
template <typename T, int N> struct P { __device__ int h(); T v[N]; };
template <typename T, int N> __device__ int P<T, N>::h() { return N; }
template <typename T> struct P<T, 2> { __device__ int h(); T v[2]; };
template <typename T> __device__ int P<T, 2>::h() { return -2; }
template <typename T, int N = 3> struct fwd;
template <typename T, int N> struct fwd { static constexpr int n = N; };
template <typename T, typename = void> struct has { static constexpr int n = 1; };
template <typename T> struct has<T *> { static constexpr int n = 2; };
template <typename T> struct vec { T x; };
template <typename T> struct elem { static constexpr int n = 4; };
template <typename T> struct elem<vec<T>> { static constexpr int n = 5; };
template <typename T> struct elem<const T> { static constexpr int n = 6; };
template <typename T, int N> struct elem<T[N]> { static constexpr int n = N; };
template <typename T> struct elem<const T *> { static constexpr int n = 7; };
template <typename T> struct elem<T *> { static constexpr int n = 8; };
template <typename T> struct elem<T &> { static constexpr int n = 9; };
template <typename T> __global__ void pat(int *out) { out[0] = elem<T>::n; out[1] = f<sizeof(T)>(2); out[2] = elem<vec<T>>::n; out[3] = has<T>::n; }
template <typename T> __global__ void inst(int *out) { out[0] = elem<T>::n; out[1] = f<sizeof(T)>(2); out[2] = elem<vec<T>>::n; out[3] = has<T>::n; }
__global__ void k(int *out) {
    out[0] = f<0>(1); out[1] = f<1>(1); out[2] = f<2>(1);
    out[3] = g(1); out[4] = g(1.f);
    S<int> a; S<float> b; out[5] = a.h(); out[6] = b.h();
    P<int, 2> p; P<int, 3> q; out[7] = p.h(); out[8] = q.h();
    out[9] = fwd<int>::n; out[10] = fwd<int, 5>::n;
    out[11] = has<int>::n; out[12] = has<int *>::n;
    out[13] = elem<vec<int>>::n; out[14] = elem<const int>::n; out[15] = elem<int[7]>::n; out[16] = elem<const int *>::n; out[17] = elem<int *>::n; out[18] = elem<int &>::n; out[19] = elem<int>::n;
}
void run(int *o) { inst<int><<<1, 32>>>(o); inst<int *><<<1, 32>>>(o); }
