#include "wp/reduce.cuh"
#include "wp/sort.cuh"
#include "wp/histogram.cuh"

namespace wp {

template <class Op, typename T, int BLOCK>
static void reduce_impl(const T* in, T* out, T* partial, int n, int max_blocks, cudaStream_t st) {
  int blocks = (n + BLOCK - 1) / BLOCK;
  if (blocks > max_blocks) blocks = max_blocks;
  reduce_kernel<Op, T, BLOCK><<<blocks, BLOCK, 0, st>>>(in, partial, n);
  reduce_kernel<Op, T, BLOCK><<<1, BLOCK, 0, st>>>(partial, out, blocks);
  WP_SAFE(cudaGetLastError());
}

#define WP_BLOCK_SWITCH(B, CALL)             \
  switch (B) {                               \
    case 64: { CALL(64); break; }            \
    case 128: { CALL(128); break; }          \
    case 256: { CALL(256); break; }          \
    case 512: { CALL(512); break; }          \
    default: fprintf(stderr, "block size %d\n", B); exit(EXIT_FAILURE); \
  }

void reduce(const void* in, void* out, void* partial, int n, const Config& c, cudaStream_t st) {
  if (c.type == WP_FLOAT) {
#define CALL(B) reduce_impl<OpAdd<float>, float, B>((const float*)in, (float*)out, (float*)partial, n, c.max_blocks, st)
    WP_BLOCK_SWITCH(c.block_size, CALL)
#undef CALL
  } else if (c.op == WP_MAX) {
#define CALL(B) reduce_impl<OpMax<int>, int, B>((const int*)in, (int*)out, (int*)partial, n, c.max_blocks, st)
    WP_BLOCK_SWITCH(c.block_size, CALL)
#undef CALL
  } else {
#define CALL(B) reduce_impl<OpAdd<int>, int, B>((const int*)in, (int*)out, (int*)partial, n, c.max_blocks, st)
    WP_BLOCK_SWITCH(c.block_size, CALL)
#undef CALL
  }
}

void sort_tiles(unsigned* keys, int n, const Config& c, cudaStream_t st) {
#define CALL(B) sort_tiles_kernel<unsigned, B><<<(n + 2 * B - 1) / (2 * B), B, 0, st>>>(keys, n, 0xffffffffu)
  WP_BLOCK_SWITCH(c.block_size, CALL)
#undef CALL
  WP_SAFE(cudaGetLastError());
}

void histogram256(const unsigned char* data, int nbytes, unsigned* out, cudaStream_t st) {
  if (nbytes % 4) exit(EXIT_FAILURE);
  int per_sm = 0, dev = 0;
  cudaDeviceProp prop;
  WP_SAFE(cudaGetDevice(&dev));
  WP_SAFE(cudaGetDeviceProperties(&prop, dev));
  WP_SAFE(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_sm, histogram_kernel<256, 192>, 192, 0));
  WP_SAFE(cudaMemsetAsync(out, 0, 256 * sizeof(unsigned), st));
  histogram_kernel<256, 192><<<per_sm * prop.multiProcessorCount, 192, 0, st>>>((const unsigned*)data, nbytes / 4, out);
  WP_SAFE(cudaGetLastError());
}

}  // namespace wp
