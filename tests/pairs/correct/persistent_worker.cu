// Persistent kernel: blocks draw variable-size jobs from a counter.
#include <cuda_runtime.h>
#include <cstdint>
#include <vector>

enum class JobKind : uint32_t { Fill, Reverse, PrefixMax, Nop };

struct Job {
  JobKind kind;
  uint32_t begin, count;
  int arg;
};

struct JobQueue {
  const Job* jobs;
  unsigned count;
  unsigned* cursor;
};

class Worker {
 public:
  struct Shared {
    unsigned ticket;
    int carry;
    int buf[2][256];
  };
  __device__ Worker(Shared& s, int* data) : s_(s), data_(data) {}

  __device__ bool next(const JobQueue& q, Job& j) {
    __syncthreads();
    if (threadIdx.x == 0) s_.ticket = atomicAdd(q.cursor, 1u);
    __syncthreads();
    const unsigned t = s_.ticket;
    if (t >= q.count) return false;
    j = q.jobs[t];
    return true;
  }

  __device__ void run(const Job& j) {
    int* d = data_ + j.begin;
    switch (j.kind) {
      case JobKind::Fill:
        for (uint32_t i = threadIdx.x; i < j.count; i += 256) d[i] = j.arg;
        break;
      case JobKind::Reverse:
        for (uint32_t i = threadIdx.x; i < j.count / 2; i += 256) {
          const int a = d[i], b = d[j.count - 1 - i];
          d[i] = b;
          d[j.count - 1 - i] = a;
        }
        break;
      case JobKind::PrefixMax:
        prefix_max(d, j.count, j.arg);
        break;
      case JobKind::Nop:
        return;
    }
  }

 private:
  __device__ void prefix_max(int* d, uint32_t n, int init) {
    if (threadIdx.x == 0) s_.carry = init;
    for (uint32_t base = 0; base < n; base += 256) {
      const uint32_t i = base + threadIdx.x;
      int p = 0;
      s_.buf[0][threadIdx.x] = i < n ? d[i] : INT32_MIN;
      __syncthreads();
      for (int w = 1; w < 256; w *= 2, p ^= 1) {
        int v = s_.buf[p][threadIdx.x];
        if (threadIdx.x >= w) v = max(v, s_.buf[p][threadIdx.x - w]);
        s_.buf[p ^ 1][threadIdx.x] = v;
        __syncthreads();
      }
      const int v = max(s_.carry, s_.buf[p][threadIdx.x]);
      if (i < n) d[i] = v;
      __syncthreads();
      if (threadIdx.x == 255) s_.carry = v;
    }
  }
  Shared& s_;
  int* data_;
};

__global__ void __launch_bounds__(256) worker_kernel(JobQueue q, int* data) {
  __shared__ Worker::Shared sh;
  Worker w(sh, data);
  Job j;
  while (w.next(q, j)) w.run(j);
}

// Jobs must cover disjoint ranges; overlapping requests are rejected.
bool submit(std::vector<Job> jobs, int* data, uint32_t n) {
  std::vector<char> used(n, 0);
  for (const Job& j : jobs) {
    if (j.begin > n || j.count > n - j.begin) return false;
    for (uint32_t i = j.begin; i < j.begin + j.count; ++i) {
      if (used[i]) return false;
      used[i] = 1;
    }
  }
  if (jobs.empty()) return true;
  Job* d = nullptr;
  unsigned* cur = nullptr;
  cudaMalloc(&d, jobs.size() * sizeof(Job));
  cudaMalloc(&cur, sizeof(unsigned));
  cudaMemset(cur, 0, sizeof(unsigned));
  cudaMemcpy(d, jobs.data(), jobs.size() * sizeof(Job), cudaMemcpyHostToDevice);
  int sms = 1;
  cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0);
  worker_kernel<<<sms * 2, 256>>>({d, unsigned(jobs.size()), cur}, data);
  const bool ok = cudaDeviceSynchronize() == cudaSuccess;
  cudaFree(d);
  cudaFree(cur);
  return ok;
}
