/* 64-bit hashing of bytes (xxHash's XXH3), and of a few numbers. */
#ifndef CW_BASE_HASH_H
#define CW_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

uint64_t cw_hash(const void *data, size_t n, uint64_t seed);

/* The hash of what `h` stands for, followed by x. */
static inline uint64_t cw_mix(uint64_t h, uint64_t x) {
    h = h * 0x9E3779B97F4A7C15ULL + x; /* not h ^ x: small numbers would meet */
    h ^= h >> 32;
    h *= 0xD6E8FEB86659FD93ULL;
    return h ^ h >> 29;
}

/* Wide enough to stand for a file's content. */
struct cw_hash128 {
    uint64_t low, high;
};

struct cw_hash128 cw_hash_wide(const void *data, size_t n);

#endif
