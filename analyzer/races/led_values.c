/* See led_values.h. */
#include "races/led_values_internal.h"

#include "uniformity/alias.h"

#include <string.h>

enum {
    HASH_FACTOR = 1 << 16, /* multiplied by as much, data are hashed */
    ELEMENT_SIZE = 4       /* bytes, of an access at a base of which no more is known */
};

/* ---- joining ---- */

static void join_led(struct led *to, const struct led *from) {
    to->is.is_lost |= from->is.is_lost;
    to->is.has_data |= from->is.has_data;
    to->is.is_stored |= from->is.is_stored;
    to->is.is_private |= from->is.is_private;
    to->is.is_chased |= from->is.is_chased;
    to->is.is_of_own |= from->is.is_of_own;
    to->is.is_claim |= from->is.is_claim;
    to->is.is_walked |= from->is.is_walked;
    to->is.is_of_block |= from->is.is_of_block;
    to->is.is_of_warp |= from->is.is_of_warp;
    to->has_quotient |= from->has_quotient;
    to->has_remainder |= from->has_remainder;
    to->is_rounded |= from->is_rounded;
    to->is_hashed |= from->is_hashed;
    to->varies |= from->varies;
    to->is.is_narrowed = to->is_rounded || to->has_quotient != to->has_remainder;
}

/* How much is said of the value. What is found of a value in one round is never less than in the round before. */
static uint32_t count_facts(const struct led *led) {
    const struct cw_led_value *is = &led->is;
    return (uint32_t)is->is_lost + is->has_data + is->is_stored + is->is_private + is->is_chased + is->is_of_own +
           is->is_claim + is->is_walked + is->is_of_block + is->is_of_warp + led->has_quotient + led->has_remainder +
           led->is_rounded + led->is_hashed + led->varies;
}

static void join_operands(struct cw_led_values *values, const struct cw_ins *ins, struct led *led) {
    for (uint32_t k = 0; k < ins->narg; k++)
        join_led(led, cw_led_look_at(values, cw_arg(values->fn, ins, k)));
}

/* ---- leaves ---- */

/* The position in a group that is larger than a block. */
static bool is_rank_beyond_block(const struct cw_fn *fn, cw_ref ref) {
    const struct cw_ins *i = cw_ins_of(fn, ref);
    if (!i || (i->op != CW_OP_GROUPRANK && i->op != CW_OP_GROUPMETARANK))
        return false;
    const struct cw_ins *group = cw_ins_of(fn, cw_arg(fn, i, 0));
    return !group || group->op != CW_OP_GROUP || group->aux == CW_GROUP_GRID || group->aux == CW_GROUP_CLUSTER;
}

/* Is it made of indices and numbers alone, of threads and blocks, and of no size that was chosen? */
static bool is_of_indices(struct cw_led_values *values, cw_ref ref) {
    const struct cw_ins *i = cw_ins_of(values->fn, ref);
    int64_t number;
    uint64_t known;
    if (!i)
        return ref.tag == CW_REF_SREG ? !(values->is.is_between_blocks && cw_is_block_index(ref))
                                      : cw_ref_const(values->fn, ref, &number);
    if (cw_map_get(&values->indices, ref.index, &known))
        return known != 0;
    cw_map_put(&values->indices, ref.index, 1); /* as far as what is being looked at goes */
    bool is = !(values->is.is_between_blocks && is_rank_beyond_block(values->fn, ref)) &&
              (i->op == CW_OP_PHI || (cw_op_flags((enum cw_op)i->op) & CW_OP_P) != 0);
    for (uint32_t k = 0; is && k < i->narg; k++)
        is = is_of_indices(values, cw_arg(values->fn, i, k));
    cw_map_put(&values->indices, ref.index, is);
    return is;
}

static bool is_number(const struct cw_lane_value *value, uint32_t t, bool may_be_chosen) {
    struct cw_cell cell = cw_lane_value_cell(value, t);
    return (cell.known == CW_NUMBER || (may_be_chosen && cw_cell_numeric(cell))) &&
           (!value->base || cw_lane_value_base(value, t).token != CW_NO_TOKEN);
}

/* The value is a number in every thread: of a pointer, the bytes from its base. */
static bool take_numbers(struct cw_led_values *values, cw_ref ref, bool may_be_chosen, struct led *led) {
    const struct cw_lane_value *value = cw_lane_value_of(values->lanes, ref, values->is.context);
    bool varies = value->mask || (value->base && value->base_mask);
    uint32_t n = varies ? cw_lanes_count(values->lanes) : 1;
    for (uint32_t t = 0; t < n; t++)
        if (!is_number(value, t, may_be_chosen))
            return false;
    uint64_t *number = CW_NEW_ARRAY(values->arena, uint64_t, n);
    for (uint32_t t = 0; t < n; t++) {
        struct cw_lane_base base = value->base ? cw_lane_value_base(value, t) : (struct cw_lane_base){CW_NONE, 0};
        number[t] = cw_mix(cw_mix((uint64_t)cw_lane_value_cell(value, t).value, (uint64_t)base.token),
                           cw_ref_bits(base.root));
    }
    led->is.number = number;
    led->is.mask = varies ? UINT32_MAX : 0;
    led->made = MADE_KNOWN;
    led->varies = varies;
    return true;
}

static bool leads_to(const struct cw_led_values *values, cw_ref pointer, enum cw_space space) {
    struct cw_bases bases = cw_memory_bases(values->fn, pointer);
    for (uint32_t k = 0; k < bases.n; k++) {
        cw_ref root = bases.at[k].root;
        if (!bases.at[k].is_read && root.tag == CW_REF_OBJECT && values->fn->objects.at[root.index].space == space)
            return true;
    }
    return false;
}

static bool is_shared(const struct cw_led_values *values, cw_ref pointer) {
    return leads_to(values, pointer, CW_SPACE_SHARED) || leads_to(values, pointer, CW_SPACE_DYNSHARED);
}

/* Is what the store leaves a datum as it was loaded, or a number? */
static bool leaves_datum(const struct cw_led_values *values, const struct cw_ins *store) {
    const struct cw_ins *i = cw_ins_of(values->fn, cw_arg(values->fn, store, 0));
    int64_t number;
    if (!i)
        return cw_ref_const(values->fn, cw_arg(values->fn, store, 0), &number);
    if (i->op != CW_OP_LOAD)
        return false;
    cw_ref pointer = cw_arg(values->fn, i, 0);
    return !cw_is_stored_into(values->fn, values->is.stored, pointer) && !is_shared(values, pointer) &&
           !leads_to(values, pointer, CW_SPACE_LOCAL);
}

/* Shared memory into which all that is stored are data of device memory, as they were. */
static bool is_staged(const struct cw_led_values *values, cw_ref pointer) {
    struct cw_bases bases = cw_memory_bases(values->fn, pointer);
    bool is_found = false;
    if (bases.n != 1 || bases.at[0].is_read || !is_shared(values, pointer))
        return false;
    for (uint32_t k = 0; k < values->fn->ins.n; k++) {
        const struct cw_ins *i = &values->fn->ins.at[k];
        struct cw_access access[2];
        for (uint32_t n = cw_memory_accesses(values->fn, i, access); n-- > 0;) {
            struct cw_bases to = cw_memory_bases(values->fn, access[n].pointer);
            bool may_be = false;
            for (uint32_t b = 0; b < to.n; b++)
                may_be |= to.at[b].root.tag == CW_REF_NONE || cw_ref_eq(to.at[b].root, bases.at[0].root);
            if (!access[n].writes || !may_be)
                continue;
            is_found = true;
            if (i->op != CW_OP_ASYNCCOPY && !(i->op == CW_OP_STORE && leaves_datum(values, i)))
                return false;
        }
    }
    return is_found;
}

/* Is it the array that the question is about? Members of one structure are different ones. */
static bool is_in_own_array(const struct cw_led_values *values, const struct cw_base *base) {
    return cw_base_is_one_memory(base, &values->own) &&
           cw_base_may_overlap(base, ELEMENT_SIZE, &values->own, ELEMENT_SIZE);
}

/* A load of which the witness chooses what it brings. Pointers are none: each of a table leads to memory of its own. */
static void take_datum(struct cw_led_values *values, uint32_t load, struct led *led) {
    const struct cw_ins *i = &values->fn->ins.at[load];
    cw_ref pointer = cw_arg(values->fn, i, 0);
    const struct led *place = cw_led_look_at(values, pointer);
    struct cw_bases bases = cw_memory_bases(values->fn, pointer);
    bool is_private = leads_to(values, pointer, CW_SPACE_LOCAL), is_in_block = is_shared(values, pointer);
    bool is_changed = is_in_block ? !is_staged(values, pointer)
                                  : cw_is_stored_into(values->fn, values->is.stored, pointer);
    bool is_own = bases.n == 1 && is_in_own_array(values, &bases.at[0]);
    led->is.is_lost = i->type == CW_PTR || place->is.is_lost;
    led->is.has_data = true;
    led->is.is_private = is_private || place->is.is_private;
    led->is.is_stored = (!is_own && !is_private && is_changed) || place->is.is_stored;
    led->is.is_chased = (is_own && load != values->is.own_load) || place->is.is_chased;
    led->is.is_of_own = place->varies || place->is.is_of_own || place->is.is_of_block || is_private ||
                        (is_in_block && values->is.is_between_blocks);
}

/* ---- operations ---- */

static bool narrows(const struct cw_fn *fn, const struct cw_ins *ins) {
    if (ins->op == CW_OP_PURE && cw_type_is_int((enum cw_type)ins->type) && ins->narg > 0) {
        /* A computed number is rounded. One that is loaded may be an index, kept as such or as its bits. */
        const struct cw_ins *from = cw_ins_of(fn, cw_arg(fn, ins, 0));
        return from && from->op == CW_OP_PURE && !cw_type_is_int(cw_ref_type(fn, cw_arg(fn, ins, 0))) &&
               strstr(fn->texts.at[ins->aux], "_as_") == NULL;
    }
    return ins->op == CW_OP_POPC || ins->op == CW_OP_FFS || ins->op == CW_OP_CLZ;
}

/* Takes some bits of its operand. */
static bool cuts_bits(const struct cw_ins *ins) {
    return ins->op == CW_OP_AND || ins->op == CW_OP_LSHR || ins->op == CW_OP_ASHR || ins->op == CW_OP_TRUNC;
}

/* `key * 2654435761u`, `x ^ x >> 16`. */
static bool hashes_data(struct cw_led_values *values, const struct cw_ins *ins) {
    int64_t factor;
    if (ins->op == CW_OP_MUL)
        return cw_ref_const(values->fn, cw_arg(values->fn, ins, 1), &factor) &&
               (factor >= HASH_FACTOR || factor <= -HASH_FACTOR);
    return ins->op == CW_OP_XOR && cw_led_look_at(values, cw_arg(values->fn, ins, 0))->is.has_data &&
           cw_led_look_at(values, cw_arg(values->fn, ins, 1))->is.has_data;
}

static void take_operation(struct cw_led_values *values, const struct cw_ins *ins, struct led *led) {
    join_operands(values, ins, led);
    led->made = MADE_OF_OPERANDS;
    if (!led->is.has_data)
        return;
    bool is_choice = ins->op == CW_OP_SELECT && !cw_led_look_at(values, cw_arg(values->fn, ins, 1))->is.has_data &&
                     !cw_led_look_at(values, cw_arg(values->fn, ins, 2))->is.has_data;
    led->is_hashed |= hashes_data(values, ins);
    led->has_quotient |= ins->op == CW_OP_SDIV || ins->op == CW_OP_UDIV;
    led->has_remainder |= ins->op == CW_OP_SREM || ins->op == CW_OP_UREM;
    led->is_rounded |= narrows(values->fn, ins) || is_choice || (led->is_hashed && cuts_bits(ins));
    led->is.is_narrowed = led->is_rounded || led->has_quotient != led->has_remainder;
}

/* What the lanes of a warp find together: the same lanes of another warp find it as well. */
static void take_collective(struct cw_led_values *values, uint32_t ins, struct led *led) {
    const struct cw_ins *i = &values->fn->ins.at[ins];
    join_operands(values, i, led);
    led->made = MADE_BY_LANE;
    led->varies = cw_lanes_count(values->lanes) > 1;
    led->is.has_data = led->is.is_of_own = led->is.is_of_warp = true;
}

/* Several threads win an atomic at places of their own; one at a place for all is a ticket. */
static void take_claim(struct cw_led_values *values, uint32_t atomic, struct led *led) {
    const struct cw_ins *i = &values->fn->ins.at[atomic];
    const struct led *place = cw_led_look_at(values, cw_arg(values->fn, i, 0));
    led->is.is_lost = place->is.is_lost || !(place->is.has_data && place->is.is_of_own);
    led->is.has_data = led->is.is_of_own = led->is.is_claim = true;
    led->is.is_stored = place->is.is_stored;
}

/* ---- joins ---- */

static bool is_counter(const struct cw_fn *fn, uint32_t phi) {
    for (uint32_t k = 0; k < fn->cfg->inductions.n; k++)
        if (fn->cfg->inductions.at[k].phi == phi)
            return true;
    return false;
}

struct deciding {
    struct cw_led_values *values;
    struct cw_led_decisions *out;
    uint32_t join, loop; /* the block where ways meet, or CW_NO_BLOCK: the ways out of the loop */
};

static bool is_between(const struct deciding *d, uint32_t branch) {
    const struct cw_cfg *cfg = d->values->fn->cfg;
    if (d->join == CW_NO_BLOCK)
        return cw_cfg_in_loop(cfg, d->loop, branch);
    uint32_t above = cfg->idom[d->join];
    return above != CW_NO_BLOCK && cw_cfg_dominates(cfg, above, branch) &&
           cfg->rpo_index[branch] < cfg->rpo_index[d->join];
}

static bool see_branch(void *deciding, struct cw_edge edge) {
    struct deciding *d = deciding;
    cw_ref decides = d->values->fn->blocks.at[edge.block].jump.value;
    if (decides.tag != CW_REF_NONE && is_between(d, edge.block))
        cw_vec_push(d->values->arena, &d->out->at, decides);
    return true;
}

static struct cw_led_decisions *decisions_of(struct cw_led_values *values, uint64_t key, bool *is_new) {
    uint64_t known;
    *is_new = !cw_map_get(&values->decisions, key, &known);
    if (!*is_new)
        return (struct cw_led_decisions *)(uintptr_t)known;
    struct cw_led_decisions *out = CW_NEW(values->arena, struct cw_led_decisions);
    cw_map_put(&values->decisions, key, (uint64_t)(uintptr_t)out);
    return out;
}

const struct cw_led_decisions *cw_led_decisions_of(struct cw_led_values *values, uint32_t phi) {
    const struct cw_ins *i = &values->fn->ins.at[phi];
    const struct cw_cfg *cfg = values->fn->cfg;
    bool is_new, is_header = cw_led_loop_of_header(values, phi) != CW_NO_LOOP;
    struct cw_led_decisions *out = decisions_of(values, (uint64_t)i->block << 1, &is_new);
    struct deciding d = {values, out, i->block, CW_NO_LOOP};
    for (uint32_t k = 0; k < i->narg && is_new && !is_header; k++) {
        uint32_t from = values->fn->blocks.at[i->block].pred.at[k];
        if (from == cfg->idom[i->block])
            see_branch(&d, (struct cw_edge){from, 0});
        cw_cfg_controls(values->fn, from, see_branch, &d);
    }
    return out;
}

const struct cw_led_decisions *cw_led_exits_of(struct cw_led_values *values, uint32_t loop) {
    const struct cw_loop *around = &values->fn->cfg->loops.at[loop];
    bool is_new;
    struct cw_led_decisions *out = decisions_of(values, (uint64_t)loop << 1 | 1, &is_new);
    struct deciding d = {values, out, CW_NO_BLOCK, loop};
    for (uint32_t e = 0; e < around->exits.n && is_new; e++) {
        see_branch(&d, around->exits.at[e]);
        cw_cfg_controls(values->fn, around->exits.at[e].block, see_branch, &d);
    }
    return out;
}

uint32_t cw_led_loop_of_header(const struct cw_led_values *values, uint32_t phi) {
    const struct cw_cfg *cfg = values->fn->cfg;
    uint32_t block = values->fn->ins.at[phi].block, loop = cfg->loop_of[block];
    return loop != CW_NO_LOOP && cfg->loops.at[loop].header == block ? loop : CW_NO_LOOP;
}

bool cw_led_is_around_context(const struct cw_led_values *values, uint32_t loop) {
    const struct cw_context *c = values->is.context;
    while (c && c->loop != loop)
        c = c->outer;
    return c != NULL;
}

bool cw_led_is_decided(struct cw_led_values *values, cw_ref decides, struct led *led) {
    return take_numbers(values, decides, true, led);
}

/* Which way a thread came decides which of several numbers it has: the number of the largest, the side of a split. */
static void take_choice(struct cw_led_values *values, uint32_t phi, struct led *led) {
    const struct cw_led_decisions *decisions = cw_led_decisions_of(values, phi);
    for (uint32_t k = 0; k < decisions->at.n; k++) {
        struct led decided = {0};
        join_led(led, cw_led_is_decided(values, decisions->at.at[k], &decided)
                          ? &decided
                          : cw_led_look_at(values, decisions->at.at[k]));
    }
    led->is_rounded |= led->is.has_data;
    led->is.is_narrowed |= led->is.has_data;
}

/* Where ways or iterations meet, data may have led the thread over any of them. */
static void take_join(struct cw_led_values *values, uint32_t phi, struct led *led) {
    const struct cw_ins *i = &values->fn->ins.at[phi];
    bool varies = false; /* does a number come in that differs between threads? */
    led->made = MADE_OF_OPERANDS;
    for (uint32_t k = 0; k < i->narg; k++) {
        const struct led *part = cw_led_look_at(values, cw_arg(values->fn, i, k));
        join_led(led, part);
        varies |= part->varies && !part->is.has_data;
    }
    led->varies = varies;
    if (led->is.has_data)
        led->is.is_walked |= is_counter(values->fn, phi);
    else if (!varies)
        take_choice(values, phi, led);
}

/* ---- rounds ---- */

static struct led *assumed_of(struct cw_led_values *values, uint32_t phi) {
    uint64_t found;
    if (cw_map_get(&values->assumed, phi, &found))
        return (struct led *)(uintptr_t)found;
    struct led *assumed = CW_NEW(values->arena, struct led);
    *assumed = (struct led){.made = MADE_OF_OPERANDS};
    cw_map_put(&values->assumed, phi, (uint64_t)(uintptr_t)assumed);
    cw_vec_push(values->arena, &values->joins, assumed);
    return assumed;
}

/* The join as its users see it: what data have chosen does not differ whatever the data are. */
static struct led as_seen(const struct led *join) {
    struct led seen = *join;
    seen.varies &= !seen.is.has_data;
    return seen;
}

/* Was something found of the join that the round had not assumed? */
static void compare_assumed(struct cw_led_values *values, uint32_t phi, struct led *found) {
    struct led *assumed = assumed_of(values, phi);
    values->newly_varies |= found->varies && !assumed->varies;
    join_led(found, assumed);
    values->is_changed |= count_facts(found) != count_facts(assumed);
    *assumed = *found;
}

/* Forgets what was found in this round. Once a join is known to differ between threads, what others found while it was
 * taken to be the same for all does not hold. */
static void begin_round(struct cw_led_values *values) {
    for (uint32_t k = 0; values->newly_varies && k < values->joins.n; k++)
        *values->joins.at[k] = (struct led){.made = MADE_OF_OPERANDS, .varies = values->joins.at[k]->varies};
    for (uint32_t k = 0; k < values->provisional.n; k++)
        cw_map_put(&values->known, values->provisional.at[k], 0);
    values->provisional.n = 0;
    values->newly_varies = values->is_changed = false;
}

/* What joins bring round a loop is found in rounds, as the partitions of optimistic value numbering are (Alpern, Wegman
 * and Zadeck, 1988): a join is first taken to be the same for all threads, then to be what the round before has found,
 * until nothing changes. Joins behind the first one take part in its rounds. */
static void look_at_join(struct cw_led_values *values, uint32_t phi, struct led *led) {
    struct led found;
    bool is_first = values->open == 0;
    cw_map_put(&values->known, cw_ref_bits(cw_ref_ins(phi)), (uint64_t)(uintptr_t)led);
    values->open++;
    for (uint32_t round = 0;; round++) {
        *led = as_seen(assumed_of(values, phi));
        found = (struct led){0};
        take_join(values, phi, &found);
        compare_assumed(values, phi, &found);
        if (!is_first || !(values->newly_varies || values->is_changed))
            break;
        values->is_cut |= round == CW_LED_ROUNDS_MAX;
        if (values->is_cut)
            break;
        begin_round(values);
    }
    values->open--;
    *led = as_seen(&found);
    if (is_first) {
        values->provisional.n = values->joins.n = 0;
        values->newly_varies = values->is_changed = false;
        cw_map_init(&values->assumed, values->arena);
    }
}

/* ---- one value ---- */

static bool is_collective(const struct cw_ins *ins) {
    return ins->op == CW_OP_SHFL || ins->op == CW_OP_VOTE || ins->op == CW_OP_MATCH || ins->op == CW_OP_REDUX ||
           ins->op == CW_OP_SCAN;
}

static bool is_uniform(const struct cw_led_values *values, cw_ref ref) {
    return cw_uni_of(values->u, ref) <= (values->is.is_between_blocks ? CW_UNI_GRID : CW_UNI_BLOCK);
}

/* May threads have left a loop around the value in different iterations? Each has what its last one has made. */
static bool is_left_apart(struct cw_led_values *values, cw_ref ref) {
    const struct cw_cfg *cfg = values->fn->cfg;
    const struct cw_ins *i = cw_ins_of(values->fn, ref);
    uint32_t loop = i ? cfg->loop_of[i->block] : CW_NO_LOOP;
    for (; loop != CW_NO_LOOP && !cw_led_is_around_context(values, loop); loop = cfg->loops.at[loop].parent) {
        const struct cw_led_decisions *exits = cw_led_exits_of(values, loop);
        for (uint32_t k = 0; k < exits->at.n; k++)
            if (!is_uniform(values, exits->at.at[k]))
                return true;
    }
    return false;
}

/* What is known of the value without a look at its operands. */
static bool take_leaf(struct cw_led_values *values, cw_ref ref, struct led *led) {
    if (!is_left_apart(values, ref) &&
        (is_uniform(values, ref) || take_numbers(values, ref, is_of_indices(values, ref), led)))
        return true;
    led->is.is_of_block = cw_is_block_index(ref) || is_rank_beyond_block(values->fn, ref);
    return led->is.is_of_block;
}

static void take_apart(struct cw_led_values *values, cw_ref ref, struct led *led) {
    const struct cw_ins *i = cw_ins_of(values->fn, ref);
    if (i && (i->op == CW_OP_LOAD || (i->op == CW_OP_ATOMIC && !cw_memory_atomic_changes(values->fn, i))))
        take_datum(values, ref.index, led);
    else if (i && i->op == CW_OP_ATOMIC)
        take_claim(values, ref.index, led);
    else if (i && i->op == CW_OP_PHI)
        look_at_join(values, ref.index, led);
    else if (i && is_collective(i))
        take_collective(values, ref.index, led);
    else if (i && (cw_op_flags((enum cw_op)i->op) & CW_OP_P) && i->narg > 0)
        take_operation(values, i, led);
    else
        led->is.is_lost = true;
}

struct led *cw_led_look_at(struct cw_led_values *values, cw_ref ref) {
    uint64_t found, key = cw_ref_bits(ref);
    if (cw_map_get(&values->known, key, &found) && found)
        return (struct led *)(uintptr_t)found;
    struct led *led = CW_NEW(values->arena, struct led);
    *led = (struct led){.made = MADE_WHOLE};
    bool is_leaf = take_leaf(values, ref, led);
    if (!is_leaf)
        take_apart(values, ref, led);
    cw_map_put(&values->known, key, (uint64_t)(uintptr_t)led);
    if (!is_leaf && values->open > 0)
        cw_vec_push(values->arena, &values->provisional, key);
    return led;
}

struct cw_led_values *cw_led_values_open(const struct cw_led_question *question) {
    struct cw_led_values *values = CW_NEW(question->arena, struct cw_led_values);
    const struct cw_fn *fn = cw_lanes_fn(question->lanes);
    *values = (struct cw_led_values){.is = *question,
                                     .lanes = question->lanes,
                                     .fn = fn,
                                     .u = cw_lanes_uniformity(question->lanes),
                                     .own = cw_memory_bases(fn, question->own).at[0],
                                     .arena = question->arena};
    cw_map_init(&values->known, question->arena);
    cw_map_init(&values->indices, question->arena);
    cw_map_init(&values->decisions, question->arena);
    cw_map_init(&values->assumed, question->arena);
    cw_map_init(&values->assumed_numbers, question->arena);
    return values;
}
