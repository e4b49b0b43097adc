#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda/atomic>
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cooperative_groups/memcpy_async.h>
#include <cub/cub.cuh>
#include <mma.h>
#include <curand_kernel.h>
#include <math_constants.h>
#include <cmath>
#include <limits>
#include <type_traits>
namespace cg = cooperative_groups;
using block_barrier = cuda::barrier<cuda::thread_scope_block>;
__global__ void of_cub(const int *in, int *out, int n) {
  int items[4]; cub::LoadDirectStriped<128>(threadIdx.x, in, items, n, 0); cub::StoreDirectBlocked(threadIdx.x, out, items, n);
  cub::KeyValuePair<int, float> pair(items[0], 1.f); typename cub::Traits<float>::UnsignedBits bits = cub::Traits<float>::TwiddleIn(pair.key);
  out[n] = cuda::maximum<>()(int(cub::Traits<float>::TwiddleOut(bits)), n); cuda::atomic<int, cuda::thread_scope_device> *sum = nullptr;
  cg::reduce_update_async(cg::tiled_partition<32>(cg::this_thread_block()), *sum, n, cg::plus<int>()); half h = __int2half_rd(n);
}
__global__ void k(int *p, float *f, int n) {
  __shared__ block_barrier bar; __shared__ int s[32];
  if (threadIdx.x == 0) init(&bar, blockDim.x);
  __syncthreads();
  auto t = bar.arrive(); bar.wait(std::move(t)); bar.arrive_and_wait();
  auto block = cg::this_thread_block(); auto tile = cg::tiled_partition<32>(block); cg::thread_block_tile<16> t16 = cg::tiled_partition<16>(tile);
  cg::thread_group g = cg::tiled_partition(block, 8); g.sync();
  cg::sync(tile); int r = cg::reduce(tile, p[0], cg::plus<int>()); r += tile.shfl_down(r, 1); r += tile.any(r > 0) + tile.num_threads();
  static_assert(decltype(tile)::size() == 32, ""); r += cg::inclusive_scan(tile, r); cg::memcpy_async(block, s, p, sizeof(int)*32); cg::wait(block);
  dim3 d = block.group_index(); uint3 u = block.thread_index();
  cuda::pipeline<cuda::thread_scope_thread> pipe = cuda::make_pipeline(); pipe.producer_acquire(); cuda::memcpy_async(s + threadIdx.x, p + threadIdx.x, sizeof(int), pipe); pipe.producer_commit(); cuda::pipeline_consumer_wait_prior<0>(pipe); pipe.consumer_release();
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> st; auto pb = cuda::make_pipeline(block, &st); cuda::memcpy_async(block, s, p, cuda::aligned_size_t<16>(64), pb);
  cuda::atomic_ref<int, cuda::thread_scope_device> ar(*p); ar.fetch_add(1, cuda::std::memory_order_relaxed); ar++;
  typedef cub::BlockReduce<int, 128> BR; __shared__ typename BR::TempStorage ts; r += BR(ts).Sum(r); r+= BR(ts).Reduce(r, cub::Max());
  nvcuda::wmma::fragment<nvcuda::wmma::matrix_a, 16, 16, 16, half, nvcuda::wmma::row_major> a; nvcuda::wmma::fragment<nvcuda::wmma::accumulator, 16, 16, 16, float> c; nvcuda::wmma::fill_fragment(c, 0.0f); nvcuda::wmma::load_matrix_sync(a, (half *)p, 16);
  for (int i = 0; i < c.num_elements; i++) c.x[i] *= 2; nvcuda::wmma::store_matrix_sync(f, c, 16, nvcuda::wmma::mem_row_major);
  half h = __float2half(1.0f); h = h * h + half(2); h += 1; float ff = h; half2 h2 = __half2half2(h); h2 = __hfma2(h2, h2, h2); h = __shfl_xor_sync(~0u, h, 1);
  curandState cs; curand_init(1, 2, 3, &cs); f[0] = curand_uniform(&cs) + min(1, 2u) + fmaxf(1.f, ff) + powf(2, 3) + pow(2, 3) + sqrt(3) + std::max(1, n) + abs(-3) + std::abs(2.f) + max(1.f, 2.f) ;
  auto co = cg::coalesced_threads(); if (co.thread_rank() == 0) atomicAdd(p, co.size()); cg::invoke_one(co, [&] { p[1] = 2; });
  auto lp = cg::labeled_partition(tile, r & 3); auto bp = cg::binary_partition(tile, r & 1); lp.sync(); auto gr = cg::this_grid(); gr.sync(); auto cl = cg::this_cluster(); cl.sync(); int *rem = cl.map_shared_rank(s, 1);
}

// Types without linkage as template arguments of the device API.
__global__ void local_types(float4 *in, float *out) {
    struct pair { int key; float value; };
    enum kind { even, odd } which = threadIdx.x & 1 ? odd : even;
    auto tile = cg::tiled_partition<32>(cg::this_thread_block());
    pair mine = {(int)threadIdx.x, in[threadIdx.x].x};
    pair other = tile.shfl_down(mine, 1);
    int total = cg::reduce(tile, other.key, [](int a, int b) { return a + b; });
    out[threadIdx.x] = other.value + total + __shfl_sync(0xffffffff, which, 0) + __ldg(&in[threadIdx.x]).y;
}

// Integers go through double.
double of_integers(long x, int y, unsigned z) {
    return std::cbrt(x) + std::round(y) + std::tanh(y) + std::log1p(y) + std::erf(z) + std::lround(y) + std::trunc(x) +
           std::acos(y) + std::isnan(y) + std::isfinite(x) + std::signbit(y) + std::exp2(z) + std::sqrt(x) + cbrt(y);
}

// What newer architectures brought, and the names that std has them by.
__global__ void of_later(unsigned *p, float *f, int n) {
  bool first, high, low; float2 pair = __fadd2_rn(make_float2(f[0], f[1]), make_float2(1, 2));
  p[0] = __vimax3_s32(n, 1, 2) + __viaddmin_u32(p[1], 2, 3) + __vibmax_s32(n, 4, &first) + __vibmin_u16x2(p[2], p[3], &high, &low) + first + high + low;
  f[0] = std::erff(f[1]) + std::log1pf(f[2]) + std::hypotf(f[3], f[4]) + std::scalbln(f[5], 2l) + pair.x + (float)std::nextafterf(1.f, 2.f);
  half h = __ll2half_rz(3); p[4] = __half2uchar_rz(h) + __hequ2_mask(__half2half2(h), __half2half2(h)); f[6] = CUDART_SQRT_HALF_F;
  static_assert(std::numeric_limits<float>::has_denorm == std::denorm_present && std::is_trivially_copy_assignable<float2>::value &&
                std::is_nothrow_destructible<float4>::value && !std::is_swappable<const int>::value && std::is_pod<float3>::value, "");
}
