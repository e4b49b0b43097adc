// Ball query with the point cloud staged through shared memory.
#include <cuda_runtime.h>
#include <iostream>

#define THREADS_PER_BLOCK 128
#define DIVUP(m, n) (((m) + (n) - 1) / (n))

// new_xyz: (B, M, 3)   xyz: (B, N, 3)
// idx: (B, M, nsample), the unused slots repeat the first neighbour
__global__ void ball_query_kernel(int n, int m, float radius2, int nsample,
                                  const float *__restrict__ new_xyz,
                                  const float *__restrict__ xyz, int *__restrict__ idx) {
    __shared__ float3 tile[THREADS_PER_BLOCK];

    const int bs_idx = blockIdx.y;
    const int pt_idx = blockIdx.x * THREADS_PER_BLOCK + threadIdx.x;
    const bool has_query = pt_idx < m;

    xyz += (size_t)bs_idx * n * 3;
    float3 q = make_float3(0.f, 0.f, 0.f);
    int *out = nullptr;
    if (has_query) {
        const float *p = new_xyz + ((size_t)bs_idx * m + pt_idx) * 3;
        q = make_float3(p[0], p[1], p[2]);
        out = idx + ((size_t)bs_idx * m + pt_idx) * nsample;
    }

    int cnt = has_query ? 0 : nsample;
    for (int base = 0; base < n; base += THREADS_PER_BLOCK) {
        // nobody of the block needs another neighbour
        if (__syncthreads_and(cnt >= nsample)) break;
        const int k = base + threadIdx.x;
        if (k < n) tile[threadIdx.x] = make_float3(xyz[k * 3], xyz[k * 3 + 1], xyz[k * 3 + 2]);
        __syncthreads();

        const int lim = min(THREADS_PER_BLOCK, n - base);
        for (int j = 0; j < lim && cnt < nsample; ++j) {
            const float3 t = tile[j];
            const float dx = q.x - t.x, dy = q.y - t.y, dz = q.z - t.z;
            if (dx * dx + dy * dy + dz * dz < radius2) {
                if (cnt == 0) {
                    for (int l = 0; l < nsample; ++l) out[l] = base + j;
                }
                out[cnt++] = base + j;
            }
        }
    }
    if (has_query && cnt == 0) {
        for (int l = 0; l < nsample; ++l) out[l] = -1;
    }
}

// grad of the gathered features, (B, C, M, nsample) -> (B, C, N)
__global__ void group_points_grad_kernel(int c, int n, int m, int nsample,
                                         const float *__restrict__ grad_out,
                                         const int *__restrict__ idx, float *__restrict__ grad) {
    const int b = blockIdx.z, ch = blockIdx.y;
    const int e = blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= m * nsample) return;
    const int src = idx[(size_t)b * m * nsample + e];
    if (src < 0) return;
    atomicAdd(&grad[((size_t)b * c + ch) * n + src],
              grad_out[((size_t)b * c + ch) * m * nsample + e]);
}

void ball_query_launcher(int b, int n, int m, float radius, int nsample, const float *new_xyz,
                         const float *xyz, int *idx, cudaStream_t stream) {
    if (b <= 0 || m <= 0 || nsample <= 0) return;
    dim3 blocks(DIVUP(m, THREADS_PER_BLOCK), b);
    ball_query_kernel<<<blocks, THREADS_PER_BLOCK, 0, stream>>>(n, m, radius * radius, nsample,
                                                               new_xyz, xyz, idx);
    cudaError_t err = cudaGetLastError();
    if (err != cudaSuccess) std::cerr << "ball_query: " << cudaGetErrorString(err) << std::endl;
}

void group_points_grad_launcher(int b, int c, int n, int m, int nsample, const float *grad_out,
                                const int *idx, float *grad, cudaStream_t stream) {
    if (b <= 0 || c <= 0 || m <= 0 || nsample <= 0) return;
    dim3 blocks(DIVUP(m * nsample, 256), c, b);
    group_points_grad_kernel<<<blocks, 256, 0, stream>>>(c, n, m, nsample, grad_out, idx, grad);
}
