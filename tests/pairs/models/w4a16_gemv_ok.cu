// GEMV for decoding: y = W x, W int4 with one scale for 32 weights, x half.
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

#define WARP_SIZE 32
#define QK 32  // weights of one quantisation block

typedef struct {
    const uint32_t * qs;  // [N, K/8]
    const __half   * d;   // [N, K/QK]
    const __half   * x;   // [K]
    float          * y;   // [N]
    int N, K;
} mv_args;

static __device__ __forceinline__ float warp_reduce_sum(float x) {
#pragma unroll
    for (int offset = 16; offset > 0; offset >>= 1) {
        x += __shfl_xor_sync(0xffffffff, x, offset, 32);
    }
    return x;
}

static __device__ __forceinline__ float dot8(uint32_t q, const __half * x) {
    const __half2 * x2 = (const __half2 *) x;
    float s = 0.0f;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        const float2 f = __half22float2(x2[i]);
        s += f.x * (float) ((int) ((q >> (8 * i)) & 15) - 8);
        s += f.y * (float) ((int) ((q >> (8 * i + 4)) & 15) - 8);
    }
    return s;
}

// A lane takes 8 weights at a time, so four lanes share a scale: one of them loads it.
template <int nwarps, bool has_bias>
static __global__ void mul_mat_vec_q4(mv_args a, const float * bias) {
    const int lane = threadIdx.x;
    const int row  = blockIdx.x * nwarps + threadIdx.y;
    if (row >= a.N) {
        return;  // whole warps
    }

    const uint32_t * qs = a.qs + (size_t) row * (a.K / 8);
    const __half   * d  = a.d + (size_t) row * (a.K / QK);

    float sum = 0.0f;
    for (int k0 = 0; k0 < a.K; k0 += WARP_SIZE * 8) {
        const int  k  = k0 + lane * 8;
        const bool in = k < a.K;
        float scale = 0.0f;
        if (in && lane % 4 == 0) {
            scale = __half2float(d[k / QK]);
        }
        scale = __shfl_sync(0xffffffff, scale, lane & ~3);
        if (in) {
            sum += scale * dot8(qs[k / 8], a.x + k);
        }
    }

    sum = warp_reduce_sum(sum);
    if (lane == 0) {
        if (has_bias) {
            sum += bias[row];
        }
        a.y[row] = sum;
    }
}

// x has to be in half precision; this one converts the activations of a token
static __global__ void cvt_f32_f16(const float * src, __half * dst, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        dst[i] = __float2half(src[i]);
    }
}

template <int nwarps>
static void launch_mv(const mv_args & a, const float * bias, cudaStream_t stream) {
    const dim3 block(WARP_SIZE, nwarps, 1);
    const dim3 grid((a.N + nwarps - 1) / nwarps, 1, 1);
    if (bias) {
        mul_mat_vec_q4<nwarps, true><<<grid, block, 0, stream>>>(a, bias);
    } else {
        mul_mat_vec_q4<nwarps, false><<<grid, block, 0, stream>>>(a, nullptr);
    }
}

extern "C" int mv_q4_f32(const void * qs, const void * d, const float * x, void * x_half, float * y,
                         const float * bias, int N, int K, cudaStream_t stream) {
    if (N <= 0 || K <= 0 || K % QK != 0) {
        return 1;
    }
    cvt_f32_f16<<<(K + 255) / 256, 256, 0, stream>>>(x, (__half *) x_half, K);
    mv_args a = {(const uint32_t *) qs, (const __half *) d, (const __half *) x_half, y, N, K};
    if (N >= 4096) {
        launch_mv<4>(a, bias, stream);
    } else if (N >= 512) {
        launch_mv<2>(a, bias, stream);
    } else {
        launch_mv<1>(a, bias, stream);
    }
    return cudaGetLastError() == cudaSuccess ? 0 : 2;
}
