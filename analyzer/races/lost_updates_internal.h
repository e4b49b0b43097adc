/* Shared by the parts of the search for lost updates (lost_updates.c, update_ways.c, update_grounds.c); nobody else
 * includes this. */
#ifndef CW_RACES_LOST_UPDATES_INTERNAL_H
#define CW_RACES_LOST_UPDATES_INTERNAL_H

#include "races/event_trace.h"
#include "races/led_values.h"
#include "races/lost_updates.h"

/* One update under one launch and choice of sizes, in one iteration. */
struct cw_update_look {
    const struct cw_fn *fn;
    const struct cw_uniformity *u;
    struct cw_update update;
    const struct cw_bitset *followers; /* of the load */
    cw_ref place;  /* the pointer of the store */
    uint64_t size; /* bytes of an element */
    struct cw_lanes *lanes;
    const struct cw_context *context;
    bool is_between_blocks;
    bool may_choose_ways; /* see struct cw_led_question: nothing definite */
    struct cw_led_values *values;
    const struct cw_led_value *led; /* of the place */
    struct cw_arena *scratch;
};

/* What the branches on the way to the store say. */
struct cw_update_way {
    const struct cw_update_look *look;
    uint64_t *key;      /* of each thread: equal for those that equal data lead the same way; 0: it does not come */
    bool is_kept_apart; /* what decides cannot be followed, or lets one thread pass */
    bool is_doubtful;   /* the data that decide may be of a kind that one thread has, or are computed */
    bool is_computed;   /* they lie in memory that the kernel stores into */
    bool is_of_warp;    /* lanes of a warp decide together */
    bool has_own_data;  /* each thread's own data decide */
    uint32_t datum;     /* a load of such data, UINT32_MAX: none */
    struct cw_vec_u32 data; /* all loads of data that decide */
};

/* update_ways.c: who comes to the store. cost: the branches that decide about it, for each thread. */
struct cw_update_way cw_update_way_of(const struct cw_update_look *look);
/* Does every thread that may come there come whatever the data are? */
bool cw_update_reaches_all(const struct cw_update_look *look);
/* Does the branch that the load decides ask for the better of two, `d < dist[v]`? Who only asks whether an element is
 * free may be content with any winner. */
bool cw_update_keeps_better(const struct cw_update_look *look);
/* Does the thread that has found an element free do more than taking it: an atomic, a store elsewhere? */
bool cw_update_acts_on_claim(const struct cw_update_look *look);

/* update_grounds.c: why threads choose one element. `group`: how many threads of the block do, `t` one of them.
 * `elements`: of FEW, how many there are. */
enum cw_update_ground cw_update_ground_of(const struct cw_update_look *look, uint32_t t, uint32_t group,
                                          uint32_t *elements);
/* Is something added that the thread has for itself, or a number as by who counts, and not what belongs to the
 * element? A list of elements to be worked on names each once. */
bool cw_update_has_own_share(const struct cw_update_look *look);
/* Do the data come from a list that the thread goes through? */
bool cw_update_is_of_list(const struct cw_update_look *look);

#endif
