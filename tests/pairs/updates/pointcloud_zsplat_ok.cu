// Renders a coloured point cloud into a depth + colour image by forward projection.
#include <cuda_runtime.h>
#include <cstdint>
#include <cmath>

struct Camera {
  float R[9];
  float t[3];
  float fx, fy, cx, cy;
  int width, height;
};

struct Point {
  float3 xyz;
  uint32_t rgba;
};

__device__ inline bool project(const Camera& c, const float3& p, int& u, int& v, float& z) {
  const float X = c.R[0] * p.x + c.R[1] * p.y + c.R[2] * p.z + c.t[0];
  const float Y = c.R[3] * p.x + c.R[4] * p.y + c.R[5] * p.z + c.t[1];
  z = c.R[6] * p.x + c.R[7] * p.y + c.R[8] * p.z + c.t[2];
  if (z < 0.05f) return false;
  u = __float2int_rn(c.fx * X / z + c.cx);
  v = __float2int_rn(c.fy * Y / z + c.cy);
  return u >= 0 && v >= 0 && u < c.width && v < c.height;
}

// depth bits in the high word (positive floats compare as integers), colour below
typedef unsigned long long Pixel;

__global__ void clear_kernel(Pixel* image, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  image[i] = (unsigned long long)__float_as_uint(INFINITY) << 32;
}

__global__ void splat_kernel(Camera cam, const Point* __restrict__ pts, int npts, Pixel* image) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= npts) return;
  int u, v;
  float z;
  if (!project(cam, pts[i].xyz, u, v, z)) return;
  const int px = v * cam.width + u;
  atomicMin(&image[px], (unsigned long long)__float_as_uint(z) << 32 | pts[i].rgba);
}

__global__ void resolve_kernel(const Pixel* image, float* depth, uint32_t* color, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float z = __uint_as_float((uint32_t)(image[i] >> 32));
  color[i] = (uint32_t)image[i];
  depth[i] = isinf(z) ? 0.f : z;
}

void render(const Camera& cam, const Point* d_pts, int npts, Pixel* d_image, float* d_depth,
            uint32_t* d_color, cudaStream_t s) {
  const int n = cam.width * cam.height, T = 256;
  clear_kernel<<<(n + T - 1) / T, T, 0, s>>>(d_image, n);
  splat_kernel<<<(npts + T - 1) / T, T, 0, s>>>(cam, d_pts, npts, d_image);
  resolve_kernel<<<(n + T - 1) / T, T, 0, s>>>(d_image, d_depth, d_color, n);
}
