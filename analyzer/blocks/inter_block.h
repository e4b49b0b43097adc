/* Data races in device memory between threads of different blocks, and between warps of one block that synchronise
 * through device memory: the one question behind the rules of the category `blocks`.
 *
 * The kernel is evaluated for two blocks of a grid: the first, and its neighbour in each dimension or the last one. Two
 * accesses conflict when they touch one byte, one of them writes, and not both are atomics whose scopes include both
 * threads. A conflict that nothing orders (block_order.h) is reported under the name of what is missing: the widest
 * thing that, if it were there, would order the two.
 *
 * Definite are conflicts at addresses that follow from indices and constants alone, under a launch from the source with
 * more than one block, with accesses that the two threads execute whatever the input is (what other threads decide by
 * signals is a schedule's choice), and with writes of different values, or a write and a read.
 *
 * requires: SSA, fn->cfg, uniformity, launches. computes: faults in program order, one for each pair of instructions.
 * preserves: everything. Cost: two evaluations of the kernel's device accesses and a search for each conflicting pair.
 * Source of the model: PTX ISA, memory consistency model; HRF (Hower et al., ASPLOS 2014) for scopes. */
#ifndef CW_BLOCKS_INTER_BLOCK_H
#define CW_BLOCKS_INTER_BLOCK_H

#include "blocks/block_order.h"
#include "lanes/kernel_query.h"

enum cw_block_fault_kind {
    CW_BLOCK_RACE,          /* nothing orders the two: inter-block-race */
    CW_BLOCK_NARROW_SCOPE,  /* a fence or atomic between does not include the other thread: narrow-scope */
    CW_BLOCK_MISSING_FENCE, /* a flag is there, but no fence between the data and the flag: missing-fence */
    CW_BLOCK_WAIT_FENCE,    /* no fence after a flag has been seen, before an ordinary load: missing-fence */
    CW_BLOCK_LOCK_FENCE,    /* no fence after taking the lock: lock-without-fence */
    CW_BLOCK_UNLOCK_FENCE,  /* no fence before releasing the lock: unlock-without-fence */
    CW_BLOCK_EARLY_SIGNAL, /* a thread signals before a barrier has ordered the others' stores: signal-before-barrier */
    CW_BLOCK_PLAIN_SPIN,   /* a loop polls by an ordinary load what the other thread writes: plain-spin */
    CW_BLOCK_HAND_BARRIER  /* all blocks count up a variable and wait for each other: grid-barrier-by-hand */
};

/* Of HAND_BARRIER: `first` counts up, `second` waits. */
struct cw_block_side {
    uint32_t ins;
    struct cw_block_thread at;
    bool writes, is_atomic;
};

struct cw_block_fault {
    enum cw_block_fault_kind kind;
    struct cw_block_side first, second;
    uint32_t culprit;     /* the signal, lock operation, fence or load that the message is about; UINT32_MAX: none. Of
                           * RACE: an ordinary store that gives back the lock */
    uint32_t narrow;      /* of NARROW_SCOPE: the fence or atomic with that scope; UINT32_MAX: not known */
    cw_ref base;          /* what they touch: a parameter or a variable */
    int64_t offset;       /* of the first common byte */
    bool by_data; /* data choose the element, one for both threads; offset says nothing */
    uint32_t bytes;
    uint32_t first_block[3], second_block[3]; /* blockIdx of threads with .block 0, and 1 */
    bool is_one_block;    /* the two threads are in one block */
    bool definite;
    bool rests_on_sizes; /* a plain race whose places follow from sizes that were chosen */
    bool by_sizes; /* definite but for its places, which follow from sizes that were chosen */
    uint32_t launch;
    struct cw_lanes *lanes; /* of the first thread's block */
};

struct cw_block_faults {
    CW_VEC(struct cw_block_fault) at;
};

/* Of a kernel that has something which may order its blocks: a wait, a loop that polls, a barrier of the grid, an
 * atomic of block scope. */
struct cw_block_faults cw_block_faults_of(const struct cw_kernel_query *q);
/* The plain races of all other kernels, of launches from the source. */
struct cw_block_faults cw_plain_block_races_of(const struct cw_kernel_query *q);

/* One line for each, for --dump. */
struct cw_facts_print;
void cw_block_faults_print(const struct cw_facts_print *to, const struct cw_block_faults *faults);

#endif
