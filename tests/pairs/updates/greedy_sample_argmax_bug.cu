// Greedy decoding with repetition penalty: one block per sequence picks the best token.
#include <cuda_runtime.h>
#include <cuda_bf16.h>
#include <cstdint>

struct SamplerParams {
  int vocab;
  int stride;
  float penalty;
  int eos;
};

struct Best {
  float value;
  int token;
};

__global__ void greedy_kernel(SamplerParams p, const __nv_bfloat16* __restrict__ logits,
                              const uint8_t* __restrict__ seen, int* __restrict__ out, uint8_t* finished) {
  __shared__ Best best;
  const int seq = blockIdx.x;
  const __nv_bfloat16* row = logits + (size_t)seq * p.stride;
  const uint8_t* hist = seen + (size_t)seq * p.vocab;
  if (threadIdx.x == 0) {
    best.value = -3.4e38f;
    best.token = p.eos;
  }
  __syncthreads();

  float my_val = -3.4e38f;
  int my_tok = p.eos;
  for (int v = threadIdx.x; v < p.vocab; v += blockDim.x) {
    float x = __bfloat162float(row[v]);
    if (hist[v]) x = x > 0.f ? x / p.penalty : x * p.penalty;
    if (x > my_val) {
      my_val = x;
      my_tok = v;
    }
  }
  if (my_val > best.value) {
    best.value = my_val;
    best.token = my_tok;
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    const int tok = best.token;
    out[seq] = finished[seq] ? p.eos : tok;
    if (tok == p.eos) finished[seq] = 1;
  }
}

__global__ void mark_seen(SamplerParams p, const int* __restrict__ out, uint8_t* seen, int n) {
  const int seq = blockIdx.x * blockDim.x + threadIdx.x;
  if (seq < n) seen[(size_t)seq * p.vocab + out[seq]] = 1;
}

// seen has num_seqs * vocab bytes and starts with the prompt tokens set
void sample_greedy(const SamplerParams& p, const __nv_bfloat16* logits, uint8_t* seen, int* out, uint8_t* finished,
                   int num_seqs, cudaStream_t s) {
  if (num_seqs == 0) return;
  greedy_kernel<<<num_seqs, 256, 0, s>>>(p, logits, seen, out, finished);
  mark_seen<<<(num_seqs + 127) / 128, 128, 0, s>>>(p, out, seen, num_seqs);
}
