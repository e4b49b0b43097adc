#include <cstdio>
#include <cstdlib>
#include <memory>
#include <vector>
#include <cuda_runtime.h>

namespace stats {

template <typename T>
struct DeviceDeleter {
    void operator()(T* p) const { cudaFree(p); }
};
template <typename T>
using DevicePtr = std::unique_ptr<T[], DeviceDeleter<T>>;

template <typename T>
DevicePtr<T> deviceAlloc(size_t n) {
    T* p = nullptr;
    if (cudaMalloc(&p, n * sizeof(T)) != cudaSuccess) throw std::bad_alloc();
    return DevicePtr<T>(p);
}

struct Moment {
    double sum;
    double sq;
    __device__ Moment& operator+=(const Moment& o) {
        sum += o.sum;
        sq += o.sq;
        return *this;
    }
};

class Ticket {
public:
    __device__ explicit Ticket(unsigned* counter) : counter_(counter) {}
    // true for all threads of the block that comes last
    __device__ bool isLast(bool& shared) const {
        __threadfence();
        if (threadIdx.x == 0) shared = atomicAdd(counter_, 1u) == gridDim.x - 1;
        __syncthreads();
        return shared;
    }

private:
    unsigned* counter_;
};

template <int COLS>
__global__ void columnMoments(const float* __restrict__ m, int rows, Moment* partial, unsigned* counter,
                              float* mean, float* stddev) {
    __shared__ bool s_last;
    const int c = threadIdx.x;
    Moment acc{0.0, 0.0};
    for (int r = blockIdx.x; r < rows; r += gridDim.x) {
        const double v = m[size_t(r) * COLS + c];
        acc += Moment{v, v * v};
    }
    partial[blockIdx.x * COLS + c] = acc;

    if (!Ticket(counter).isLast(s_last)) return;
    __threadfence();
    Moment total{0.0, 0.0};
    for (int b = 0; b < gridDim.x; ++b) total += partial[b * COLS + (c + 32) % COLS];
    const double mu = total.sum / rows;
    mean[(c + 32) % COLS] = float(mu);
    stddev[(c + 32) % COLS] = float(sqrt(fmax(total.sq / rows - mu * mu, 0.0)));
}

}  // namespace stats

int main(int argc, char** argv) {
    constexpr int COLS = 256;
    const int rows = argc > 1 ? std::atoi(argv[1]) : 20000;
    const int blocks = 64;
    std::vector<float> h(size_t(rows) * COLS);
    for (auto& v : h) v = std::rand() / float(RAND_MAX);
    auto dM = stats::deviceAlloc<float>(h.size());
    auto dPart = stats::deviceAlloc<stats::Moment>(size_t(blocks) * COLS);
    auto dCount = stats::deviceAlloc<unsigned>(1);
    auto dMean = stats::deviceAlloc<float>(COLS);
    auto dStd = stats::deviceAlloc<float>(COLS);
    cudaMemcpy(dM.get(), h.data(), h.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemset(dCount.get(), 0, sizeof(unsigned));
    stats::columnMoments<COLS><<<blocks, COLS>>>(dM.get(), rows, dPart.get(), dCount.get(), dMean.get(), dStd.get());
    float mu = 0, sd = 0;
    cudaMemcpy(&mu, dMean.get(), sizeof mu, cudaMemcpyDeviceToHost);
    cudaMemcpy(&sd, dStd.get(), sizeof sd, cudaMemcpyDeviceToHost);
    std::printf("col 0: %f +- %f %s\n", mu, sd, cudaGetErrorString(cudaGetLastError()));
    return 0;
}
