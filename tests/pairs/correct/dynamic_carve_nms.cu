// Greedy non-maximum suppression of up to 1024 sorted boxes per image, one block each.
#include <cuda_runtime.h>

struct BoxF { float x0, y0, x1, y1; };

__device__ float iou(const BoxF& a, const BoxF& b)
{
    const float w = fminf(a.x1, b.x1) - fmaxf(a.x0, b.x0);
    const float h = fminf(a.y1, b.y1) - fmaxf(a.y0, b.y0);
    if (w <= 0.f || h <= 0.f) return 0.f;
    const float inter = w * h;
    return inter / ((a.x1 - a.x0) * (a.y1 - a.y0) + (b.x1 - b.x0) * (b.y1 - b.y0) - inter);
}

__global__ void nms(const BoxF* __restrict__ boxes, const int* __restrict__ counts, int max_boxes,
                    float thr, int max_keep, int* __restrict__ keep, int* __restrict__ nkeep)
{
    extern __shared__ __align__(16) unsigned char raw[];
    BoxF* box = reinterpret_cast<BoxF*>(raw);
    int* dead = reinterpret_cast<int*>(box + max_boxes);

    const int img = blockIdx.x;
    const int n = min(counts[img], max_boxes);
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        box[i] = boxes[(size_t)img * max_boxes + i];
        dead[i] = 0;
    }
    __syncthreads();

    int kept = 0;
    for (int i = 0; i < n && kept < max_keep; ++i) {
        if (dead[i]) continue;              // settled before the last barrier
        if (threadIdx.x == 0) keep[(size_t)img * max_keep + kept] = i;
        ++kept;
        for (int j = i + 1 + threadIdx.x; j < n; j += blockDim.x)
            if (!dead[j] && iou(box[i], box[j]) > thr) dead[j] = 1;
        __syncthreads();
    }
    if (threadIdx.x == 0) nkeep[img] = kept;
}

cudaError_t run_nms(const BoxF* boxes, const int* counts, int images, int max_boxes, float thr,
                    int max_keep, int* keep, int* nkeep, cudaStream_t s)
{
    if (images <= 0 || max_boxes <= 0 || max_boxes > 1024 || max_keep <= 0)
        return cudaErrorInvalidValue;
    const size_t smem = max_boxes * (sizeof(BoxF) + sizeof(int));
    nms<<<images, 256, smem, s>>>(boxes, counts, max_boxes, thr, max_keep, keep, nkeep);
    return cudaGetLastError();
}
