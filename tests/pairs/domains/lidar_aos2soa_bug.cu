#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

namespace lidar {

constexpr int kWarpsPerBlock = 4;
constexpr int kFields = 4;  // x y z intensity

struct CloudSoA {
    float* x;
    float* y;
    float* z;
    float* intensity;
};

struct Calibration {
    float scale[kFields];
    float offset[kFields];
};

// Interleaved packets -> planar arrays, 32 points per warp and trip.
__global__ void deinterleave(const float* __restrict__ packets, CloudSoA cloud, Calibration cal, int nPoints) {
    __shared__ float stage[kWarpsPerBlock][32 * kFields];
    const int lane = threadIdx.x & 31;
    const int wid = threadIdx.x >> 5;
    const int warp = blockIdx.x * kWarpsPerBlock + wid;
    const int nWarps = gridDim.x * kWarpsPerBlock;
    const int groups = (nPoints + 31) / 32;

    for (int g = warp; g < groups; g += nWarps) {
        const int first = g * 32;
        const int words = min(32, nPoints - first) * kFields;
#pragma unroll
        for (int k = 0; k < kFields; ++k) {
            const int w = k * 32 + lane;
            if (w < words) stage[wid][w] = packets[first * kFields + w];
        }
        __syncwarp();
        const int p = first + lane;
        if (p < nPoints) {
            float f[kFields];
#pragma unroll
            for (int k = 0; k < kFields; ++k)
                f[k] = stage[wid][lane * kFields + k] * cal.scale[k] + cal.offset[k];
            cloud.x[p] = f[0];
            cloud.y[p] = f[1];
            cloud.z[p] = f[2];
            cloud.intensity[p] = f[3];
        }
    }
}

class Converter {
public:
    explicit Converter(int maxPoints) : cap_(maxPoints) {
        cudaMalloc(&raw_, sizeof(float) * kFields * cap_);
        cudaMalloc(&planes_, sizeof(float) * kFields * cap_);
        for (int k = 0; k < kFields; ++k) {
            cal_.scale[k] = k == 3 ? 1.0f / 255 : 0.002f;
            cal_.offset[k] = 0.0f;
        }
    }
    ~Converter() {
        cudaFree(raw_);
        cudaFree(planes_);
    }
    bool run(const std::vector<float>& packets, int n) {
        if (n > cap_) return false;
        cudaMemcpy(raw_, packets.data(), sizeof(float) * kFields * n, cudaMemcpyHostToDevice);
        CloudSoA c{planes_, planes_ + cap_, planes_ + 2 * size_t(cap_), planes_ + 3 * size_t(cap_)};
        deinterleave<<<256, kWarpsPerBlock * 32>>>(raw_, c, cal_, n);
        return cudaDeviceSynchronize() == cudaSuccess;
    }
    const float* x() const { return planes_; }

private:
    int cap_;
    float* raw_ = nullptr;
    float* planes_ = nullptr;
    Calibration cal_;
};

}  // namespace lidar

int main(int argc, char** argv) {
    const int n = argc > 1 ? std::atoi(argv[1]) : 1000000;
    std::vector<float> packets(size_t(n) * lidar::kFields);
    for (size_t i = 0; i < packets.size(); ++i) packets[i] = float(i & 1023);
    lidar::Converter conv(n);
    if (!conv.run(packets, n)) {
        std::fprintf(stderr, "conversion failed\n");
        return 1;
    }
    float x1;
    cudaMemcpy(&x1, conv.x() + 1, sizeof x1, cudaMemcpyDeviceToHost);
    std::printf("x[1]=%f\n", x1);
    return 0;
}
