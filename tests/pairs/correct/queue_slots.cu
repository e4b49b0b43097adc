// Work queue: items are claimed by an atomic cursor, results go to unique slots.
#include <cuda_runtime.h>

struct Task { int lo, hi; };
struct Out  { unsigned value; int task; };

__device__ bool is_prime(unsigned v)
{
    if (v < 4) return v >= 2;
    if ((v & 1u) == 0) return false;
    for (unsigned d = 3; d <= v / d; d += 2)
        if (v % d == 0) return false;
    return true;
}

__global__ void primes_of_tasks(const Task* __restrict__ tasks, int ntasks, int* __restrict__ cursor,
                                Out* __restrict__ out, unsigned capacity, unsigned* __restrict__ used,
                                int* __restrict__ overflowed)
{
    __shared__ int current;
    __shared__ unsigned found, base;
    __shared__ unsigned stash[512];

    while (true) {
        if (threadIdx.x == 0) {
            current = atomicAdd(cursor, 1);
            found = 0;
        }
        __syncthreads();
        const int t = current;
        if (t >= ntasks) break;                 // the whole block leaves
        const Task task = tasks[t];

        for (int lo = task.lo; lo < task.hi; lo += 512) {
            const int hi = min(lo + 512, task.hi);
            for (int v = lo + (int)threadIdx.x; v < hi; v += blockDim.x)
                if (is_prime((unsigned)v)) stash[atomicAdd(&found, 1u)] = (unsigned)v;
            __syncthreads();
            const unsigned m = found;
            if (threadIdx.x == 0) base = atomicAdd(used, m);
            __syncthreads();
            for (unsigned k = threadIdx.x; k < m; k += blockDim.x) {
                const unsigned at = base + k;
                if (at < capacity) out[at] = Out{stash[k], t};
                else               atomicExch(overflowed, 1);
            }
            __syncthreads();
            if (threadIdx.x == 0) found = 0;
            __syncthreads();
        }
        __syncthreads();                        // "current" is rewritten above
    }
}

// counters: cursor, used, overflowed
int find_primes(const Task* tasks, int ntasks, Out* out, unsigned capacity, int* counters,
                cudaStream_t s)
{
    cudaMemsetAsync(counters, 0, 3 * sizeof(int), s);
    if (ntasks <= 0) return 0;
    const int blocks = ntasks < 160 ? ntasks : 160;
    primes_of_tasks<<<blocks, 128, 0, s>>>(tasks, ntasks, &counters[0], out, capacity,
                                           reinterpret_cast<unsigned*>(&counters[1]), &counters[2]);
    int h[3];
    cudaMemcpyAsync(h, counters, sizeof h, cudaMemcpyDeviceToHost, s);
    cudaStreamSynchronize(s);
    return h[2] ? -1 : h[1];
}
