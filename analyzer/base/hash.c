#include "base/hash.h"

#include <xxhash.h>

uint64_t cw_hash(const void *data, size_t n, uint64_t seed) {
    return XXH3_64bits_withSeed(data, n, seed);
}
