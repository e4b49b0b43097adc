/* See led_values.h. */
#include "races/led_values.h"

#include "base/hash.h"
#include "base/map.h"
#include "uniformity/alias.h"

#include <string.h>

enum {
    HASH_FACTOR = 1 << 16, /* multiplied by as much, data are hashed */
    TERMS_MAX = 12,        /* of a sum that leads to an element */
    STACK_MAX = 256,       /* operations looked at for the loads behind a value */
    DATA_MAX = 8,          /* of them, told apart */
    LARGEST = 4,           /* bytes of an element of which nothing else is known */
    LOOKS_MAX = 1 << 14    /* values looked at, again and again where loops carry many round */
};

struct cw_led_values {
    struct cw_led_question is;
    struct cw_lanes *lanes;
    const struct cw_fn *fn;
    const struct cw_uniformity *u;
    struct cw_base own;
    struct cw_arena *arena;
    struct cw_map indices; /* instruction -> is it made of indices and numbers alone? */
    struct cw_map known; /* ref -> struct led, NULL: to be looked at again */
    uint32_t looks;
    CW_VEC(uint64_t) provisional; /* keys of what was found while something behind it was being looked at */
};

/* What is passed on within the recursion, besides the answer. */
struct led {
    struct cw_led_value is;
    bool is_rounded;
    bool has_quotient, has_remainder; /* both: a number is taken apart into a row and a column */
    bool is_hashed; /* multiplied by a large number, or mixed with itself: the bits of it are those of a hash */
    bool is_open;   /* being looked at, and taken to be the same for all threads until then */
    bool is_provisional; /* rests on what was open */
};

static const uint64_t no_number[1];

static struct led *look_at(struct cw_led_values *values, cw_ref ref);

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
    to->is_provisional |= from->is_open || from->is_provisional;
    to->is.is_narrowed = to->is_rounded || to->has_quotient != to->has_remainder;
}

static void set_number(struct cw_led_values *values, struct led *led, uint64_t number) {
    uint64_t *one = CW_NEW(values->arena, uint64_t);
    *one = number;
    led->is.number = one;
    led->is.mask = 0;
}

static uint64_t name_of(cw_ref ref) {
    return cw_mix(cw_ref_bits(ref), 3);
}

/* The numbers of the operands, and `name`: equal for threads with equal operands. */
static void mix_operands(struct cw_led_values *values, const struct cw_ins *ins, uint64_t name, struct led *led) {
    uint32_t n = 1;
    for (uint32_t k = 0; k < ins->narg; k++)
        if (look_at(values, cw_arg(values->fn, ins, k))->is.mask)
            n = cw_lanes_count(values->lanes);
    uint64_t *number = CW_NEW_ARRAY(values->arena, uint64_t, n);
    for (uint32_t t = 0; t < n; t++) {
        number[t] = name;
        for (uint32_t k = 0; k < ins->narg; k++)
            number[t] = cw_mix(number[t], cw_led_number(&look_at(values, cw_arg(values->fn, ins, k))->is, t));
    }
    led->is.number = number;
    led->is.mask = n > 1 ? UINT32_MAX : 0;
}

static void join_operands(struct cw_led_values *values, const struct cw_ins *ins, struct led *led) {
    for (uint32_t k = 0; k < ins->narg; k++)
        join_led(led, look_at(values, cw_arg(values->fn, ins, k)));
}

/* ---- leaves ---- */

static bool is_block_index(cw_ref ref) {
    return ref.tag == CW_REF_SREG && ref.index >= CW_CTAID_X && ref.index <= CW_CTAID_Z;
}

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
        return ref.tag == CW_REF_SREG ? !(values->is.is_between_blocks && is_block_index(ref))
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
static bool take_numbers(struct cw_led_values *values, cw_ref ref, struct led *led) {
    const struct cw_lane_value *value = cw_lane_value_of(values->lanes, ref, values->is.context);
    bool may_be_chosen = is_of_indices(values, ref);
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

static bool do_overlap(const struct cw_base *base, const struct cw_base *other) {
    int64_t end = base->offset + (int64_t)(base->exact ? LARGEST : base->extent);
    return end > other->offset;
}

/* Is it the array that the question is about? Members of one structure are different ones. */
static bool is_in_own_array(const struct cw_led_values *values, const struct cw_base *base) {
    const struct cw_base *own = &values->own;
    bool is_known = (base->exact || base->extent) && (own->exact || own->extent);
    return cw_ref_eq(base->root, own->root) && base->is_read == own->is_read && cw_base_may_be_same(base, own) &&
           (!is_known || (do_overlap(base, own) && do_overlap(own, base)));
}

/* A load of which the witness chooses what it brings. Pointers are none: each of a table leads to memory of its own. */
static void take_datum(struct cw_led_values *values, uint32_t load, struct led *led) {
    const struct cw_ins *i = &values->fn->ins.at[load];
    cw_ref pointer = cw_arg(values->fn, i, 0);
    const struct led *place = look_at(values, pointer);
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
    led->is.is_of_own = place->is.mask != 0 || place->is.is_of_own || place->is.is_of_block || is_private ||
                        (is_in_block && values->is.is_between_blocks);
    set_number(values, led, name_of(cw_ref_ins(load)));
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
    return ins->op == CW_OP_XOR && look_at(values, cw_arg(values->fn, ins, 0))->is.has_data &&
           look_at(values, cw_arg(values->fn, ins, 1))->is.has_data;
}

static void take_operation(struct cw_led_values *values, const struct cw_ins *ins, struct led *led) {
    join_operands(values, ins, led);
    mix_operands(values, ins, cw_mix(cw_mix(ins->op, ins->type), ins->op == CW_OP_PURE ? ins->aux : 0), led);
    if (!led->is.has_data)
        return;
    bool is_choice = ins->op == CW_OP_SELECT && !look_at(values, cw_arg(values->fn, ins, 1))->is.has_data &&
                     !look_at(values, cw_arg(values->fn, ins, 2))->is.has_data;
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
    uint32_t n = cw_lanes_count(values->lanes);
    uint64_t *number = CW_NEW_ARRAY(values->arena, uint64_t, n);
    for (uint32_t t = 0; t < n; t++)
        number[t] = cw_mix(name_of(cw_ref_ins(ins)), t % 32);
    led->is.number = number;
    led->is.mask = n > 1 ? UINT32_MAX : 0;
    led->is.has_data = led->is.is_of_own = led->is.is_of_warp = true;
}

/* Several threads win an atomic at places of their own; one at a place for all is a ticket. */
static void take_claim(struct cw_led_values *values, uint32_t atomic, struct led *led) {
    const struct cw_ins *i = &values->fn->ins.at[atomic];
    const struct led *place = look_at(values, cw_arg(values->fn, i, 0));
    led->is.is_lost = place->is.is_lost || !(place->is.has_data && place->is.is_of_own);
    led->is.has_data = led->is.is_of_own = led->is.is_claim = true;
    led->is.is_stored = place->is.is_stored;
    set_number(values, led, name_of(cw_ref_ins(atomic)));
}

/* ---- joins ---- */

static bool is_counter(const struct cw_fn *fn, uint32_t phi) {
    for (uint32_t k = 0; k < fn->cfg->inductions.n; k++)
        if (fn->cfg->inductions.at[k].phi == phi)
            return true;
    return false;
}

struct choice {
    struct cw_led_values *values;
    struct led *led;
    uint32_t join;
};

static bool see_branch(void *choice, struct cw_edge edge) {
    struct choice *c = choice;
    const struct cw_cfg *cfg = c->values->fn->cfg;
    uint32_t above = cfg->idom[c->join];
    if (above == CW_NO_BLOCK || !cw_cfg_dominates(cfg, above, edge.block) ||
        cfg->rpo_index[edge.block] >= cfg->rpo_index[c->join])
        return true;
    cw_ref decides = c->values->fn->blocks.at[edge.block].jump.value;
    if (decides.tag != CW_REF_NONE)
        join_led(c->led, look_at(c->values, decides));
    return true;
}

/* Which way a thread came decides which of several numbers it has: the number of the largest, the side of a split. */
static void take_choice(struct cw_led_values *values, uint32_t phi, struct led *led) {
    const struct cw_ins *i = &values->fn->ins.at[phi];
    const struct cw_cfg *cfg = values->fn->cfg;
    bool is_header = cfg->loop_of[i->block] != CW_NO_LOOP && cfg->loops.at[cfg->loop_of[i->block]].header == i->block;
    struct choice choice = {values, led, i->block};
    for (uint32_t k = 0; k < i->narg && !is_header; k++) {
        uint32_t from = values->fn->blocks.at[i->block].pred.at[k];
        if (from == cfg->idom[i->block])
            see_branch(&choice, (struct cw_edge){from, 0});
        cw_cfg_controls(values->fn, from, see_branch, &choice);
    }
    led->is_rounded |= led->is.has_data;
    led->is.is_narrowed |= led->is.has_data;
}

/* True where a number that differs between threads comes in. */
static bool join_ways(struct cw_led_values *values, const struct cw_ins *phi, struct led *led) {
    bool varies = false;
    for (uint32_t k = 0; k < phi->narg; k++) {
        const struct led *part = look_at(values, cw_arg(values->fn, phi, k));
        join_led(led, part);
        varies |= !part->is_open && part->is.mask != 0 && !part->is.has_data;
    }
    return varies;
}

/* A counter that begins at the thread's own index: what was found of its next value took it for one that all share. */
static bool join_again(struct cw_led_values *values, const struct cw_ins *phi, struct led *led) {
    for (uint32_t k = 0; k < values->provisional.n; k++)
        cw_map_put(&values->known, values->provisional.at[k], 0);
    values->provisional.n = 0;
    mix_operands(values, phi, name_of(cw_ref_ins((uint32_t)(phi - values->fn->ins.at))), led);
    struct led again = {.is.number = led->is.number, .is.mask = led->is.mask};
    *led = again;
    for (uint32_t k = 0; k < values->provisional.n; k++)
        cw_map_put(&values->known, values->provisional.at[k], 0);
    values->provisional.n = 0;
    return join_ways(values, phi, led);
}

/* Where ways or iterations meet, data may have led the thread over any of them. */
static void take_join(struct cw_led_values *values, uint32_t phi, struct led *led) {
    const struct cw_ins *i = &values->fn->ins.at[phi];
    bool varies = join_ways(values, i, led);
    if (varies && led->is_provisional) {
        led->is_open = false;
        varies = join_again(values, i, led);
    }
    if (led->is.has_data) {
        led->is.is_walked |= is_counter(values->fn, phi);
        set_number(values, led, name_of(cw_ref_ins(phi)));
        return;
    }
    if (!varies)
        take_choice(values, phi, led);
    mix_operands(values, i, name_of(cw_ref_ins(phi)), led);
}

/* ---- one value ---- */

static bool is_collective(const struct cw_ins *ins) {
    return ins->op == CW_OP_SHFL || ins->op == CW_OP_VOTE || ins->op == CW_OP_MATCH || ins->op == CW_OP_REDUX ||
           ins->op == CW_OP_SCAN;
}

static void take_apart(struct cw_led_values *values, cw_ref ref, struct led *led) {
    const struct cw_ins *i = cw_ins_of(values->fn, ref);
    enum cw_uni like = values->is.is_between_blocks ? CW_UNI_GRID : CW_UNI_BLOCK;
    if (cw_uni_of(values->u, ref) <= like)
        set_number(values, led, name_of(ref));
    else if (take_numbers(values, ref, led))
        return;
    else if (is_block_index(ref) || is_rank_beyond_block(values->fn, ref)) {
        led->is.is_of_block = true;
        set_number(values, led, name_of(ref));
    } else if (i && (i->op == CW_OP_LOAD || (i->op == CW_OP_ATOMIC && !cw_memory_atomic_changes(values->fn, i))))
        take_datum(values, ref.index, led);
    else if (i && i->op == CW_OP_ATOMIC)
        take_claim(values, ref.index, led);
    else if (i && i->op == CW_OP_PHI)
        take_join(values, ref.index, led);
    else if (i && is_collective(i))
        take_collective(values, ref.index, led);
    else if (i && (cw_op_flags((enum cw_op)i->op) & CW_OP_P) && i->narg > 0)
        take_operation(values, i, led);
    else
        led->is.is_lost = true;
}

static struct led *look_at(struct cw_led_values *values, cw_ref ref) {
    uint64_t found, key = cw_ref_bits(ref);
    if (cw_map_get(&values->known, key, &found) && found)
        return (struct led *)(uintptr_t)found;
    struct led *led = CW_NEW(values->arena, struct led);
    *led = (struct led){.is.number = no_number, .is_open = true};
    cw_map_put(&values->known, key, (uint64_t)(uintptr_t)led);
    if (values->looks++ < LOOKS_MAX)
        take_apart(values, ref, led);
    else
        led->is.is_lost = true;
    led->is_open = false;
    if (led->is_provisional)
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
    return values;
}

const struct cw_led_value *cw_led_value_of(struct cw_led_values *values, cw_ref ref) {
    return &look_at(values, ref)->is;
}

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

uint32_t cw_led_data(struct cw_led_values *values, cw_ref ref, uint32_t *out, uint32_t max) {
    cw_ref stack[STACK_MAX] = {ref};
    struct cw_bitset seen = cw_bitset_new(values->arena, values->fn->ins.n);
    uint32_t n = 1, found = 0;
    while (n > 0 && found < max) {
        cw_ref top = stack[--n];
        const struct cw_ins *i = cw_ins_of(values->fn, top);
        if (!i || cw_bitset_has(&seen, top.index) || !cw_led_value_of(values, top)->has_data)
            continue;
        cw_bitset_add(&seen, top.index);
        bool is_datum = i->op == CW_OP_LOAD || i->op == CW_OP_ATOMIC;
        if (is_datum)
            out[found++] = top.index;
        for (uint32_t k = 0; !is_datum && k < i->narg && n < STACK_MAX; k++)
            stack[n++] = cw_arg(values->fn, i, k);
    }
    return found;
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
