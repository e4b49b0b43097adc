// Best-K list per bucket guarded by a lock; one lane of a warp at a time enters.
#include <cuda/atomic>
#include <cuda_runtime.h>

constexpr int K = 4;

struct Bucket {
    int   count;
    float score[K];
    int   id[K];
};

class DeviceLock {
public:
    __device__ explicit DeviceLock(int* word) : ref_(*word) {}
    __device__ bool try_lock()
    {
        int expected = 0;
        return ref_.compare_exchange_strong(expected, 1, cuda::memory_order_acquire,
                                            cuda::memory_order_relaxed);
    }
    __device__ void unlock() { ref_.store(0, cuda::memory_order_release); }

private:
    cuda::atomic_ref<int, cuda::thread_scope_device> ref_;
};

__device__ void insert_sorted(Bucket& b, float score, int id)
{
    int pos = b.count < K ? b.count : K;
    while (pos > 0 && (b.score[pos - 1] < score ||
                       (b.score[pos - 1] == score && b.id[pos - 1] > id))) {
        if (pos < K) {
            b.score[pos] = b.score[pos - 1];
            b.id[pos] = b.id[pos - 1];
        }
        --pos;
    }
    if (pos < K) {
        b.score[pos] = score;
        b.id[pos] = id;
        if (b.count < K) ++b.count;
    }
}

__global__ void collect(const int* __restrict__ cls, const float* __restrict__ score, int n,
                        int* locks, Bucket* buckets, int nb)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const int c = cls[i];
    if (c < 0 || c >= nb) return;
    DeviceLock lock(&locks[c]);
    bool done = false;
    while (!done) {
        if (lock.try_lock()) {
            insert_sorted(buckets[c], score[i], i);
            lock.unlock();
            done = true;
        }
    }
}

int best_per_class(const int* cls, const float* score, int n, int* locks, Bucket* buckets, int nb,
                   cudaStream_t s)
{
    if (nb <= 0) return -1;
    cudaMemsetAsync(locks, 0, nb * sizeof(int), s);
    cudaMemsetAsync(buckets, 0, nb * sizeof(Bucket), s);
    if (n > 0) collect<<<(n + 127) / 128, 128, 0, s>>>(cls, score, n, locks, buckets, nb);
    return cudaGetLastError() == cudaSuccess ? 0 : -2;
}
