#include <cuda_runtime.h>
#include "local.cuh"
#define HD __host__ __device__ inline
#define LAUNCH_BOUNDS(n) __launch_bounds__(n)
// cuwarp: launch block=256
template <typename T, int N = (3 > 2)> LAUNCH_BOUNDS(256) __global__ void reduce(T *out, const T *__restrict__ in)
{
    extern __shared__ __align__(16) unsigned char raw[];
    T v = in[threadIdx.x]; // NOLINT(cuwarp-divergent-barrier)
    auto twice = [=] __device__(T x) { return x + x; };
    out[0] = twice(v);
}
#if defined(A) && 0
C10_LAUNCH_BOUNDS_1(512) __global__ void k(int a) {
#elif B
extern "C" __global__ void __launch_bounds__(N, 2) k(float a) {
#else
static __global__ void NAME(k)(double a) {
#endif
}
struct S {
    HD S(int x) : x(x), y{1, 2} {}
    __device__ operator float *() const noexcept { return nullptr; }
    __device__ auto operator()(int i) -> decltype(i) { return i; }
    int x, y[2];
};
void host() { reduce<float, 3><<<dim3(1, 2), 1 << 3, sizeof(int) >> 1, s>>>(a, R"x(__global__ ")x"); }
