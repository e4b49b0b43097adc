// String predicate `contains(needle)` over an Arrow-style string column, result as validity bitmap.
#include <cuda_runtime.h>
#include <cstdint>
#include <cstring>
#include <string>
#include <stdexcept>

namespace strings {

constexpr int kMaxNeedle = 64;
constexpr int kBlock = 128;

struct Needle {
  char text[kMaxNeedle];
  uint8_t shift[kMaxNeedle];  // failure function of KMP
  int len;
};

struct Column {
  const int32_t* offsets;  // n + 1
  const char* chars;
  const uint32_t* validity;  // may be null
  int n;
};

__device__ inline char lower(char c) { return c >= 'A' && c <= 'Z' ? c + 32 : c; }

template <bool kFoldCase>
__device__ bool contains(const char* s, int len, const Needle& nd) {
  if (nd.len == 0) return true;
  int j = 0;
  for (int i = 0; i < len; ++i) {
    const char c = kFoldCase ? lower(s[i]) : s[i];
    while (j > 0 && c != nd.text[j]) j = nd.shift[j - 1];
    if (c == nd.text[j]) ++j;
    if (j == nd.len) return true;
  }
  return false;
}

__device__ inline bool is_valid(const Column& c, int i) {
  return c.validity == nullptr || ((c.validity[i >> 5] >> (i & 31)) & 1u);
}

// One lane for each row, one word of the bitmap for each warp.
template <bool kFoldCase>
__global__ void __launch_bounds__(kBlock)
contains_kernel(Column col, const Needle* __restrict__ needle, uint32_t* __restrict__ bitmap,
                int* __restrict__ num_true) {
  __shared__ Needle nd;
  for (int i = threadIdx.x; i < (int)(sizeof(Needle) / 4); i += kBlock)
    reinterpret_cast<uint32_t*>(&nd)[i] = reinterpret_cast<const uint32_t*>(needle)[i];
  __syncthreads();

  const int lane = threadIdx.x & 31;
  const int words = (col.n + 31) / 32;
  const int warps = gridDim.x * (kBlock / 32);
  int found = 0;

  for (int w = (blockIdx.x * kBlock + threadIdx.x) / 32; w < words; w += warps) {
    const int row = w * 32 + lane;
    bool hit = false;
    if (row < col.n && is_valid(col, row)) {
      const int beg = col.offsets[row];
      hit = contains<kFoldCase>(col.chars + beg, col.offsets[row + 1] - beg, nd);
    }
    const uint32_t word = __ballot_sync(0xffffffffu, hit);
    if (lane == 0) {
      bitmap[w] = word;
      found += __popc(word);
    }
  }
  if (lane == 0 && found) atomicAdd(num_true, found);
}

__global__ void bitmap_and(uint32_t* dst, const uint32_t* other, int words) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < words) dst[i] &= other[i];
}

Needle make_needle(const std::string& s, bool fold) {
  if (s.size() > kMaxNeedle) throw std::length_error("pattern too long");
  Needle nd;
  std::memset(&nd, 0, sizeof(nd));
  nd.len = (int)s.size();
  for (int i = 0; i < nd.len; ++i)
    nd.text[i] = fold && s[i] >= 'A' && s[i] <= 'Z' ? char(s[i] + 32) : s[i];
  for (int i = 1, j = 0; i < nd.len; ++i) {
    while (j > 0 && nd.text[i] != nd.text[j]) j = nd.shift[j - 1];
    if (nd.text[i] == nd.text[j]) ++j;
    nd.shift[i] = (uint8_t)j;
  }
  return nd;
}

void contains(const Column& col, const std::string& pattern, bool fold_case, Needle* d_needle,
              uint32_t* bitmap, int* num_true, cudaStream_t st) {
  const Needle nd = make_needle(pattern, fold_case);
  cudaMemcpyAsync(d_needle, &nd, sizeof(nd), cudaMemcpyHostToDevice, st);
  cudaMemsetAsync(num_true, 0, sizeof(int), st);
  if (col.n <= 0) return;
  int grid = (col.n + kBlock - 1) / kBlock;
  if (grid > 4096) grid = 4096;
  if (fold_case)
    contains_kernel<true><<<grid, kBlock, 0, st>>>(col, d_needle, bitmap, num_true);
  else
    contains_kernel<false><<<grid, kBlock, 0, st>>>(col, d_needle, bitmap, num_true);
}

}  // namespace strings
