#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>
#include <cuda_runtime.h>

// Two explicit heat steps per launch; each block recomputes a halo of two cells.
template <int DIM, int STEPS>
struct Tiling {
    static constexpr int kDim = DIM;
    static constexpr int kSteps = STEPS;
    static constexpr int kOut = DIM - 2 * STEPS;
    static_assert(kOut > 0, "tile too small for this many steps");
    __device__ static bool owns(int l) {
        return l >= kSteps - 1 && l < kDim - kSteps;
    }
};

struct HeatParams {
    int nx, ny;
    float c;
};

template <class T>
__global__ void heatSteps(const float* __restrict__ in, float* __restrict__ out, HeatParams p) {
    __shared__ float u[2][T::kDim][T::kDim];
    const int lx = threadIdx.x, ly = threadIdx.y;
    const int x = int(blockIdx.x) * T::kOut + lx - T::kSteps;
    const int y = int(blockIdx.y) * T::kOut + ly - T::kSteps;
    const bool inside = x >= 0 && y >= 0 && x < p.nx && y < p.ny;
    const bool fixed = x <= 0 || y <= 0 || x >= p.nx - 1 || y >= p.ny - 1;

    u[0][ly][lx] = inside ? in[y * p.nx + x] : 0.f;
    __syncthreads();
    int cur = 0;
#pragma unroll
    for (int s = 0; s < T::kSteps; ++s) {
        float v = u[cur][ly][lx];
        if (!fixed && lx > 0 && ly > 0 && lx < T::kDim - 1 && ly < T::kDim - 1)
            v += p.c * (u[cur][ly][lx - 1] + u[cur][ly][lx + 1] + u[cur][ly - 1][lx] + u[cur][ly + 1][lx] - 4.f * v);
        u[cur ^ 1][ly][lx] = v;
        __syncthreads();
        cur ^= 1;
    }
    if (inside && T::owns(lx) && T::owns(ly)) out[y * p.nx + x] = u[cur][ly][lx];
}

class HeatSolver {
public:
    using T = Tiling<32, 2>;
    HeatSolver(int nx, int ny) : p_{nx, ny, 0.2f} {
        cudaMalloc(&a_, bytes());
        cudaMalloc(&b_, bytes());
    }
    ~HeatSolver() {
        cudaFree(a_);
        cudaFree(b_);
    }
    void upload(const std::vector<float>& h) { cudaMemcpy(a_, h.data(), bytes(), cudaMemcpyHostToDevice); }
    void download(std::vector<float>& h) const { cudaMemcpy(h.data(), a_, bytes(), cudaMemcpyDeviceToHost); }
    cudaError_t advance(int launches) {
        const dim3 block(T::kDim, T::kDim);
        const dim3 grid((p_.nx + T::kOut - 1) / T::kOut, (p_.ny + T::kOut - 1) / T::kOut);
        for (int i = 0; i < launches; ++i) {
            heatSteps<T><<<grid, block>>>(a_, b_, p_);
            std::swap(a_, b_);
        }
        return cudaGetLastError();
    }

private:
    size_t bytes() const { return size_t(p_.nx) * p_.ny * sizeof(float); }
    HeatParams p_;
    float* a_ = nullptr;
    float* b_ = nullptr;
};

int main(int argc, char** argv) {
    const int nx = argc > 1 ? std::atoi(argv[1]) : 512;
    const int ny = argc > 2 ? std::atoi(argv[2]) : 512;
    std::vector<float> u(size_t(nx) * ny, 0.f);
    u[size_t(ny / 2) * nx + nx / 2] = 1000.f;
    HeatSolver solver(nx, ny);
    solver.upload(u);
    if (solver.advance(50) != cudaSuccess) {
        std::fprintf(stderr, "launch failed\n");
        return 1;
    }
    solver.download(u);
    double sum = 0;
    for (float v : u) sum += v;
    std::printf("heat %f\n", sum);
    return 0;
}
