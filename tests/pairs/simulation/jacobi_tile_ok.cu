// Weighted Jacobi sweep on a 2-D Poisson problem. Build: nvcc -arch=sm_80
#include <cuda_runtime.h>
#include <cstdio>
#include <stdexcept>
#include <string>

namespace poisson {

constexpr int TX = 16;
constexpr int TY = 16;

inline void check(cudaError_t e, const char* what)
{
    if (e != cudaSuccess)
        throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(e));
}

template <typename T>
struct View2D {
    T* data;
    int nx, ny, pitch;
    __device__ bool contains(int x, int y) const
    {
        return x >= 0 && y >= 0 && x < nx && y < ny;
    }
    __device__ T& at(int x, int y) const { return data[size_t(y) * pitch + x]; }
    __device__ T get(int x, int y) const { return contains(x, y) ? at(x, y) : T(0); }
};

template <typename T>
__global__ void sweep(View2D<const T> u, View2D<const T> rhs, View2D<T> out, T omega, T h2)
{
    __shared__ T s[TY + 2][TX + 2];
    const int x = blockIdx.x * TX + threadIdx.x;
    const int y = blockIdx.y * TY + threadIdx.y;

    const int x0 = blockIdx.x * TX - 1;
    const int y0 = blockIdx.y * TY - 1;
    const int tid = threadIdx.y * TX + threadIdx.x;
    for (int k = tid; k < (TX + 2) * (TY + 2); k += TX * TY) {
        const int ly = k / (TX + 2);
        const int lx = k % (TX + 2);
        s[ly][lx] = u.get(x0 + lx, y0 + ly);
    }
    __syncthreads();
    if (!out.contains(x, y))
        return;

    const int lx = threadIdx.x + 1;
    const int ly = threadIdx.y + 1;

    const T ring = s[ly][lx - 1] + s[ly][lx + 1] + s[ly - 1][lx] + s[ly + 1][lx];
    const T upd = T(0.25) * (ring + h2 * rhs.at(x, y));
    out.at(x, y) = s[ly][lx] + omega * (upd - s[ly][lx]);
}

template <typename T>
class Smoother {
public:
    Smoother(int nx, int ny, T h) : nx_(nx), ny_(ny), h2_(h * h) {}

    void apply(const T* u, const T* rhs, T* out, int pitch, T omega, cudaStream_t st) const
    {
        const dim3 block(TX, TY);
        const dim3 grid((nx_ + TX - 1) / TX, (ny_ + TY - 1) / TY);
        View2D<const T> vu{u, nx_, ny_, pitch};
        View2D<const T> vr{rhs, nx_, ny_, pitch};
        View2D<T> vo{out, nx_, ny_, pitch};
        sweep<T><<<grid, block, 0, st>>>(vu, vr, vo, omega, h2_);
        check(cudaGetLastError(), "sweep");
    }

private:
    int nx_, ny_;
    T h2_;
};

template class Smoother<float>;
template class Smoother<double>;

} // namespace poisson
