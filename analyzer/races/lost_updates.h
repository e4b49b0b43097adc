/* Updates that lose what another thread has stored: two threads load one element, change it and store it, or look at it
 * and then take it, and neither is atomic. Data choose the element, or whether the thread comes there.
 *
 * That data may lead two threads to one element does not say that they do: a host may hand over a permutation. A lost
 * update is definite only with a ground on which no such promise can be built (enum cw_update_ground). A barrier is no
 * help: both threads are in one execution of one statement.
 *
 * requires: SSA, fn->cfg, uniformity, launches. computes: for each update the first two threads, in the order of the
 * stores. preserves: everything. cost: the operations behind each update's place and branches, for each thread of a few
 * launches and iterations. */
#ifndef CW_RACES_LOST_UPDATES_H
#define CW_RACES_LOST_UPDATES_H

#include "lanes/kernel_query.h"
#include "races/updates.h"

/* Why two threads choose one element. */
enum cw_update_ground {
    CW_GROUND_ASSUMED,    /* only if the data say so */
    CW_GROUND_ONE_PLACE,  /* there is one element; data decide who comes */
    CW_GROUND_FEW,        /* there are fewer elements than threads */
    CW_GROUND_NARROWED,   /* many data lead to one element: a remainder, a rounded number, a hash */
    CW_GROUND_NEIGHBOURS, /* each thread goes through a list of its own, such as a row's columns */
    CW_GROUND_ATOMICS,    /* elsewhere the kernel updates that memory by atomics */
    CW_GROUND_PROBE       /* each thread looks for the first free element */
};

struct cw_lost_update {
    struct cw_update update;
    enum cw_update_ground ground;
    bool definite;
    uint32_t elements; /* FEW: how many there are */
    bool is_between_blocks; /* the threads, which have one number, are in two blocks; else in one */
    uint32_t datum;    /* a load whose value chooses the element or the way there; UINT32_MAX: none */
    /* the witness */
    uint32_t launch, sample, first, second;
    struct cw_lanes *lanes;
    const struct cw_context *context;
};

struct cw_lost_updates {
    CW_VEC(struct cw_lost_update) at;
};

struct cw_lost_updates cw_lost_updates_of(const struct cw_kernel_query *q);

/* One line for each, for --dump. */
struct cw_facts_print;
void cw_lost_updates_print(const struct cw_facts_print *to, const struct cw_lost_updates *updates);

#endif
