// Single-block Bellman-Ford over small sub-graphs, one block per sub-graph.
#include <cuda_runtime.h>
#include <vector>
#include <limits>
#include <cstdint>

namespace sssp {

constexpr int kMaxVertices = 1024;
constexpr int kThreads = 192;
constexpr int kInf = std::numeric_limits<int>::max() / 2;

struct Edge { int16_t u, v; int w; };

struct GraphBatch {
  const Edge* edges;
  const int* edge_begin;   // graphs + 1
  const int* vertex_count; // graphs
  int graphs;
};

__device__ inline bool relax(int* dist, const Edge& e) {
  const int du = atomicAdd(&dist[e.u], 0);
  if (du >= kInf) return false;
  const int cand = du + e.w;
  return atomicMin(&dist[e.v], cand) > cand;
}

__global__ void __launch_bounds__(kThreads) bellman_ford(GraphBatch g, int* out, int pitch) {
  __shared__ int dist[kMaxVertices];
  for (int gi = blockIdx.x; gi < g.graphs; gi += gridDim.x) {
    const int nv = min(g.vertex_count[gi], kMaxVertices);
    const int eb = g.edge_begin[gi], ee = g.edge_begin[gi + 1];
    for (int v = threadIdx.x; v < nv; v += kThreads) dist[v] = v == 0 ? 0 : kInf;
    __syncthreads();

    int round = 0;
    int changed;
    do {
      bool mine = false;
      for (int e = eb + threadIdx.x; e < ee; e += kThreads) {
        const Edge ed = g.edges[e];
        if (ed.u < nv && ed.v < nv) mine |= relax(dist, ed);
      }
      changed = __syncthreads_or(mine);
    } while (changed && ++round < nv);

    for (int v = threadIdx.x; v < nv; v += kThreads) out[gi * pitch + v] = dist[v];
    __syncthreads();
  }
}

struct DeviceBuffer {
  void* p = nullptr;
  explicit DeviceBuffer(size_t bytes) { cudaMalloc(&p, bytes ? bytes : 1); }
  ~DeviceBuffer() { cudaFree(p); }
  DeviceBuffer(const DeviceBuffer&) = delete;
  template <typename T> T* as() { return static_cast<T*>(p); }
};

void solve(const std::vector<Edge>& e, const std::vector<int>& eb, const std::vector<int>& nv, std::vector<int>& result) {
  if (nv.empty() || eb.size() != nv.size() + 1) return;
  for (int n : nv) if (n < 1 || n > kMaxVertices) return;
  for (const Edge& x : e) if (x.u < 0 || x.v < 0) return;
  DeviceBuffer de(e.size() * sizeof(Edge)), db(eb.size() * sizeof(int)), dn(nv.size() * sizeof(int));
  DeviceBuffer out(nv.size() * sizeof(int) * kMaxVertices);
  cudaMemcpy(de.p, e.data(), e.size() * sizeof(Edge), cudaMemcpyHostToDevice);
  cudaMemcpy(db.p, eb.data(), eb.size() * sizeof(int), cudaMemcpyHostToDevice);
  cudaMemcpy(dn.p, nv.data(), nv.size() * sizeof(int), cudaMemcpyHostToDevice);
  GraphBatch g{de.as<Edge>(), db.as<int>(), dn.as<int>(), int(nv.size())};
  const int grid = g.graphs < 256 ? g.graphs : 256;
  bellman_ford<<<grid, kThreads>>>(g, out.as<int>(), kMaxVertices);
  result.resize(nv.size() * size_t(kMaxVertices));
  cudaMemcpy(result.data(), out.p, result.size() * sizeof(int), cudaMemcpyDeviceToHost);
}

}  // namespace sssp
