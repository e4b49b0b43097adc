#include <cuda_runtime.h>

#define divup(a, b) (((a) + (b) - 1) / (b))

static const int THREADS_PER_BLOCK = 256;

typedef struct {
    int dims[4];
    int strides[4];
} dims_t;

struct AddOp {
    __device__ float operator()(float a, float b) const { return a + b; }
    __device__ static float init() { return 0.0f; }
};

template <int DIMX, typename Op>
__device__ void reduce_row(float *s_ptr, int tidx, Op op)
{
    for (int off = DIMX / 2; off > 0; off >>= 1) {
        if (tidx < off) {
            s_ptr[tidx] = op(s_ptr[tidx], s_ptr[tidx + off]);
            __syncthreads();
        }
    }
}

template <typename Op, int DIMX>
__global__ static void reduce_first_kernel(float *out, dims_t odims, float *centered,
                                           const float *in, dims_t idims, int blocks_x)
{
    const int DIMY = THREADS_PER_BLOCK / DIMX;
    __shared__ float s_val[THREADS_PER_BLOCK];

    const int tidx = threadIdx.x;
    const int tidy = threadIdx.y;
    const int zid  = blockIdx.x / blocks_x;
    const int yid  = (blockIdx.x % blocks_x) * DIMY + tidy;
    const bool cond = yid < idims.dims[1] && zid < idims.dims[2];

    const float *iptr = in + zid * idims.strides[2] + yid * idims.strides[1];
    Op op;
    float acc = Op::init();
    if (cond) {
        for (int id = tidx; id < idims.dims[0]; id += DIMX)
            acc = op(acc, iptr[id]);
    }

    float *s_ptr = s_val + tidy * DIMX;
    s_ptr[tidx] = acc;
    __syncthreads();
    reduce_row<DIMX, Op>(s_ptr, tidx, op);
    __syncthreads();

    const float total = s_ptr[0];
    if (cond && tidx == 0)
        out[zid * odims.strides[2] + yid * odims.strides[1]] = total;
    if (cond) {
        float *cptr = centered + zid * idims.strides[2] + yid * idims.strides[1];
        const float mean = total / idims.dims[0];
        for (int id = tidx; id < idims.dims[0]; id += DIMX)
            cptr[id] = iptr[id] - mean;
    }
}

void reduce_first(float *out, dims_t odims, float *centered, const float *in, dims_t idims,
                  cudaStream_t stream)
{
    if (idims.dims[0] <= 64) {
        dim3 threads(64, THREADS_PER_BLOCK / 64);
        int bx = divup(idims.dims[1], threads.y);
        reduce_first_kernel<AddOp, 64><<<bx * idims.dims[2], threads, 0, stream>>>(
            out, odims, centered, in, idims, bx);
    } else {
        dim3 threads(128, THREADS_PER_BLOCK / 128);
        int bx = divup(idims.dims[1], threads.y);
        reduce_first_kernel<AddOp, 128><<<bx * idims.dims[2], threads, 0, stream>>>(
            out, odims, centered, in, idims, bx);
    }
}
