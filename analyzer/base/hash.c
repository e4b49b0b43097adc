#include "base/hash.h"

#include <xxhash.h>

uint64_t cw_hash(const void *data, size_t n, uint64_t seed) {
    return XXH3_64bits_withSeed(data, n, seed);
}

struct cw_hash128 cw_hash_wide(const void *data, size_t n) {
    XXH128_hash_t h = XXH3_128bits(data, n);
    return (struct cw_hash128){h.low64, h.high64};
}
