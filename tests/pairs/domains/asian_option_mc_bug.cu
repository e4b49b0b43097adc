#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

#define CK(x) if ((x) != cudaSuccess) { std::printf("CUDA error line %d\n", __LINE__); std::exit(1); }

struct OptionSpec {
    float spot, strike, rate, vol, maturity;
    int steps;
};

class XorShift {
public:
    __device__ explicit XorShift(unsigned seed) : s_(seed * 747796405u + 2891336453u) {}
    __device__ float uniform() {
        s_ ^= s_ << 13;
        s_ ^= s_ >> 17;
        s_ ^= s_ << 5;
        return (s_ >> 8) * (1.0f / 16777216.0f) + 1e-8f;
    }
    __device__ float normal() {
        float u = uniform(), v = uniform();
        return sqrtf(-2.0f * logf(u)) * cospif(2.0f * v);
    }
private:
    unsigned s_;
};

template <int N>
__device__ float blockSum(float v) {
    __shared__ float buf[N];
    const int t = threadIdx.x;
    buf[t] = v;
    __syncthreads();
    for (int h = N / 2; h > 0; h /= 2) {
        if (t < h) buf[t] += buf[t + h];
        __syncthreads();
    }
    return buf[0];
}

__device__ float simulatePath(const OptionSpec& o, unsigned seed) {
    XorShift rng(seed);
    const float dt = o.maturity / o.steps;
    const float drift = (o.rate - 0.5f * o.vol * o.vol) * dt;
    const float diff = o.vol * sqrtf(dt);
    float s = o.spot, acc = 0.0f;
    for (int i = 0; i < o.steps; ++i) {
        s *= expf(drift + diff * rng.normal());
        acc += s;
    }
    const float pay = acc / o.steps - o.strike;
    return pay > 0.0f ? pay * expf(-o.rate * o.maturity) : 0.0f;
}

template <int N>
__global__ void asianKernel(OptionSpec spec, int nPaths, float* blockSums) {
    const int path = blockIdx.x * N + threadIdx.x;
    float payoff = 0.0f;
    float total = 0.0f;
    if (path < nPaths) {
        payoff = simulatePath(spec, path + 1);
        total = blockSum<N>(payoff);
    }
    if (threadIdx.x == 0) blockSums[blockIdx.x] = total;
}

int main(int argc, char** argv) {
    constexpr int N = 256;
    const int nPaths = argc > 1 ? std::atoi(argv[1]) : 100000;
    OptionSpec spec{100.f, 95.f, 0.03f, 0.25f, 1.0f, 252};
    const int blocks = (nPaths + N - 1) / N;
    float* dSums = nullptr;
    CK(cudaMalloc(&dSums, blocks * sizeof(float)));
    asianKernel<N><<<blocks, N>>>(spec, nPaths, dSums);
    CK(cudaGetLastError());
    float* h = new float[blocks];
    CK(cudaMemcpy(h, dSums, blocks * sizeof(float), cudaMemcpyDeviceToHost));
    double sum = 0;
    for (int i = 0; i < blocks; ++i) sum += h[i];
    std::printf("price %.4f\n", sum / nPaths);
    delete[] h;
    CK(cudaFree(dSums));
}
