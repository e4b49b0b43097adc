// Beam search: after top-k selection the token history of each beam follows its parent.
#include <cuda_runtime.h>
#include <cstdint>
#include <utility>

struct BeamState {
  int32_t* tokens;        // [batch, beams, max_len]
  float* scores;          // [batch, beams]
  int batch, beams, max_len;
};

__global__ void reorder_beams(BeamState st, const int32_t* __restrict__ parent, const int32_t* __restrict__ token,
                              const float* __restrict__ new_score, int cur_len) {
  const int b = blockIdx.y;
  const int k = blockIdx.x;
  const int beam = b * st.beams + k;
  const int src_beam = b * st.beams + parent[beam];   // any beam of the same sentence, repeats allowed
  const int32_t* src = st.tokens + (size_t)src_beam * st.max_len;
  int32_t* dst = st.tokens + (size_t)beam * st.max_len;
  if (src_beam != beam) {
    for (int t = threadIdx.x; t < cur_len; t += blockDim.x) dst[t] = src[t];
  }
  if (threadIdx.x == 0) {
    dst[cur_len] = token[beam];
    st.scores[beam] = new_score[beam];
  }
}

__global__ void finalize(BeamState st, int32_t* best_tokens, float* best_score, int len) {
  const int b = blockIdx.x;
  __shared__ int best;
  if (threadIdx.x == 0) {
    best = 0;
    for (int k = 1; k < st.beams; ++k)
      if (st.scores[b * st.beams + k] > st.scores[b * st.beams + best]) best = k;
    best_score[b] = st.scores[b * st.beams + best] / len;
  }
  __syncthreads();
  const int32_t* src = st.tokens + ((size_t)b * st.beams + best) * st.max_len;
  for (int t = threadIdx.x; t < len; t += blockDim.x) best_tokens[(size_t)b * st.max_len + t] = src[t];
}

class BeamDecoder {
 public:
  BeamDecoder(BeamState st, cudaStream_t s) : st_(st), stream_(s), len_(0) {}

  bool step(const int32_t* d_parent, const int32_t* d_token, const float* d_score) {
    if (len_ + 1 >= st_.max_len) return false;
    dim3 grid(st_.beams, st_.batch);
    reorder_beams<<<grid, 128, 0, stream_>>>(st_, d_parent, d_token, d_score, len_);
    ++len_;
    return true;
  }

  void best(int32_t* d_tokens, float* d_score) {
    finalize<<<st_.batch, 128, 0, stream_>>>(st_, d_tokens, d_score, len_);
  }

 private:
  BeamState st_;
  cudaStream_t stream_;
  int len_;
};

extern "C" void* beam_create(BeamState st, cudaStream_t s) { return new BeamDecoder(st, s); }
extern "C" int beam_step(void* d, const int32_t* p, const int32_t* t, const float* sc) {
  return static_cast<BeamDecoder*>(d)->step(p, t, sc) ? 1 : 0;
}
