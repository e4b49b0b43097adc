// Edit-distance wavefront: column strips, each strip waits for its left neighbour row by row.
#include <cuda_runtime.h>
#include <cuda/atomic>
#include <string>
#include <algorithm>

namespace lev {

constexpr int STRIP = 64;   // columns per block, one thread each
constexpr int ROWS = 32;    // rows per published chunk

struct Problem {
  const char* a;   // rows
  const char* b;   // columns
  int m, n;
  int* border;     // (strips+1) x (m+1), last column of each strip
  int* ready;      // (strips+1), rows available
  int* ticket;
  int* answer;
};

using Flag = cuda::atomic_ref<int, cuda::thread_scope_device>;

__device__ void wait_rows(int* flag, int rows) {
  if (threadIdx.x == 0)
    while (Flag(*flag).load(cuda::memory_order_acquire) < rows) {}
  __syncthreads();
}

__device__ void publish_rows(int* flag, int rows) {
  __syncthreads();
  if (threadIdx.x == 0) Flag(*flag).store(rows, cuda::memory_order_release);
}

__global__ void __launch_bounds__(STRIP) strips(Problem p) {
  __shared__ int diag[3][STRIP + 1];
  __shared__ int strip_id;
  if (threadIdx.x == 0) strip_id = atomicAdd(p.ticket, 1);
  __syncthreads();
  const int s = strip_id, t = threadIdx.x;
  const int col = s * STRIP + t + 1;
  const char cb = col <= p.n ? p.b[col - 1] : 0;
  const int* left = p.border + size_t(s) * (p.m + 1);
  int* right = p.border + size_t(s + 1) * (p.m + 1);
  if (t == STRIP - 1) right[0] = col;

  int above = col;       // value of the previous row in this column
  int above_left = col - 1;
  for (int r0 = 0; r0 < p.m; r0 += ROWS) {
    const int rows = min(ROWS, p.m - r0);
    wait_rows(p.ready + s, r0 + rows);
    // skewed sweep over the chunk: thread t handles row (step - t)
    for (int step = 0; step < rows + STRIP - 1; ++step) {
      const int r = step - t;
      int* cur = diag[step % 3];
      const int* prev = diag[(step + 2) % 3];
      if (r >= 0 && r < rows) {
        const int row = r0 + r + 1;
        const int l = t == 0 ? left[row] : prev[t - 1];
        const int v = min(min(above, l) + 1, above_left + (p.a[row - 1] != cb));
        above_left = l;
        above = v;
        cur[t] = v;
        if (t == STRIP - 1) right[row] = v;
        if (col == p.n && row == p.m) *p.answer = v;
      }
      __syncthreads();
    }
    publish_rows(p.ready + s + 1, r0 + rows);
  }
}

__global__ void prepare(Problem p, int strips_total) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i <= p.m; i += gridDim.x * blockDim.x) p.border[i] = i;
  if (blockIdx.x == 0)
    for (int i = threadIdx.x; i <= strips_total; i += blockDim.x) p.ready[i] = i == 0 ? p.m : 0;
  if (blockIdx.x == 0 && threadIdx.x == 0) *p.ticket = 0;
}

int distance(const std::string& a, const std::string& b) {
  if (a.empty() || b.empty()) return int(std::max(a.size(), b.size()));
  if (a.size() > 100000 || b.size() > 100000) return -1;
  Problem p{};
  p.m = int(a.size());
  p.n = int(b.size());
  const int ns = (p.n + STRIP - 1) / STRIP;
  char* text = nullptr;
  cudaMalloc(&text, a.size() + b.size());
  cudaMemcpy(text, a.data(), a.size(), cudaMemcpyHostToDevice);
  cudaMemcpy(text + a.size(), b.data(), b.size(), cudaMemcpyHostToDevice);
  p.a = text;
  p.b = text + a.size();
  cudaMalloc(&p.border, sizeof(int) * size_t(ns + 1) * (p.m + 1));
  cudaMalloc(&p.ready, sizeof(int) * (ns + 3));
  p.ticket = p.ready + ns + 1;
  p.answer = p.ready + ns + 2;
  prepare<<<32, 128>>>(p, ns);
  strips<<<ns, STRIP>>>(p);
  int d = -1;
  cudaMemcpy(&d, p.answer, sizeof(int), cudaMemcpyDeviceToHost);
  cudaFree(text);
  cudaFree(p.border);
  cudaFree(p.ready);
  return d;
}

}  // namespace lev
