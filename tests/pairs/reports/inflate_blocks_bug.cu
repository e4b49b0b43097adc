#include <cuda_runtime.h>
#include <cstdint>

namespace io {

constexpr int kThreads = 64;

struct InflateInput {
  const uint8_t* src;
  uint8_t* dst;
  uint32_t src_size;
  uint32_t dst_size;
};

struct InflateStatus {
  uint32_t bytes_written;
  uint32_t status;
};

struct InflateState {
  const uint8_t* cur;
  const uint8_t* end;
  uint32_t out_pos;
  uint32_t chunk_len;
  int blast;
  int err;
};

// Chunk layout: flag byte, 16-bit length, payload.
__device__ void read_header(InflateState* s, uint32_t dst_size) {
  s->chunk_len = 0;
  if (s->end - s->cur < 3) {
    s->err = 1;
    s->blast = 1;
    return;
  }
  const uint32_t len = s->cur[1] | (s->cur[2] << 8);
  s->blast = s->cur[0] & 1;
  s->cur += 3;
  if (len > (uint32_t)(s->end - s->cur) || s->out_pos + len > dst_size) {
    s->err = 2;
    s->blast = 1;
    return;
  }
  s->chunk_len = len;
}

__device__ void copy_stored(const InflateState* s, uint8_t* dst, int t) {
  const uint8_t* src = s->cur;
  const uint32_t len = s->chunk_len;
  const uint32_t pos = s->out_pos;
  for (uint32_t i = t; i < len; i += kThreads) dst[pos + i] = src[i];
}

__global__ void __launch_bounds__(kThreads)
inflate_kernel(const InflateInput* inputs, InflateStatus* outputs) {
  __shared__ InflateState state;
  const int t = threadIdx.x;
  const InflateInput in = inputs[blockIdx.x];

  if (t == 0) {
    state.cur = in.src;
    state.end = in.src + in.src_size;
    state.out_pos = 0;
    state.err = 0;
  }

  for (;;) {
    if (t == 0) read_header(&state, in.dst_size);
    __syncthreads();
    copy_stored(&state, in.dst, t);
    __syncthreads();
    if (t == 0) {
      state.cur += state.chunk_len;
      state.out_pos += state.chunk_len;
    }
    if (state.blast) break;
  }

  if (t == 0) {
    outputs[blockIdx.x].bytes_written = state.out_pos;
    outputs[blockIdx.x].status = state.err;
  }
}

cudaError_t gpu_inflate(const InflateInput* inputs, InflateStatus* outputs, int count,
                        cudaStream_t stream) {
  if (count > 0) inflate_kernel<<<count, kThreads, 0, stream>>>(inputs, outputs);
  return cudaGetLastError();
}

}  // namespace io
