// CRTP "field visitor": a visitor gets one call per grid point of a 1D field,
// with optional shared memory for a tile with halo.
#include <cuda_runtime.h>
#include <stdexcept>
#include <type_traits>
#include <utility>

namespace field {

template <typename T> struct Span { T* data; int size; };

template <typename T, int Block, int Halo>
struct HaloTile {
    T v[Block + 2 * Halo];
    __device__ T& at(int i) { return v[i + Halo]; }
};

struct NoTile {};

template <typename D> struct visitor_traits;

template <typename Derived>
class Visitor {
public:
    using traits = visitor_traits<Derived>;
    using T = typename traits::value_type;
    using Tile = typename traits::tile;

    __device__ void visit(Span<const T> in, Span<T> out, Tile& tile)
    {
        static_cast<Derived*>(this)->on_point(in, out, tile, blockIdx.x * traits::block + threadIdx.x);
    }

protected:
    // all threads of the block take part
    __device__ static void load_halo(Span<const T> in, Tile& tile, int g)
    {
        const int t = threadIdx.x;
        tile.at(t) = in.data[min(g, in.size - 1)];
        if (t < traits::halo) {
            tile.at(t - traits::halo) = in.data[max(g - traits::halo, 0)];
            tile.at(t + traits::block) = in.data[min(g + traits::block, in.size - 1)];
        }
        __syncthreads();
    }
};

// ---- visitors -------------------------------------------------------------

template <typename T_>
struct Scale : Visitor<Scale<T_>> {
    T_ factor;
    __host__ __device__ explicit Scale(T_ f) : factor(f) {}
    __device__ void on_point(Span<const T_> in, Span<T_> out, NoTile&, int g)
    {
        if (g >= in.size) return;
        out.data[g] = factor * in.data[g];
    }
};
template <typename T_> struct visitor_traits<Scale<T_>> {
    using value_type = T_;
    using tile = NoTile;
    static constexpr int block = 256, halo = 0;
};

template <typename T_, int R> struct NeighbourMax;
template <typename T_, int R> struct visitor_traits<NeighbourMax<T_, R>> {
    using value_type = T_;
    static constexpr int block = 128, halo = R;
    using tile = HaloTile<T_, block, halo>;
};
template <typename T_, int R>
struct NeighbourMax : Visitor<NeighbourMax<T_, R>> {
    using Base = Visitor<NeighbourMax<T_, R>>;
    __device__ void on_point(Span<const T_> in, Span<T_> out, typename Base::Tile& tile, int g)
    {
        if (g >= in.size) return;
        Base::load_halo(in, tile, g);
        T_ m = tile.at(threadIdx.x);
#pragma unroll
        for (int d = 1; d <= R; ++d) {
            m = max(m, tile.at(threadIdx.x - d));
            m = max(m, tile.at(threadIdx.x + d));
        }
        out.data[g] = m;
    }
};

// ---- driver ---------------------------------------------------------------

template <typename V, typename T>
__global__ void apply_kernel(V v, Span<const T> in, Span<T> out)
{
    __shared__ typename visitor_traits<V>::tile tile;
    v.visit(in, out, tile);
}

template <typename V, typename T>
void apply(V v, const T* in, T* out, int n, cudaStream_t s)
{
    static_assert(std::is_base_of<Visitor<V>, V>::value, "not a visitor");
    if (n <= 0) return;
    constexpr int b = visitor_traits<V>::block;
    apply_kernel<V, T><<<(n + b - 1) / b, b, 0, s>>>(std::move(v), Span<const T>{in, n}, Span<T>{out, n});
    const cudaError_t e = cudaGetLastError();
    if (e != cudaSuccess) throw std::runtime_error(cudaGetErrorString(e));
}

template <typename T>
void dilate(const T* in, T* out, T* tmp, int n, int radius, cudaStream_t s)
{
    apply(Scale<T>(T(1)), in, tmp, n, s);
    switch (radius) {
    case 1: apply(NeighbourMax<T, 1>(), tmp, out, n, s); break;
    case 2: apply(NeighbourMax<T, 2>(), tmp, out, n, s); break;
    case 5: apply(NeighbourMax<T, 5>(), tmp, out, n, s); break;
    default: throw std::invalid_argument("dilate: radius");
    }
}

template void dilate<float>(const float*, float*, float*, int, int, cudaStream_t);
template void dilate<int>(const int*, int*, int*, int, int, cudaStream_t);

}  // namespace field
