#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <vector>

struct View {
    double cx, cy, scale;
    int width, height, maxIter;
};

struct JobQueue {
    int* head;
    int jobs;
    int jobsX;
};

constexpr int kJob = 16;  // a job is 16 x 16 pixels

__device__ int escapeTime(double x0, double y0, int maxIter) {
    double x = 0.0, y = 0.0;
    int it = 0;
    while (it < maxIter && x * x + y * y < 4.0) {
        const double t = x * x - y * y + x0;
        y = 2.0 * x * y + y0;
        x = t;
        ++it;
    }
    return it;
}

template <class Pixel>
__device__ void forJob(const JobQueue& q, int job, Pixel&& pixel) {
    const int x = (job % q.jobsX) * kJob + threadIdx.x % kJob;
    const int y = (job / q.jobsX) * kJob + threadIdx.x / kJob;
    pixel(x, y);
}

// persistent blocks that draw jobs from a common counter
__global__ void __launch_bounds__(kJob* kJob) render(View view, JobQueue queue, unsigned short* img) {
    __shared__ int s_job;
    while (true) {
        if (threadIdx.x == 0) s_job = atomicAdd(queue.head, 1);
        __syncthreads();
        if (s_job >= queue.jobs) break;
        forJob(queue, s_job, [&](int x, int y) {
            if (x < view.width && y < view.height) {
                const double px = view.cx + (x - view.width * 0.5) * view.scale;
                const double py = view.cy + (y - view.height * 0.5) * view.scale;
                img[y * view.width + x] = (unsigned short)escapeTime(px, py, view.maxIter);
            }
        });
    }
}

int main(int argc, char** argv) {
    View v{-0.6, 0.0, 0.0, 2048, 1024, 1000};
    if (argc > 2) {
        v.width = std::atoi(argv[1]);
        v.height = std::atoi(argv[2]);
    }
    v.scale = 3.2 / v.width;
    JobQueue q{};
    q.jobsX = (v.width + kJob - 1) / kJob;
    q.jobs = q.jobsX * ((v.height + kJob - 1) / kJob);

    unsigned short* dImg = nullptr;
    const size_t pixels = size_t(v.width) * v.height;
    if (cudaMalloc(&dImg, pixels * sizeof(unsigned short)) != cudaSuccess ||
        cudaMalloc(&q.head, sizeof(int)) != cudaSuccess) {
        std::fprintf(stderr, "no memory\n");
        return 1;
    }
    cudaMemset(q.head, 0, sizeof(int));
    int sms = 0;
    cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0);
    render<<<sms * 4, kJob * kJob>>>(v, q, dImg);
    std::vector<unsigned short> img(pixels);
    const cudaError_t e = cudaMemcpy(img.data(), dImg, pixels * sizeof(unsigned short), cudaMemcpyDeviceToHost);
    if (e != cudaSuccess) {
        std::fprintf(stderr, "%s\n", cudaGetErrorString(e));
        return 1;
    }
    size_t in = 0;
    for (unsigned short p : img) in += p == v.maxIter;
    std::printf("%zu pixels in the set\n", in);
    cudaFree(dImg);
    cudaFree(q.head);
    return 0;
}
