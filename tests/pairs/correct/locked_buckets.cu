#include <cuda/atomic>
#include <cuda_runtime.h>
#include <cfloat>
#include <stdexcept>

// Running extremes of 32-component samples per bucket, guarded by spin locks.
struct Bucket {
    int lock;
    int samples;
    float lo[32];
    float hi[32];
    double sum[32];
};

class SpinLock {
  public:
    __device__ explicit SpinLock(int &word) : ref_(word) {}
    __device__ void lock()
    {
        while (ref_.exchange(1, cuda::memory_order_acquire) != 0)
            __nanosleep(64);
    }
    __device__ void unlock() { ref_.store(0, cuda::memory_order_release); }

  private:
    cuda::atomic_ref<int, cuda::thread_scope_device> ref_;
};

__global__ void reset_buckets(Bucket *buckets, int nbuckets)
{
    const int t = blockIdx.x * blockDim.x + threadIdx.x;
    const int b = t / 32, c = t % 32;
    if (b >= nbuckets)
        return;
    buckets[b].lo[c] = FLT_MAX;
    buckets[b].hi[c] = -FLT_MAX;
    buckets[b].sum[c] = 0.0;
    if (c == 0) {
        buckets[b].lock = 0;
        buckets[b].samples = 0;
    }
}

__global__ void accumulate(const float *samples, const int *bucket_of, int n, Bucket *buckets,
                           int nbuckets)
{
    const int lane = threadIdx.x & 31;
    const int warps = gridDim.x * blockDim.x / 32;
    for (int i = (blockIdx.x * blockDim.x + threadIdx.x) / 32; i < n; i += warps) {
        const int b = bucket_of[i];
        if (b < 0 || b >= nbuckets)
            continue;  // same b in all lanes
        const float v = samples[(size_t)i * 32 + lane];
        Bucket &bucket = buckets[b];
        SpinLock guard(bucket.lock);

        if (lane == 0)
            guard.lock();
        __syncwarp();
        bucket.lo[lane] = fminf(bucket.lo[lane], v);
        bucket.hi[lane] = fmaxf(bucket.hi[lane], v);
        bucket.sum[lane] += v;
        if (lane == 0)
            bucket.samples += 1;
        __syncwarp();
        if (lane == 0)
            guard.unlock();
    }
}

void summarise(const float *samples, const int *bucket_of, int n, Bucket *buckets, int nbuckets,
               cudaStream_t s)
{
    if (n < 0 || n > (1 << 28) || nbuckets < 1 || nbuckets > (1 << 20))
        throw std::invalid_argument("summarise");
    reset_buckets<<<(nbuckets + 7) / 8, 256, 0, s>>>(buckets, nbuckets);
    if (n > 0) {
        const int grid = (n + 3) / 4 < 512 ? (n + 3) / 4 : 512;
        accumulate<<<grid, 128, 0, s>>>(samples, bucket_of, n, buckets, nbuckets);
    }
    if (cudaGetLastError() != cudaSuccess)
        throw std::runtime_error("summarise: launch");
}
