#include "pc_common.h"
#include "block_ops.cuh"

// new_xyz: (B, M, 3)  xyz: (B, N, 3)  idx: (B, M, nsample)  total: (B)
template <int TILE>
__global__ void ball_query_tiled_kernel(int n, int m, float radius2, int nsample,
                                        const float* __restrict__ new_xyz,
                                        const float* __restrict__ xyz, int* __restrict__ idx,
                                        int* __restrict__ total) {
  __shared__ float tile[TILE][3];
  __shared__ int scratch[TILE / 32];
  const int bs = blockIdx.y;
  const int q = blockIdx.x * TILE + threadIdx.x;
  xyz += bs * n * 3;
  float qx = 0.f, qy = 0.f, qz = 0.f;
  int cnt = nsample;
  int* my_idx = nullptr;
  if (q < m) {
    const float* p = new_xyz + (bs * m + q) * 3;
    qx = p[0];
    qy = p[1];
    qz = p[2];
    cnt = 0;
    my_idx = idx + (bs * m + q) * nsample;
  }

  for (int base = 0; base < n; base += TILE) {
    const int len = min(TILE, n - base);
    for (int t = threadIdx.x; t < len * 3; t += TILE) (&tile[0][0])[t] = xyz[base * 3 + t];
    __syncthreads();
    for (int k = 0; k < len && cnt < nsample; ++k) {
      const float dx = qx - tile[k][0], dy = qy - tile[k][1], dz = qz - tile[k][2];
      if (dx * dx + dy * dy + dz * dz < radius2) {
        if (cnt == 0)
          for (int l = 0; l < nsample; ++l) my_idx[l] = base + k;
        my_idx[cnt++] = base + k;
      }
    }
    if (__syncthreads_and(cnt >= nsample)) break;
  }

  const int found = pcd::block_sum<int, TILE>(q < m ? cnt : 0, scratch);
  if (threadIdx.x == 0) atomicAdd(total + bs, found);
}

template <typename scalar_t>
__global__ void three_interpolate_grad_kernel(int c, int n, int m,
                                              const scalar_t* __restrict__ grad_out,
                                              const int* __restrict__ idx,
                                              const scalar_t* __restrict__ weight,
                                              scalar_t* __restrict__ grad_points) {
  const int bs = blockIdx.z;
  const int ch = blockIdx.y;
  const int pt = blockIdx.x * blockDim.x + threadIdx.x;
  if (pt >= n) return;
  const scalar_t g = grad_out[(bs * c + ch) * n + pt];
  const scalar_t* w = weight + (bs * n + pt) * 3;
  const int* id = idx + (bs * n + pt) * 3;
  scalar_t* dst = grad_points + (bs * c + ch) * m;
  atomicAdd(dst + id[0], g * w[0]);
  atomicAdd(dst + id[1], g * w[1]);
  atomicAdd(dst + id[2], g * w[2]);
}

// Hard voxelisation: slots are handed out with a counter per voxel.
__global__ void assign_voxel_slots_kernel(int npts, int max_per_voxel, float inv_size, int3 grid,
                                          const float3* __restrict__ pts, int* __restrict__ counts,
                                          int* __restrict__ slots) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < npts; i += gridDim.x * blockDim.x) {
    const float3 p = pts[i];
    const int x = static_cast<int>(floorf(p.x * inv_size));
    const int y = static_cast<int>(floorf(p.y * inv_size));
    const int z = static_cast<int>(floorf(p.z * inv_size));
    if (x < 0 || y < 0 || z < 0 || x >= grid.x || y >= grid.y || z >= grid.z) continue;
    const int v = (z * grid.y + y) * grid.x + x;
    const int s = atomicAdd(counts + v, 1);
    if (s < max_per_voxel) slots[v * max_per_voxel + s] = i;
  }
}

std::vector<at::Tensor> ball_query(at::Tensor new_xyz, at::Tensor xyz, double radius,
                                   int64_t nsample) {
  CHECK_INPUT(new_xyz);
  CHECK_INPUT(xyz);
  const at::cuda::OptionalCUDAGuard guard(xyz.device());
  const int b = xyz.size(0), n = xyz.size(1), m = new_xyz.size(1);
  at::Tensor idx = at::zeros({b, m, nsample}, xyz.options().dtype(at::kInt));
  at::Tensor total = at::zeros({b}, xyz.options().dtype(at::kInt));
  dim3 blocks(DIVUP(m, THREADS_PER_BLOCK), b);
  ball_query_tiled_kernel<THREADS_PER_BLOCK>
      <<<blocks, THREADS_PER_BLOCK, 0, at::cuda::getCurrentCUDAStream()>>>(
          n, m, static_cast<float>(radius * radius), static_cast<int>(nsample),
          new_xyz.data_ptr<float>(), xyz.data_ptr<float>(), idx.data_ptr<int>(),
          total.data_ptr<int>());
  PC_KERNEL_CHECK();
  return {idx, total};
}

at::Tensor three_interpolate_grad(at::Tensor grad_out, at::Tensor idx, at::Tensor weight,
                                  int64_t m) {
  CHECK_INPUT(grad_out);
  CHECK_INPUT(idx);
  CHECK_INPUT(weight);
  const int b = grad_out.size(0), c = grad_out.size(1), n = grad_out.size(2);
  at::Tensor grad = at::zeros({b, c, m}, grad_out.options());
  dim3 blocks(DIVUP(n, THREADS_PER_BLOCK), c, b);
  AT_DISPATCH_FLOATING_TYPES(grad_out.scalar_type(), "three_interpolate_grad", [&] {
    three_interpolate_grad_kernel<scalar_t>
        <<<blocks, THREADS_PER_BLOCK, 0, at::cuda::getCurrentCUDAStream()>>>(
            c, n, static_cast<int>(m), grad_out.data_ptr<scalar_t>(), idx.data_ptr<int>(),
            weight.data_ptr<scalar_t>(), grad.data_ptr<scalar_t>());
  });
  PC_KERNEL_CHECK();
  return grad;
}

at::Tensor assign_voxel_slots(at::Tensor pts, at::Tensor counts, double voxel_size, int64_t gx,
                              int64_t gy, int64_t gz, int64_t max_per_voxel) {
  CHECK_INPUT(pts);
  CHECK_INPUT(counts);
  const int npts = pts.size(0);
  at::Tensor slots = at::zeros({gx * gy * gz, max_per_voxel}, pts.options().dtype(at::kInt));
  const int blocks = std::min(DIVUP(npts, THREADS_PER_BLOCK), 4096);
  assign_voxel_slots_kernel<<<blocks, THREADS_PER_BLOCK, 0, at::cuda::getCurrentCUDAStream()>>>(
      npts, static_cast<int>(max_per_voxel), static_cast<float>(1.0 / voxel_size),
      make_int3(gx, gy, gz), reinterpret_cast<const float3*>(pts.data_ptr<float>()),
      counts.data_ptr<int>(), slots.data_ptr<int>());
  PC_KERNEL_CHECK();
  return slots;
}
