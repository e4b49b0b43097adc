#include "graphx/csr.h"
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

namespace graphx {
namespace {

// Min-label propagation with shortcuts, whole loop on the device. flags: zeroed ints.
__global__ void components_persistent(CsrView<> g, vid_t* a, vid_t* b, int* flags, vid_t** result) {
  cg::grid_group grid = cg::this_grid();
  const int stride = gridDim.x * blockDim.x;
  const int tid = blockIdx.x * blockDim.x + threadIdx.x;
  vid_t* cur = a;
  vid_t* nxt = b;
  for (int k = 0;; ++k) {
    bool changed = false;
    for (vid_t v = tid; v < g.n; v += stride) {
      const vid_t old = cur[v];
      vid_t m = old;
      for (int64_t e = g.begin(v); e < g.end(v); ++e) m = min(m, cur[g.col[e]]);
      m = cur[m];
      nxt[v] = m;
      changed |= m != old;
    }
    if (tid == 0) flags[(k + 1) % 2] = 0;
    if (changed) atomicOr(&flags[k % 2], 1);
    grid.sync();
    vid_t* t = cur;
    cur = nxt;
    nxt = t;
    if (flags[k % 2] == 0) break;
  }
  if (tid == 0) *result = cur;
}

}  // namespace

void connected_components(const CsrView<>& g, vid_t* a, vid_t* b, int* flags, vid_t** d_result, cudaStream_t st) {
  int dev, sms, per_sm, coop;
  GX_CUDA(cudaGetDevice(&dev));
  GX_CUDA(cudaDeviceGetAttribute(&coop, cudaDevAttrCooperativeLaunch, dev));
  if (!coop) throw std::runtime_error("cooperative launch not supported");
  GX_CUDA(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, dev));
  GX_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_sm, components_persistent, kBlock, 0));
  CsrView<> view = g;
  void* args[] = {&view, &a, &b, &flags, &d_result};
  GX_CUDA(cudaMemsetAsync(flags, 0, 3 * sizeof(int), st));
  GX_CUDA(cudaLaunchCooperativeKernel(reinterpret_cast<void*>(components_persistent), dim3(sms * per_sm), dim3(kBlock), args, 0, st));
}

}  // namespace graphx
