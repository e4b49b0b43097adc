/* Who writes which memory, and whether what they write is input data.
 *
 * A static walk over the function, once per evaluator and only when a load is asked for. Distinct pointer parameters
 * are taken not to alias, as in uniformity: being pessimistic would make every load of a kernel with an output unknown.
 */
#include "lanes/lanes_internal.h"
#include "uniformity/alias.h"

enum {
    WALK_MAX = 160,
    COPIES_MAX = 3, /* objects copied one into the other that are followed */
    ASKED_MAX = 256 /* objects looked at for one question: what guards a store leads to others, and they to others */
};

uint32_t cw_lanes_root_slot(const struct cw_lanes *lanes, cw_ref root) {
    if (root.tag == CW_REF_OBJECT)
        return root.index;
    return root.tag == CW_REF_PARAM ? lanes->fn->objects.n + root.index : UINT32_MAX;
}

/* ---- roots of a pointer ---- */

struct walk {
    cw_ref at[WALK_MAX];
    uint32_t n;
    bool overflow;
};

static void walk_add(struct walk *walk, cw_ref ref) {
    for (uint32_t k = 0; k < walk->n; k++)
        if (cw_ref_eq(walk->at[k], ref))
            return;
    if (walk->n == WALK_MAX)
        walk->overflow = true;
    else
        walk->at[walk->n++] = ref;
}

/* Operands through which a pointer keeps pointing into the same object. */
static bool follow_pointer(const struct cw_lanes *lanes, const struct cw_ins *ins, struct walk *walk) {
    switch (ins->op) {
    case CW_OP_PHI:
        for (uint32_t k = 0; k < ins->narg; k++)
            walk_add(walk, cw_arg(lanes->fn, ins, k));
        return true;
    case CW_OP_SELECT:
        walk_add(walk, cw_arg(lanes->fn, ins, 1));
        walk_add(walk, cw_arg(lanes->fn, ins, 2));
        return true;
    case CW_OP_ADD:
        walk_add(walk, cw_arg(lanes->fn, ins, 1)); /* integers on the way to INTTOPTR */
        walk_add(walk, cw_arg(lanes->fn, ins, 0));
        return true;
    case CW_OP_PTRADD:
    case CW_OP_COPY:
    case CW_OP_INTTOPTR:
    case CW_OP_PTRTOINT:
    case CW_OP_CVTA:
    case CW_OP_MATRIXPTR:
    case CW_OP_SUB:
        walk_add(walk, cw_arg(lanes->fn, ins, 0));
        return true;
    default:
        return false;
    }
}

/* Calls `found` for each root; a pointer whose root cannot be seen gives CW_NONE. */
static void each_root(struct cw_lanes *lanes, cw_ref pointer, void (*found)(struct cw_lanes *, cw_ref, void *),
                      void *ctx) {
    struct walk w = {.n = 0};
    walk_add(&w, pointer);
    for (uint32_t k = 0; k < w.n; k++) {
        cw_ref r = w.at[k];
        const struct cw_ins *i = cw_ins_of(lanes->fn, r);
        if (r.tag == CW_REF_OBJECT || (r.tag == CW_REF_PARAM && cw_ref_type(lanes->fn, r) == CW_PTR))
            found(lanes, r, ctx);
        else if (i && !follow_pointer(lanes, i, &w) && (i->type == CW_PTR || cw_ref_type(lanes->fn, pointer) != CW_PTR))
            found(lanes, CW_NONE, ctx);
    }
    if (w.overflow)
        found(lanes, CW_NONE, ctx);
}

/* ---- writers ---- */

/* A pointer that was read from a place with a name, `__device__ float *y`, reaches no variable (uniformity/alias.h). */
static bool is_named(const struct cw_lanes *lanes, cw_ref pointer) {
    struct cw_bases bases = cw_memory_bases(lanes->fn, pointer);
    for (uint32_t k = 0; k < bases.n; k++)
        if (bases.at[k].root.tag == CW_REF_NONE)
            return false;
    return true;
}

static void add_writer(struct cw_lanes *lanes, cw_ref root, void *ctx) {
    const struct cw_lane_writer *w = ctx;
    uint32_t slot = cw_lanes_root_slot(lanes, root);
    if (slot != UINT32_MAX) {
        cw_vec_push(lanes->a, &lanes->memo.memory->writers[slot], *w);
        return;
    }
    lanes->memo.memory->far = true;
    lanes->memo.memory->wild |= !is_named(lanes, w->pointer);
}

static void add_escape(struct cw_lanes *lanes, cw_ref root, void *ctx) {
    (void)ctx;
    uint32_t slot = cw_lanes_root_slot(lanes, root);
    if (slot != UINT32_MAX)
        lanes->memo.memory->escapes[slot] = true;
}

static void add_call(struct cw_lanes *lanes, const struct cw_ins *ins) {
    lanes->memo.memory->calls = true;
    for (uint32_t k = 0; k < ins->narg; k++)
        if (cw_ref_type(lanes->fn, cw_arg(lanes->fn, ins, k)) == CW_PTR)
            each_root(lanes, cw_arg(lanes->fn, ins, k), add_escape, NULL);
}

static void note_writer(struct cw_lanes *lanes, uint32_t ins) {
    const struct cw_ins *i = &lanes->fn->ins.at[ins];
    struct cw_lane_writer w = {ins, CW_NONE, CW_NONE};
    switch (i->op) {
    case CW_OP_STORE:
        w.stored = cw_arg(lanes->fn, i, 0);
        w.pointer = cw_arg(lanes->fn, i, 1);
        if (cw_ref_type(lanes->fn, w.stored) == CW_PTR)
            each_root(lanes, w.stored, add_escape, NULL);
        each_root(lanes, cw_arg(lanes->fn, i, 1), add_writer, &w);
        break;
    case CW_OP_OPCALL:
    case CW_OP_CALL:
    case CW_OP_ASM:
        add_call(lanes, i);
        break;
    default:
        if ((cw_op_flags(i->op) & CW_OP_W) && i->narg > 0 &&
            cw_ref_type(lanes->fn, cw_arg(lanes->fn, i, 0)) == CW_PTR) {
            w.pointer = cw_arg(lanes->fn, i, 0);
            each_root(lanes, w.pointer, add_writer, &w);
        }
    }
}

/* ---- arrays of data ---- */

static void add_spread(struct cw_lanes *lanes, cw_ref root, void *ctx) {
    uint32_t slot = cw_lanes_root_slot(lanes, root);
    (void)ctx;
    if (slot != UINT32_MAX)
        cw_bitset_add(&lanes->memo.spread, slot);
}

/* In the first block, what each block reads by its index may be an element at a fixed place. */
bool cw_lanes_is_spread(struct cw_lanes *lanes, cw_ref root) {
    uint32_t slot = cw_lanes_root_slot(lanes, root);
    bool is_first = !(lanes->ctaid[0] | lanes->ctaid[1] | lanes->ctaid[2]) && !lanes->chooses_data;
    enum cw_uni apart = is_first ? CW_UNI_GRID : CW_UNI_BLOCK;
    if (!lanes->memo.spread.word) {
        lanes->memo.spread = cw_bitset_new(lanes->a, lanes->fn->objects.n + lanes->fn->params.n + 1);
        for (uint32_t k = 0; lanes->u && k < lanes->fn->ins.n; k++) {
            const struct cw_ins *i = &lanes->fn->ins.at[k];
            if (i->op == CW_OP_LOAD && cw_lanes_scope(lanes, cw_arg(lanes->fn, i, 0)) > apart)
                each_root(lanes, cw_arg(lanes->fn, i, 0), add_spread, NULL);
        }
    }
    return slot != UINT32_MAX && cw_bitset_has(&lanes->memo.spread, slot);
}

const struct cw_lane_memory *cw_lanes_memory(struct cw_lanes *lanes) {
    if (lanes->memo.memory)
        return lanes->memo.memory;
    uint32_t n = lanes->fn->objects.n + lanes->fn->params.n + 1;
    lanes->memo.memory = CW_NEW(lanes->a, struct cw_lane_memory);
    lanes->memo.memory->writers = CW_NEW_ARRAY(lanes->a, struct cw_lane_writers, n);
    lanes->memo.memory->escapes = CW_NEW_ARRAY(lanes->a, bool, n);
    cw_map_init(&lanes->memo.memory->content, lanes->a);
    for (uint32_t b = 0; b < lanes->fn->blocks.n; b++)
        for (uint32_t k = 0; k < lanes->fn->blocks.at[b].ins.n; k++)
            note_writer(lanes, lanes->fn->blocks.at[b].ins.at[k]);
    return lanes->memo.memory;
}

/* ---- contents ---- */

/* What stored values are made of. */
struct make {
    struct walk walk;
    bool input, own, unknown; /* of the store looked at: outside data, the object itself, something opaque */
    uint32_t self, depth;
    struct cw_part part, from; /* part: of `self`; from: that the value looked at is loaded from */
};

static uint8_t judge_content(struct cw_lanes *l, uint32_t slot, struct cw_part part, uint32_t depth);

/* ---- parts of objects ---- */

static const struct cw_part whole = {.lo = INT64_MIN, .hi = INT64_MAX};

struct cw_part cw_lanes_part(const struct cw_lanes *lanes, cw_ref pointer, uint64_t bytes) {
    struct cw_bases bases = cw_memory_bases(lanes->fn, pointer);
    const struct cw_base *base = &bases.at[0];
    uint64_t size = base->exact ? bytes : base->extent;
    struct cw_part part = whole;
    if (bases.n != 1 || base->is_read || base->root.tag != CW_REF_OBJECT || base->array != CW_ARRAY_ANY)
        return whole;
    if (size)
        part = (struct cw_part){.lo = base->offset, .hi = base->offset + (int64_t)size - 1};
    bool has_array = base->inner && base->outer_step;
    if (!base->exact && has_array)
        part.member = (struct cw_strided){base->rest, base->outer_step, base->inner};
    else if (!base->exact && bytes && base->step > bytes)
        part.member = (struct cw_strided){base->rest, base->step, bytes};
    return part;
}

/* The members, or else all bytes of the part; 0 bytes: the whole object. */
static struct cw_strided bytes_of_part(struct cw_part part) {
    if (part.member.stride)
        return part.member;
    return (struct cw_strided){part.lo, 0, part.lo == whole.lo ? 0 : (uint64_t)(part.hi - part.lo) + 1};
}

bool cw_lanes_parts_meet(struct cw_part part, struct cw_part other) {
    struct cw_strided one = bytes_of_part(part), two = bytes_of_part(other);
    return part.lo <= other.hi && other.lo <= part.hi && !cw_strided_are_apart(&one, &two);
}

static bool is_part_of(struct cw_part part, struct cw_part other) {
    return part.lo >= other.lo && part.hi <= other.hi &&
           (!other.member.stride ||
            (part.member.stride == other.member.stride && part.member.first == other.member.first &&
             part.member.bytes == other.member.bytes));
}

static uint64_t hash_part(struct cw_part part) {
    uint64_t hash = cw_mix(cw_mix((uint64_t)part.lo, (uint64_t)part.hi), part.member.stride);
    return cw_mix(cw_mix(hash, part.member.bytes), (uint64_t)part.member.first);
}

/* What the instruction writes of an object, as far as its pointer says. */
static struct cw_part part_written(const struct cw_lanes *lanes, const struct cw_lane_writer *writer) {
    const struct cw_ins *i = &lanes->fn->ins.at[writer->ins];
    bool is_plain = i->op == CW_OP_STORE || i->op == CW_OP_ATOMIC;
    return is_plain ? cw_lanes_part(lanes, writer->pointer, i->op == CW_OP_STORE ? i->aux : 0) : whole;
}

static bool is_device_slot(const struct cw_lanes *lanes, uint32_t slot) {
    return slot >= lanes->fn->objects.n || lanes->fn->objects.at[slot].space == CW_SPACE_GLOBAL;
}

static void loaded_root(struct cw_lanes *lanes, cw_ref root, void *ctx) {
    struct make *m = ctx;
    uint32_t slot = cw_lanes_root_slot(lanes, root);
    if (slot == UINT32_MAX) {
        m->input = true; /* through a loaded pointer: data from outside */
        return;
    }
    const struct cw_object *o = root.tag == CW_REF_OBJECT ? &lanes->fn->objects.at[slot] : NULL;
    if (o && (o->space == CW_SPACE_CONSTANT || o->space == CW_SPACE_PARAM))
        m->input = true;
    else if (is_device_slot(lanes, slot))
        m->input = true; /* holds input to begin with */
    else {
        bool is_self = slot == m->self && is_part_of(m->from, m->part);
        uint8_t other = is_self ? CW_CONTENT_ASKED : judge_content(lanes, slot, m->from, m->depth + 1);
        m->input |= other == CW_CONTENT_INPUT;
        m->unknown |= other == CW_CONTENT_UNKNOWN;
        m->own |= other == CW_CONTENT_ASKED;
    }
}

static void made_of(struct cw_lanes *lanes, struct make *make, const struct cw_ins *ins) {
    if (ins->op == CW_OP_LOAD) {
        make->from = cw_lanes_part(lanes, cw_arg(lanes->fn, ins, 0), ins->aux);
        each_root(lanes, cw_arg(lanes->fn, ins, 0), loaded_root, make);
        return;
    }
    if (ins->op == CW_OP_ATOMIC ||
        (ins->op == CW_OP_OPAQUE && (ins->aux == CW_BAIL_TEXTURE || ins->aux == CW_BAIL_INPUT))) {
        make->input = true;
        return;
    }
    bool through = (cw_op_flags(ins->op) & (CW_OP_P | CW_OP_C)) != 0;
    if (!through)
        make->unknown = true;
    for (uint32_t k = 0; through && k < ins->narg; k++)
        walk_add(&make->walk, cw_arg(lanes->fn, ins, k));
}

/* One number for the whole grid, as a constant is. */
static bool is_scalar_argument(const struct cw_lanes *lanes, cw_ref ref) {
    return ref.tag == CW_REF_PARAM && lanes->fn->kind == CW_FN_KERNEL && lanes->fn->params.at[ref.index].type != CW_PTR;
}

static void look_at_value(struct cw_lanes *lanes, struct make *make, cw_ref value) {
    make->walk.n = 0;
    make->walk.overflow = false;
    walk_add(&make->walk, value);
    for (uint32_t k = 0; k < make->walk.n; k++) {
        const struct cw_ins *d = cw_ins_of(lanes->fn, make->walk.at[k]);
        if (d)
            made_of(lanes, make, d);
        make->input |= is_scalar_argument(lanes, make->walk.at[k]); /* `y * width + x`: the host chooses */
    }
    make->unknown |= make->walk.overflow;
}

/* Does input decide which of several numbers the value is: a count of what it has found, a flag? */
static bool is_chosen_by_input(struct cw_lanes *lanes, const struct make *make) {
    const struct cw_fn *fn = lanes->fn;
    struct make by = {.self = make->self, .depth = make->depth, .part = make->part};
    for (uint32_t k = 0; k < make->walk.n && !by.unknown && !by.input; k++) {
        const struct cw_ins *phi = cw_ins_of(fn, make->walk.at[k]);
        uint32_t loop = phi ? fn->cfg->loop_of[phi->block] : CW_NO_LOOP;
        bool is_join = phi && phi->op == CW_OP_PHI &&
                       (loop == CW_NO_LOOP || fn->cfg->loops.at[loop].header != phi->block);
        if (is_join)
            look_at_value(lanes, &by, fn->blocks.at[fn->cfg->idom[phi->block]].jump.value);
    }
    return by.input && !by.unknown;
}

/* One number for the whole block, as its index is; made without input. */
static bool is_of_block(const struct cw_lanes *lanes, cw_ref ref) {
    return lanes->fn->kind == CW_FN_KERNEL && cw_lanes_scope(lanes, ref) <= CW_UNI_BLOCK;
}

static void look_at_stored(struct cw_lanes *lanes, struct make *make, cw_ref stored) {
    if (stored.tag == CW_REF_CONST || is_scalar_argument(lanes, stored)) {
        make->own = true;
        return;
    }
    look_at_value(lanes, make, stored);
    make->input |= !make->own && !make->unknown && is_chosen_by_input(lanes, make);
    make->own |= !make->input && !make->unknown && is_of_block(lanes, stored);
}

/* An atomic leaves what it makes of its operands and of what was there. */
static void look_at_operands(struct cw_lanes *lanes, struct make *make, const struct cw_ins *atomic) {
    for (uint32_t k = 1; k < atomic->narg; k++)
        look_at_stored(lanes, make, cw_arg(lanes->fn, atomic, k));
}

static void look_at_store(struct cw_lanes *lanes, struct make *make, const struct cw_lane_writer *lane_writer) {
    const struct cw_ins *i = &lanes->fn->ins.at[lane_writer->ins];
    make->input = make->own = false;
    make->from = whole;
    if (i->op == CW_OP_MEMSET)
        make->own = true;
    else if (i->op == CW_OP_MEMCOPY || i->op == CW_OP_ASYNCCOPY)
        each_root(lanes, cw_arg(lanes->fn, i, 1), loaded_root, make);
    else if (i->op == CW_OP_ATOMIC)
        look_at_operands(lanes, make, i);
    else if (lane_writer->stored.tag == CW_REF_NONE)
        make->unknown = true;
    else
        look_at_stored(lanes, make, lane_writer->stored);
}

static bool decided_by(void *ctx, struct cw_edge e);

struct guard {
    struct cw_lanes *l;
    struct make m;
    bool input, by_thread; /* input decides; for each thread by itself */
};

/* Does input decide whether the store happens? Then it decides which of several constants is there. */
static bool is_input_guarded(struct cw_lanes *lanes, const struct make *make,
                             const struct cw_lane_writer *lane_writer) {
    struct guard g = {.l = lanes, .m = {.self = make->self, .depth = make->depth, .part = make->part}};
    cw_cfg_controls(lanes->fn, lanes->fn->ins.at[lane_writer->ins].block, decided_by, &g);
    return g.input && !g.m.unknown;
}

static bool decided_by(void *ctx, struct cw_edge edge) {
    struct guard *g = ctx;
    g->m.input = false;
    look_at_value(g->l, &g->m, g->l->fn->blocks.at[edge.block].jump.value);
    g->input |= g->m.input;
    g->by_thread |=
        g->m.input && cw_lanes_scope(g->l, g->l->fn->blocks.at[edge.block].jump.value) == CW_UNI_DIVERGENT;
    return !g->m.unknown;
}

/* Is the place one for the whole block, and input decides which threads write there? It then holds what one of them has
 * brought. */
static bool is_chosen_writer(struct cw_lanes *lanes, const struct cw_lane_writer *writer, bool is_guarded) {
    return is_guarded && cw_lanes_scope(lanes, writer->pointer) <= CW_UNI_BLOCK;
}

/* Input when some store brings outside data, or happens when that says so, and no store brings anything the code
 * alone decides, such as a thread index, unless input decides which thread brings it; constants beside input are
 * initial values. ASKED: nothing but itself, or an object that is being asked about. */
static uint8_t content_by_stores(struct cw_lanes *lanes, uint32_t slot, struct cw_part part, uint32_t depth) {
    const struct cw_lane_writers *w = &cw_lanes_memory(lanes)->writers[slot];
    struct make m = {.self = slot, .depth = depth, .part = part};
    bool input = false;
    for (uint32_t k = 0; k < w->n; k++) {
        if (!cw_lanes_parts_meet(part, part_written(lanes, &w->at[k])))
            continue;
        look_at_store(lanes, &m, &w->at[k]);
        if (m.unknown)
            return CW_CONTENT_UNKNOWN;
        bool is_guarded = w->n > 1 && !m.input && is_input_guarded(lanes, &m, &w->at[k]);
        if (!m.input && !m.own && !is_chosen_writer(lanes, &w->at[k], is_guarded))
            return CW_CONTENT_UNKNOWN;
        input |= m.input || is_guarded;
    }
    return input ? CW_CONTENT_INPUT : CW_CONTENT_ASKED;
}

static uint8_t judge_content(struct cw_lanes *lanes, uint32_t slot, struct cw_part part, uint32_t depth) {
    const struct cw_lane_memory *m = cw_lanes_memory(lanes);
    struct cw_map *memo = &lanes->memo.memory->content;
    uint64_t key = cw_mix(slot + 1, hash_part(part)), known;
    if (cw_map_get(memo, key, &known) && known != CW_CONTENT_UNASKED)
        return (uint8_t)known;
    if (depth > COPIES_MAX || m->escapes[slot] || cw_lanes_is_exposed(lanes, slot) ||
        lanes->memo.memory->content_asked++ >= ASKED_MAX)
        return CW_CONTENT_UNKNOWN;
    cw_map_put(memo, key, CW_CONTENT_ASKED);
    uint8_t found = content_by_stores(lanes, slot, part, depth);
    /* An answer that leans on an object still being asked about is not kept. */
    cw_map_put(memo, key, depth ? CW_CONTENT_UNASKED : found);
    return found;
}

bool cw_lanes_is_exposed(struct cw_lanes *lanes, uint32_t slot) {
    if (!cw_lanes_memory(lanes)->wild || is_device_slot(lanes, slot) || !lanes->u)
        return lanes->memo.memory->wild;
    return lanes->fn->objects.at[slot].space == CW_SPACE_UNKNOWN || cw_bitset_has(&lanes->u->escaped, slot);
}

/* Can input data decide what that part of the object holds? */
bool cw_lanes_holds_input(struct cw_lanes *lanes, uint32_t slot, struct cw_part part) {
    cw_lanes_memory(lanes);
    lanes->memo.memory->content_asked = 0;
    return judge_content(lanes, slot, part, 0) == CW_CONTENT_INPUT;
}

bool cw_lanes_elements_vary(struct cw_lanes *lanes, uint32_t slot, struct cw_part part) {
    const struct cw_lane_writers *w = &cw_lanes_memory(lanes)->writers[slot];
    bool varies = false, is_written = false;
    for (uint32_t k = 0; k < w->n && !varies; k++) {
        struct guard g = {.l = lanes, .m = {.self = slot, .part = part}};
        if (!cw_lanes_parts_meet(part, part_written(lanes, &w->at[k])))
            continue;
        is_written = true;
        varies = w->at[k].stored.tag == CW_REF_NONE || cw_lanes_scope(lanes, w->at[k].stored) == CW_UNI_DIVERGENT ||
                 cw_lanes_scope(lanes, w->at[k].pointer) != CW_UNI_DIVERGENT;
        if (!varies)
            cw_cfg_controls(lanes->fn, lanes->fn->ins.at[w->at[k].ins].block, decided_by, &g);
        varies |= g.by_thread && !g.m.unknown;
    }
    return varies || !is_written;
}

bool cw_lanes_fixed_place(const struct cw_lanes *lanes, cw_ref pointer, uint64_t *key) {
    int64_t offset = 0, step;
    for (uint32_t depth = 0; depth < 8; depth++) {
        const struct cw_ins *i = cw_ins_of(lanes->fn, pointer);
        if (!i) {
            *key = cw_mix(cw_mix(5, cw_ref_bits(pointer)), (uint64_t)offset);
            return pointer.tag == CW_REF_OBJECT || pointer.tag == CW_REF_PARAM;
        }
        if (i->op != CW_OP_PTRADD || !cw_ref_const(lanes->fn, cw_arg(lanes->fn, i, 1), &step))
            return false;
        offset += step;
        pointer = cw_arg(lanes->fn, i, 0);
    }
    return false;
}
