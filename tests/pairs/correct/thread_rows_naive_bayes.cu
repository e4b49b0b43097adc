// Naive Bayes training: class/feature-value counts, one private table per thread in device memory.
#include <cuda_runtime.h>
#include <vector>

namespace nb {

struct Shape {
    int samples;
    int features;
    int values;     // discrete values per feature
    int classes;
    __host__ __device__ int cells() const { return classes * features * values; }
};

__global__ void countPrivate(Shape s, const unsigned char *__restrict__ x, const unsigned char *__restrict__ y,
                             unsigned *tables)
{
    const int t = blockIdx.x * blockDim.x + threadIdx.x;
    const int nthreads = gridDim.x * blockDim.x;
    unsigned *mine = tables + (size_t)t * s.cells();
    for (int i = t; i < s.samples; i += nthreads) {
        const int cls = y[i];
        for (int f = 0; f < s.features; ++f) {
            const int v = x[(size_t)i * s.features + f];
            mine[(cls * s.features + f) * s.values + v]++;
        }
    }
}

__global__ void mergeTables(Shape s, const unsigned *__restrict__ tables, int ntables, float *logProb, float alpha)
{
    const int cell = blockIdx.x * blockDim.x + threadIdx.x;
    if (cell >= s.cells())
        return;
    unsigned c = 0, total = 0;
    const int first = cell / s.values * s.values;
    for (int t = 0; t < ntables; ++t) {
        const unsigned *tab = tables + (size_t)t * s.cells();
        c += tab[cell];
        for (int v = 0; v < s.values; ++v)
            total += tab[first + v];
    }
    logProb[cell] = logf((c + alpha) / (total + alpha * s.values));
}

class Trainer {
public:
    explicit Trainer(const Shape &s) : m_shape(s)
    {
        cudaMalloc(&m_tables, sizeof(unsigned) * (size_t)s.cells() * kBlocks * kThreads);
    }
    ~Trainer() { cudaFree(m_tables); }

    std::vector<float> fit(const unsigned char *d_x, const unsigned char *d_y, float alpha)
    {
        const size_t bytes = sizeof(unsigned) * (size_t)m_shape.cells() * kBlocks * kThreads;
        cudaMemset(m_tables, 0, bytes);
        countPrivate<<<kBlocks, kThreads>>>(m_shape, d_x, d_y, m_tables);
        float *d_lp;
        cudaMalloc(&d_lp, m_shape.cells() * sizeof(float));
        mergeTables<<<(m_shape.cells() + 63) / 64, 64>>>(m_shape, m_tables, kBlocks * kThreads, d_lp, alpha);
        std::vector<float> out(m_shape.cells());
        cudaMemcpy(out.data(), d_lp, out.size() * sizeof(float), cudaMemcpyDeviceToHost);
        cudaFree(d_lp);
        return out;
    }

private:
    static constexpr int kBlocks = 32, kThreads = 64;
    Shape m_shape;
    unsigned *m_tables;
};

}  // namespace nb

std::vector<float> trainNaiveBayes(const nb::Shape &s, const unsigned char *x, const unsigned char *y)
{
    nb::Trainer t(s);
    return t.fit(x, y, 1.0f);
}
