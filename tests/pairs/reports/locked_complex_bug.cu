#include <cuda_runtime.h>
#include <cstdint>

namespace atomics {

constexpr int kLockBits = 12;
constexpr uint32_t kLockMask = (1u << kLockBits) - 1u;

struct LockArray {
  int* locks;  // [1 << kLockBits], 0 = free
};

__device__ inline uint32_t lock_index(const void* ptr) {
  return static_cast<uint32_t>(reinterpret_cast<uintptr_t>(ptr) >> 4) & kLockMask;
}

__device__ inline bool lock_address(LockArray la, const void* ptr) {
  return atomicCAS(&la.locks[lock_index(ptr)], 0, 1) == 0;
}

__device__ inline void unlock_address(LockArray la, const void* ptr) {
  atomicExch(&la.locks[lock_index(ptr)], 0);
}

struct alignas(16) Complex {
  double re;
  double im;
};

struct MulAdd {
  Complex factor;
  __device__ Complex operator()(const Complex& cur, const Complex& v) const {
    Complex r;
    r.re = cur.re + factor.re * v.re - factor.im * v.im;
    r.im = cur.im + factor.re * v.im + factor.im * v.re;
    return r;
  }
};

template <typename T, typename Oper>
__device__ void atomic_fetch_oper(LockArray la, T* dest, const T& val, const Oper& op) {
  bool done = false;
  while (!done) {
    if (lock_address(la, dest)) {
      __threadfence();
      const T cur = *dest;
      *dest = op(cur, val);
      unlock_address(la, dest);
      done = true;
    }
  }
}

template <typename Oper>
__global__ void scatter_kernel(LockArray la, const Complex* values, const int* index, int n,
                               Complex* out, int n_out, Oper op) {
  const int stride = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
    const int k = index[i];
    if (k >= 0 && k < n_out) {
      atomic_fetch_oper(la, out + k, values[i], op);
    }
  }
}

class ScatterView {
 public:
  explicit ScatterView(Complex* data, int size) : data_(data), size_(size) {
    cudaMalloc(&locks_.locks, sizeof(int) << kLockBits);
    cudaMemset(locks_.locks, 0, sizeof(int) << kLockBits);
  }
  ~ScatterView() { cudaFree(locks_.locks); }

  void contribute(const Complex* values, const int* index, int n, Complex factor,
                  cudaStream_t s) {
    if (n <= 0) return;
    const int block = 128;
    int grid = (n + block - 1) / block;
    if (grid > 2048) grid = 2048;
    scatter_kernel<<<grid, block, 0, s>>>(locks_, values, index, n, data_, size_, MulAdd{factor});
  }

 private:
  LockArray locks_{};
  Complex* data_;
  int size_;
};

void assemble(Complex* out, int n_out, const Complex* v, const int* idx, int n) {
  ScatterView view(out, n_out);
  view.contribute(v, idx, n, Complex{1.0, 0.5}, 0);
  cudaDeviceSynchronize();
}

}  // namespace atomics
