// Row norms of a tall matrix; chunks of a row are streamed to shared memory
// with bulk copies and a ring of mbarriers.
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>

namespace bulk {

__device__ __forceinline__ uint32_t smem_addr(const void* p) { return (uint32_t)__cvta_generic_to_shared(p); }

struct Mbarrier {
    uint64_t word;

    __device__ void init(uint32_t count)
    {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(smem_addr(&word)), "r"(count) : "memory");
    }
    __device__ void expect(uint32_t bytes)
    {
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(smem_addr(&word)), "r"(bytes)
                     : "memory");
    }
    __device__ void wait(uint32_t parity)
    {
        asm volatile(
            "{\n"
            ".reg .pred p;\n"
            "again:\n"
            "mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n"
            "@p bra done;\n"
            "bra again;\n"
            "done:\n"
            "}\n" ::"r"(smem_addr(&word)),
            "r"(parity)
            : "memory");
    }
};

__device__ __forceinline__ void bulk_load(void* dst, const void* src, uint32_t bytes, Mbarrier& bar)
{
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                     smem_addr(dst)),
                 "l"(src), "r"(bytes), "r"(smem_addr(&bar.word))
                 : "memory");
}

template <int STAGES>
struct RingState {
    int slot = 0;
    uint32_t parity = 0;
    __device__ void next()
    {
        if (++slot == STAGES) {
            slot = 0;
            parity ^= 1;
        }
    }
};

template <int CHUNK, int STAGES>
struct alignas(128) Smem {
    float data[STAGES][CHUNK];
    Mbarrier full[STAGES];
    float warp_sum[32];
};

struct Matrix {
    const float* data;
    int rows, cols;  // cols is a multiple of 4
};

template <int CHUNK, int STAGES>
class RowStream {
public:
    __device__ RowStream(Smem<CHUNK, STAGES>& s, const Matrix& m) : s_(s), m_(m) {}

    __device__ void issue(int row, int chunk, int slot)
    {
        const int first = chunk * CHUNK;
        const uint32_t bytes = min(CHUNK, m_.cols - first) * sizeof(float);
        s_.full[slot].expect(bytes);
        bulk_load(s_.data[slot], m_.data + (size_t)row * m_.cols + first, bytes, s_.full[slot]);
    }

    __device__ float run(int row, RingState<STAGES>& rd)
    {
        const int chunks = (m_.cols + CHUNK - 1) / CHUNK;
        if (threadIdx.x == 0)
            for (int c = 0; c < STAGES && c < chunks; ++c) issue(row, c, (rd.slot + c) % STAGES);

        float acc = 0.f;
        for (int c = 0; c < chunks; ++c, rd.next()) {
            s_.full[rd.slot].wait(rd.parity);
            const int n = min(CHUNK, m_.cols - c * CHUNK);
            for (int i = threadIdx.x; i < n; i += blockDim.x) {
                const float v = s_.data[rd.slot][i];
                acc += v * v;
            }
            __syncthreads();
            if (threadIdx.x == 0 && c + STAGES < chunks) issue(row, c + STAGES, rd.slot);
        }
        return acc;
    }

private:
    Smem<CHUNK, STAGES>& s_;
    const Matrix& m_;
};

template <int CHUNK, int STAGES>
__global__ void __launch_bounds__(256) row_norms(Matrix m, float* out)
{
    extern __shared__ __align__(128) unsigned char raw[];
    auto& s = *reinterpret_cast<Smem<CHUNK, STAGES>*>(raw);
    if (threadIdx.x == 0) {
        for (int i = 0; i < STAGES; ++i) s.full[i].init(1);
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    }
    __syncthreads();

    RowStream<CHUNK, STAGES> stream(s, m);
    RingState<STAGES> rd;
    for (int row = blockIdx.x; row < m.rows; row += gridDim.x) {
        float v = stream.run(row, rd);
        for (int o = 16; o > 0; o >>= 1) v += __shfl_xor_sync(0xffffffffu, v, o);
        if ((threadIdx.x & 31) == 0) s.warp_sum[threadIdx.x >> 5] = v;
        __syncthreads();
        if (threadIdx.x == 0) {
            float sum = 0.f;
            for (int w = 0; w < (int)blockDim.x / 32; ++w) sum += s.warp_sum[w];
            out[row] = sqrtf(sum);
        }
        __syncthreads();
    }
}

template <int CHUNK, int STAGES>
static int launch(const Matrix& m, float* out, cudaStream_t s)
{
    int sms = 0;
    cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0);
    const int bytes = sizeof(Smem<CHUNK, STAGES>);
    auto k = row_norms<CHUNK, STAGES>;
    if (cudaFuncSetAttribute(k, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes) != cudaSuccess) return -1;
    k<<<m.rows < 2 * sms ? m.rows : 2 * sms, 256, bytes, s>>>(m, out);
    return cudaGetLastError() == cudaSuccess ? 0 : -1;
}

int norms(const Matrix& m, float* out, cudaStream_t s)
{
    if (m.rows <= 0) return 0;
    if (m.cols % 4 != 0 || ((uintptr_t)m.data & 15) != 0) {
        fprintf(stderr, "norms: rows are not 16 byte aligned\n");
        return -1;
    }
    return m.cols > 8192 ? launch<2048, 4>(m, out, s) : launch<1024, 3>(m, out, s);
}

}  // namespace bulk
