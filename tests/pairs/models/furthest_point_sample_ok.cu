// Farthest point sampling as used by PointNet++ style networks.
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <cmath>

#define TOTAL_THREADS 512

inline int opt_n_threads(int work_size) {
  const int pow_2 = std::log(static_cast<double>(work_size)) / std::log(2.0);
  return std::max(std::min(1 << pow_2, TOTAL_THREADS), 1);
}

__device__ void update_max(float *dists, int *dists_i, int idx1, int idx2) {
  const float v1 = dists[idx1], v2 = dists[idx2];
  const int i1 = dists_i[idx1], i2 = dists_i[idx2];
  dists[idx1] = fmaxf(v1, v2);
  dists_i[idx1] = v2 > v1 ? i2 : i1;
}

// Input dataset: (b, n, 3), tmp: (b, n)
// Output idxs (b, m)
template <unsigned int block_size>
__global__ void furthest_point_sampling_kernel(int b, int n, int m, const float *__restrict__ dataset,
                                               float *__restrict__ temp, int *__restrict__ idxs) {
  if (m <= 0) return;
  __shared__ float dists[block_size];
  __shared__ int dists_i[block_size];

  const int batch_index = blockIdx.x;
  dataset += batch_index * n * 3;
  temp += batch_index * n;
  idxs += batch_index * m;

  const int tid = threadIdx.x;
  const int stride = block_size;

  int old = 0;
  if (threadIdx.x == 0) idxs[0] = old;

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
      const float d2 = min(d, temp[k]);
      temp[k] = d2;
      besti = d2 > best ? k : besti;
      best = d2 > best ? d2 : best;
    }
    // old of the previous round has been read by all
    __syncthreads();
    dists[tid] = best;
    dists_i[tid] = besti;
    __syncthreads();

#define FPS_STEP(S)                                            \
  if (block_size >= 2 * S) {                                   \
    if (tid < S) update_max(dists, dists_i, tid, tid + S);     \
    __syncthreads();                                           \
  }
    FPS_STEP(256)
    FPS_STEP(128)
    FPS_STEP(64)
    FPS_STEP(32)
    FPS_STEP(16)
    FPS_STEP(8)
    FPS_STEP(4)
    FPS_STEP(2)
    FPS_STEP(1)
#undef FPS_STEP

    old = dists_i[0];
    if (tid == 0) idxs[j] = old;
  }
}

void furthest_point_sampling_kernel_wrapper(int b, int n, int m, const float *dataset, float *temp,
                                            int *idxs) {
  const unsigned int n_threads = opt_n_threads(n);
  cudaStream_t stream = at::cuda::getCurrentCUDAStream();

#define FPS_LAUNCH(BS)                                                                             \
  case BS:                                                                                         \
    furthest_point_sampling_kernel<BS><<<b, BS, 0, stream>>>(b, n, m, dataset, temp, idxs);        \
    break;

  switch (n_threads) {
    FPS_LAUNCH(512)
    FPS_LAUNCH(256)
    FPS_LAUNCH(128)
    FPS_LAUNCH(64)
    FPS_LAUNCH(32)
    default:
      furthest_point_sampling_kernel<16><<<b, 16, 0, stream>>>(b, n, m, dataset, temp, idxs);
  }
}

torch::Tensor furthest_point_sampling(torch::Tensor points, int nsamples) {
  TORCH_CHECK(points.is_cuda() && points.is_contiguous(), "points must be contiguous CUDA floats");
  const int b = points.size(0), n = points.size(1);
  TORCH_CHECK(b > 0 && n > 0 && nsamples > 0, "empty input");
  auto output = torch::zeros({b, nsamples}, points.options().dtype(torch::kInt));
  auto tmp = torch::full({b, n}, 1e10, points.options().dtype(torch::kFloat));
  furthest_point_sampling_kernel_wrapper(b, n, nsamples, points.data_ptr<float>(),
                                         tmp.data_ptr<float>(), output.data_ptr<int>());
  return output;
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("furthest_point_sampling", &furthest_point_sampling);
}
