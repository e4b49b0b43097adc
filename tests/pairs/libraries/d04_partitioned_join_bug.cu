// Partitioned hash join: every block walks over its partitions, builds a chained
// table of the R side in shared memory and probes it with S.
#include <cuda_runtime.h>

#include <cstdint>
#include <stdexcept>

namespace db {

struct Tuple { uint32_t key; uint32_t payload; };
struct Match { uint32_t r, s; };

struct Partitions {
    const Tuple* data;
    const uint32_t* offset;  // [count + 1]
};

template <int CAP, int BUCKETS>
struct SharedTable {
    int head[BUCKETS];
    uint32_t key[CAP];
    uint32_t payload[CAP];
    int next[CAP];

    static __device__ __forceinline__ int bucket(uint32_t k) { return (k * 2654435761u) >> 16 & (BUCKETS - 1); }

    __device__ void clear()
    {
        for (int i = threadIdx.x; i < BUCKETS; i += blockDim.x) head[i] = -1;
        __syncthreads();
    }
    __device__ void build(const Tuple* r, int n)
    {
        for (int i = threadIdx.x; i < n; i += blockDim.x) {
            const Tuple t = r[i];
            key[i] = t.key;
            payload[i] = t.payload;
            next[i] = atomicExch(&head[bucket(t.key)], i);
        }
    }
    template <class Emit>
    __device__ void probe(const Tuple& s, Emit&& emit) const
    {
        for (int i = head[bucket(s.key)]; i >= 0; i = next[i])
            if (key[i] == s.key) emit(payload[i]);
    }
};

struct JoinOut {
    unsigned long long* count;
    Match* matches;
    unsigned long long capacity;
};

template <bool MATERIALIZE>
__device__ __forceinline__ void emit_match(const JoinOut& out, uint32_t r, uint32_t s, unsigned& local)
{
    if (MATERIALIZE) {
        const unsigned long long p = atomicAdd(out.count, 1ull);
        if (p < out.capacity) out.matches[p] = {r, s};
    } else {
        ++local;
    }
}

template <int CAP, int BUCKETS, bool MATERIALIZE>
__global__ void join_kernel(Partitions R, Partitions S, int parts, JoinOut out)
{
    __shared__ SharedTable<CAP, BUCKETS> table;
    unsigned local = 0;

    for (int p = blockIdx.x; p < parts; p += gridDim.x) {
        const uint32_t r0 = R.offset[p], s0 = S.offset[p];
        const int nr = min((int)(R.offset[p + 1] - r0), CAP);
        const int ns = S.offset[p + 1] - s0;

        table.clear();
        table.build(R.data + r0, nr);
        if (ns == 0) continue;
        __syncthreads();

        for (int i = threadIdx.x; i < ns; i += blockDim.x) {
            const Tuple s = S.data[s0 + i];
            table.probe(s, [&](uint32_t r) { emit_match<MATERIALIZE>(out, r, s.payload, local); });
        }
        __syncthreads();
    }

    if (!MATERIALIZE) {
        for (int o = 16; o > 0; o >>= 1) local += __shfl_down_sync(0xffffffffu, local, o);
        if ((threadIdx.x & 31) == 0 && local) atomicAdd(out.count, (unsigned long long)local);
    }
}

template <bool M>
static void dispatch(Partitions R, Partitions S, int parts, int max_r, JoinOut out, cudaStream_t s)
{
    int sms = 0;
    cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0);
    const int blocks = parts < 2 * sms ? parts : 2 * sms;
    if (max_r <= 1024) join_kernel<1024, 1024, M><<<blocks, 256, 0, s>>>(R, S, parts, out);
    else if (max_r <= 3072) join_kernel<3072, 2048, M><<<blocks, 512, 0, s>>>(R, S, parts, out);
    else throw std::length_error("join: partition too large, repartition");
}

void join(Partitions R, Partitions S, int parts, int max_r, JoinOut out, bool materialize, cudaStream_t s)
{
    if (parts <= 0) return;
    cudaMemsetAsync(out.count, 0, sizeof(unsigned long long), s);
    if (materialize) dispatch<true>(R, S, parts, max_r, out, s);
    else dispatch<false>(R, S, parts, max_r, out, s);
    if (cudaGetLastError() != cudaSuccess) throw std::runtime_error("join: launch failed");
}

}  // namespace db
