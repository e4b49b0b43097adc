#include <cuda_bf16.h>
#include <cuda_runtime.h>
#include <cstdint>

namespace quant {

constexpr int kThreadsPerGroup = 16;
constexpr float kEps = 1e-10f;

struct QuantParams {
  const __nv_bfloat16* input;
  int8_t* output;
  float* scales;
  int group_size;
  int num_groups;
  float min_8bit;
  float max_8bit;
};

__device__ __forceinline__ float group_reduce_max(float val, const int tid) {
  unsigned mask = threadIdx.x % 32 >= 16 ? 0xffff0000u : 0x0000ffffu;
  val = fmaxf(val, __shfl_xor_sync(mask, val, 8));
  val = fmaxf(val, __shfl_xor_sync(mask, val, 4));
  val = fmaxf(val, __shfl_xor_sync(mask, val, 2));
  val = fmaxf(val, __shfl_xor_sync(mask, val, 1));
  return val;
}

template <int GROUPS_PER_BLOCK>
__global__ void per_token_group_quant_8bit_kernel(QuantParams p) {
  const int local_group_id = threadIdx.x / kThreadsPerGroup;
  const int lane_id = threadIdx.x % kThreadsPerGroup;
  const int global_group_id = blockIdx.x * GROUPS_PER_BLOCK + local_group_id;
  if (global_group_id >= p.num_groups) return;

  const __nv_bfloat16* in = p.input + (size_t)global_group_id * p.group_size;
  int8_t* out = p.output + (size_t)global_group_id * p.group_size;

  float local_absmax = kEps;
  for (int i = lane_id; i < p.group_size; i += kThreadsPerGroup) {
    local_absmax = fmaxf(local_absmax, fabsf(__bfloat162float(in[i])));
  }
  local_absmax = group_reduce_max(local_absmax, lane_id);

  const float y_s = local_absmax / p.max_8bit;
  if (lane_id == 0) {
    p.scales[global_group_id] = y_s;
  }
  for (int i = lane_id; i < p.group_size; i += kThreadsPerGroup) {
    const float v = __bfloat162float(in[i]) / y_s;
    const float q = fminf(fmaxf(v, p.min_8bit), p.max_8bit);
    out[i] = static_cast<int8_t>(__float2int_rn(q));
  }
}

template <int GROUPS>
static void launch(const QuantParams& p, cudaStream_t stream) {
  const int num_blocks = (p.num_groups + GROUPS - 1) / GROUPS;
  per_token_group_quant_8bit_kernel<GROUPS>
      <<<num_blocks, GROUPS * kThreadsPerGroup, 0, stream>>>(p);
}

void per_token_group_quant_8bit(const __nv_bfloat16* input, int8_t* output, float* scales,
                                int64_t numel, int group_size, cudaStream_t stream) {
  QuantParams p{input, output, scales, group_size, static_cast<int>(numel / group_size),
                -127.f, 127.f};
  if (p.num_groups == 0) return;
  if (p.num_groups % 16 == 0) {
    launch<16>(p, stream);
  } else if (p.num_groups % 8 == 0) {
    launch<8>(p, stream);
  } else {
    launch<4>(p, stream);
  }
}

}  // namespace quant
