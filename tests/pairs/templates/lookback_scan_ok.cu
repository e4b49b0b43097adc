#include <cuda_runtime.h>
#include <cstdint>

namespace scan {

enum : unsigned { kInvalid = 0, kAggregate = 1, kPrefix = 2 };

struct TileState {
  int* aggregate;       // per tile
  int* prefix;          // per tile, inclusive
  unsigned* flag;       // per tile, zeroed before launch
  unsigned* next_tile;  // zeroed before launch

  __device__ void publish(int* slot, int tile, int value, unsigned status) const {
    slot[tile] = value;
    __threadfence();
    atomicExch(&flag[tile], status);
  }
  __device__ unsigned peek(int tile) const {
    const unsigned f = atomicAdd(&flag[tile], 0u);
    __threadfence();
    return f;
  }
};

template <int BLOCK_, int ITEMS_>
struct ScanPolicy {
  static constexpr int BLOCK = BLOCK_;
  static constexpr int ITEMS = ITEMS_;
  static constexpr int TILE = BLOCK * ITEMS;
};

template <class P>
struct ScanShared {
  int warp[P::BLOCK / 32];
  int tile;
  int carry;
};

template <class P>
__device__ __forceinline__ int block_exclusive(ScanShared<P>& sh, int v, int& total) {
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  int inc = v;
#pragma unroll
  for (int d = 1; d < 32; d <<= 1) {
    const int u = __shfl_up_sync(0xffffffffu, inc, d);
    if (lane >= d) inc += u;
  }
  if (lane == 31) sh.warp[warp] = inc;
  __syncthreads();
  int before = 0;
  total = 0;
#pragma unroll
  for (int w = 0; w < P::BLOCK / 32; ++w) {
    before += w < warp ? sh.warp[w] : 0;
    total += sh.warp[w];
  }
  return before + inc - v;
}

__device__ __forceinline__ int look_back(const TileState& st, int tile) {
  int sum = 0;
  for (int t = tile - 1; t >= 0;) {
    const unsigned f = st.peek(t);
    if (f == kInvalid) continue;
    if (f == kPrefix) return sum + st.prefix[t];
    sum += st.aggregate[t];
    --t;
  }
  return sum;
}

template <class P>
__global__ void __launch_bounds__(P::BLOCK) scan_kernel(const int* in, int* out, int n, TileState st) {
  __shared__ ScanShared<P> sh;
  if (threadIdx.x == 0) sh.tile = int(atomicAdd(st.next_tile, 1u));
  __syncthreads();
  const int tile = sh.tile;
  const int base = tile * P::TILE + threadIdx.x * P::ITEMS;

  int v[P::ITEMS];
  int sum = 0;
#pragma unroll
  for (int k = 0; k < P::ITEMS; ++k) {
    v[k] = base + k < n ? in[base + k] : 0;
    sum += v[k];
  }
  int total;
  int run = block_exclusive<P>(sh, sum, total);

  if (threadIdx.x == 0) {
    int carry = 0;
    if (tile > 0) {
      st.publish(st.aggregate, tile, total, kAggregate);
      carry = look_back(st, tile);
    }
    st.publish(st.prefix, tile, carry + total, kPrefix);
    sh.carry = carry;
  }
  __syncthreads();
  run += sh.carry;
#pragma unroll
  for (int k = 0; k < P::ITEMS; ++k) {
    if (base + k < n) out[base + k] = run;
    run += v[k];
  }
}

template <class P>
static void launch(const int* in, int* out, int n, const TileState& st, cudaStream_t s) {
  const int tiles = (n + P::TILE - 1) / P::TILE;
  if (tiles) scan_kernel<P><<<tiles, P::BLOCK, 0, s>>>(in, out, n, st);
}

void exclusive_scan(const int* in, int* out, int n, const TileState& st, cudaStream_t s) {
  if (n < (1 << 16))
    launch<ScanPolicy<128, 8>>(in, out, n, st, s);
  else
    launch<ScanPolicy<256, 12>>(in, out, n, st, s);
}

}  // namespace scan
