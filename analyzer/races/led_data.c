/* The data behind a value, and the sum that it is (see led_values.h). */
#include "races/led_values_internal.h"

enum {
    TERMS_MAX = 12, /* of a sum that leads to an element */
    DATA_MAX = 8    /* loads behind a value, told apart */
};

/* ---- sums ---- */

struct term {
    cw_ref value;
    int64_t factor; /* bytes, 0: not known */
};

struct sum {
    struct cw_led_values *values;
    struct term at[TERMS_MAX];
    uint32_t n;
    bool is_full;
};

static void add_terms(struct sum *sum, cw_ref ref, int64_t factor) {
    const struct cw_fn *fn = sum->values->fn;
    const struct cw_ins *i = cw_ins_of(fn, ref);
    int64_t by;
    if (i && (i->op == CW_OP_ADD || i->op == CW_OP_PTRADD || i->op == CW_OP_SUB)) {
        add_terms(sum, cw_arg(fn, i, 0), factor);
        add_terms(sum, cw_arg(fn, i, 1), factor);
        return;
    }
    if (i && (i->op == CW_OP_SEXT || i->op == CW_OP_ZEXT)) {
        add_terms(sum, cw_arg(fn, i, 0), factor);
        return;
    }
    if (i && i->op == CW_OP_MUL) {
        bool is_number = cw_ref_const(fn, cw_arg(fn, i, 1), &by);
        bool is_pitch = !is_number && (cw_uni_of(sum->values->u, cw_arg(fn, i, 0)) <= CW_UNI_BLOCK ||
                                       cw_uni_of(sum->values->u, cw_arg(fn, i, 1)) <= CW_UNI_BLOCK);
        if (is_number) {
            add_terms(sum, cw_arg(fn, i, 0), factor * by);
            return;
        }
        factor = is_pitch ? 0 : factor;
    }
    if (i && i->op == CW_OP_SHL && cw_ref_const(fn, cw_arg(fn, i, 1), &by) && by >= 0 && by < 32) {
        add_terms(sum, cw_arg(fn, i, 0), factor * (INT64_C(1) << by));
        return;
    }
    sum->is_full |= sum->n == TERMS_MAX;
    if (sum->n < TERMS_MAX)
        sum->at[sum->n++] = (struct term){ref, factor < 0 ? -factor : factor};
}

/* Is it another one in other threads, or in other iterations of a loop around the context? */
static bool does_vary(struct cw_led_values *values, cw_ref ref) {
    const struct cw_led_value *led = cw_led_value_of(values, ref);
    bool varies = led->has_data || led->mask != 0 || led->is_lost;
    for (const struct cw_context *c = values->is.context; c && !varies; c = c->outer)
        varies = !cw_cfg_is_invariant(values->fn, c->loop, ref);
    return varies;
}

bool cw_is_offset_of_part(struct cw_led_values *values, cw_ref pointer) {
    struct sum sum = {.values = values};
    add_terms(&sum, pointer, 1);
    for (uint32_t k = 0; k < sum.n; k++)
        for (uint32_t j = 0; j < k; j++)
            if (sum.at[k].factor && sum.at[k].factor == sum.at[j].factor && does_vary(values, sum.at[k].value) &&
                does_vary(values, sum.at[j].value))
                return true;
    return sum.is_full;
}

/* ---- data ---- */

struct data_search {
    struct cw_led_values *values;
    CW_VEC(cw_ref) open;
    bool has_ways; /* what decides over ways to joins counts */
};

static void open_decisions(struct data_search *search, const struct cw_led_decisions *decisions) {
    for (uint32_t k = 0; k < decisions->at.n; k++)
        cw_vec_push(search->values->arena, &search->open, decisions->at.at[k]);
}

static void open_operands(struct data_search *search, uint32_t ins) {
    const struct cw_ins *i = &search->values->fn->ins.at[ins];
    for (uint32_t k = 0; k < i->narg; k++)
        cw_vec_push(search->values->arena, &search->open, cw_arg(search->values->fn, i, k));
    if (i->op != CW_OP_PHI || !search->has_ways)
        return;
    uint32_t loop = cw_led_loop_of_header(search->values, ins);
    open_decisions(search, cw_led_decisions_of(search->values, ins));
    if (loop != CW_NO_LOOP)
        open_decisions(search, cw_led_exits_of(search->values, loop));
}

static uint32_t find_data(struct data_search *search, cw_ref ref, uint32_t *out, uint32_t max) {
    struct cw_led_values *values = search->values;
    struct cw_bitset seen = cw_bitset_new(values->arena, values->fn->ins.n);
    uint32_t found = 0;
    cw_vec_push(values->arena, &search->open, ref);
    while (search->open.n > 0 && found < max) {
        cw_ref top = search->open.at[--search->open.n];
        const struct cw_ins *i = cw_ins_of(values->fn, top);
        if (!i || cw_bitset_has(&seen, top.index) || !(search->has_ways || cw_led_value_of(values, top)->has_data))
            continue;
        cw_bitset_add(&seen, top.index);
        if (i->op == CW_OP_LOAD || i->op == CW_OP_ATOMIC)
            out[found++] = top.index;
        else
            open_operands(search, top.index);
    }
    return found;
}

uint32_t cw_led_data(struct cw_led_values *values, cw_ref ref, uint32_t *out, uint32_t max) {
    struct data_search search = {.values = values};
    return find_data(&search, ref, out, max);
}

uint32_t cw_led_data_of_ways(struct cw_led_values *values, cw_ref ref, uint32_t *out, uint32_t max) {
    struct data_search search = {.values = values, .has_ways = true};
    return find_data(&search, ref, out, max);
}

bool cw_led_is_one_datum(struct cw_led_values *values, uint32_t load, uint32_t other) {
    const struct cw_led_value *place = cw_led_value_of(values, cw_arg(values->fn, &values->fn->ins.at[load], 0)),
                              *there = cw_led_value_of(values, cw_arg(values->fn, &values->fn->ins.at[other], 0));
    return load == other || (!place->is_lost && !there->is_lost && cw_led_number(place, 0) == cw_led_number(there, 0));
}

bool cw_led_share_datum(struct cw_led_values *values, cw_ref ref, cw_ref other) {
    uint32_t data[DATA_MAX], others[DATA_MAX];
    uint32_t n = cw_led_data(values, ref, data, DATA_MAX), m = cw_led_data(values, other, others, DATA_MAX);
    for (uint32_t k = 0; k < n; k++)
        for (uint32_t j = 0; j < m; j++)
            if (cw_led_is_one_datum(values, data[k], others[j]))
                return true;
    return n == DATA_MAX || m == DATA_MAX;
}
