#include <cfloat>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

struct SplatPoint {
    float x, y, z;
    uint32_t rgba;
};

struct Fragment {
    float depth;
    uint32_t rgba;
    uint32_t pointId;
};

struct Camera {
    float fx, fy, cx, cy;
    int width, height;
};

class PixelLock {
public:
    __device__ explicit PixelLock(int* word) : word_(word) {}
    __device__ bool tryAcquire() {
        if (atomicCAS(word_, 0, 1) != 0) return false;
        __threadfence();
        return true;
    }
    __device__ void release() {
        __threadfence();
        atomicExch(word_, 0);
    }

private:
    int* word_;
};

__global__ void clearFrame(Fragment* frame, int* locks, int pixels) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < pixels) {
        frame[i] = Fragment{FLT_MAX, 0u, 0xffffffffu};
        locks[i] = 0;
    }
}

__global__ void splat(const SplatPoint* __restrict__ pts, int n, Camera cam, Fragment* frame, int* locks) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        const SplatPoint p = pts[i];
        if (p.z <= 0.01f) continue;
        const int u = int(floorf(cam.fx * p.x / p.z + cam.cx));
        const int v = int(floorf(cam.fy * p.y / p.z + cam.cy));
        if (u < 0 || v < 0 || u >= cam.width || v >= cam.height) continue;
        const int pix = v * cam.width + u;
        volatile Fragment* f = frame + pix;
        PixelLock lock(locks + pix);
        bool done = false;
        while (!done) {
            if (lock.tryAcquire()) {
                if (p.z < f->depth) {
                    f->depth = p.z;
                    f->rgba = p.rgba;
                    f->pointId = i;
                }
                lock.release();
                done = true;
            }
        }
    }
}

static void ensure(cudaError_t e, const char* where) {
    if (e == cudaSuccess) return;
    std::fprintf(stderr, "%s: %s\n", where, cudaGetErrorString(e));
    std::exit(EXIT_FAILURE);
}

int main(int argc, char** argv) {
    const int n = argc > 1 ? std::atoi(argv[1]) : 2000000;
    const Camera cam{500.f, 500.f, 320.f, 240.f, 640, 480};
    std::vector<SplatPoint> pts(n);
    for (auto& p : pts) {
        p.x = std::rand() / float(RAND_MAX) * 4.f - 2.f;
        p.y = std::rand() / float(RAND_MAX) * 4.f - 2.f;
        p.z = std::rand() / float(RAND_MAX) * 5.f + 0.5f;
        p.rgba = uint32_t(std::rand());
    }
    const int pixels = cam.width * cam.height;
    SplatPoint* dPts;
    Fragment* dFrame;
    int* dLocks;
    ensure(cudaMalloc(&dPts, n * sizeof(SplatPoint)), "points");
    ensure(cudaMalloc(&dFrame, pixels * sizeof(Fragment)), "frame");
    ensure(cudaMalloc(&dLocks, pixels * sizeof(int)), "locks");
    ensure(cudaMemcpy(dPts, pts.data(), n * sizeof(SplatPoint), cudaMemcpyHostToDevice), "upload");
    clearFrame<<<(pixels + 255) / 256, 256>>>(dFrame, dLocks, pixels);
    splat<<<1024, 128>>>(dPts, n, cam, dFrame, dLocks);
    ensure(cudaGetLastError(), "splat");
    std::vector<Fragment> img(pixels);
    ensure(cudaMemcpy(img.data(), dFrame, pixels * sizeof(Fragment), cudaMemcpyDeviceToHost), "download");
    std::printf("centre depth %f\n", img[pixels / 2 + cam.width / 2].depth);
    cudaFree(dPts);
    cudaFree(dFrame);
    cudaFree(dLocks);
    return 0;
}
