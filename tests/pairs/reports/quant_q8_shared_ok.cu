#include <cuda_runtime.h>
#include <cstdint>

#define WARP_SIZE 32
#define QK8 32
#define QI8 (QK8 / 4)

struct dot_args {
    const float  * q;     // [n_q, D]
    const int8_t * k;     // [n_kv, D]
    const float  * kd;    // [n_kv, D / QK8]
    float        * score; // [n_q, n_kv]
    int n_q;
    int n_kv;
};

template <int ni>
static __device__ __forceinline__ void quantize_to_shared(const float * x, int * yq32, float2 * yds) {
    const int lane = threadIdx.x;
    float vals[4] = {0.0f, 0.0f, 0.0f, 0.0f};
    if (lane < ni) {
#pragma unroll
        for (int l = 0; l < 4; ++l) {
            vals[l] = x[4 * lane + l];
        }
    }
    float amax = 0.0f, sum = 0.0f;
#pragma unroll
    for (int l = 0; l < 4; ++l) {
        amax = fmaxf(amax, fabsf(vals[l]));
        sum += vals[l];
    }
#pragma unroll
    for (int mask = QI8 / 2; mask > 0; mask >>= 1) {
        amax = fmaxf(amax, __shfl_xor_sync(0xFFFFFFFF, amax, mask, 32));
        sum += __shfl_xor_sync(0xFFFFFFFF, sum, mask, 32);
    }
    const float d = amax / 127.0f;
    int q32 = 0;
    if (d != 0.0f) {
#pragma unroll
        for (int l = 0; l < 4; ++l) {
            const int qi = __float2int_rn(vals[l] / d) & 0xFF;
            q32 |= qi << (8 * l);
        }
    }
    if (lane < ni) {
        yq32[lane] = q32;
    }
    if (lane % QI8 == 0 && lane < ni) {
        yds[lane / QI8] = make_float2(d, sum);
    }
}

template <int D>
static __global__ void __launch_bounds__(WARP_SIZE) q8_scores(const dot_args a) {
    constexpr int ni = D / 4;
    static_assert(ni % QI8 == 0 && ni <= WARP_SIZE, "unsupported head size");
    __shared__ __align__(16) int buf[WARP_SIZE + 2 * WARP_SIZE / QI8];
    int    * yq32 = buf;
    float2 * yds  = (float2 *) (buf + ni);

    const int iq = blockIdx.x;
    quantize_to_shared<ni>(a.q + (size_t) iq * D, yq32, yds);
    __syncwarp();

    for (int j = blockIdx.y * WARP_SIZE + threadIdx.x; j < a.n_kv; j += gridDim.y * WARP_SIZE) {
        const int * k32 = (const int *) (a.k + (size_t) j * D);
        float acc = 0.0f;
#pragma unroll
        for (int b = 0; b < D / QK8; ++b) {
            int sumi = 0;
#pragma unroll
            for (int i = 0; i < QI8; ++i) {
                sumi = __dp4a(k32[b * QI8 + i], yq32[b * QI8 + i], sumi);
            }
            acc += a.kd[(size_t) j * (D / QK8) + b] * yds[b].x * sumi;
        }
        a.score[(size_t) iq * a.n_kv + j] = acc;
    }
}

void q8_scores_cuda(const dot_args & a, int head_dim, cudaStream_t stream) {
    const int ny = (a.n_kv + 8 * WARP_SIZE - 1) / (8 * WARP_SIZE);
    const dim3 grid(a.n_q, ny > 0 ? ny : 1, 1);
    switch (head_dim) {
        case 64:
            q8_scores<64><<<grid, WARP_SIZE, 0, stream>>>(a);
            break;
        case 128:
            q8_scores<128><<<grid, WARP_SIZE, 0, stream>>>(a);
            break;
        default:
            break;
    }
}
