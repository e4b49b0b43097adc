// Grey level co-occurrence matrices (Haralick texture), one block per region of interest.
#include <cuda_runtime.h>
#include <cstdint>
#include <vector>

namespace texture {

constexpr int kLevels = 16;
constexpr int kCells = kLevels * kLevels;
constexpr int kWarps = 4;

struct Roi { int x, y, w, h; };

struct Features { float contrast, energy, homogeneity, entropy; };

__global__ void glcm_kernel(const uint8_t* __restrict__ img, int pitch, const Roi* __restrict__ rois, int dx, int dy,
                            Features* out) {
  __shared__ int glcm[kWarps][kCells];
  __shared__ float acc[4];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  for (int c = lane; c < kCells; c += 32) glcm[warp][c] = 0;
  if (threadIdx.x < 4) acc[threadIdx.x] = 0.f;
  __syncthreads();

  const Roi r = rois[blockIdx.x];
  int* mine = glcm[warp];
  for (int y = warp; y + dy < r.h; y += kWarps) {
    const uint8_t* p = img + (r.y + y) * pitch + r.x;
    for (int x = lane; x + dx < r.w; x += 32) {
      const int a = p[x] * kLevels / 256;
      const int b = p[x + dy * pitch + dx] * kLevels / 256;
      mine[a * kLevels + b]++;
    }
  }
  __syncthreads();

  const int total = max(1, (r.w - dx) * (r.h - dy));
  float f[4] = {0.f, 0.f, 0.f, 0.f};
  for (int c = threadIdx.x; c < kCells; c += blockDim.x) {
    int n = 0;
    for (int w = 0; w < kWarps; ++w) n += glcm[w][c];
    const float p = float(n) / total;
    const int d = c / kLevels - c % kLevels;
    f[0] += p * d * d;
    f[1] += p * p;
    f[2] += p / (1 + d * d);
    f[3] -= p > 0.f ? p * __logf(p) : 0.f;
  }
  for (int k = 0; k < 4; ++k) atomicAdd(&acc[k], f[k]);
  __syncthreads();
  if (threadIdx.x == 0) out[blockIdx.x] = Features{acc[0], acc[1], acc[2], acc[3]};
}

std::vector<Features> haralick(const uint8_t* d_img, int pitch, const std::vector<Roi>& rois, int dx, int dy) {
  std::vector<Features> res(rois.size());
  if (rois.empty()) return res;
  Roi* d_rois;
  Features* d_out;
  cudaMalloc(&d_rois, rois.size() * sizeof(Roi));
  cudaMalloc(&d_out, rois.size() * sizeof(Features));
  cudaMemcpy(d_rois, rois.data(), rois.size() * sizeof(Roi), cudaMemcpyHostToDevice);
  glcm_kernel<<<(unsigned)rois.size(), kWarps * 32>>>(d_img, pitch, d_rois, dx, dy, d_out);
  cudaMemcpy(res.data(), d_out, rois.size() * sizeof(Features), cudaMemcpyDeviceToHost);
  cudaFree(d_rois);
  cudaFree(d_out);
  return res;
}

}  // namespace texture
