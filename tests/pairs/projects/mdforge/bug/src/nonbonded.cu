#include "md/system.h"
#include "md/pair_kernels.cuh"

namespace md {

#define MD_DISPATCH_TILE(B, ...)                                   \
  switch (B) {                                                     \
    case 64: { constexpr int kTile = 64; __VA_ARGS__; break; }     \
    case 128: { constexpr int kTile = 128; __VA_ARGS__; break; }   \
    case 256: { constexpr int kTile = 256; __VA_ARGS__; break; }   \
    default: std::fprintf(stderr, "bad block size %d\n", B); std::exit(1); \
  }

void System::compute_nonbonded(cudaStream_t s) {
  const float rc2 = cfg.cutoff * cfg.cutoff;
  const Combined<LennardJones, Coulomb> pot{{1e-3f, 1e-6f, rc2}, {138.935f, rc2}};
  MD_DISPATCH_TILE(cfg.block, pair_tile_kernel<kTile><<<grid(kTile), kTile, 0, s>>>(
                                  posq.get(), force.get(), energy.get(), cfg.n, cfg.box, pot))
  MD_CHECK(cudaGetLastError());
}

void System::compute_neighbour_forces(const int* neigh, const int* numneigh, int max_neigh, cudaStream_t s) {
  const LennardJones pot{1e-3f, 1e-6f, cfg.cutoff * cfg.cutoff};
  constexpr int kBlock = 128;
  if (max_neigh > 64)
    pair_list_kernel<16><<<grid(kBlock / 16), kBlock, 0, s>>>(posq.get(), neigh, numneigh, max_neigh, force.get(), cfg.n, cfg.box, pot);
  else
    pair_list_kernel<8><<<grid(kBlock / 8), kBlock, 0, s>>>(posq.get(), neigh, numneigh, max_neigh, force.get(), cfg.n, cfg.box, pot);
  MD_CHECK(cudaGetLastError());
}

}  // namespace md
