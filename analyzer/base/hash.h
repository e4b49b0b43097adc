/* 64-bit hashing of bytes (xxHash's XXH3). */
#ifndef CW_BASE_HASH_H
#define CW_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

uint64_t cw_hash(const void *data, size_t n, uint64_t seed);

/* Wide enough to stand for a file's content. */
struct cw_hash128 {
    uint64_t low, high;
};

struct cw_hash128 cw_hash_wide(const void *data, size_t n);

#endif
