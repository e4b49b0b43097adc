#include <cuda_runtime.h>
#include <cstdint>
#include <cstdio>
#include <map>
#include <queue>
#include <string>
#include <vector>

// Multi pattern search with a dense Aho-Corasick automaton. Hits are staged in
// shared memory and written out in bulk.

struct Automaton {
  const int* next;     // states x 256
  const int* outMask;  // pattern bits of a state
  int longest;
};

struct Hit {
  int position;
  int patterns;
};

struct HitList {
  Hit* data;
  int capacity;
  int* size;
};

template <int CAP>
struct Stage {
  Hit item[CAP];
  int count;
  int base;

  __device__ void append(Hit h, const HitList& out) {
    const int at = atomicAdd(&count, 1);
    if (at < CAP) {
      item[at] = h;
    } else {
      const int g = atomicAdd(out.size, 1);
      if (g < out.capacity) out.data[g] = h;
    }
  }

  __device__ void drain(const HitList& out) {
    const int n = min(count, CAP);
    if (threadIdx.x == 0) base = n > 0 ? atomicAdd(out.size, n) : 0;
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x)
      if (base + i < out.capacity) out.data[base + i] = item[i];
    if (threadIdx.x == 0) count = 0;
  }
};

constexpr int kThreads = 128;
constexpr int kWindow = 64;

__global__ void __launch_bounds__(kThreads) search(Automaton ac, const uint8_t* text, int len, HitList out) {
  __shared__ Stage<512> stage;
  if (threadIdx.x == 0) stage.count = 0;
  __syncthreads();

  const int perBlock = kThreads * kWindow;
  for (int begin = blockIdx.x * perBlock; begin < len; begin += gridDim.x * perBlock) {
    const int mine = begin + threadIdx.x * kWindow;
    const int stop = min(mine + kWindow, len);
    int state = 0;
    for (int p = max(0, mine - ac.longest + 1); p < stop; ++p) {
      state = ac.next[state * 256 + text[p]];
      const int m = ac.outMask[state];
      if (m && p >= mine) stage.append(Hit{p, m}, out);
    }
    __syncthreads();
    stage.drain(out);
  }
}

class Builder {
 public:
  void add(const std::string& s, int id) {
    int st = 0;
    for (unsigned char c : s) {
      if (next_[st * 256 + c] < 0) {
        next_[st * 256 + c] = int(mask_.size());
        mask_.push_back(0);
        next_.resize(next_.size() + 256, -1);
      }
      st = next_[st * 256 + c];
    }
    mask_[st] |= 1 << id;
    longest_ = std::max(longest_, int(s.size()));
  }

  Automaton upload() {
    std::vector<int> fail(mask_.size(), 0);
    std::queue<int> q;
    for (int c = 0; c < 256; ++c) {
      int& n = next_[c];
      if (n < 0) n = 0;
      else q.push(n);
    }
    while (!q.empty()) {
      const int s = q.front();
      q.pop();
      mask_[s] |= mask_[fail[s]];
      for (int c = 0; c < 256; ++c) {
        int& n = next_[s * 256 + c];
        const int f = next_[fail[s] * 256 + c];
        if (n < 0) n = f;
        else fail[n] = f, q.push(n);
      }
    }
    int *n, *m;
    cudaMalloc(&n, next_.size() * sizeof(int));
    cudaMalloc(&m, mask_.size() * sizeof(int));
    cudaMemcpy(n, next_.data(), next_.size() * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpy(m, mask_.data(), mask_.size() * sizeof(int), cudaMemcpyHostToDevice);
    return {n, m, longest_};
  }

 private:
  std::vector<int> next_ = std::vector<int>(256, -1);
  std::vector<int> mask_ = {0};
  int longest_ = 0;
};

int main() {
  Builder b;
  b.add("cagt", 0), b.add("agta", 1), b.add("ttttt", 2);
  const Automaton ac = b.upload();
  std::string text;
  for (int i = 0; i < 3000000; ++i) text += "acgt"[(i * i / 7) & 3];
  uint8_t* d;
  HitList out{nullptr, 1 << 22, nullptr};
  cudaMalloc(&d, text.size());
  cudaMalloc(&out.data, sizeof(Hit) * out.capacity);
  cudaMallocManaged(&out.size, sizeof(int));
  *out.size = 0;
  cudaMemcpy(d, text.data(), text.size(), cudaMemcpyHostToDevice);
  search<<<120, kThreads>>>(ac, d, int(text.size()), out);
  const cudaError_t e = cudaDeviceSynchronize();
  printf("%s, %d hits\n", cudaGetErrorString(e), *out.size);
  return e != cudaSuccess;
}
