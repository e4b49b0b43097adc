/* Shared by the parts of led_values.h (led_values.c, led_numbers.c, led_data.c); nobody else includes this. */
#ifndef CW_RACES_LED_VALUES_INTERNAL_H
#define CW_RACES_LED_VALUES_INTERNAL_H

#include "races/led_values.h"

#include "base/hash.h"
#include "base/map.h"
#include "base/vec.h"

enum { CW_LED_ROUNDS_MAX = 128 }; /* for the joins of loops */

/* How the threads' numbers are told (led_numbers.c). */
enum cw_led_made {
    MADE_WHOLE,   /* one number for all, as their data are equal */
    MADE_KNOWN,   /* the number that each thread computes */
    MADE_BY_LANE, /* one for the same lane of each warp */
    MADE_OF_OPERANDS
};

struct join_numbers; /* led_numbers.c */

/* What is passed on within the recursion, besides the answer. */
struct led {
    struct cw_led_value is; /* without numbers, which are NULL until somebody asks for them */
    enum cw_led_made made;
    bool varies; /* something that differs between threads takes part, other than their data */
    bool is_rounded;
    bool has_quotient, has_remainder; /* both: a number is taken apart into a row and a column */
    bool is_hashed; /* multiplied by a large number, or mixed with itself: the bits of it are those of a hash */
};

/* The conditions of the branches that decide over which way a thread comes. */
struct cw_led_decisions {
    CW_VEC(cw_ref) at;
};

struct cw_led_values {
    struct cw_led_question is;
    struct cw_lanes *lanes;
    const struct cw_fn *fn;
    const struct cw_uniformity *u;
    struct cw_base own;
    struct cw_arena *arena;
    struct cw_map indices;   /* instruction -> is it made of indices and numbers alone? */
    struct cw_map decisions; /* block or loop -> struct cw_led_decisions */
    struct cw_map known;     /* ref -> struct led, 0: to be looked at again */
    bool is_cut;
    /* While joins are looked at: */
    uint32_t open;                 /* joins */
    struct cw_map assumed;         /* join -> struct led: what the last round has found, or the join's number */
    CW_VEC(struct led *) joins;    /* all of `assumed` */
    CW_VEC(uint64_t) provisional;  /* keys of what this round has found */
    bool newly_varies, is_changed; /* in this round */
    /* While numbers of joins are told: */
    uint32_t open_numbers;                        /* joins */
    struct cw_map assumed_numbers;                /* join -> struct join_numbers: what the last round has found */
    CW_VEC(struct join_numbers *) numbered_joins; /* all of `assumed_numbers` */
    CW_VEC(struct led *) numbered;                /* in this round */
    bool has_new_numbers;
    bool could_choose; /* see cw_led_values_could_choose */
};

/* led_values.c: without numbers. cost: the operations behind the value, once for each round. */
struct led *cw_led_look_at(struct cw_led_values *values, cw_ref ref);
/* Over which way to a join; none at the header of a loop. */
const struct cw_led_decisions *cw_led_decisions_of(struct cw_led_values *values, uint32_t phi);
/* In which iteration out of a loop. */
const struct cw_led_decisions *cw_led_exits_of(struct cw_led_values *values, uint32_t loop);
uint32_t cw_led_loop_of_header(const struct cw_led_values *values, uint32_t phi); /* CW_NO_LOOP: at none */
/* Are the threads that the question is about in one iteration of the loop? */
bool cw_led_is_around_context(const struct cw_led_values *values, uint32_t loop);
/* Does each thread decide by a number, be it of sizes that were chosen? Then *led has these. */
bool cw_led_is_decided(struct cw_led_values *values, cw_ref decides, struct led *led);

#endif
