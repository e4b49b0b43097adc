#include "support/race_trial.h"

#include <assert.h>
#include <string.h>

enum { BUDGET = 1 << 15 };

struct cw_lanes *race_trial_lanes(void *trial, uint32_t launch, uint32_t sample) {
    struct race_trial *t = trial;
    struct cw_lanes **slot = &t->lanes[launch * RACE_SAMPLES + sample];
    if (*slot == NULL)
        *slot = cw_lanes_new(t->fn, t->uniformity, &t->launches.at[launch], sample, BUDGET, &t->arena);
    return *slot;
}

void race_trial_begin(struct race_trial *t, const struct race_program *p) {
    *t = (struct race_trial){.p = p};
    cw_arena_init(&t->arena);
    cw_module_init(&t->m, &t->arena);
    t->fn = race_program_lower(p, &t->m);
    assert(t->fn != NULL);
    for (uint32_t k = 0; k < RACE_LAUNCHES; k++) {
        t->launch[k] = (struct cw_launch){.grid_known = true, .source = CW_LAUNCH_SITE};
        memcpy(t->launch[k].block, p->block, sizeof p->block);
        memcpy(t->launch[k].grid, p->grid, sizeof p->grid);
        if (p->guessed)
            t->launch[k].block[0] = 32u << k;
    }
    t->launches = (struct cw_launches){.at = t->launch, .n = p->guessed ? RACE_LAUNCHES : 1, .from_facts = !p->guessed};
    t->uniformity = cw_uniformity(t->fn, cw_shape_facts_of(&t->launches), &t->arena);
}

struct cw_kernel_query race_trial_query(struct race_trial *t) {
    return (struct cw_kernel_query){t->fn, t->uniformity, &t->launches, race_trial_lanes, t, &t->arena, NULL};
}
