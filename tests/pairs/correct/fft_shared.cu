// In-place FFT of 1024 complex points per block.
#include <cuda_runtime.h>
#include <stdexcept>

namespace fft {

constexpr int kLog = 10;
constexpr int kN = 1 << kLog;
constexpr int kThreads = kN / 4;

__device__ float2 mul(float2 a, float2 b)
{
    return make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

template <int Sign>
__global__ void __launch_bounds__(kThreads) transform(float2 *signals)
{
    __shared__ float re[kN];
    __shared__ float im[kN];
    float2 *sig = signals + (size_t)blockIdx.x * kN;

    for (int i = threadIdx.x; i < kN; i += kThreads) {
        const int j = __brev(i) >> (32 - kLog);
        const float2 v = sig[i];
        re[j] = v.x;
        im[j] = v.y;
    }
    __syncthreads();

    for (int half = 1; half < kN; half <<= 1) {
        for (int b = threadIdx.x; b < kN / 2; b += kThreads) {
            const int k = b & (half - 1);
            const int lo = 2 * (b - k) + k;
            const int hi = lo + half;
            float s, c;
            sincospif(Sign * (float)k / half, &s, &c);
            const float2 t = mul(make_float2(re[hi], im[hi]), make_float2(c, s));
            const float ar = re[lo], ai = im[lo];
            re[lo] = ar + t.x;
            im[lo] = ai + t.y;
            re[hi] = ar - t.x;
            im[hi] = ai - t.y;
        }
        __syncthreads();
    }

    const float scale = Sign > 0 ? 1.0f / kN : 1.0f;
    for (int i = threadIdx.x; i < kN; i += kThreads)
        sig[i] = make_float2(re[i] * scale, im[i] * scale);
}

class Plan {
  public:
    explicit Plan(int batch) : batch_(batch)
    {
        if (batch < 1)
            throw std::invalid_argument("fft::Plan");
    }
    void forward(float2 *x, cudaStream_t s) const { launch<-1>(x, s); }
    void inverse(float2 *x, cudaStream_t s) const { launch<1>(x, s); }

  private:
    template <int Sign>
    void launch(float2 *x, cudaStream_t s) const
    {
        transform<Sign><<<batch_, kThreads, 0, s>>>(x);
        if (cudaGetLastError() != cudaSuccess)
            throw std::runtime_error("fft: launch");
    }
    int batch_;
};

void round_trip(float2 *x, int batch, cudaStream_t s)
{
    Plan plan(batch);
    plan.forward(x, s);
    plan.inverse(x, s);
}

}  // namespace fft
