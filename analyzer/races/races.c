/* See races.h: the search, the races in source order, and the text form. */
#include "races/races.h"

#include "lanes/facts_print.h"
#include "races/races_internal.h"

#include <stdlib.h>

static int in_source_order(const void *a, const void *b) {
    const struct cw_race *x = a, *y = b;
    return x->place < y->place ? -1 : x->place > y->place;
}

struct cw_races cw_races_of(const struct cw_kernel_query *query) {
    struct cw_races out = {{0}};
    struct cw_race_search r = {.q = query};
    if (query->fn->cfg->is_irreducible || query->launches->n == 0)
        return out;
    r.roles = cw_roles_of(query->fn, query->uniformity, query->arena);
    if (!r.roles->has_access)
        return out;
    r.looks_at_first = cw_races_first_block(query->fn, r.roles, query->arena);
    r.nruns = query->launches->n * CW_RACE_SLOTS;
    r.runs = CW_NEW_ARRAY(query->arena, struct cw_race_run *, r.nruns);
    r.tried = CW_NEW_ARRAY(query->arena, bool, query->launches->n *CW_RACE_SLOTS);
    bool has_more = cw_race_search_launches(&r, &out);
    cw_race_causes(&r, &out);
    cw_query_gave_up(query, CW_BAIL_RACE_BUDGET, r.gave_up);
    cw_query_gave_up(query, CW_BAIL_RACE_LAUNCHES, has_more);
    cw_query_gave_up(query, CW_BAIL_RACE_UNKNOWN, r.unknown && out.at.n == 0);
    if (out.at.n)
        qsort(out.at.at, out.at.n, sizeof *out.at.at, in_source_order);
    return out;
}

/* ---- text form ---- */

const char *cw_race_properties_text(const struct cw_race_properties *is) {
    if (is->unwritten || is->asynchronous || is->in_product || is->in_storage)
        return is->unwritten      ? "unwritten"
               : is->asynchronous ? "unwaited"
               : is->in_product   ? "product"
                                  : "storage";
    if (is->in_warp)
        return is->crosses_collective ? "fence"
               : is->published        ? "publish"
               : is->near_syncwarp    ? "syncwarp-loop"
                                      : "implicit";
    return is->crosses_syncwarp ? "syncwarp-wide" : is->reused ? "reuse" : "block";
}

static void print_race_side(const struct cw_facts_print *to, const struct cw_race_side *side) {
    if (side->ins == UINT32_MAX)
        return;
    cw_facts_access(to, side->writes, side->atomic, side->ins);
    cw_facts_thread(to, "by", side->thread);
    cw_facts_context(to, side->context);
}

static void print_race(const struct cw_facts_print *to, const struct cw_race *race) {
    static const char *const remedies[] = {[CW_REMEDY_WARP] = "ordered by a warp barrier",
                                           [CW_REMEDY_BLOCK] = "ordered by a block barrier",
                                           [CW_REMEDY_NONE] = "ordered by no barrier"};
    cw_facts_begin(to, race->definite, cw_race_properties_text(&race->is));
    cw_facts_flag(to, race->same_warp, "in one warp");
    cw_facts_flag(to, race->unused, "unused");
    cw_facts_memory(to, race->base, race->offset, race->bytes);
    print_race_side(to, &race->first);
    print_race_side(to, &race->second);
    if (race->same_warp) {
        cw_facts_lanes(to, "first by", race->first.thread / 32, race->lanes_first);
        cw_facts_lanes(to, "second by", race->second.thread / 32, race->lanes_second);
    }
    for (uint32_t k = 0; k < race->also.n; k++) {
        cw_facts_ins(to, "also", race->also.at[k].first);
        cw_facts_ins(to, "with", race->also.at[k].second);
    }
    cw_facts_ins(to, "between", race->between);
    cw_facts_ins(to, "skipped", race->skipped);
    cw_facts_ins(to, "element chosen by data at", race->chosen);
    cw_facts_ins(to, "unknown call between", race->call);
    cw_facts_flag(to, race->loses_value, "one value is lost");
    cw_facts_flag(to, race->sampled, "for chosen values");
    cw_facts_flag(to, race->first_block, "seen in block 0");
    cw_facts_part(to, "%s", remedies[race->remedy]);
    cw_facts_ins(to, "before", race->is.unwritten ? UINT32_MAX : race->place);
    cw_facts_launch(to, race->launch, race->sample);
    cw_facts_end(to);
}

void cw_races_print(const struct cw_facts_print *to, const struct cw_races *races) {
    for (uint32_t k = 0; k < races->at.n; k++)
        print_race(to, &races->at.at[k]);
}

void cw_phases_print(const struct cw_kernel_query *query, struct cw_buf *out) {
    if (query->fn->cfg->is_irreducible || query->launches->n == 0)
        return;
    struct cw_roles *roles = cw_roles_of(query->fn, query->uniformity, query->arena);
    struct cw_event_trace *trace = cw_event_trace_of(query->lanes(query->owner, 0, 0), roles, query->arena);
    struct cw_races races = cw_races_of(query);
    cw_buf_printf(out, "phases of %s, %s\n", query->fn->name, cw_launch_text(&query->launches->at[0], query->arena));
    cw_event_trace_print(trace, out);
    cw_races_print(&(struct cw_facts_print){query->fn, query->launches, out}, &races);
}
