/* Races across unknown calls: a call whose callee may synchronise orders everything in the first run, so that nothing
 * is claimed across it. The shadow is run once more in which such calls order nothing; the conflicts that only this run
 * shows are possible, and say which call they rest on. Calls whose name or body says that they synchronise are barriers
 * in both runs (uniformity/unknown_calls.h). */
#include "races/races_internal.h"

#include "lanes/condition.h"
#include "uniformity/unknown_calls.h"

/* The first such call between the two steps; UINT32_MAX: none. */
static uint32_t call_between(const struct cw_event_trace *trace, uint32_t first, uint32_t second) {
    for (uint32_t k = first + 1; k < second; k++) {
        const struct cw_step *s = &trace->steps.at[k];
        if (s->kind == CW_STEP_SYNC &&
            cw_call_order_of(trace->roles->memory, &trace->roles->fn->ins.at[s->ins]) == CW_CALL_MAY)
            return s->ins;
    }
    return UINT32_MAX;
}

static void add_meetings(struct cw_race_search *race_search, const struct cw_event_trace *trace, struct cw_shadow *to,
                         const struct cw_shadow *from) {
    for (uint32_t k = 0; k < from->meetings.n; k++) {
        struct cw_conflict m = from->meetings.at[k];
        m.call = call_between(trace, m.first_step, m.second_step);
        m.open = true;
        if (m.call != UINT32_MAX && !cw_race_same_meeting(to, &m))
            cw_vec_push(race_search->q->arena, &to->meetings, m);
    }
}

void cw_race_add_calls(struct cw_race_search *race_search, struct cw_race_run *run) {
    struct cw_event_trace *t = run->timeline;
    if (run->all->is_cut || call_between(t, UINT32_MAX, t->steps.n) == UINT32_MAX)
        return;
    t->passes_calls = true;
    struct cw_shadow *all = cw_shadow_of(t, NULL, CW_BDD_TRUE, race_search->q->arena), *needed = all;
    if (all->meetings.n > 0) {
        cw_race_find_needs(race_search, run);
        if (!cw_liveness_all(run->needs))
            needed = cw_shadow_of(t, run->needs, CW_BDD_TRUE, race_search->q->arena);
        if (run->needed != run->all)
            add_meetings(race_search, t, run->needed, needed);
        add_meetings(race_search, t, run->all, all);
    }
    t->passes_calls = false;
}
