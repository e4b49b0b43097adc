// Transpose through an unpadded tile with an XOR swizzle; vectorised loads.
#include <cuda_runtime.h>
#include <stdexcept>

template <int BITS>
struct XorSwizzle {
  static constexpr int kSize = 1 << BITS;
  static constexpr int kMask = kSize - 1;
  __host__ __device__ static constexpr int offset(int row, int col) { return row * kSize + (col ^ (row & kMask)); }
};

template <typename Layout>
class SwizzledTile {
 public:
  __device__ explicit SwizzledTile(float* p) : p_(p) {}
  __device__ float& operator()(int r, int c) { return p_[Layout::offset(r, c)]; }
  __device__ void put4(int r, int c, float4 v) {
    (*this)(r, c + 0) = v.x;
    (*this)(r, c + 1) = v.y;
    (*this)(r, c + 2) = v.z;
    (*this)(r, c + 3) = v.w;
  }
  __device__ float4 column4(int r, int c) {
    return make_float4((*this)(r, c), (*this)(r + 1, c), (*this)(r + 2, c), (*this)(r + 3, c));
  }
 private:
  float* p_;
};

using L32 = XorSwizzle<5>;

__global__ void __launch_bounds__(256) transpose_vec4(const float4* __restrict__ in, float4* __restrict__ out,
                                                      int rows4, int cols4) {
  __shared__ float storage[L32::kSize * L32::kSize];
  SwizzledTile<L32> tile(storage);
  const int tx = threadIdx.x & 7;   // float4 column inside the tile
  const int ty = threadIdx.x >> 3;  // row inside the tile
  const int tiles_x = cols4 / 8, tiles_y = rows4 / 8;
  for (int t = blockIdx.x; t < tiles_x * tiles_y; t += gridDim.x) {
    const int bx = t % tiles_x, by = t / tiles_x;
    tile.put4(ty, tx * 4, in[size_t(by * 32 + ty) * cols4 + bx * 8 + tx]);
    __syncthreads();
    out[size_t(bx * 32 + ty) * rows4 + by * 8 + tx] = tile.column4(tx * 4, ty);
    __syncthreads();
  }
}

struct Matrix {
  float* data = nullptr;
  int rows = 0, cols = 0;
  Matrix(int r, int c) : rows(r), cols(c) {
    if (r <= 0 || c <= 0 || r % 32 || c % 32) throw std::invalid_argument("dimensions must be multiples of 32");
    if (cudaMalloc(&data, sizeof(float) * size_t(r) * c) != cudaSuccess) throw std::bad_alloc();
  }
  ~Matrix() { cudaFree(data); }
  Matrix(const Matrix&) = delete;
  Matrix& operator=(const Matrix&) = delete;
};

void transpose(const Matrix& a, Matrix& b) {
  if (a.rows != b.cols || a.cols != b.rows) throw std::invalid_argument("shape mismatch");
  if (&a == &b) throw std::invalid_argument("in-place is not supported");
  const int tiles = (a.rows / 32) * (a.cols / 32);
  int sms = 1;
  cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0);
  const int grid = tiles < 4 * sms ? tiles : 4 * sms;
  transpose_vec4<<<grid, 256>>>(reinterpret_cast<const float4*>(a.data), reinterpret_cast<float4*>(b.data),
                                a.rows / 4, a.cols / 4);
}

int main() {
  Matrix a(1024, 512), b(512, 1024);
  cudaMemset(a.data, 0, sizeof(float) * 1024 * 512);
  transpose(a, b);
  transpose(b, a);
  return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}
