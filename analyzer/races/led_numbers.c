/* Numbers of threads for a value: equal for those that get one value if their data are equal. They are the classes of a
 * value numbering (Alpern, Wegman and Zadeck, 1988) over the threads: optimistic, so that what joins bring round a loop
 * is the same for two threads unless something tells them apart.
 *
 * requires: what led_values.c has found. computes: the numbers of the values that are asked for. preserves: everything.
 * cost: the operations behind the value, for each thread; of loops once for each round, of which each but the last
 * tells threads apart that were together. */
#include "races/led_values_internal.h"

#include <string.h>

static const struct cw_led_value *number(struct cw_led_values *values, cw_ref ref);

static uint64_t name_of(cw_ref ref) {
    return cw_mix(cw_ref_bits(ref), 3);
}

static void set_numbers(struct led *led, const uint64_t *numbers, uint32_t n) {
    led->is.number = numbers;
    led->is.mask = n > 1 ? UINT32_MAX : 0;
}

static void number_whole(struct cw_led_values *values, cw_ref ref, struct led *led) {
    uint64_t *one = CW_NEW(values->arena, uint64_t);
    *one = name_of(ref);
    set_numbers(led, one, 1);
}

static void number_by_lane(struct cw_led_values *values, cw_ref ref, struct led *led) {
    uint32_t n = cw_lanes_count(values->lanes);
    uint64_t *numbers = CW_NEW_ARRAY(values->arena, uint64_t, n);
    for (uint32_t t = 0; t < n; t++)
        numbers[t] = cw_mix(name_of(ref), t % 32);
    set_numbers(led, numbers, n);
}

static void mix_into(uint64_t *numbers, const struct cw_led_value *value, uint32_t n) {
    for (uint32_t t = 0; t < n; t++)
        numbers[t] = cw_mix(numbers[t], cw_led_number(value, t));
}

/* The numbers of the operands, and `name`: equal for threads with equal operands. */
static uint64_t *mix_operands(struct cw_led_values *values, const struct cw_ins *ins, uint64_t name, uint32_t n) {
    uint64_t *numbers = CW_NEW_ARRAY(values->arena, uint64_t, n);
    for (uint32_t t = 0; t < n; t++)
        numbers[t] = name;
    for (uint32_t k = 0; k < ins->narg; k++)
        mix_into(numbers, number(values, cw_arg(values->fn, ins, k)), n);
    return numbers;
}

static void number_operation(struct cw_led_values *values, const struct cw_ins *ins, struct led *led) {
    uint32_t n = 1;
    for (uint32_t k = 0; k < ins->narg; k++)
        if (number(values, cw_arg(values->fn, ins, k))->mask)
            n = cw_lanes_count(values->lanes);
    uint64_t name = cw_mix(cw_mix(ins->op, ins->type), ins->op == CW_OP_PURE ? ins->aux : 0);
    set_numbers(led, mix_operands(values, ins, name, n), n);
}

/* ---- joins ---- */

/* What is found of a join in a round. */
struct join_numbers {
    uint32_t phi;
    const uint64_t *at;
    uint32_t n; /* threads, 1: the same for all */
    bool is_chosen;
    uint32_t chosen; /* then the operand that data are taken to choose */
};

static struct join_numbers *join_numbers_of(struct cw_led_values *values, uint32_t phi) {
    uint64_t found;
    if (cw_map_get(&values->assumed_numbers, phi, &found))
        return (struct join_numbers *)(uintptr_t)found;
    uint64_t *one = CW_NEW(values->arena, uint64_t);
    struct join_numbers *join = CW_NEW(values->arena, struct join_numbers);
    *one = cw_mix(name_of(cw_ref_ins(phi)), 0);
    *join = (struct join_numbers){.phi = phi, .at = one, .n = 1};
    cw_map_put(&values->assumed_numbers, phi, (uint64_t)(uintptr_t)join);
    cw_vec_push(values->arena, &values->numbered_joins, join);
    return join;
}

/* One number for each class, the same in each round: its first thread. Returns how many threads are told apart. */
static uint32_t name_classes(struct cw_led_values *values, uint64_t name, uint64_t *numbers, uint32_t n) {
    struct cw_map first;
    bool is_one = true;
    cw_map_init(&first, values->arena);
    for (uint32_t t = 0; t < n; t++) {
        uint64_t of = t;
        if (!cw_map_get(&first, numbers[t], &of))
            cw_map_put(&first, numbers[t], t);
        is_one &= of == 0;
        numbers[t] = cw_mix(name, of);
    }
    return is_one ? 1 : n;
}

/* Of two threads that came over different ways each may have another of the operands. At the header of a loop it is how
 * often each has gone round; in a loop around the context both are in one iteration. */
static void mix_ways(struct cw_led_values *values, uint32_t phi, uint64_t *numbers, uint32_t n) {
    const struct cw_led_decisions *decisions = cw_led_decisions_of(values, phi);
    uint32_t loop = cw_led_loop_of_header(values, phi);
    for (uint32_t k = 0; k < decisions->at.n; k++) {
        struct led decided = {0};
        bool is = cw_led_is_decided(values, decisions->at.at[k], &decided);
        mix_into(numbers, is ? &decided.is : number(values, decisions->at.at[k]), n);
    }
    if (loop == CW_NO_LOOP || cw_led_is_around_context(values, loop))
        return;
    decisions = cw_led_exits_of(values, loop);
    for (uint32_t k = 0; k < decisions->at.n; k++)
        mix_into(numbers, number(values, decisions->at.at[k]), n);
}

/* Looks at the join with what was found of others, and tells whether that is new. */
static bool look_again(struct cw_led_values *values, struct join_numbers *join) {
    const struct cw_ins *i = &values->fn->ins.at[join->phi];
    uint64_t name = name_of(cw_ref_ins(join->phi));
    uint32_t n = cw_lanes_count(values->lanes), old = join->n;
    uint64_t *found = CW_NEW_ARRAY(values->arena, uint64_t, n);
    for (uint32_t t = 0; t < n; t++)
        found[t] = name;
    for (uint32_t k = 0; k < i->narg; k++)
        if (!join->is_chosen || join->chosen == k)
            mix_into(found, number(values, cw_arg(values->fn, i, k)), n);
    mix_ways(values, join->phi, found, n);
    uint32_t told = name_classes(values, name, found, n);
    bool is_new = told != old || memcmp(found, join->at, told * sizeof *found) != 0;
    join->at = found;
    join->n = told;
    return is_new;
}

/* Two threads with different numbers in a join may get one that is the same for all, if both come over the way of that
 * operand: `x = threadIdx.x; while (parent[x] != x) x = parent[x];`. What that operand is does not rest on the join,
 * which is not the same for all. Nobody has looked whether both can come that way. */
static bool choose_operands(struct cw_led_values *values) {
    bool has_chosen = false;
    for (uint32_t j = 0; j < values->numbered_joins.n; j++) {
        struct join_numbers *join = values->numbered_joins.at[j];
        const struct cw_ins *i = &values->fn->ins.at[join->phi];
        for (uint32_t k = 0; join->n > 1 && !join->is_chosen && k < i->narg; k++) {
            const struct cw_led_value *operand = number(values, cw_arg(values->fn, i, k));
            if (operand->has_data && !operand->mask) {
                values->could_choose = true;
                join->is_chosen = has_chosen = values->is.may_choose_ways;
                join->chosen = k;
            }
        }
    }
    return has_chosen;
}

static void forget_numbers(struct cw_led_values *values) {
    for (uint32_t k = 0; k < values->numbered.n; k++)
        values->numbered.at[k]->is.number = NULL;
    values->numbered.n = 0;
    values->has_new_numbers = false;
}

static void assume_same(struct cw_led_values *values) {
    for (uint32_t j = 0; j < values->numbered_joins.n; j++) {
        struct join_numbers *join = values->numbered_joins.at[j];
        uint64_t *one = CW_NEW(values->arena, uint64_t);
        *one = cw_mix(name_of(cw_ref_ins(join->phi)), 0);
        join->at = one;
        join->n = 1;
    }
}

static void number_join(struct cw_led_values *values, uint32_t phi, struct led *led) {
    struct join_numbers *join = join_numbers_of(values, phi);
    bool is_first = values->open_numbers++ == 0;
    for (uint32_t round = 0;; round++) {
        set_numbers(led, join->at, join->n);
        values->has_new_numbers |= look_again(values, join);
        set_numbers(led, join->at, join->n);
        bool is_stable = !values->has_new_numbers, has_chosen = is_first && is_stable && choose_operands(values);
        if (!is_first || (is_stable && !has_chosen))
            break;
        values->is_cut |= round == CW_LED_ROUNDS_MAX;
        if (values->is_cut)
            break;
        if (has_chosen)
            assume_same(values);
        forget_numbers(values);
    }
    values->open_numbers--;
    if (is_first) {
        values->numbered.n = values->numbered_joins.n = 0;
        values->has_new_numbers = false;
        cw_map_init(&values->assumed_numbers, values->arena);
    }
}

/* ---- one value ---- */

static const struct cw_led_value *number(struct cw_led_values *values, cw_ref ref) {
    struct led *led = cw_led_look_at(values, ref);
    if (led->is.number)
        return &led->is;
    switch (led->made) {
    case MADE_BY_LANE:
        number_by_lane(values, ref, led);
        break;
    case MADE_OF_OPERANDS:
        if (cw_ins_of(values->fn, ref)->op == CW_OP_PHI)
            number_join(values, ref.index, led);
        else
            number_operation(values, cw_ins_of(values->fn, ref), led);
        if (values->open_numbers > 0)
            cw_vec_push(values->arena, &values->numbered, led);
        break;
    case MADE_WHOLE:
    case MADE_KNOWN:
        number_whole(values, ref, led);
        break;
    }
    return &led->is;
}

const struct cw_led_value *cw_led_value_of(struct cw_led_values *values, cw_ref ref) {
    return number(values, ref);
}

bool cw_led_values_could_choose(const struct cw_led_values *values) {
    return values->could_choose;
}

bool cw_led_values_are_cut(const struct cw_led_values *values) {
    return values->is_cut;
}
