// Assembles element stiffness into a global CSR matrix; elements of one colour share no node.
#include <cuda_runtime.h>
#include <algorithm>
#include <vector>

namespace fem {

struct Mesh {
  int num_nodes, num_elems;
  std::vector<int> conn;       // 4 nodes per tetrahedron
};

struct DeviceMatrix {
  const int* rowptr;
  const int* col;              // ascending in each row
  double* val;
};

__device__ int find_entry(const int* col, int lo, int hi, int c) {
  while (lo < hi) {
    const int mid = (lo + hi) / 2;
    if (col[mid] < c)
      lo = mid + 1;
    else
      hi = mid;
  }
  return lo;
}

__device__ void local_stiffness(const double3* X, double k[4][4]) {
  double b[4], c[4], d[4];
  for (int i = 0; i < 4; ++i) {
    const double3 p = X[(i + 1) % 4], q = X[(i + 2) % 4], r = X[(i + 3) % 4];
    b[i] = (q.y - p.y) * (r.z - p.z) - (r.y - p.y) * (q.z - p.z);
    c[i] = (q.z - p.z) * (r.x - p.x) - (r.z - p.z) * (q.x - p.x);
    d[i] = (q.x - p.x) * (r.y - p.y) - (r.x - p.x) * (q.y - p.y);
    if (i & 1) {
      b[i] = -b[i];
      c[i] = -c[i];
      d[i] = -d[i];
    }
  }
  const double vol6 = fabs((X[1].x - X[0].x) * b[0] + (X[1].y - X[0].y) * c[0] + (X[1].z - X[0].z) * d[0]) + 1e-300;
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j) k[i][j] = (b[i] * b[j] + c[i] * c[j] + d[i] * d[j]) / (6.0 * vol6);
}

__global__ void assemble(const int* __restrict__ elems, int count, const int4* __restrict__ conn,
                         const double3* __restrict__ xyz, DeviceMatrix A, double* diag_mass) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= count) return;
  const int4 e = conn[elems[t]];
  const int node[4] = {e.x, e.y, e.z, e.w};
  double3 X[4];
  for (int i = 0; i < 4; ++i) X[i] = xyz[node[i]];
  double k[4][4];
  local_stiffness(X, k);
  for (int i = 0; i < 4; ++i) {
    const int lo = A.rowptr[node[i]], hi = A.rowptr[node[i] + 1];
    for (int j = 0; j < 4; ++j) A.val[find_entry(A.col, lo, hi, node[j])] += k[i][j];
    diag_mass[node[i]] += k[i][i];
  }
}

std::vector<std::vector<int>> color_elements(const Mesh& m) {
  std::vector<std::vector<int>> node_colors(m.num_nodes);   // colours used around each node
  std::vector<std::vector<int>> groups;
  for (int e = 0; e < m.num_elems; ++e) {
    int c = 0;
    for (bool clash = true; clash; c += clash) {
      clash = false;
      for (int i = 0; i < 4; ++i) {
        const auto& u = node_colors[m.conn[4 * e + i]];
        clash = clash || std::find(u.begin(), u.end(), c) != u.end();
      }
    }
    if (c == (int)groups.size()) groups.emplace_back();
    groups[c].push_back(e);
    for (int i = 0; i < 4; ++i) node_colors[m.conn[4 * e + i]].push_back(c);
  }
  return groups;
}

void assemble_all(const Mesh& m, const int4* d_conn, const double3* d_xyz, DeviceMatrix A, double* d_mass) {
  int* d_list;
  cudaMalloc(&d_list, m.num_elems * sizeof(int));
  for (const auto& g : color_elements(m)) {
    cudaMemcpy(d_list, g.data(), g.size() * sizeof(int), cudaMemcpyHostToDevice);
    assemble<<<((int)g.size() + 63) / 64, 64>>>(d_list, (int)g.size(), d_conn, d_xyz, A, d_mass);
  }
  cudaDeviceSynchronize();
  cudaFree(d_list);
}

}  // namespace fem
