/* Pointers as (base, byte offset) per thread, and what a load may be told about.
 *
 * A stable load's token names its address, so threads that read one place hold one value. Memory nobody in the kernel
 * writes needs no more; elsewhere the token also names the instruction and iteration, since contents change. */
#include "lanes/lanes_internal.h"

enum { PROVENANCE_DEPTH = 6, DESCRIPTOR_DEPTH = 16 };

/* The address as one token. An absolute address is a number. */
struct cw_cell cw_pointer_token(const struct cw_lane_value *value, uint32_t t) {
    struct cw_lane_base b = cw_lane_value_base(value, t);
    struct cw_cell o = cw_lane_value_cell(value, t);
    if (b.root.tag == CW_REF_CONST)
        return o;
    if (b.token == CW_NO_TOKEN || (!cw_cell_numeric(o) && o.value == CW_NO_TOKEN))
        return (struct cw_cell){CW_OPAQUE, CW_NO_TOKEN};
    if (cw_cell_numeric(o))
        return (struct cw_cell){CW_FREE, cw_token((uint64_t)b.token + (uint64_t)o.value)};
    return (struct cw_cell){o.known, cw_token(cw_mix((uint64_t)b.token, (uint64_t)o.value))};
}

/* ---- pointer operations ---- */

static const struct cw_lane_value *add_offset(struct cw_lanes *lanes, const struct cw_lane_value *value,
                                              const struct cw_lane_value *offset, enum cw_op op) {
    uint32_t threads = value->mask || offset->mask ? lanes->threads : 1;
    const struct cw_lane_value *both[2] = {value, offset};
    if (!offset->base && value->worst <= CW_SAMPLE && offset->worst <= CW_SAMPLE &&
        cw_lanes_fold(lanes, op, CW_I64, CW_I64, both, 2, threads)) {
        for (uint32_t t = 0; t < threads; t++)
            lanes->scratch.base[t] = cw_lane_value_base(value, t);
        return cw_lane_value_seal_folded(lanes, threads, true);
    }
    for (uint32_t t = 0; t < threads; t++) {
        struct cw_cell args[2] = {cw_lane_value_cell(value, t), cw_lane_value_cell(offset, t)};
        struct cw_cell sum = cw_cell_op(lanes, op, CW_I64, CW_I64, args, 2);
        lanes->scratch.base[t] = cw_lane_value_base(value, t);
        lanes->scratch.known[t] = sum.known;
        lanes->scratch.value[t] = sum.value;
    }
    return cw_lane_value_seal(lanes, threads, true);
}

/* Addresses in the shared window fit into 32 bits: what CVTA gives survives the detour over `unsigned`. */
static bool is_narrowing(const struct cw_lanes *lanes, const struct cw_ins *ins) {
    int64_t mask;
    return ins->op == CW_OP_ZEXT || ins->op == CW_OP_TRUNC ||
           (ins->op == CW_OP_AND && cw_ref_const(lanes->fn, cw_arg(lanes->fn, ins, 1), &mask) && mask == UINT32_MAX);
}

/* The pointer an integer was made from, with what was added to it since; NULL when there is none. */
static const struct cw_lane_value *pointer_of_integer(struct cw_lanes *lanes, cw_ref ref,
                                                      const struct cw_context *context, uint32_t depth, bool narrow) {
    const struct cw_ins *i = cw_ins_of(lanes->fn, ref);
    if (!i || depth == 0)
        return NULL;
    if (i->op == CW_OP_CVTA || (i->op == CW_OP_PTRTOINT && !narrow))
        return cw_lane_value_of(lanes, cw_arg(lanes->fn, i, 0), context);
    if (i->op == CW_OP_COPY || is_narrowing(lanes, i))
        return pointer_of_integer(lanes, cw_arg(lanes->fn, i, 0), context, depth - 1, narrow || i->op != CW_OP_COPY);
    if (i->op != CW_OP_ADD && i->op != CW_OP_SUB)
        return NULL;
    const struct cw_lane_value *left = pointer_of_integer(lanes, cw_arg(lanes->fn, i, 0), context, depth - 1, narrow);
    if (left && left->base)
        return add_offset(lanes, left, cw_lane_value_of(lanes, cw_arg(lanes->fn, i, 1), context), i->op);
    const struct cw_lane_value *right =
        i->op == CW_OP_ADD ? pointer_of_integer(lanes, cw_arg(lanes->fn, i, 1), context, depth - 1, narrow) : NULL;
    return right && right->base
               ? add_offset(lanes, right, cw_lane_value_of(lanes, cw_arg(lanes->fn, i, 0), context), i->op)
               : NULL;
}

/* The first 14 bits of a matrix descriptor count 16 bytes. */
static const struct cw_lane_value *scale_descriptor(struct cw_lanes *lanes, const struct cw_lane_value *units) {
    uint32_t threads = units->mask ? lanes->threads : 1;
    for (uint32_t t = 0; t < threads; t++) {
        struct cw_cell c = cw_lane_value_cell(units, t);
        lanes->scratch.known[t] = c.known;
        lanes->scratch.value[t] = cw_cell_numeric(c) ? (c.value & 0x3fff) * 16 : c.value;
    }
    return cw_lane_value_seal(lanes, threads, false);
}

/* Is the operand a field beside the address: a constant, or something shifted beyond it? */
static bool is_other_field(const struct cw_lanes *lanes, cw_ref ref) {
    const struct cw_ins *i = cw_ins_of(lanes->fn, ref);
    int64_t value;
    if (cw_ref_const(lanes->fn, ref, &value))
        return (value & 0x3fff) == 0;
    if (i && i->op == CW_OP_OR)
        return is_other_field(lanes, cw_arg(lanes->fn, i, 0)) && is_other_field(lanes, cw_arg(lanes->fn, i, 1));
    return i && i->op == CW_OP_SHL && cw_ref_const(lanes->fn, cw_arg(lanes->fn, i, 1), &value) && value >= 14;
}

/* The address in a matrix descriptor, (address & 0x3ffff) >> 4 in its first 14 bits (PTX ISA, wgmma, matrix
 * descriptor); `counted`: in 16 bytes, before that shift is met. NULL when the descriptor is not made like this. */
static const struct cw_lane_value *pointer_of_descriptor(struct cw_lanes *lanes, cw_ref ref,
                                                         const struct cw_context *context, uint32_t depth,
                                                         bool counted) {
    const struct cw_ins *i = cw_ins_of(lanes->fn, ref);
    int64_t value;
    if (!i || depth == 0)
        return NULL;
    cw_ref a = i->narg ? cw_arg(lanes->fn, i, 0) : CW_NONE, b = i->narg > 1 ? cw_arg(lanes->fn, i, 1) : CW_NONE;
    switch ((enum cw_op)i->op) {
    case CW_OP_CVTA: return counted ? NULL : cw_lane_value_of(lanes, a, context);
    case CW_OP_COPY: case CW_OP_ZEXT: case CW_OP_TRUNC:
        return pointer_of_descriptor(lanes, a, context, depth - 1, counted);
    case CW_OP_AND:
        return cw_ref_const(lanes->fn, b, &value) ? pointer_of_descriptor(lanes, a, context, depth - 1, counted) : NULL;
    case CW_OP_LSHR:
        return counted && cw_ref_const(lanes->fn, b, &value) && value == 4
                   ? pointer_of_descriptor(lanes, a, context, depth - 1, false)
                   : NULL;
    case CW_OP_OR:
        return is_other_field(lanes, b)   ? pointer_of_descriptor(lanes, a, context, depth - 1, counted)
               : is_other_field(lanes, a) ? pointer_of_descriptor(lanes, b, context, depth - 1, counted)
                                          : NULL;
    case CW_OP_ADD: break;
    default: return NULL;
    }
    const struct cw_lane_value *p = pointer_of_descriptor(lanes, a, context, depth - 1, counted);
    cw_ref step = p ? b : a;
    p = p ? p : pointer_of_descriptor(lanes, b, context, depth - 1, counted);
    if (!p || !p->base)
        return NULL;
    const struct cw_lane_value *offset = cw_lane_value_of(lanes, step, context);
    return add_offset(lanes, p, counted ? scale_descriptor(lanes, offset) : offset, CW_OP_ADD);
}

/* Unknown pointers: one base per value, whose root is the instruction. */
static const struct cw_lane_value *from_integer(struct cw_lanes *lanes, cw_ref self,
                                                const struct cw_lane_value *value) {
    uint32_t threads = value->mask ? lanes->threads : 1;
    for (uint32_t t = 0; t < threads; t++) {
        struct cw_cell c = cw_lane_value_cell(value, t);
        bool number = cw_cell_numeric(c);
        lanes->scratch.base[t] =
            number ? (struct cw_lane_base){cw_ref_of(CW_REF_CONST, 0), 0} : (struct cw_lane_base){self, c.value};
        lanes->scratch.known[t] = number ? c.known : CW_NUMBER;
        lanes->scratch.value[t] = number ? c.value : 0;
    }
    return cw_lane_value_seal(lanes, threads, true);
}

static const struct cw_lane_value *select_pointer(struct cw_lanes *lanes, uint32_t ins,
                                                  const struct cw_context *context) {
    const struct cw_ins *i = &lanes->fn->ins.at[ins];
    const struct cw_lane_value *cond = cw_lane_value_of(lanes, cw_arg(lanes->fn, i, 0), context);
    struct cw_alternative alt[2] = {{.value = cw_lane_value_of(lanes, cw_arg(lanes->fn, i, 1), context)},
                                    {.value = cw_lane_value_of(lanes, cw_arg(lanes->fn, i, 2), context)}};
    uint32_t threads = cond->mask ? lanes->threads : 1;
    for (uint32_t side = 0; side < 2; side++) {
        for (uint32_t t = 0; t < threads; t++) {
            uint32_t f = cw_cell_formula(cw_lane_value_cell(cond, t));
            lanes->scratch.formula[t] = side ? cw_bdd_not(f) : f;
        }
        alt[side].gate = cw_lane_cond_seal(lanes, threads);
    }
    return cw_lanes_choose(lanes, cw_ref_ins(ins), context, alt, 2, NULL);
}

const struct cw_lane_value *cw_lanes_pointer(struct cw_lanes *lanes, uint32_t ins, const struct cw_context *context) {
    const struct cw_ins *i = &lanes->fn->ins.at[ins];
    cw_ref self = cw_ref_ins(ins);
    if (i->op == CW_OP_PTRADD) {
        const struct cw_lane_value *p = cw_lane_value_of(lanes, cw_arg(lanes->fn, i, 0), context);
        return p->base ? add_offset(lanes, p, cw_lane_value_of(lanes, cw_arg(lanes->fn, i, 1), context), CW_OP_ADD)
                       : cw_lane_value_fresh(lanes, self, context, CW_OPAQUE, cw_lanes_scope(lanes, self));
    }
    if (i->op == CW_OP_SELECT)
        return select_pointer(lanes, ins, context);
    if (i->op == CW_OP_INTTOPTR) {
        const struct cw_lane_value *p =
            pointer_of_integer(lanes, cw_arg(lanes->fn, i, 0), context, PROVENANCE_DEPTH, false);
        return p && p->base ? p : from_integer(lanes, self, cw_lane_value_of(lanes, cw_arg(lanes->fn, i, 0), context));
    }
    if (i->op == CW_OP_MATRIXPTR) {
        const struct cw_lane_value *p =
            pointer_of_descriptor(lanes, cw_arg(lanes->fn, i, 0), context, DESCRIPTOR_DEPTH, true);
        if (p && p->base)
            return p;
    }
    return cw_lane_value_fresh(lanes, self, context, CW_OPAQUE, cw_lanes_scope(lanes, self));
}

static struct cw_lane_addresses *expand_address(struct cw_lanes *lanes, const struct cw_lane_value *value,
                                                uint64_t name) {
    struct cw_lane_addresses *out = CW_NEW(lanes->a, struct cw_lane_addresses);
    out->base = CW_NEW_ARRAY(lanes->a, cw_ref, lanes->threads);
    out->token = CW_NEW_ARRAY(lanes->a, int64_t, lanes->threads);
    out->offset = CW_NEW_ARRAY(lanes->a, int64_t, lanes->threads);
    out->known = CW_NEW_ARRAY(lanes->a, uint8_t, lanes->threads);
    for (uint32_t t = 0; t < lanes->threads; t++) {
        struct cw_lane_base b = cw_lane_value_base(value, t);
        struct cw_cell o = cw_lane_value_cell(value, t);
        uint64_t own = cw_mix(name, t);
        out->base[t] = b.root;
        out->token[t] = b.token == CW_NO_TOKEN ? cw_token(own) : b.token;
        out->known[t] = cw_lanes_public(o.known);
        out->offset[t] = !cw_cell_numeric(o) && o.value == CW_NO_TOKEN ? cw_token(own + 1) : o.value;
    }
    return out;
}

bool cw_lanes_address(struct cw_lanes *lanes, cw_ref ptr, const struct cw_context *context,
                      struct cw_lane_addresses *out) {
    const struct cw_lane_value *p = cw_lane_value_of(lanes, ptr, context);
    uint64_t key = (uint64_t)(uintptr_t)p, found;
    if (!p->base)
        return false;
    if (!cw_map_get(&lanes->memo.addresses, key, &found)) {
        found = (uint64_t)(uintptr_t)expand_address(lanes, p, cw_lanes_name(ptr, context));
        cw_map_put(&lanes->memo.addresses, key, found);
    }
    *out = *(const struct cw_lane_addresses *)(uintptr_t)found;
    return true;
}

const struct cw_lane_value *cw_lanes_places(struct cw_lanes *lanes, cw_ref ptr, const struct cw_context *context) {
    const struct cw_lane_value *p = cw_lane_value_of(lanes, ptr, context);
    return p->base ? p : NULL;
}

struct cw_lane_place cw_lanes_place(const struct cw_lane_value *places, uint32_t t) {
    struct cw_lane_base b = cw_lane_value_base(places, t);
    struct cw_cell o = cw_lane_value_cell(places, t);
    return (struct cw_lane_place){b.root, b.token, o.value, cw_lanes_public(o.known)};
}

bool cw_lanes_one_place(const struct cw_lane_value *places) {
    return !(places->mask | places->base_mask);
}

/* ---- loads ---- */

/* What is known of the values a load reads from one root. */
struct source {
    uint8_t known;   /* FREE, RACY or OPAQUE */
    bool changes;    /* the kernel writes it: tokens name the load as well */
    bool private;    /* every thread has its own */
    bool racy;       /* two threads that read the same place may differ */
    bool versioned;  /* loads between which nothing changes the array are one: shared memory */
};

static bool is_first_pass(const struct cw_context *context) {
    while (context != NULL && context->iteration == 0)
        context = context->outer;
    return context == NULL;
}

/* In the first iteration of all loops around the load, what is behind it in the loops has not been executed yet. */
static bool may_be_stored_before(const struct cw_lanes *lanes, const struct cw_lane_writers *lane_writers,
                                 uint32_t load, const struct cw_context *context) {
    const struct cw_cfg *cfg = lanes->fn->cfg;
    uint32_t to = lanes->fn->ins.at[load].block;
    bool forward = !cfg->is_irreducible && is_first_pass(context);
    for (uint32_t k = 0; k < lane_writers->n; k++) {
        uint32_t from = lanes->fn->ins.at[lane_writers->at[k].ins].block;
        bool above = from == to && cw_cfg_ins_dominates(lanes->fn, lane_writers->at[k].ins, load);
        bool behind = forward && cfg->rpo_index[from] >= cfg->rpo_index[to];
        if (above || (!behind && cw_cfg_reaches(lanes->fn, from, to)))
            return true;
    }
    return false;
}

/* Does the load give input? Where threads read elements of their own (`own_address`), it must also be able to differ
 * between these. */
static bool holds_input(struct cw_lanes *lanes, uint32_t load, uint32_t slot, bool own_address) {
    const struct cw_ins *i = &lanes->fn->ins.at[load];
    struct cw_part part = cw_lanes_part(lanes, cw_arg(lanes->fn, i, 0), i->aux);
    return cw_lanes_holds_input(lanes, slot, part) && (!own_address || cw_lanes_elements_vary(lanes, slot, part));
}

/* Device memory holds input until the kernel writes it. */
static struct source device_memory(struct cw_lanes *lanes, uint32_t ins, cw_ref root, bool own_address,
                                   const struct cw_context *context) {
    const struct cw_lane_memory *m = cw_lanes_memory(lanes);
    uint32_t slot = cw_lanes_root_slot(lanes, root);
    if (slot == UINT32_MAX)
        return (struct source){CW_FREE, m->far || m->calls, false, false, false};
    const struct cw_lane_writers *w = &m->writers[slot];
    if (w->n == 0)
        return (struct source){CW_FREE, m->wild || m->calls, false, false, false};
    if (!may_be_stored_before(lanes, w, ins, context))
        return (struct source){CW_FREE, true, false, false, false};
    return (struct source){holds_input(lanes, ins, slot, own_address) ? CW_FREE : CW_OPAQUE, true, false, false, false};
}

static bool is_constant_param(const struct cw_lanes *lanes, cw_ref root) {
    return root.tag == CW_REF_PARAM && lanes->fn->params.at[root.index].is_restrict &&
           lanes->fn->params.at[root.index].points_to_const;
}

/* A read of its own element before the kernel writes the array (`v = x[i]; …; x[i] = v`): whatever other threads write
 * meanwhile, an execution exists in which it finds the input. At one address for all threads that would be no reason
 * for them to differ. */
static bool finds_input(struct cw_lanes *lanes, uint32_t ins, cw_ref root, bool own_address,
                        const struct cw_context *context) {
    uint32_t slot = cw_lanes_root_slot(lanes, root);
    return own_address && slot != UINT32_MAX &&
           (root.tag == CW_REF_PARAM || lanes->fn->objects.at[root.index].space == CW_SPACE_GLOBAL) &&
           !may_be_stored_before(lanes, &cw_lanes_memory(lanes)->writers[slot], ins, context);
}

static bool is_shared(const struct cw_object *object) {
    return object && (object->space == CW_SPACE_SHARED || object->space == CW_SPACE_DYNSHARED);
}

/* Is every store to it one that names it? */
static bool is_versioned(struct cw_lanes *lanes, cw_ref root, const struct cw_object *object) {
    const struct cw_lane_memory *m = cw_lanes_memory(lanes);
    return is_shared(object) && !cw_lanes_is_exposed(lanes, root.index) && !m->escapes[root.index];
}

/* A read of shared memory that others may write meanwhile: in the schedule in which this thread runs first it finds
 * what the last ordered phase left, which is input data where the stores bring that. Each thread has an unknown of its
 * own. */
static struct source racy_memory(struct cw_lanes *lanes, uint32_t ins, cw_ref root, bool own_address,
                                 const struct cw_object *object) {
    bool input = is_shared(object) && holds_input(lanes, ins, root.index, own_address);
    return (struct source){input ? CW_RACY : CW_OPAQUE, true, false, true, input && is_versioned(lanes, root, object)};
}

/* Behind a pointer of which nothing is known: it may be the same for all threads, so that what they read does not
 * differ unless their offsets do. */
static bool is_behind_unknown_pointer(const struct cw_lanes *lanes, cw_ref root, const struct cw_lane_value *places) {
    if (root.tag != CW_REF_INS || !cw_lanes_one_place(places))
        return false;
    const struct cw_ins *pointer = &lanes->fn->ins.at[root.index];
    return (pointer->op == CW_OP_OPAQUE && pointer->aux != CW_BAIL_INPUT) || pointer->op == CW_OP_OPCALL;
}

/* Memory that nobody writes during the kernel. */
static bool is_constant(const struct cw_lanes *lanes, const struct cw_ins *load, cw_ref root,
                        const struct cw_object *object) {
    return (load->flags & CW_INS_READONLY) || is_constant_param(lanes, root) ||
           (object && (object->space == CW_SPACE_CONSTANT || object->space == CW_SPACE_PARAM));
}

static struct source source_of(struct cw_lanes *lanes, uint32_t ins, cw_ref root, const struct cw_lane_value *places,
                               const struct cw_context *context) {
    const struct cw_ins *i = &lanes->fn->ins.at[ins];
    const struct cw_object *o = root.tag == CW_REF_OBJECT ? &lanes->fn->objects.at[root.index] : NULL;
    bool own_address = !cw_lanes_one_place(places);
    if (is_constant(lanes, i, root, o))
        return (struct source){CW_FREE, false, false, false, false};
    bool is_volatile = ((i->flags & CW_INS_VOLATILE) || (o && o->is_volatile)) && !is_shared(o);
    bool is_input = finds_input(lanes, ins, root, own_address, context);
    bool unstable = lanes->u && cw_bitset_has(&lanes->u->unstable, ins) && (!is_input || is_volatile) &&
                    !cw_lanes_loads_own(lanes, ins, places);
    if (is_volatile) /* no two reads need find the same */
        return (struct source){is_input ? CW_FREE : CW_OPAQUE, true, false, true, false};
    if (unstable && !(lanes->is_snapshot && is_shared(o)))
        return racy_memory(lanes, ins, root, own_address, o);
    if (is_behind_unknown_pointer(lanes, root, places))
        return (struct source){CW_OPAQUE, true, false, true, false};
    if (root.tag == CW_REF_PARAM || root.tag == CW_REF_INS || (o && o->space == CW_SPACE_GLOBAL))
        return device_memory(lanes, ins, root, own_address, context);
    if (!o || o->space == CW_SPACE_UNKNOWN)
        return (struct source){CW_OPAQUE, true, false, true, false};
    bool input = holds_input(lanes, ins, root.index, own_address);
    bool private = o->space == CW_SPACE_LOCAL;
    return (struct source){input ? CW_FREE : CW_OPAQUE, true, private, false, is_versioned(lanes, root, o)};
}

static uint64_t load_name(struct cw_lanes *lanes, uint32_t ins, const struct cw_context *context,
                          const struct source *source, const struct cw_lanes_reader *reader,
                          const struct cw_lane_value *value, uint32_t t, bool *is_late) {
    const struct cw_ins *i = &lanes->fn->ins.at[ins];
    uint64_t name = cw_mix(cw_mix(CW_OP_LOAD, i->type), i->aux);
    name = cw_mix(name, (uint64_t)cw_lane_value_base(value, t).token);
    name = cw_cell_hash(name, cw_lane_value_cell(value, t));
    if (source->versioned)
        name = cw_mix(name, cw_lanes_version(lanes, reader, t, is_late));
    else if (source->changes)
        name = cw_mix(name, cw_lanes_name(cw_ref_ins(ins), context));
    bool own = source->racy || (source->private && cw_lanes_scope(lanes, cw_ref_ins(ins)) > CW_UNI_BLOCK);
    return own ? cw_mix(name, t) : name;
}

static void put_loaded(struct cw_lanes *lanes, uint32_t ins, uint64_t name, uint8_t known, uint32_t t) {
    enum cw_type type = lanes->fn->ins.at[ins].type;
    if (type == CW_PTR) {
        lanes->scratch.base[t] = (struct cw_lane_base){cw_ref_ins(ins), cw_token(name)};
        lanes->scratch.known[t] = CW_NUMBER;
        lanes->scratch.value[t] = 0;
    } else if (type == CW_I1) {
        struct cw_cell c = cw_bdd_cell(lanes, cw_bdd_var(&lanes->f, name, known));
        lanes->scratch.known[t] = c.known;
        lanes->scratch.value[t] = c.value;
    } else {
        lanes->scratch.known[t] = known;
        lanes->scratch.value[t] = cw_token(name);
    }
}

/* What the thread has stored itself, if it is data: a number that others may overwrite is none. */
static void put_own(struct cw_lanes *lanes, struct cw_cell stored, uint32_t t) {
    if (stored.known != CW_FREE && stored.known != CW_RACY)
        return;
    lanes->scratch.known[t] = CW_RACY;
    lanes->scratch.value[t] = stored.value;
}

/* A size kept in memory at a fixed place (a parameter struct, `*n`) is sampled like a parameter. An element of an array
 * that each thread reads by its index, or the first block by its own, is input: it has to be the same for who reads it
 * there. */
static const struct cw_lane_value *sampled_load(struct cw_lanes *lanes, uint32_t ins, const struct source *source,
                                        const struct cw_lane_value *value) {
    const struct cw_ins *i = &lanes->fn->ins.at[ins];
    uint64_t key;
    if (!cw_lanes_one_place(value) || source->known != CW_FREE || source->changes || !cw_type_is_int(i->type) ||
        i->type == CW_I1)
        return NULL;
    if (!cw_lanes_fixed_place(lanes, cw_arg(lanes->fn, i, 0), &key) ||
        cw_lanes_is_spread(lanes, cw_lane_value_base(value, 0).root))
        return lanes->chooses_data ? cw_lanes_data_size(lanes, ins, value) : NULL;
    int64_t v = cw_type_wrap(i->type, cw_lanes_size_in_memory(lanes, ins, (uint32_t)(key % 97)));
    cw_lanes_chose(lanes, i->name, v);
    return cw_lane_value_one(lanes, (struct cw_cell){CW_SAMPLE, v});
}

bool cw_lanes_load_is_steady(struct cw_lanes *lanes, uint32_t ins, const struct cw_context *context) {
    const struct cw_lane_value *p = cw_lane_value_of(lanes, cw_arg(lanes->fn, &lanes->fn->ins.at[ins], 0), context);
    uint32_t n = p->base_mask ? lanes->threads : 1;
    for (uint32_t t = 0; p->base && t < n; t++) {
        struct source s = source_of(lanes, ins, cw_lane_value_base(p, t).root, p, context);
        if (s.changes || s.racy || s.private)
            return false;
    }
    return p->base != NULL;
}

/* What the threads have stored themselves, to arrays or elements of their own, or one of them for all; NULL: not
 * known. */
static const struct cw_lane_value *find_own(struct cw_lanes *lanes, uint32_t ins, const struct cw_context *context,
                                            const struct source *source, const struct cw_lane_value *places) {
    bool is_ordered = source->versioned && !source->racy;
    if (source->private || (is_ordered && cw_lanes_loads_own(lanes, ins, places)))
        return cw_lanes_find_stored(lanes, ins, context, places);
    return is_ordered ? cw_lanes_find_broadcast(lanes, ins, context, places) : NULL;
}

/* How the datum of thread t is known. */
static uint8_t loaded_known(const struct source *source, struct cw_cell offset, bool is_lost, bool is_late) {
    if (is_lost)
        return CW_OPAQUE;
    return cw_worse(is_late ? CW_OPAQUE : source->known, offset.known >= CW_RACY ? offset.known : CW_FREE);
}

const struct cw_lane_value *cw_lanes_load(struct cw_lanes *lanes, uint32_t ins, const struct cw_context *context) {
    const struct cw_ins *i = &lanes->fn->ins.at[ins];
    const struct cw_lane_value *p = cw_lane_value_of(lanes, cw_arg(lanes->fn, i, 0), context);
    if (!p->base || (p->mask == 0 && p->base[0].token == CW_NO_TOKEN))
        return cw_lane_value_fresh(lanes, cw_ref_ins(ins), context, CW_OPAQUE, CW_UNI_DIVERGENT);
    cw_ref root = p->base[0].root;
    struct source s = source_of(lanes, ins, root, p, context);
    const struct cw_lane_value *sampled = sampled_load(lanes, ins, &s, p);
    if (sampled)
        return sampled;
    const struct cw_lane_value *stored = find_own(lanes, ins, context, &s, p);
    if (stored)
        return stored;
    bool own = s.racy || (s.private && cw_lanes_scope(lanes, cw_ref_ins(ins)) > CW_UNI_BLOCK);
    uint32_t threads = !cw_lanes_one_place(p) || own ? lanes->threads : 1;
    struct cw_lanes_reader reader;
    if (s.versioned)
        cw_lanes_version_of(lanes, ins, root.index, s.racy, context, p, &reader);
    const struct cw_lane_value **found = s.versioned && s.racy && p->mask ? cw_lanes_own_stores(lanes, &reader) : NULL;
    for (uint32_t t = 0; t < threads; t++) {
        struct cw_lane_base b = cw_lane_value_base(p, t);
        if (!cw_ref_eq(b.root, root)) {
            root = b.root;
            s = source_of(lanes, ins, root, p, context);
            if (s.versioned)
                cw_lanes_version_of(lanes, ins, root.index, s.racy, context, p, &reader);
        }
        struct cw_cell o = cw_lane_value_cell(p, t);
        bool is_late = false;
        uint64_t name = load_name(lanes, ins, context, &s, &reader, p, t, &is_late);
        bool lost = b.token == CW_NO_TOKEN || (!cw_cell_numeric(o) && o.value == CW_NO_TOKEN);
        put_loaded(lanes, ins, lost ? cw_mix(name, t + 7) : name, loaded_known(&s, o, lost, is_late), t);
        if (found && found[t])
            put_own(lanes, cw_lane_value_cell(found[t], t), t);
    }
    return cw_lane_value_seal(lanes, threads, i->type == CW_PTR);
}
