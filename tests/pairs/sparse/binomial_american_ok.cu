// American put options on a binomial tree; a block prices one option at a time, one thread per
// node of the current time level.
#include <cuda_runtime.h>
#include <cstdio>
#include <vector>
#include <cmath>

struct Contract { float S, K, T, r, sigma; };

struct Tree {
  float up, down, pu, pd;  // pu, pd are discounted probabilities
};

__host__ __device__ inline Tree makeTree(const Contract& c, int steps) {
  const float dt = c.T / steps;
  Tree t;
  t.up = expf(c.sigma * sqrtf(dt));
  t.down = 1.f / t.up;
  const float p = (expf(c.r * dt) - t.down) / (t.up - t.down);
  const float df = expf(-c.r * dt);
  t.pu = df * p;
  t.pd = df * (1.f - p);
  return t;
}

__device__ __forceinline__ float nodePrice(const Contract& c, const Tree& t, int level, int node) {
  return c.S * powf(t.up, (float)(2 * node - level));
}

template <int THREADS>
__global__ void americanPut(const Contract* __restrict__ contracts, float* __restrict__ price,
                            int count, int steps) {
  __shared__ float v[2][THREADS + 1];
  const int node = threadIdx.x;

  for (int opt = blockIdx.x; opt < count; opt += gridDim.x) {
    const Contract c = contracts[opt];
    const Tree tree = makeTree(c, steps);

    if (node < steps + 1)
      v[steps & 1][node] = fmaxf(c.K - nodePrice(c, tree, steps, node), 0.f);
    __syncthreads();

    for (int t = steps; t > 0; --t) {
      const float* cur = v[t & 1];
      float* nxt = v[(t - 1) & 1];
      if (node < t) {
        const float hold = tree.pu * cur[node + 1] + tree.pd * cur[node];
        const float now = c.K - nodePrice(c, tree, t - 1, node);
        nxt[node] = fmaxf(hold, now);
      }
      __syncthreads();
    }
    if (node == 0) price[opt] = v[0][0];
  }
}

// steps + 1 nodes have to fit in one block
bool priceAmericanPuts(const std::vector<Contract>& in, std::vector<float>& out, int steps) {
  if (steps < 1 || steps > 511 || in.empty()) return false;
  Contract* dC = nullptr;
  float* dP = nullptr;
  out.resize(in.size());
  if (cudaMalloc(&dC, in.size() * sizeof(Contract)) != cudaSuccess) return false;
  if (cudaMalloc(&dP, in.size() * sizeof(float)) != cudaSuccess) { cudaFree(dC); return false; }
  cudaMemcpy(dC, in.data(), in.size() * sizeof(Contract), cudaMemcpyHostToDevice);
  const int count = (int)in.size();
  const int blocks = count < 256 ? count : 256;
  if (steps < 256)
    americanPut<256><<<blocks, 256>>>(dC, dP, count, steps);
  else
    americanPut<512><<<blocks, 512>>>(dC, dP, count, steps);
  const cudaError_t e =
      cudaMemcpy(out.data(), dP, in.size() * sizeof(float), cudaMemcpyDeviceToHost);
  cudaFree(dC);
  cudaFree(dP);
  return e == cudaSuccess;
}

int main() {
  std::vector<Contract> c;
  for (int i = 0; i < 1000; ++i)
    c.push_back(Contract{80.f + 0.04f * i, 100.f, 0.25f + 0.001f * i, 0.03f, 0.2f});
  std::vector<float> p;
  if (!priceAmericanPuts(c, p, 500)) return 1;
  std::printf("%f %f\n", p.front(), p.back());
  return 0;
}
