/* Runs all threads of one block of a kernel in SSA, really: each with its own values and place, one memory for all.
 *
 * For property tests against brute force. A thread runs until it waits: at a block barrier for all threads that have
 * not exited, at a warp collective for the lanes that its mask names and that have not exited. What the threads read
 * and write in between, in which iteration, and who waited together, is told to the test.
 *
 * requires: fn->cfg. Parameters and registers are those of `lanes`, so that both sides talk about one launch. */
#ifndef CW_TESTS_SUPPORT_BLOCK_MACHINE_H
#define CW_TESTS_SUPPORT_BLOCK_MACHINE_H

#include "lanes/lanes.h"

struct block_thread {
    int64_t *value; /* by instruction */
    uint32_t block, at, steps, accesses; /* accesses: those of memory that others see */
    const struct cw_context *context;
    bool waits, exited, let_through; /* let_through: past machine.extra, which is its next instruction */
};

struct block_region {
    cw_ref base;     /* object or parameter */
    uint8_t *bytes;
    uint32_t size;
    bool is_private; /* a copy for each thread */
};

struct block_access {
    uint32_t ins, thread;
    const struct cw_context *context;
    uint32_t region; /* index in machine.regions */
    uint32_t offset, bytes;
    bool reads, writes, atomic, async;
    uint8_t value[16]; /* written */
};

/* Threads that waited together, and those that were waited for but had exited. */
struct block_meeting {
    uint32_t ins; /* UINT32_MAX: at machine.extra */
    const struct cw_context *context;
    uint32_t n, ngone;
    uint32_t threads[1024], gone[1024];
};

struct block_machine {
    struct cw_fn *fn;
    struct cw_lanes *lanes;
    struct cw_arena *arena;
    uint32_t threads, max_steps;
    const struct cw_lane_values *sreg[CW_NSREGS], **param; /* NULL: not asked for yet */
    bool reversed; /* the last thread runs first */
    uint32_t leader; /* 1 + a thread that runs before all others, 0: none */
    uint32_t pause;  /* before its access of that number, from 1, the leader lets the others run; 0: when it waits */
    uint64_t shuffle; /* 0: in order; else a number from which the order of threads is drawn whenever all go on */
    uint32_t turn; /* instructions and jumps after which the next thread goes on; 0: when the thread waits */
    struct block_thread *thread;
    struct block_meeting *meeting; /* scratch */
    CW_VEC(struct block_region) regions;
    uint64_t seed; /* of what nobody computes: floating point and such */
    uint32_t bias; /* 1: seven of eight such results are 0 or 1 in their last three bits, 2: 6 or 7; 0: any */
    bool goes_on;       /* behind an access outside of its object, which is none then */
    const char *failed; /* why the run says nothing: a hang, an access outside, … */
    /* What the test wants to know, or to change; each may be NULL. */
    void *self;
    void (*accessed)(void *self, const struct block_access *a);
    void (*met)(void *self, const struct block_meeting *m);
    int64_t (*computed)(void *self, uint32_t thread, uint32_t ins, const struct cw_context *c, int64_t value);
    void (*jumped)(void *self, uint32_t thread, uint32_t block, uint32_t to);
    uint32_t extra;      /* instruction before which threads wait for each other too, or UINT32_MAX */
    bool extra_of_warp;  /* the lanes of a warp only */
};

enum { BLOCK_PARAM_BYTES = 1 << 14 };

/* Memory is there and filled with noise after this; the test may change machine.regions before the run. */
void block_machine_init(struct block_machine *m, struct cw_fn *fn, struct cw_lanes *lanes, struct cw_arena *a);
void block_machine_noise(uint8_t *bytes, uint32_t n, uint64_t seed);
struct block_region *block_machine_region(struct block_machine *m, cw_ref base);

/* True when every thread came to its end. Once per machine. */
bool block_machine_run(struct block_machine *m);

#endif
