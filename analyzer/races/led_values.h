/* What leads each thread to a value, of which the data are the witness's to choose: may two threads get one value?
 *
 * A value is taken apart into what the threads load, at places of their own, and everything else. Where everything else
 * is the same for two threads, they get one value as soon as their data are equal. How the data enter tells whether a
 * host can keep them from it: an index that is loaded may be one of a permutation; `key % bins` is one value for many
 * keys whatever the host does. What the lanes of a warp find together, by a vote or a shuffle, is the same for the same
 * lane of another warp with equal data.
 *
 * Numbers count as they are only where thread indices and constants give them: two rows of unknown pitch do not meet
 * because the chosen sizes say so.
 *
 * requires: lanes of the kernel. computes: for each value of one context its makers. cost: the operations behind the
 * value, once for each thread; of loops once for each round (led_values.c, led_numbers.c). preserves: everything. */
#ifndef CW_RACES_LED_VALUES_H
#define CW_RACES_LED_VALUES_H

#include "lanes/value.h"
#include "races/updates.h"

struct cw_led_value {
    bool is_lost;    /* something takes part that is neither a datum nor known: an unknown call, a ticket */
    bool has_data;   /* data that threads load for themselves take part, */
    bool is_stored;  /* in shared memory, or in other memory that the kernel stores into, */
    bool is_private; /* in arrays of the thread's own, which were computed, */
    bool is_chased;  /* in the array that the question is about, */
    bool is_of_own;  /* loaded at places that differ between threads whatever the data are */
    bool is_claim;   /* what an atomic has found at such a place: several threads may win, each at its own */
    bool is_narrowed; /* many data lead to one value: a remainder or a quotient (not both, which are a row and a
                         column), a conversion to an integer, a hash, the number of the largest */
    bool is_walked;  /* a counter takes part that begins at a datum: the elements of a segment */
    bool is_of_warp; /* lanes of a warp have found it together */
    bool is_of_block; /* another value in another block whatever the data are; between blocks only */
    /* of thread t: number[t & mask]. Threads with equal numbers get one value if their data are equal. */
    const uint64_t *number;
    uint32_t mask;
};

static inline uint64_t cw_led_number(const struct cw_led_value *value, uint32_t t) {
    return value->number[t & value->mask];
}

struct cw_led_values;
struct cw_led_question {
    struct cw_lanes *lanes;
    const struct cw_context *context;
    const struct cw_stored *stored;
    cw_ref own; /* leads to the array that the question is about: what is loaded from there is a datum of a kind of its
                   own, */
    uint32_t own_load; /* but for this one, which the question is about as well */
    bool is_between_blocks; /* the threads are in two blocks; else in one */
    bool may_choose_ways;   /* assume that data lead both threads to a join over the way that makes them equal */
    struct cw_arena *arena;
};

/* What the question names, and what is returned, live as long as the arena. */
struct cw_led_values *cw_led_values_open(const struct cw_led_question *question);
/* Did the joins of a loop take too many rounds? Then nothing that was found holds. */
bool cw_led_values_are_cut(const struct cw_led_values *values);
/* Would more threads have equal numbers if the question allowed to choose ways? */
bool cw_led_values_could_choose(const struct cw_led_values *values);
const struct cw_led_value *cw_led_value_of(struct cw_led_values *values, cw_ref ref);

/* Do two parts of a sum at the pointer go in steps of one size, as in `base[segment[k] + j]`? Then each thread may have
 * a part of the array for itself. */
bool cw_is_offset_of_part(struct cw_led_values *values, cw_ref pointer);

/* The loads and atomics of threads' own data behind the value, each once: at most `max`. */
uint32_t cw_led_data(struct cw_led_values *values, cw_ref ref, uint32_t *out, uint32_t max);
/* And those behind what decides over which ways a thread comes to the joins behind the value. */
uint32_t cw_led_data_of_ways(struct cw_led_values *values, cw_ref ref, uint32_t *out, uint32_t max);
/* Do both load one place? Data of one name are equal for a thread. */
bool cw_led_is_one_datum(struct cw_led_values *values, uint32_t load, uint32_t other);
/* Does the same datum take part in both? */
bool cw_led_share_datum(struct cw_led_values *values, cw_ref ref, cw_ref other);

#endif
