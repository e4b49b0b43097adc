#pragma once
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAGuard.h>
#include <cmath>
#include <algorithm>

#define CHECK_CUDA(x) TORCH_CHECK((x).is_cuda(), #x " must be a CUDA tensor")
#define CHECK_CONTIGUOUS(x) TORCH_CHECK((x).is_contiguous(), #x " must be contiguous")
#define CHECK_INPUT(x) \
  do {                 \
    CHECK_CUDA(x);     \
    CHECK_CONTIGUOUS(x); \
  } while (0)

#define THREADS_PER_BLOCK 256
#define DIVUP(m, n) (((m) + (n)-1) / (n))

#define PC_KERNEL_CHECK()                                              \
  do {                                                                 \
    cudaError_t err__ = cudaGetLastError();                            \
    TORCH_CHECK(err__ == cudaSuccess, "kernel launch failed: ",        \
                cudaGetErrorString(err__));                            \
  } while (0)

inline int opt_n_threads(int work_size) {
  const int pow_2 = static_cast<int>(std::log(static_cast<double>(work_size)) / std::log(2.0));
  return std::max(std::min(1 << pow_2, 1024), 1);
}

#define PC_DISPATCH_POW2(N, ...)                                   \
  switch (N) {                                                     \
    case 1024: { constexpr unsigned int kBlock = 1024; __VA_ARGS__; break; } \
    case 512: { constexpr unsigned int kBlock = 512; __VA_ARGS__; break; }   \
    case 256: { constexpr unsigned int kBlock = 256; __VA_ARGS__; break; }   \
    case 128: { constexpr unsigned int kBlock = 128; __VA_ARGS__; break; }   \
    default: { constexpr unsigned int kBlock = 64; __VA_ARGS__; break; }     \
  }
