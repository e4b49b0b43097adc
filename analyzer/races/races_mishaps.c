/* Is a conflict that is not sure worth telling?
 *
 * Not where the code contradicts what it assumes: that one of the two leaves its array, the part of it that is its own,
 * or its stage of a ring, or that chosen sizes make two elements of one layout one. docs/internals/races.md has a
 * table.
 *
 * requires: a run that has the conflict. computes: whether it rests on a mishap. cost: what the two pointers are made
 * of; what is filled, once for each run. preserves: everything. */
#include "races/races_internal.h"

#include "lanes/condition.h"
#include "races/array_starts.h"
#include "races/own_parts.h"
#include "races/size_forms.h"

static bool find_place(const struct cw_race_run *run, uint32_t ins, uint32_t step, uint32_t thread,
                       struct cw_place_of *place) {
    const struct cw_fn *fn = run->timeline->roles->fn;
    struct cw_access acc[2];
    if (cw_memory_accesses(fn, &fn->ins.at[ins], acc) != 1)
        return false;
    *place = (struct cw_place_of){acc[0].pointer, acc[0].size, fn->ins.at[ins].block, thread,
                                  run->timeline->steps.at[step].context};
    return true;
}

/* Are they accesses to two arrays, as far as pointers tell: to two that dynamic shared memory is divided into, or to
 * two members of a structure? */
static bool are_in_two_arrays(const struct cw_race_run *run, const struct cw_place_of *a, const struct cw_place_of *b) {
    const struct cw_roles *roles = run->timeline->roles;
    struct cw_bases x = cw_memory_bases(roles->fn, a->pointer), y = cw_memory_bases(roles->fn, b->pointer);
    return (x.n == 1 && y.n == 1 && !cw_memory_may_meet(roles->memory, &x.at[0], a->size, &y.at[0], b->size)) ||
           cw_start_apart(cw_lanes_uniformity(run->timeline->lanes), a->pointer, b->pointer);
}

/* Does a datum have to be below 0 for the one to be where the other one is? */
static bool is_below_zero(const struct cw_race_run *run, const struct cw_place_of *chosen,
                          const struct cw_place_of *placed) {
    const struct cw_fn *fn = run->timeline->roles->fn;
    struct cw_bases from = cw_memory_bases(fn, chosen->pointer), to = cw_memory_bases(fn, placed->pointer);
    const struct cw_lane_value *places = cw_lanes_places(run->timeline->lanes, chosen->pointer, chosen->context);
    if (places && cw_cell_numeric(cw_lane_value_cell(places, chosen->thread)))
        return false;
    return from.n == 1 && to.n == 1 && cw_ref_eq(from.at[0].root, to.at[0].root) &&
           from.at[0].array == to.at[0].array && !from.at[0].is_read && !to.at[0].is_read &&
           cw_memory_ends_before(&to.at[0], placed->size, &from.at[0]);
}

/* Does a datum lead the one out of what is filled, to where the other one is? */
static bool is_led_out(struct cw_race_search *race_search, struct cw_race_run *run, const struct cw_place_of *chosen,
                       const struct cw_place_of *placed) {
    struct cw_lanes *lanes = run->timeline->lanes;
    const struct cw_lane_value *to = cw_lanes_places(lanes, placed->pointer, placed->context);
    const struct cw_lane_value *from = cw_lanes_places(lanes, chosen->pointer, chosen->context);
    if (!to || !cw_cell_numeric(cw_lane_value_cell(to, placed->thread)) ||
        (from && cw_cell_numeric(cw_lane_value_cell(from, chosen->thread))))
        return false;
    if (!run->filled) {
        run->filled = CW_NEW(race_search->q->arena, struct cw_filled_list);
        *run->filled = cw_filled_of(run->timeline, race_search->q->arena);
    }
    return cw_filled_excludes(run->filled, lanes, chosen->pointer, chosen->context, chosen->thread,
                              cw_lane_value_base(to, placed->thread).token,
                              cw_lane_value_cell(to, placed->thread).value);
}

bool cw_race_rests_on_mishap(struct cw_race_search *race_search, struct cw_race_run *run,
                             const struct cw_conflict *conflict) {
    struct cw_lanes *lanes = run->timeline->lanes;
    struct cw_place_of first, second;
    if (!find_place(run, conflict->first, conflict->first_step, conflict->first_thread, &first) ||
        !find_place(run, conflict->second, conflict->second_step, conflict->second_thread, &second))
        return false;
    return are_in_two_arrays(run, &first, &second) || is_below_zero(run, &first, &second) ||
           is_below_zero(run, &second, &first) || cw_have_own_parts(lanes, &first, &second) ||
           cw_differ_in_sizes(lanes, &first, &second) || is_led_out(race_search, run, &first, &second) ||
           is_led_out(race_search, run, &second, &first);
}

bool cw_race_leaves_stage(const struct cw_race_run *run, const struct cw_conflict *conflict) {
    struct cw_place_of first, second;
    return find_place(run, conflict->first, conflict->first_step, conflict->first_thread, &first) &&
           find_place(run, conflict->second, conflict->second_step, conflict->second_thread, &second) &&
           cw_are_in_own_stages(run->timeline->lanes, &first, &second);
}
