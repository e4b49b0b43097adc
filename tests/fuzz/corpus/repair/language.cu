#define N 32
#define CAT(a, b) a##b
#define STR(x) #x
#define SUM(x, ...) ((x) + sum(__VA_ARGS__))
#if defined(N) && N >= 32 && __CUDA_ARCH__ >= 700
#define MASK 0xffffffffu
#elif 0
#error no
#else
#define MASK 1
#endif
#include <cooperative_groups.h>
#include "not_here.h"
namespace cg = cooperative_groups;
using namespace std;
enum class color : unsigned { red, green = 4, blue };
enum { first, second = first + 2 };
typedef float real;
template <typename T> using pair_of = T[2];
struct base { int a = 1; __device__ int get() const { return a; } };
template <typename T, int K = 3>
struct __align__(16) item : base {
    T value[K] = {};
    static constexpr int size = K * 2;
    union { int i; float f; };
    unsigned bits : 3;
    __device__ item(T v) : value{v} {}
    __device__ item &operator=(const item &o) { a = o.a; return *this; }
    __device__ T operator[](int i) const { return value[i]; }
    template <typename U> __device__ U as(int i) const { return static_cast<U>(value[i]); }
};
template <> struct item<char, 1> { char c; };
__constant__ float table[4] = {1.f, 2.f};
__device__ int counter;
__device__ __forceinline__ int sum() { return 0; }
template <typename T, typename... R> __device__ int sum(T v, R... r) { return int(v) + sum(r...); }
template <typename G> __device__ float total(G g, float v) {
#pragma unroll
    for (int i = g.size() / 2; i > 0; i >>= 1) v += g.shfl_down(v, i);
    return v;
}
template <int B, typename T>
__global__ void __launch_bounds__(B, 2, 1) kernel(T *__restrict__ out, const T *in, int n, dim3 d) {
    __shared__ __align__(16) T s[B][2];
    extern __shared__ char raw[];
    auto block = cg::this_thread_block();
    auto tile = cg::tiled_partition<32>(block);
    T v = in[threadIdx.x + blockIdx.x * blockDim.x], *p = &s[0][1], &r = s[threadIdx.x][0];
    if constexpr (B > 64) r = v; else r = -v;
    if (int k = n & 3; k > 1 || !n) { switch (k) { case 2: v++; case 3: --v; break; default: goto done; } }
    for (auto x : {1, 2, 4}) v += x;
    while (n-- > 0) { if (n == 7) continue; if (n == 3) break; }
    do { v *= 2; } while (v < 100 && tile.any(v > 3));
    auto f = [&](T a) { r += a; return a * 2; };
    auto g = [=] __device__ (int i) mutable { return n + i; };
    v = f(v) + g(3) + SUM(1, 2, 3) + CAT(coun, ter) + table[1];
    item<float> it(2.0f), copy = it;
    copy = it;
    float4 q = make_float4(1, 2, 3, 4), w{1, 2}, z = *reinterpret_cast<const float4 *>(in);
    *(float4 *)out = q; out[0] = (T)(q.x) + (T)-w.y + (T)*p + item<int, 9>::size + it.as<int>(0) + z.w;
    asm volatile("bar.sync %0, %1;" ::"r"(1), "r"(64) : "memory");
    __syncwarp(); block.sync(); v = __shfl_sync(MASK, v, n ? 1 : 2) + atomicAdd(&counter, 1) + sizeof(T) * 2;
done:
    out[d.x] = total(tile, v) + (STR(abc))[0] + (color::green == color::blue) + second + ({ int y = 2; y + 1; });
}
template __global__ void kernel<64, float>(float *, const float *, int, dim3);
UNKNOWN_ATTRIBUTE(3) __global__ void lost(float *RESTRICT a, MAYBE int n) { a[n] = unknown_function(n)->field[3].x; }
void launch(float *a) {
    dim3 grid(3), block(n, 2);
    kernel<128><<<grid, block, 4 * sizeof(float)>>>(a, a, 3, grid);
    DISPATCH(type, [&] { kernel<32, scalar><<<1, {32, 1}, 0, stream>>>(a, a, 1, dim3(1)); });
    auto k = lost;
    k<<<1, 2>>>(a, 3);
    void *args[] = {&a};
    cudaLaunchCooperativeKernel((void *)lost, 1, 64, args, 0, 0);
    try { throw 1; } catch (...) {}
}
