// A device side event log with variable length records, appended under a ticket lock (one thread per block).
#include <cuda_runtime.h>
#include <cstdint>
#include <cstdio>
#include <vector>

struct TicketLock {
    unsigned next;
    unsigned serving;
};

struct EventLog {
    TicketLock *lock;
    volatile uint32_t *words;     // ring of records: header, payload...
    volatile uint32_t *head;      // words used
    volatile uint32_t *records;
    uint32_t capacity;
};

__device__ void acquire(TicketLock *l)
{
    const unsigned mine = atomicAdd(&l->next, 1u);
    while (atomicAdd(&l->serving, 0u) != mine)
        __nanosleep(64);
    __threadfence();
}

__device__ void release(TicketLock *l)
{
    __threadfence();
    atomicAdd(&l->serving, 1u);
}

__device__ bool append(EventLog log, uint32_t type, const uint32_t *payload, uint32_t n)
{
    bool stored = false;
    acquire(log.lock);
    const uint32_t at = *log.head;
    if (at + n + 1 <= log.capacity) {
        log.words[at] = type << 16 | n;
        for (uint32_t i = 0; i < n; ++i)
            log.words[at + 1 + i] = payload[i];
        *log.head = at + n + 1;
        *log.records = *log.records + 1;
        stored = true;
    }
    release(log.lock);
    return stored;
}

__global__ void find_anomalies(const float *__restrict__ signal, int n, int window, float limit, EventLog log, int *dropped)
{
    __shared__ float s_sum[128];
    const int begin = blockIdx.x * window;
    const int end = min(begin + window, n);
    float s = 0.f;
    for (int i = begin + threadIdx.x; i < end; i += blockDim.x)
        s += signal[i] * signal[i];
    s_sum[threadIdx.x] = s;
    for (int k = blockDim.x / 2; k > 0; k >>= 1) {
        __syncthreads();
        if (threadIdx.x < k)
            s_sum[threadIdx.x] += s_sum[threadIdx.x + k];
    }
    if (threadIdx.x == 0) {
        const float rms = sqrtf(s_sum[0] / max(1, end - begin));
        if (rms > limit) {
            uint32_t rec[3] = { (uint32_t)begin, __float_as_uint(rms), (uint32_t)(end - begin) };
            if (!append(log, 1, rec, rms > 2 * limit ? 3 : 2))
                atomicAdd(dropped, 1);
        }
    }
}

int scan_signal(const float *d_signal, int n, float limit, EventLog log, int *d_dropped)
{
    const int window = 4096;
    int dropped = 0;
    cudaMemset(log.lock, 0, sizeof(TicketLock));
    cudaMemset((void *)log.head, 0, sizeof(uint32_t));
    cudaMemset((void *)log.records, 0, sizeof(uint32_t));
    cudaMemset(d_dropped, 0, sizeof(int));
    find_anomalies<<<(n + window - 1) / window, 128>>>(d_signal, n, window, limit, log, d_dropped);
    cudaMemcpy(&dropped, d_dropped, sizeof(int), cudaMemcpyDeviceToHost);
    return dropped;
}
