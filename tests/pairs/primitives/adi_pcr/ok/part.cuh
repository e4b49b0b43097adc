#pragma once
#include <cuda_runtime.h>

// Parallel cyclic reduction for one system in shared memory, one equation for
// each thread of the block.

namespace tridiag {

template <typename T, int N>
struct System {
  T a[N], b[N], c[N], d[N];
};

template <typename T>
struct Row {
  T a, b, c, d;
};

template <typename T, int N>
__device__ __forceinline__ Row<T> load(const System<T, N>& s, int i) {
  if (i < 0 || i >= N) return Row<T>{T(0), T(1), T(0), T(0)};
  return Row<T>{s.a[i], s.b[i], s.c[i], s.d[i]};
}

template <typename T, int N>
__device__ __forceinline__ void store(System<T, N>& s, int i, const Row<T>& r) {
  s.a[i] = r.a;
  s.b[i] = r.b;
  s.c[i] = r.c;
  s.d[i] = r.d;
}

template <typename T>
__device__ __forceinline__ Row<T> eliminate(const Row<T>& lo, const Row<T>& me, const Row<T>& hi) {
  const T k1 = me.a / lo.b;
  const T k2 = me.c / hi.b;
  return Row<T>{-lo.a * k1, me.b - lo.c * k1 - hi.a * k2, -hi.c * k2, me.d - lo.d * k1 - hi.d * k2};
}

template <typename T, int N>
__device__ T solve(System<T, N>& s, int i) {
  for (int step = 1; step < N; step *= 2) {
    const Row<T> r = eliminate(load(s, i - step), load(s, i), load(s, i + step));
    __syncthreads();
    store(s, i, r);
    __syncthreads();
  }
  return s.d[i] / s.b[i];
}

}  // namespace tridiag
