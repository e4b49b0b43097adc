/* Which accesses of a kernel race, by brute force: the block is really run, every access is kept with the vector
 * clock of its thread (Lamport 1978; Mattern 1989), and all pairs are looked at.
 *
 * Block barriers order all threads, also before those that have exited; __syncwarp(mask) the lanes that it names.
 * Nothing else orders anything. An asynchronous copy is done when its thread has waited for it, and until then
 * unordered with that thread too. Two accesses race when they are of different threads, share a byte, one writes,
 * not both are atomic, and neither happens before the other. Two writes of the same bytes are no race. */
#ifndef CW_TESTS_SUPPORT_RACE_REFERENCE_H
#define CW_TESTS_SUPPORT_RACE_REFERENCE_H

#include "support/block_machine.h"

enum {
    RACE_IN_WARP = 1, RACE_ACROSS = 2,
    RACE_SURE = 4, /* and does not write what the reader itself wrote before */
    RACE_SURE_ACROSS = 8
};

struct race_clock;

struct race_event {
    struct block_access access;
    const uint32_t *clock; /* of its thread: per thread, how far it knows it */
    uint32_t waited;       /* asynchronous: 1 + number of events when its thread had waited for it, 0: never */
    uint32_t waited_clock; /* and that thread's own clock then */
    uint32_t phase;        /* how often all threads had met before */
    uint32_t own_write;    /* 1 + the last event before in which its thread writes, 0: none */
};

struct race_reference {
    struct block_machine machine;
    const struct race_witness *garbled;
    struct cw_arena arena;
    CW_VEC(struct race_event) events;
    uint32_t phase;
    uint32_t **clock;  /* per thread */
    uint32_t *written; /* per thread: 1 + its last event that writes */
    struct cw_vec_u32 **cells; /* [region][cell of four bytes]: events in their order */
    uint32_t *number;  /* instruction -> 1 + number of an access */
    uint32_t naccess;
    uint8_t *pairs;    /* [number][number]: RACE_IN_WARP, … */
};

struct race_witness {
    uint32_t ins, thread;
    const struct cw_context *context;
};

struct race_choice { /* what an element of in[] holds */
    uint32_t element;
    int32_t value;
};

struct race_run {
    struct cw_fn *fn;
    struct cw_lanes *lanes;
    uint64_t data;       /* chooses the contents of in[] and data[] */
    bool reversed;
    uint32_t leader;     /* 1 + the thread that runs first, 0: none */
    uint32_t turn, pause, bias; /* see struct block_machine */
    uint64_t shuffle;
    bool goes_on;
    uint32_t extra;      /* see struct block_machine; UINT32_MAX: none */
    bool extra_of_warp;
    const struct race_witness *garbled; /* a load whose result is made something else, or NULL */
    uint32_t values;                    /* of in[]: from 0, a power of two; 0: 8 of them */
    bool is_signed;                     /* in[] holds -8 to 7 instead */
    const struct race_choice *choices;  /* the first nchoices elements that are not made from `data` */
    uint32_t nchoices;
};

/* False when the kernel cannot be run: machine.failed says why. The reference owns an arena either way. */
bool race_reference_run(struct race_reference *r, const struct race_run *what);
void race_reference_free(struct race_reference *r);

/* How accesses of the two instructions race: RACE_IN_WARP, RACE_ACROSS, …, 0. */
uint8_t race_reference_pair(const struct race_reference *r, uint32_t a, uint32_t b);

/* Do accesses of these two, in these iterations, race on the given bytes? */
bool race_reference_shows(const struct race_reference *r, const struct race_witness *a, const struct race_witness *b,
                          cw_ref base, int64_t offset, uint32_t bytes);

/* Do the two runs leave different things in global memory? */
bool race_reference_differs(const struct race_reference *a, const struct race_reference *b);

/* Does that read find bytes that nobody has written? */
bool race_reference_unwritten(const struct race_reference *r, const struct race_witness *read, cw_ref base,
                              int64_t offset);

#endif
