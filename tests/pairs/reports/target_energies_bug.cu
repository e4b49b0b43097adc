#include <cuda_runtime.h>

namespace md {

template <typename Real>
struct Atom {
  Real x, y, z, q;
};

template <typename Real>
struct EnergyParams {
  const Atom<Real>* atoms;
  const int* targets;
  Real* energy;        // [n_targets]
  Real* per_atom;      // [n_targets, n] scaled by the row total
  int n;
  int n_targets;
  Real cutoff2;
};

template <typename Real>
__device__ __forceinline__ Real pair_energy(const Atom<Real>& a, const Atom<Real>& b, Real cutoff2) {
  const Real dx = a.x - b.x, dy = a.y - b.y, dz = a.z - b.z;
  const Real r2 = dx * dx + dy * dy + dz * dz;
  if (r2 > cutoff2 || r2 <= Real(1e-6)) return Real(0);
  return a.q * b.q * rsqrt(r2);
}

template <typename Real, int THREADS>
__device__ void block_sum(Real* buf) {
  for (int s = THREADS / 2; s > 0; s >>= 1) {
    if (threadIdx.x < s) buf[threadIdx.x] += buf[threadIdx.x + s];
    __syncthreads();
  }
}

template <typename Real, int THREADS>
__global__ void target_energies(EnergyParams<Real> p) {
  __shared__ Real buf[THREADS];
  __shared__ Real total;

  const int t = blockIdx.x;
  const Atom<Real> ai = p.atoms[p.targets[t]];
  if (threadIdx.x == 0) total = Real(0);

  int j = threadIdx.x;
  while (j < p.n) {
    Real e = Real(0);
    if (j < p.n) {
      e = pair_energy(ai, p.atoms[j], p.cutoff2);
      p.per_atom[(size_t)t * p.n + j] = e;
    }
    buf[threadIdx.x] = e;
    __syncthreads();
    block_sum<Real, THREADS>(buf);
    if (threadIdx.x == 0) total += buf[0];
    __syncthreads();
    j += THREADS;
  }
  __syncthreads();

  const Real sum = total;
  const Real inv = sum != Real(0) ? Real(1) / sum : Real(0);
  for (int k = threadIdx.x; k < p.n; k += THREADS) p.per_atom[(size_t)t * p.n + k] *= inv;
  if (threadIdx.x == 0) p.energy[t] = sum;
}

template <typename Real>
void compute_target_energies(const EnergyParams<Real>& p, cudaStream_t stream) {
  if (p.n_targets <= 0) return;
  constexpr int threads = 256;
  target_energies<Real, threads><<<p.n_targets, threads, 0, stream>>>(p);
}

template void compute_target_energies<float>(const EnergyParams<float>&, cudaStream_t);
template void compute_target_energies<double>(const EnergyParams<double>&, cudaStream_t);

}  // namespace md
