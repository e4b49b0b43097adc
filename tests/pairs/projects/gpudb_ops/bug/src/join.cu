#include "gpudb/hash_table.cuh"

namespace gpudb {

template <int BLOCK>
__global__ void build_kernel(const key_t* __restrict__ keys, const val_t* __restrict__ vals, int n,
                             DeviceHashTable table) {
  for (int i = blockIdx.x * BLOCK + threadIdx.x; i < n; i += gridDim.x * BLOCK)
    table.insert(keys[i], vals[i]);
}

template <int BLOCK>
__global__ void probe_kernel(const key_t* __restrict__ keys, const val_t* __restrict__ vals, int n,
                             const DeviceHashTable table, int2* __restrict__ out, int capacity,
                             int* __restrict__ cursor) {
  __shared__ int2 buf[BLOCK];
  __shared__ int s_n, s_base;
  for (int base = blockIdx.x * BLOCK; base < n; base += gridDim.x * BLOCK) {
    if (threadIdx.x == 0) s_n = 0;
    __syncthreads();
    const int i = base + threadIdx.x;
    val_t v;
    if (i < n && table.find(keys[i], v)) {
      const int slot = atomicAdd(&s_n, 1);
      buf[slot] = make_int2(vals[i], v);
    }
    __syncthreads();
    if (threadIdx.x == 0) s_base = atomicAdd(cursor, s_n);
    __syncthreads();
    for (int t = threadIdx.x; t < s_n; t += BLOCK)
      if (s_base + t < capacity) out[s_base + t] = buf[t];
    __syncthreads();
  }
}

int hash_join(const Relation& build, const Relation& probe, rmm::device_uvector<int2>& out,
              rmm::cuda_stream_view stream) {
  uint32_t cap = 1024;
  while (cap < 2u * build.rows()) cap <<= 1;
  rmm::device_uvector<Slot> slots(cap, stream);
  rmm::device_uvector<int> cursor(1, stream);
  GPUDB_TRY(cudaMemsetAsync(slots.data(), 0xff, cap * sizeof(Slot), stream.value()));
  GPUDB_TRY(cudaMemsetAsync(cursor.data(), 0, sizeof(int), stream.value()));
  DeviceHashTable table(slots.data(), cap - 1);

  constexpr int kBlock = 256;
  auto cfg = persistent_cfg(build_kernel<kBlock>, kBlock);
  build_kernel<kBlock><<<cfg.blocks, cfg.threads, 0, stream.value()>>>(build.keys.data(), build.vals.data(), build.rows(), table);
  cfg = persistent_cfg(probe_kernel<kBlock>, kBlock);
  probe_kernel<kBlock><<<cfg.blocks, cfg.threads, 0, stream.value()>>>(
      probe.keys.data(), probe.vals.data(), probe.rows(), table, out.data(), static_cast<int>(out.size()), cursor.data());
  GPUDB_TRY(cudaGetLastError());
  int n = 0;
  GPUDB_TRY(cudaMemcpyAsync(&n, cursor.data(), sizeof(int), cudaMemcpyDeviceToHost, stream.value()));
  GPUDB_TRY(cudaStreamSynchronize(stream.value()));
  return n;
}

}  // namespace gpudb
