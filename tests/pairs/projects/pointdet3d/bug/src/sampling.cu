#include "pc_common.h"
#include "block_ops.cuh"

template <unsigned int BLOCK>
__global__ void furthest_point_sampling_kernel(int n, int m, const float* __restrict__ dataset,
                                               float* __restrict__ temp, int* __restrict__ idxs) {
  if (m <= 0) return;
  __shared__ float dists[BLOCK];
  __shared__ int dists_i[BLOCK];

  const int batch = blockIdx.x;
  dataset += batch * n * 3;
  temp += batch * n;
  idxs += batch * m;

  const int tid = threadIdx.x;
  const int stride = BLOCK;

  int old = 0;
  if (tid == 0) idxs[0] = old;

  for (int j = 1; j < m; j++) {
    int besti = 0;
    float best = -1;
    const float x1 = dataset[old * 3 + 0];
    const float y1 = dataset[old * 3 + 1];
    const float z1 = dataset[old * 3 + 2];
    for (int k = tid; k < n; k += stride) {
      const float x2 = dataset[k * 3 + 0];
      const float y2 = dataset[k * 3 + 1];
      const float z2 = dataset[k * 3 + 2];
      const float d = (x2 - x1) * (x2 - x1) + (y2 - y1) * (y2 - y1) + (z2 - z1) * (z2 - z1);
      const float d2 = fminf(d, temp[k]);
      temp[k] = d2;
      besti = d2 > best ? k : besti;
      best = d2 > best ? d2 : best;
    }
    dists[tid] = best;
    dists_i[tid] = besti;
    __syncthreads();

    pcd::block_argmax<BLOCK>(dists, dists_i, tid);

    old = dists_i[0];
    if (tid == 0) idxs[j] = old;
  }
}

// Per-row feature standardisation: one block per point row.
template <typename scalar_t, int BLOCK>
__global__ void standardize_rows_kernel(int c, float eps, const scalar_t* __restrict__ in,
                                        scalar_t* __restrict__ out) {
  __shared__ float scratch[BLOCK / 32];
  const scalar_t* row = in + static_cast<size_t>(blockIdx.x) * c;
  scalar_t* orow = out + static_cast<size_t>(blockIdx.x) * c;

  float s = 0.f;
  for (int i = threadIdx.x; i < c; i += BLOCK) s += static_cast<float>(row[i]);
  const float mean = pcd::block_sum<float, BLOCK>(s, scratch) / c;

  float q = 0.f;
  for (int i = threadIdx.x; i < c; i += BLOCK) {
    const float d = static_cast<float>(row[i]) - mean;
    q += d * d;
  }
  const float inv = rsqrtf(pcd::block_sum<float, BLOCK>(q, scratch) / c + eps);
  for (int i = threadIdx.x; i < c; i += BLOCK)
    orow[i] = static_cast<scalar_t>((static_cast<float>(row[i]) - mean) * inv);
}

at::Tensor furthest_point_sampling(at::Tensor points, int64_t num_samples) {
  CHECK_INPUT(points);
  const at::cuda::OptionalCUDAGuard guard(points.device());
  const int b = points.size(0), n = points.size(1), m = static_cast<int>(num_samples);
  at::Tensor temp = at::full({b, n}, 1e10, points.options());
  at::Tensor idx = at::zeros({b, m}, points.options().dtype(at::kInt));
  cudaStream_t stream = at::cuda::getCurrentCUDAStream();
  const int n_threads = std::max(opt_n_threads(n), 64);
  PC_DISPATCH_POW2(n_threads,
                   furthest_point_sampling_kernel<kBlock><<<b, kBlock, 0, stream>>>(
                       n, m, points.data_ptr<float>(), temp.data_ptr<float>(), idx.data_ptr<int>()))
  PC_KERNEL_CHECK();
  return idx;
}

at::Tensor standardize_rows(at::Tensor feats, double eps) {
  CHECK_INPUT(feats);
  const at::cuda::OptionalCUDAGuard guard(feats.device());
  const int rows = feats.size(0), c = feats.size(1);
  at::Tensor out = at::empty_like(feats);
  cudaStream_t stream = at::cuda::getCurrentCUDAStream();
  AT_DISPATCH_FLOATING_TYPES(feats.scalar_type(), "standardize_rows", [&] {
    standardize_rows_kernel<scalar_t, THREADS_PER_BLOCK><<<rows, THREADS_PER_BLOCK, 0, stream>>>(
        c, static_cast<float>(eps), feats.data_ptr<scalar_t>(), out.data_ptr<scalar_t>());
  });
  PC_KERNEL_CHECK();
  return out;
}
