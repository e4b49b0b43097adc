/* What a pointer may point into, and which accesses may meet: the little alias analysis that uniformity needs.
 *
 * The base of a pointer is found through PTRADD, casts, PHI and SELECT. It is an object, a pointer parameter, or a
 * pointer that was read from a known place nobody in the kernel writes (a field of a by-value parameter, a `__device__`
 * pointer variable). Different bases are taken for different memory, as users mean it: two pointer parameters of a
 * kernel alias only by mistake. Only a base that cannot be found meets the others. So are the arrays that a kernel
 * divides its dynamic shared memory into by numbers that only the launch tells (`float *b = a + n;`). */
#ifndef CW_UNIFORMITY_ALIAS_H
#define CW_UNIFORMITY_ALIAS_H

#include "base/bitset.h"
#include "ir/ir.h"

enum { CW_BASES_MAX = 6 };

enum { CW_ARRAY_ANY, CW_ARRAY_WHOLE };

struct cw_base {
    cw_ref root;     /* OBJECT, PARAM, or NONE when unknown */
    bool is_read;    /* the pointer stored in `root` at byte `field`, not the address of `root` */
    int64_t field;
    uint64_t fields; /* where is_read: one of so many bytes of pointers from `field` on; 0: that at `field` */
    bool exact;      /* `offset` is known */
    int64_t offset; /* bytes from the base, or from the array in it */
    /* Of dynamic shared memory: stands for the array in it, by where it begins; CW_ARRAY_WHOLE: at its beginning,
     * CW_ARRAY_ANY: not known, and for every other base. */
    uint64_t array;
    /* where not exact: the access lies in so many bytes from `offset` on, an indexed array; 0 unknown */
    uint64_t extent;
    /* It lies at `rest`, or a multiple of `step` bytes from there; 0: nowhere else. So the members of the elements of
     * an array are told apart. */
    uint64_t step;
    int64_t rest;
    /* Or, where `inner` is not 0: in so many bytes from `rest` on, the array of an element that is indexed last, or a
     * multiple of `outer_step` bytes from there (0: nowhere else). */
    uint64_t inner, outer_step;
};

/* A strided interval: `bytes` bytes from `first` on, and from each multiple of `stride` bytes beyond; stride 0: there
 * are no others; bytes 0: nobody knows how many (Reps, Balakrishnan and Lim, 2006). */
struct cw_strided {
    int64_t first;
    uint64_t stride, bytes;
};

/* Have both surely no byte in common, whatever the multiples are? */
bool cw_strided_are_apart(const struct cw_strided *interval, const struct cw_strided *other);

struct cw_bases {
    struct cw_base at[CW_BASES_MAX];
    uint32_t n; /* at least 1 */
};

/* Facts of a function that alias questions need. */
struct cw_memory {
    const struct cw_fn *fn;
    struct cw_bitset escaped; /* objects whose address went to memory, a call or an integer */
};

struct cw_memory *cw_memory_new(const struct cw_fn *fn, struct cw_arena *a);

/* From here on the function does not change: what a pointer leads to is found once. Memory: a pointer for each
 * instruction, and the bases of each pointer that is asked about. */
void cw_memory_keep_bases(struct cw_fn *fn);
struct cw_bases cw_memory_bases(const struct cw_fn *fn, cw_ref pointer);

/* Is a load one of volatile memory that others than the threads of this block may write? What these write to shared
 * memory is seen, and counts there as for other loads. */
bool cw_memory_is_volatile(const struct cw_fn *fn, const struct cw_ins *load);

/* May both be one pointer that is stored in one object? */
bool cw_base_may_be_same(const struct cw_base *base, const struct cw_base *other);
/* Do both lead into one memory that is known: to one object or parameter, or where one pointer in it leads? */
bool cw_base_is_one_memory(const struct cw_base *base, const struct cw_base *other);
/* requires: one memory. Can what lies at the first be at the place of the other? Not where both are members of elements
 * of one array, and different ones. */
bool cw_base_may_be_member(const struct cw_base *base, const struct cw_base *other);
/* requires: one memory. Whether an access of size_a bytes (0: unknown) at the first can touch the same byte as one of
 * size_b bytes at the other. */
bool cw_base_may_overlap(const struct cw_base *base, uint64_t size_a, const struct cw_base *other, uint64_t size_b);
/* Whether an access of size_a bytes (0: unknown) at base a can touch the same byte as one at b. */
bool cw_memory_may_meet(const struct cw_memory *m, const struct cw_base *a, uint64_t size_a, const struct cw_base *b,
                        uint64_t size_b);

/* requires: one root and array. Does an access of `size` bytes (0: unknown) at the first base end before the place from
 * which on the second one has an index that nobody knows? Only an index below 0 makes them meet. */
bool cw_memory_ends_before(const struct cw_base *base, uint64_t size, const struct cw_base *indexed);

/* One access of an instruction. An instruction has at most two (a copy reads and writes). */
struct cw_access {
    cw_ref pointer;
    uint64_t size; /* 0 unknown */
    bool reads, writes;
};

/* Does the atomic operation leave anything else behind than it found? `atomicAdd(p, 0)` is a way to read. */
bool cw_memory_atomic_changes(const struct cw_fn *fn, const struct cw_ins *i);

/* The direct memory accesses of an instruction; how many (0 … 2). Calls have none here: see cw_memory_is_call. */
uint32_t cw_memory_accesses(const struct cw_fn *fn, const struct cw_ins *i, struct cw_access out[2]);

/* A call or asm whose body is unknown: writes what its pointer operands reach and any global memory. */
bool cw_memory_is_call(const struct cw_ins *i);

#endif
