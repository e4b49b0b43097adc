/* Random kernels of two blocks that synchronise through device memory, and the executions that show a data race.
 *
 * Two threads of each block act, of two warps or of one (`apart`); all other threads execute barriers only. An
 * execution is an interleaving of the four actors, so each load reads the last store before it: such an execution is
 * one of the PTX memory consistency model as well (PTX ISA 9.0, "Memory Consistency Model"), which only allows more. In
 * each one the happens-before relation of that model is computed by vector clocks, with scopes:
 *   - a release pattern is a fence and a strong write after it, or a write with release order; a strong read that
 *     observes it, directly or through read-modify-writes, synchronises with it when the scopes of fence, write and
 *     read include both threads; a fence after the read, or its acquire order, makes that an acquire pattern;
 *   - a barrier orders the threads of its block, grid.sync() all threads, __syncwarp() those of one warp.
 * Two accesses race when they touch one element, one writes, they are not both atomics whose scopes include both
 * threads, and neither happens before the other. A volatile access to data is treated as a weak one: it must not be
 * torn or hoisted, but it orders nothing; only a volatile read beside a wide enough atomic is no race.
 *
 * Cost: schedules times statements times accesses of one element. */
#ifndef CW_TESTS_SUPPORT_BLOCK_SCHEDULES_H
#define CW_TESTS_SUPPORT_BLOCK_SCHEDULES_H

#include "base/str.h"
#include "ir/ir.h"

#include <stdbool.h>
#include <stdint.h>

enum { BLOCK_ACTORS = 4, BLOCK_STATEMENTS = 48, BLOCK_ELEMENTS = 16, BLOCK_INITIAL = 16 };

enum block_statement_kind {
    BLOCK_STORE,   /* to data */
    BLOCK_LOAD,    /* of data */
    BLOCK_UPDATE,  /* an atomic addition to data */
    BLOCK_FENCE,
    BLOCK_SIGNAL,  /* a strong write to a flag */
    BLOCK_SPIN,    /* a loop that polls a flag until it is not 0 */
    BLOCK_TAKE,    /* a loop that takes a lock by a compare-and-swap */
    BLOCK_RELEASE, /* gives the lock back */
    BLOCK_IF,      /* for some actors only, up to END */
    BLOCK_TICKET,  /* for the actor whose addition returns `value`, up to END */
    BLOCK_END,
    BLOCK_BARRIER, /* outside of IF and TICKET */
    BLOCK_GRID,
    BLOCK_WARP
};

struct block_statement {
    uint8_t kind;    /* enum block_statement_kind */
    uint8_t scope;   /* enum cw_scope, of fences and atomics */
    uint8_t element; /* of data, flags, locks or tickets */
    uint8_t value;
    int8_t block, warp;       /* IF: -1: both */
    bool by_block, by_warp;   /* the element, and the value stored, differ by block and warp */
    uint8_t order;            /* enum cw_memory_order, of atomics */
    bool is_volatile;
    bool is_access;           /* SIGNAL, RELEASE, SPIN: an atomic that only stores or loads */
    bool adds;                /* SIGNAL: an addition, else an exchange; SPIN: an exchange by 0, else a read */
    bool collects;            /* UPDATE: an exchange that asks what the others have added up */
    bool dropped;
};

struct block_program {
    struct block_statement at[BLOCK_STATEMENTS];
    uint32_t n;
    uint32_t apart; /* the threads that act are 0 and `apart`: 1 or 32 */
};

/* What an execution leaves out of account, as struct cw_order_slack does. */
struct block_model {
    bool any_scope, no_fence;
    bool no_acquire; /* a read that observes a release synchronises, without a fence after it */
    bool collected;  /* an update that is not ordered with who collects the updates counts as a race */
};

/* Which accesses raced in some execution: by statement and actor. */
struct block_races {
    uint8_t pair[BLOCK_STATEMENTS * BLOCK_ACTORS][BLOCK_STATEMENTS * BLOCK_ACTORS];
    uint32_t executions;
    bool some;
};

void block_program_make(struct block_program *program, uint64_t seed);
/* The program as textual IR; the line of an instruction's location is 1 + the number of its statement. */
void block_program_print(const struct block_program *program, struct cw_buf *out);

/* All priority schedules with at most `switches` (0 to 2) points at which the running actor has to wait for the others;
 * adds to `races`, which is zero at first. `initial`, below BLOCK_INITIAL, says what flags
 * and tickets hold at first; 0: zero. */
void block_schedules_run(const struct block_program *program, struct block_model model, uint32_t switches,
                         uint32_t initial, struct block_races *races);

static inline uint32_t block_access(uint32_t statement, uint32_t actor) {
    return statement * BLOCK_ACTORS + actor;
}

#endif
