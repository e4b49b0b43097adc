#include "wp/scan.cuh"
#include "wp/segmented.cuh"

namespace wp {

template <class Op, typename T>
static void scan_impl(const T* in, T* out, int n, void* scratch, int block, cudaStream_t st) {
  const int tiles = (n + block - 1) / block;
  LookbackState<T> s;
  s.counter = static_cast<int*>(scratch);
  s.status = s.counter + 1;
  s.aggregate = reinterpret_cast<T*>(s.status + tiles);
  s.inclusive = s.aggregate + tiles;
  WP_SAFE(cudaMemsetAsync(scratch, 0, (tiles + 1) * sizeof(int), st));
  switch (block) {
    case 256: scan_lookback_kernel<Op, T, 256><<<tiles, 256, 0, st>>>(in, out, n, s); break;
    case 512: scan_lookback_kernel<Op, T, 512><<<tiles, 512, 0, st>>>(in, out, n, s); break;
    case 1024: scan_lookback_kernel<Op, T, 1024><<<tiles, 1024, 0, st>>>(in, out, n, s); break;
    default: fprintf(stderr, "scan: block size\n"); exit(EXIT_FAILURE);
  }
  WP_SAFE(cudaGetLastError());
}

void scan(const void* in, void* out, int n, void* scratch, const Config& c, cudaStream_t st) {
  if (n <= 0) return;
  if (c.type == WP_INT && c.op == WP_ADD)
    scan_impl<OpAdd<int>, int>((const int*)in, (int*)out, n, scratch, c.block_size, st);
  else if (c.type == WP_INT && c.op == WP_MAX)
    scan_impl<OpMax<int>, int>((const int*)in, (int*)out, n, scratch, c.block_size, st);
  else if (c.type == WP_FLOAT && c.op == WP_ADD)
    scan_impl<OpAdd<float>, float>((const float*)in, (float*)out, n, scratch, c.block_size, st);
  else
    exit(EXIT_FAILURE);
}

void segmented_sum(const float* in, const unsigned char* head, float* out, int n, int chunk, cudaStream_t st) {
  if (n <= 0 || chunk <= 0) return;
  segmented_sum_kernel<float, 128><<<(n + chunk - 1) / chunk, 128, 0, st>>>(in, head, out, n, chunk);
  WP_SAFE(cudaGetLastError());
}

}  // namespace wp
