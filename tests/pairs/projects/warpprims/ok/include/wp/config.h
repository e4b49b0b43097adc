#ifndef WP_CONFIG_H
#define WP_CONFIG_H

#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

#define WP_WARP_SIZE 32
#define WP_LOG_WARP 5
#define WP_MAX_WARPS 32

#if CUDART_VERSION >= 9000
#define WP_WARP_SYNC() __syncwarp()
#define WP_SHFL_UP(v, d) __shfl_up_sync(0xffffffffu, (v), (d))
#define WP_SHFL_XOR(v, d) __shfl_xor_sync(0xffffffffu, (v), (d))
#define WP_BALLOT(p) __ballot_sync(0xffffffffu, (p))
#else
#define WP_WARP_SYNC()
#define WP_SHFL_UP(v, d) __shfl_up((v), (d))
#define WP_SHFL_XOR(v, d) __shfl_xor((v), (d))
#define WP_BALLOT(p) __ballot(p)
#endif

#define WP_SAFE(call)                                                        \
  do {                                                                       \
    cudaError err = call;                                                    \
    if (cudaSuccess != err) {                                                \
      fprintf(stderr, "Cuda error in file '%s' in line %i : %s.\n", __FILE__, __LINE__, cudaGetErrorString(err)); \
      exit(EXIT_FAILURE);                                                    \
    }                                                                        \
  } while (0)

namespace wp {

enum Datatype { WP_INT, WP_UINT, WP_FLOAT };
enum Operator { WP_ADD, WP_MIN, WP_MAX };

struct Config {
  Datatype type;
  Operator op;
  int block_size;   // 64 .. 1024, power of two
  int max_blocks;
};

template <typename T>
struct OpAdd {
  __host__ __device__ T operator()(T a, T b) const { return a + b; }
  __host__ __device__ static T identity() { return T(0); }
};
template <typename T>
struct OpMax {
  __host__ __device__ T operator()(T a, T b) const { return a > b ? a : b; }
  __host__ __device__ static T identity() { return T(-1) < T(0) ? T(-2147483647) : T(0); }
};

}  // namespace wp

#endif
