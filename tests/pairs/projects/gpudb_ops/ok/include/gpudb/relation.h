#pragma once
#include <cuda_runtime.h>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <rmm/device_uvector.hpp>
#include <rmm/cuda_stream_view.hpp>

#define GPUDB_TRY(call)                                                                   \
  do {                                                                                    \
    cudaError_t const s_ = (call);                                                        \
    if (s_ != cudaSuccess)                                                                \
      throw std::runtime_error(std::string(__FILE__) + ": " + cudaGetErrorString(s_));    \
  } while (0)

namespace gpudb {

using key_t = uint32_t;
using val_t = int32_t;
constexpr key_t kEmptyKey = 0xffffffffu;

struct Relation {
  rmm::device_uvector<key_t> keys;
  rmm::device_uvector<val_t> vals;
  int rows() const { return static_cast<int>(keys.size()); }
};

struct StringColumn {
  rmm::device_uvector<char> chars;
  rmm::device_uvector<int> offsets;
  int rows() const { return static_cast<int>(offsets.size()) - 1; }
};

struct LaunchCfg {
  int threads;
  int blocks;
};

template <typename K>
LaunchCfg persistent_cfg(K kernel, int threads, size_t smem = 0) {
  int dev = 0, sms = 0, per_sm = 0;
  GPUDB_TRY(cudaGetDevice(&dev));
  GPUDB_TRY(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, dev));
  GPUDB_TRY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_sm, kernel, threads, smem));
  return {threads, sms * (per_sm > 0 ? per_sm : 1)};
}

}  // namespace gpudb
