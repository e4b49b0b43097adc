#include <cuda_runtime.h>
#include <cstdint>

namespace transform {

using size_type = int32_t;
using bitmask_type = uint32_t;

constexpr int kBlock = 256;

struct Column {
  const int64_t* data;
  const bitmask_type* valid;  // may be null

  __device__ bool is_valid(size_type i) const
  {
    return valid == nullptr || ((valid[i / 32] >> (i % 32)) & 1u);
  }
};

struct DivideOp {
  __device__ bool operator()(int64_t a, int64_t b, int64_t* out) const
  {
    if (b == 0) { return false; }
    *out = a / b;
    return true;
  }
};

struct AddCheckedOp {
  __device__ bool operator()(int64_t a, int64_t b, int64_t* out) const
  {
    const int64_t r = static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
    if (((a ^ r) & (b ^ r)) < 0) { return false; }
    *out = r;
    return true;
  }
};

template <typename Op>
__global__ void __launch_bounds__(kBlock)
transform_kernel(size_type row_size, Column lhs, Column rhs, int64_t* out, bitmask_type* out_mask,
                 int* valid_count, Op op)
{
  const size_type start  = blockIdx.x * kBlock + threadIdx.x;
  const size_type stride = gridDim.x * kBlock;
  const int lane         = threadIdx.x % 32;
  int count              = 0;

  for (size_type row = start; row < row_size; row += stride) {
    bool ok = false;
    if (row < row_size && lhs.is_valid(row) && rhs.is_valid(row)) {
      int64_t v = 0;
      ok        = op(lhs.data[row], rhs.data[row], &v);
      out[row]  = v;
    }
    const bitmask_type word = __ballot_sync(0xffffffffu, ok);
    if (lane == 0) {
      out_mask[row / 32] = word;
      count += __popc(word);
    }
  }

  for (int o = 16; o > 0; o >>= 1) { count += __shfl_down_sync(0xffffffffu, count, o); }
  if (lane == 0 && count > 0) { atomicAdd(valid_count, count); }
}

template <typename Op>
void binary_transform(size_type rows, Column lhs, Column rhs, int64_t* out, bitmask_type* out_mask,
                      int* valid_count, cudaStream_t stream)
{
  if (rows == 0) { return; }
  cudaMemsetAsync(valid_count, 0, sizeof(int), stream);
  const int need = (rows + kBlock - 1) / kBlock;
  const int grid = need < 1024 ? need : 1024;
  transform_kernel<<<grid, kBlock, 0, stream>>>(rows, lhs, rhs, out, out_mask, valid_count, Op{});
}

template void binary_transform<DivideOp>(size_type, Column, Column, int64_t*, bitmask_type*, int*,
                                         cudaStream_t);
template void binary_transform<AddCheckedOp>(size_type, Column, Column, int64_t*, bitmask_type*,
                                             int*, cudaStream_t);

}  // namespace transform
