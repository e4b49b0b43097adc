/* Why do two threads choose one element, so that no host can promise that they do not?
 *
 * requires: an open look. computes: the ground. preserves: everything. cost: the operations behind the place, and once
 * the instructions. */
#include "races/lost_updates_internal.h"

enum {
    TRIPS = 64,       /* that a loop whose trips nobody knows makes at least, for one launch of many */
    BLOCKS = 1 << 12, /* of a grid that nobody knows */
    DATA_MAX = 8,     /* loads behind a value that are looked at */
    PLACE_DEPTH = 12  /* operations between a place and the block's index */
};

/* ---- few elements ---- */

/* How many elements the thread may choose among, as the expression of the place says; 0: nobody knows. */
static uint32_t count_elements(const struct cw_update_look *look, uint32_t t) {
    uint64_t bytes = 0;
    const struct cw_ins *add = cw_ins_of(look->fn, look->place);
    for (; add && add->op == CW_OP_PTRADD; add = cw_ins_of(look->fn, cw_arg(look->fn, add, 0))) {
        struct cw_range range = cw_lanes_range_at(look->lanes, cw_arg(look->fn, add, 1), look->context, t);
        if (range.lo <= INT32_MIN || range.hi >= INT32_MAX || range.hi < range.lo)
            return 0;
        bytes += (uint64_t)(range.hi - range.lo);
    }
    bool is_followed = !add || cw_uni_of(look->u, cw_ref_ins((uint32_t)(add - look->fn->ins.at))) <= CW_UNI_BLOCK;
    return is_followed && bytes / look->size < UINT32_MAX ? (uint32_t)(bytes / look->size) + 1 : 0;
}

/* Is the place in shared memory, or does it say which block it belongs to, besides the data that lead there? */
static bool is_in_block(const struct cw_update_look *look) {
    struct cw_bases bases = cw_memory_bases(look->fn, look->place);
    cw_ref root = bases.at[0].root;
    bool is_shared = root.tag == CW_REF_OBJECT && !bases.at[0].is_read &&
                     look->fn->objects.at[root.index].space != CW_SPACE_GLOBAL;
    return is_shared || cw_rests_on_block_index(look->fn, look->place, PLACE_DEPTH);
}

/* Does a barrier of the block part the rounds of the loop? */
static bool has_barrier(const struct cw_fn *fn, uint32_t loop) {
    for (uint32_t k = 0; k < fn->ins.n; k++)
        if ((cw_op_flags((enum cw_op)fn->ins.at[k].op) & CW_OP_B) && cw_cfg_in_loop(fn->cfg, loop, fn->ins.at[k].block))
            return true;
    return false;
}

/* How often the threads that the group stands for come to the store, in all blocks, with nothing that orders them. */
static uint64_t count_visits(const struct cw_update_look *look, uint32_t group) {
    const struct cw_launch *launch = cw_lanes_launch(look->lanes);
    uint64_t blocks = launch->grid_known ? (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2] : BLOCKS;
    uint64_t visits = group;
    if (!is_in_block(look))
        visits *= blocks ? blocks : 1;
    for (const struct cw_context *c = look->context; c; c = c->outer) {
        int32_t trips = cw_lanes_most_trips(look->lanes, c->loop, c->outer);
        if (has_barrier(look->fn, c->loop))
            break;
        visits *= trips > 0 ? (uint64_t)trips : TRIPS;
    }
    return visits;
}

/* ---- lists and atomics ---- */

/* Are the data brought from a list that each thread goes through, as a row's columns, and the lists from one for each
 * thread? A list of rows may hold such as have no neighbour in common. */
static bool are_of_neighbours(const struct cw_update_look *look) {
    uint32_t data[DATA_MAX], starts[DATA_MAX], n = cw_led_data(look->values, look->place, data, DATA_MAX);
    for (uint32_t k = 0; k < n; k++) {
        cw_ref from = cw_arg(look->fn, &look->fn->ins.at[data[k]], 0);
        if (!cw_led_value_of(look->values, from)->is_walked)
            continue;
        uint32_t nstarts = cw_led_data(look->values, from, starts, DATA_MAX);
        bool is_of_all = nstarts > 0 && nstarts < DATA_MAX;
        for (uint32_t s = 0; s < nstarts; s++)
            is_of_all &= !cw_led_value_of(look->values, cw_arg(look->fn, &look->fn->ins.at[starts[s]], 0))->has_data;
        if (is_of_all)
            return true;
    }
    return false;
}

/* Does an atomic change elements of that memory to which other data lead? Where the same data do, a row that begins or
 * ends with the thread is added to by an atomic, and one that is the thread's alone is not. */
static bool has_atomics(const struct cw_update_look *look) {
    struct cw_bases bases = cw_memory_bases(look->fn, look->place);
    for (uint32_t k = 0; k < look->fn->ins.n; k++) {
        const struct cw_ins *i = &look->fn->ins.at[k];
        if (i->op != CW_OP_ATOMIC || !cw_memory_atomic_changes(look->fn, i) ||
            cw_uni_of(look->u, cw_arg(look->fn, i, 0)) <= CW_UNI_BLOCK)
            continue;
        struct cw_bases others = cw_memory_bases(look->fn, cw_arg(look->fn, i, 0));
        if (bases.n == 1 && others.n == 1 && cw_base_is_one_memory(&bases.at[0], &others.at[0]) &&
            !cw_led_share_datum(look->values, cw_arg(look->fn, i, 0), look->place))
            return true;
    }
    return false;
}

enum cw_update_ground cw_update_ground_of(const struct cw_update_look *look, uint32_t t, uint32_t group,
                                          uint32_t *elements) {
    if (!look->led->has_data)
        return CW_GROUND_ONE_PLACE;
    *elements = count_elements(look, t);
    if (*elements && *elements < count_visits(look, group))
        return CW_GROUND_FEW;
    if (look->update.is_probe)
        return CW_GROUND_PROBE;
    if (look->led->is_narrowed)
        return CW_GROUND_NARROWED;
    if (are_of_neighbours(look))
        return CW_GROUND_NEIGHBOURS;
    bool adds_up = look->update.is_accumulated || cw_update_keeps_better(look);
    return adds_up && has_atomics(look) ? CW_GROUND_ATOMICS : CW_GROUND_ASSUMED;
}

/* ---- shares ---- */

static bool is_among(const struct cw_update_look *look, uint32_t datum, const uint32_t *data, uint32_t n) {
    for (uint32_t k = 0; k < n; k++)
        if (cw_led_is_one_datum(look->values, datum, data[k]))
            return true;
    return false;
}

/* Does the load bring what belongs to the element, from where the same data lead? */
static bool belongs_to_element(const struct cw_update_look *look, uint32_t load, const uint32_t *of_place, uint32_t n) {
    cw_ref from = cw_arg(look->fn, &look->fn->ins.at[load], 0);
    const struct cw_led_value *led = cw_led_value_of(look->values, from);
    uint32_t data[DATA_MAX], ndata = cw_led_data(look->values, from, data, DATA_MAX);
    if (is_among(look, load, of_place, n))
        return true;
    for (uint32_t k = 0; k < ndata; k++)
        if (!is_among(look, data[k], of_place, n))
            return false;
    return !(led->mask || led->is_of_block);
}

static bool adds_number(const struct cw_update_look *look, const struct cw_ins *made) {
    int64_t number;
    for (uint32_t k = 0; made && (made->op == CW_OP_ADD || made->op == CW_OP_SUB) && k < made->narg; k++)
        if (cw_ref_const(look->fn, cw_arg(look->fn, made, k), &number))
            return true;
    return false;
}

bool cw_update_has_own_share(const struct cw_update_look *look) {
    const struct cw_ins *store = &look->fn->ins.at[look->update.store];
    uint32_t data[DATA_MAX], of_place[DATA_MAX];
    uint32_t n = cw_led_data(look->values, cw_arg(look->fn, store, 0), data, DATA_MAX),
             nplace = cw_led_data(look->values, look->place, of_place, DATA_MAX);
    for (uint32_t k = 0; k < n; k++)
        if (data[k] != look->update.load && !belongs_to_element(look, data[k], of_place, nplace))
            return true;
    return adds_number(look, cw_ins_of(look->fn, cw_arg(look->fn, store, 0)));
}

bool cw_update_is_of_list(const struct cw_update_look *look) {
    uint32_t data[DATA_MAX], n = cw_led_data(look->values, look->place, data, DATA_MAX);
    for (uint32_t k = 0; k < n; k++)
        if (cw_led_value_of(look->values, cw_arg(look->fn, &look->fn->ins.at[data[k]], 0))->is_walked)
            return true;
    return false;
}
