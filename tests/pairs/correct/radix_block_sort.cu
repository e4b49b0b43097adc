// Block-local LSD radix sort on 1-bit digits with warp ballots.
#include <cuda_runtime.h>
#include <cstdint>
#include <stdexcept>

namespace blocksort {

template <typename Key, int THREADS>
struct Storage {
  Key keys[2][THREADS];
  uint32_t vals[2][THREADS];
  int warp_zero[THREADS / 32];
  int total_zero;
};

template <int THREADS>
__device__ int rank_bit(bool one, int* warp_zero, int& total_zero) {
  const int lane = threadIdx.x & 31, w = threadIdx.x >> 5;
  const unsigned zeros = __ballot_sync(0xffffffffu, !one);
  if (lane == 0) warp_zero[w] = __popc(zeros);
  __syncthreads();
  if (threadIdx.x == 0) {
    int run = 0;
    for (int i = 0; i < THREADS / 32; ++i) {
      const int c = warp_zero[i];
      warp_zero[i] = run;
      run += c;
    }
    total_zero = run;
  }
  __syncthreads();
  const unsigned below = (1u << lane) - 1u;
  const int zeros_before = warp_zero[w] + __popc(zeros & below);
  return one ? total_zero + int(threadIdx.x) - zeros_before : zeros_before;
}

template <typename Key, int THREADS>
__global__ void __launch_bounds__(THREADS)
sort_tiles(Key* keys, uint32_t* vals, int n, int begin_bit, int end_bit) {
  __shared__ Storage<Key, THREADS> st;
  const int g = blockIdx.x * THREADS + threadIdx.x;
  const Key pad = Key(~Key(0));
  st.keys[0][threadIdx.x] = g < n ? keys[g] : pad;
  st.vals[0][threadIdx.x] = g < n ? vals[g] : 0xffffffffu;
  int cur = 0;
  for (int bit = begin_bit; bit < end_bit; ++bit) {
    const Key k = st.keys[cur][threadIdx.x];
    const uint32_t v = st.vals[cur][threadIdx.x];
    const int r = rank_bit<THREADS>((k >> bit) & 1, st.warp_zero, st.total_zero);
    st.keys[cur ^ 1][r] = k;
    st.vals[cur ^ 1][r] = v;
    cur ^= 1;
    __syncthreads();
  }
  if (g < n) {
    keys[g] = st.keys[cur][threadIdx.x];
    vals[g] = st.vals[cur][threadIdx.x];
  }
}

template <typename Key, int T>
void launch(Key* k, uint32_t* v, int n, int b0, int b1, cudaStream_t s) {
  sort_tiles<Key, T><<<(n + T - 1) / T, T, 0, s>>>(k, v, n, b0, b1);
}

template <typename Key>
void sort_pairs_tiles(Key* keys, uint32_t* vals, int n, int tile = 256, int begin_bit = 0,
                      int end_bit = sizeof(Key) * 8, cudaStream_t s = 0) {
  if (n <= 0) return;
  if (begin_bit < 0 || end_bit > int(sizeof(Key) * 8)) throw std::out_of_range("bits");
  using Fn = void (*)(Key*, uint32_t*, int, int, int, cudaStream_t);
  static const struct { int tile; Fn fn; } table[] = {
      {64, &launch<Key, 64>}, {128, &launch<Key, 128>}, {256, &launch<Key, 256>}, {512, &launch<Key, 512>}};
  for (const auto& e : table)
    if (e.tile == tile) return e.fn(keys, vals, n, begin_bit, end_bit, s);
  throw std::invalid_argument("tile");
}

template void sort_pairs_tiles<uint32_t>(uint32_t*, uint32_t*, int, int, int, int, cudaStream_t);
template void sort_pairs_tiles<uint64_t>(uint64_t*, uint32_t*, int, int, int, int, cudaStream_t);

}  // namespace blocksort
