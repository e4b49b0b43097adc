/* SSA construction: local objects become values, field by field (fields.h says which).
 *
 * requires: linked preds; values dominate their uses. computes: SSA for every LOCAL object whose address is only used
 * by loads, stores, copies and sets at constant offsets that fall into disjoint fields; copies between such objects or
 * with memory are split into their fields. Runs until nothing more can be promoted: promoting a pointer variable
 * (`this`, a reference) uncovers the object it points to. preserves: the order and places of all other accesses.
 *
 * Cytron, Ferrante, Rosen, Wegman, Zadeck, "Efficiently Computing Static Single Assignment Form" (1991), with PHIs
 * only where the variable is live (Choi, Cytron, Ferrante 1991). */
#include "ir/edit.h"

#include "base/require.h"
#include "ir/fields.h"

enum { MAX_ROUNDS = 8 /* depth of pointers to pointers */ };

/* A field of a promoted object. */
struct var {
    uint32_t object;
    enum cw_type type;
    const char *name;
    struct cw_vec_u32 defs, uses; /* blocks that write it; blocks that read it before they write it */
};

struct new_phi {
    uint32_t ins, var;
};

struct edge {
    uint32_t block, at; /* a successor, and the position of this edge in its pred list */
};

struct saved {
    uint32_t var;
    cw_ref value;
};

struct promoter {
    struct cw_fn *fn;
    struct cw_arena *scratch;
    struct cw_order_of_blocks order;
    struct cw_locals locals;
    struct cw_fields_of fields;
    struct var *vars;
    struct cw_vec_u32 *frontier;
    CW_VEC(struct new_phi) *phis; /* by block; at the front of its list */
    CW_VEC(struct edge) *out;     /* by block */
    cw_ref *value;                /* variable -> value at the point of the walk */
    CW_VEC(struct saved) undo;
    cw_ref *replaced; /* instruction -> value instead of it, or CW_NONE */
    uint32_t nreplaced;
    struct cw_vec_u32 list; /* the block being rewritten */
    uint32_t block;
};

static bool is_promoted(const struct promoter *promoter, uint32_t object) {
    return cw_fields_promoted(&promoter->fields, object);
}

static struct cw_pointee pointee_of(const struct promoter *promoter, const struct cw_ins *ins, uint32_t k) {
    return cw_locals_pointee(&promoter->locals, cw_arg(promoter->fn, ins, k));
}

/* ---- variables ---- */

static const char *var_name(struct promoter *promoter, uint32_t object, const struct cw_field *field) {
    const struct cw_object *o = &promoter->fn->objects.at[object];
    if (!o->name || (field->offset == 0 && (o->size == field->size || promoter->fields.of[object].list.n == 1)))
        return o->name;
    const char *name = cw_arena_printf(promoter->scratch, "%s.%lld", o->name, (long long)field->offset);
    return cw_intern(&promoter->fn->module->names, name);
}

static void make_vars(struct promoter *promoter) {
    promoter->vars = CW_NEW_ARRAY(promoter->scratch, struct var, promoter->fields.nvars + 1);
    for (uint32_t o = 0; o < promoter->fn->objects.n; o++) {
        const struct cw_fields *f = &promoter->fields.of[o];
        for (uint32_t k = 0; f->promote && k < f->list.n; k++) {
            struct var *v = &promoter->vars[f->first_var + k];
            *v = (struct var){.object = o, .type = f->list.at[k].type, .name = var_name(promoter, o, &f->list.at[k])};
        }
    }
}

/* ---- where PHIs go ---- */

static void use_var(struct promoter *promoter, uint32_t var, uint32_t block) {
    struct var *v = &promoter->vars[var];
    bool defined = v->defs.n && cw_vec_last(&v->defs) == block;
    if (!defined && !(v->uses.n && cw_vec_last(&v->uses) == block))
        cw_vec_push(promoter->scratch, &v->uses, block);
}

static void def_var(struct promoter *promoter, uint32_t var, uint32_t block) {
    struct var *v = &promoter->vars[var];
    if (!(v->defs.n && cw_vec_last(&v->defs) == block))
        cw_vec_push(promoter->scratch, &v->defs, block);
}

static void touch_fields(struct promoter *promoter, struct cw_pointee in, uint32_t bytes, uint32_t block, bool writes) {
    if (!is_promoted(promoter, in.object))
        return;
    const struct cw_fields *f = &promoter->fields.of[in.object];
    for (uint32_t k = 0; k < f->list.n; k++) {
        if (!cw_field_within(&f->list.at[k], in.offset, bytes))
            continue;
        if (writes)
            def_var(promoter, f->first_var + k, block);
        else
            use_var(promoter, f->first_var + k, block);
    }
}

static void note_accesses(struct promoter *promoter, uint32_t block) {
    const struct cw_block *b = &promoter->fn->blocks.at[block];
    for (uint32_t k = 0; k < b->ins.n; k++) {
        const struct cw_ins *i = &promoter->fn->ins.at[b->ins.at[k]];
        if (i->op == CW_OP_LOAD)
            touch_fields(promoter, pointee_of(promoter, i, 0), i->aux, block, false);
        else if (i->op == CW_OP_STORE)
            touch_fields(promoter, pointee_of(promoter, i, 1), i->aux, block, true);
        if (i->op == CW_OP_MEMCOPY)
            touch_fields(promoter, pointee_of(promoter, i, 1), i->aux, block, false);
        if (i->op == CW_OP_MEMCOPY || i->op == CW_OP_MEMSET)
            touch_fields(promoter, pointee_of(promoter, i, 0), i->aux, block, true);
    }
}

/* Cooper, Harvey, Kennedy's frontiers: from each predecessor of a join up to the join's dominator. */
static void find_frontiers(struct promoter *promoter) {
    promoter->frontier = CW_NEW_ARRAY(promoter->scratch, struct cw_vec_u32, promoter->fn->blocks.n);
    for (uint32_t k = 0; k < promoter->order.n; k++) {
        uint32_t b = promoter->order.rpo[k];
        const struct cw_vec_u32 *pred = &promoter->fn->blocks.at[b].pred;
        for (uint32_t e = 0; pred->n >= 2 && e < pred->n; e++)
            for (uint32_t up = pred->at[e]; up != promoter->order.idom[b]; up = promoter->order.idom[up]) {
                struct cw_vec_u32 *f = &promoter->frontier[up];
                if (f->n && cw_vec_last(f) == b)
                    break; /* this way has been walked for b already */
                cw_vec_push(promoter->scratch, f, b);
            }
    }
}

/* Marks, per variable, with the variable's number + 1: no clearing between variables. */
struct marks {
    uint32_t *defines, *live, *has_phi, *queued;
    struct cw_vec_u32 work;
};

static void find_live(struct promoter *promoter, uint32_t var, struct marks *marks) {
    const struct var *v = &promoter->vars[var];
    marks->work.n = 0;
    for (uint32_t k = 0; k < v->defs.n; k++)
        marks->defines[v->defs.at[k]] = var + 1;
    for (uint32_t k = 0; k < v->uses.n; k++) {
        marks->live[v->uses.at[k]] = var + 1;
        cw_vec_push(promoter->scratch, &marks->work, v->uses.at[k]);
    }
    while (marks->work.n) {
        const struct cw_vec_u32 *pred = &promoter->fn->blocks.at[marks->work.at[--marks->work.n]].pred;
        for (uint32_t k = 0; k < pred->n; k++) {
            uint32_t b = pred->at[k];
            if (marks->defines[b] == var + 1 || marks->live[b] == var + 1)
                continue;
            marks->live[b] = var + 1;
            cw_vec_push(promoter->scratch, &marks->work, b);
        }
    }
}

static void add_phi(struct promoter *promoter, uint32_t var, uint32_t block) {
    const struct var *v = &promoter->vars[var];
    uint32_t npred = promoter->fn->blocks.at[block].pred.n;
    cw_ref *args = CW_NEW_ARRAY(promoter->scratch, cw_ref, npred);
    for (uint32_t k = 0; k < npred; k++)
        args[k] = cw_fn_undef(v->type);
    uint32_t loc = promoter->fn->objects.at[v->object].loc;
    uint32_t index = cw_fn_new_ins(promoter->fn, CW_OP_PHI, v->type, 0, args, npred, loc);
    promoter->fn->ins.at[index].name = v->name;
    promoter->fn->ins.at[index].block = block;
    cw_vec_push(promoter->scratch, &promoter->phis[block], ((struct new_phi){index, var}));
}

static void place_phis(struct promoter *promoter, uint32_t var, struct marks *marks) {
    const struct var *v = &promoter->vars[var];
    if (v->uses.n == 0)
        return; /* never read in a block other than the one that wrote it */
    find_live(promoter, var, marks);
    marks->work.n = 0;
    for (uint32_t k = 0; k < v->defs.n; k++)
        cw_vec_push(promoter->scratch, &marks->work, v->defs.at[k]);
    while (marks->work.n) {
        const struct cw_vec_u32 *f = &promoter->frontier[marks->work.at[--marks->work.n]];
        for (uint32_t k = 0; k < f->n; k++) {
            uint32_t b = f->at[k];
            if (marks->live[b] != var + 1 || marks->has_phi[b] == var + 1)
                continue;
            marks->has_phi[b] = var + 1;
            add_phi(promoter, var, b);
            cw_vec_push(promoter->scratch, &marks->work, b);
        }
    }
}

static void place_all_phis(struct promoter *promoter) {
    uint32_t n = promoter->fn->blocks.n;
    struct marks m = {.defines = CW_NEW_ARRAY(promoter->scratch, uint32_t, n),
                      .live = CW_NEW_ARRAY(promoter->scratch, uint32_t, n),
                      .has_phi = CW_NEW_ARRAY(promoter->scratch, uint32_t, n)};
    promoter->phis = cw_arena_alloc(promoter->scratch, sizeof *promoter->phis * n);
    for (uint32_t k = 0; k < promoter->order.n; k++)
        note_accesses(promoter, promoter->order.rpo[k]);
    find_frontiers(promoter);
    for (uint32_t v = 0; v < promoter->fields.nvars; v++)
        place_phis(promoter, v, &m);
}

/* ---- renaming ---- */

static cw_ref resolve_ref(const struct promoter *promoter, cw_ref ref) {
    if (ref.tag == CW_REF_INS && ref.index < promoter->nreplaced && promoter->replaced[ref.index].tag != CW_REF_NONE)
        return promoter->replaced[ref.index];
    return ref;
}

/* An instruction made in place of `like`, at the end of the block being rewritten. */
static cw_ref append_ins(struct promoter *promoter, const struct cw_ins *like, enum cw_op op, enum cw_type type,
                         uint32_t aux, const cw_ref *args, uint32_t narg) {
    uint32_t index = cw_fn_new_ins(promoter->fn, op, type, aux, args, narg, like->loc);
    promoter->fn->ins.at[index].block = promoter->block;
    cw_vec_push(promoter->fn->arena, &promoter->list, index);
    return cw_ref_ins(index);
}

/* The same bits as another type of the same size. */
static cw_ref convert_bits(struct promoter *promoter, const struct cw_ins *like, cw_ref ref, enum cw_type to) {
    enum cw_type from = cw_ref_type(promoter->fn, ref);
    if (from == to)
        return ref;
    if (ref.tag == CW_REF_UNDEF)
        return cw_fn_undef(to);
    enum cw_op op = cw_edit_cast(from, to);
    return append_ins(promoter, like, op, to, op == CW_OP_PURE ? cw_fn_add_text(promoter->fn, "bits") : 0, &ref, 1);
}

static void set_var(struct promoter *promoter, const struct cw_ins *like, uint32_t var, cw_ref ref) {
    ref = convert_bits(promoter, like, ref, promoter->vars[var].type);
    struct cw_ins *made = cw_ins_of(promoter->fn, ref);
    if (made && !made->name && made->op != CW_OP_OPCALL) /* its name is the callee's */
        made->name = promoter->vars[var].name;
    cw_vec_push(promoter->scratch, &promoter->undo, ((struct saved){var, promoter->value[var]}));
    promoter->value[var] = ref;
}

static cw_ref get_var(const struct promoter *promoter, uint32_t var) {
    cw_require(var < promoter->fields.nvars);
    cw_ref v = promoter->value[var];
    return v.tag == CW_REF_NONE ? cw_fn_undef(promoter->vars[var].type) : v;
}

static cw_ref pointer_plus(struct promoter *promoter, const struct cw_ins *like, cw_ref base, int64_t by) {
    if (by == 0)
        return base;
    cw_ref args[] = {base, cw_fn_const(promoter->fn, CW_I64, by)};
    return append_ins(promoter, like, CW_OP_PTRADD, CW_PTR, 0, args, 2);
}

static void mark_like(struct promoter *promoter, const struct cw_ins *like, cw_ref made) {
    struct cw_ins *i = cw_ins_of(promoter->fn, made);
    i->flags = like->flags;
    i->intrinsic = like->intrinsic;
}

static cw_ref load_field(struct promoter *promoter, const struct cw_ins *like, cw_ref base, int64_t by, uint32_t bytes,
                         enum cw_type type) {
    cw_ref from = pointer_plus(promoter, like, base, by);
    cw_ref made = append_ins(promoter, like, CW_OP_LOAD, type, bytes, &from, 1);
    mark_like(promoter, like, made);
    return made;
}

static void store_field(struct promoter *promoter, const struct cw_ins *like, cw_ref ref, cw_ref base, int64_t by,
                        uint32_t bytes) {
    cw_ref args[] = {ref, pointer_plus(promoter, like, base, by)};
    mark_like(promoter, like, append_ins(promoter, like, CW_OP_STORE, CW_VOID, bytes, args, 2));
}

/* All fields are read before any is written: the two sides may be the same object. */
static void split_copy(struct promoter *promoter, const struct cw_ins *ins) {
    cw_ref to = resolve_ref(promoter, cw_arg(promoter->fn, ins, 0)),
           from = resolve_ref(promoter, cw_arg(promoter->fn, ins, 1));
    struct cw_pointee dst = pointee_of(promoter, ins, 0), src = pointee_of(promoter, ins, 1);
    bool reads_vars = is_promoted(promoter, src.object), writes_vars = is_promoted(promoter, dst.object);
    struct cw_pointee lead = writes_vars ? dst : src; /* whose fields are walked */
    const struct cw_fields *f = &promoter->fields.of[lead.object];
    cw_ref values[CW_MAX_FIELDS] = {0};
    for (uint32_t k = 0; k < f->list.n; k++) {
        const struct cw_field *x = &f->list.at[k];
        int64_t by = x->offset - lead.offset;
        if (!cw_field_within(x, lead.offset, ins->aux))
            continue;
        struct cw_pointee there = {src.object, src.offset + by, true};
        if (reads_vars)
            values[k] = get_var(promoter, cw_fields_var(&promoter->fields, there, x->size));
        else
            values[k] = load_field(promoter, ins, from, by, x->size, x->type);
    }
    for (uint32_t k = 0; k < f->list.n; k++) {
        const struct cw_field *x = &f->list.at[k];
        if (!cw_field_within(x, lead.offset, ins->aux))
            continue;
        if (writes_vars)
            set_var(promoter, ins, f->first_var + k, values[k]);
        else
            store_field(promoter, ins, values[k], to, x->offset - lead.offset, x->size);
    }
}

/* What a field holds after all its bytes were set to one byte. */
static cw_ref splat_byte(struct promoter *promoter, const struct cw_ins *like, cw_ref byte, enum cw_type type) {
    int64_t b = 0;
    bool known = cw_ref_const(promoter->fn, byte, &b);
    if (known && (b == 0 || cw_type_is_int(type)))
        return cw_fn_const(promoter->fn, type, (int64_t)((uint64_t)(b & 0xff) * 0x0101010101010101u));
    return append_ins(promoter, like, CW_OP_PURE, type, cw_fn_add_text(promoter->fn, "splat"), &byte, 1);
}

static void split_set(struct promoter *promoter, const struct cw_ins *ins) {
    struct cw_pointee dst = pointee_of(promoter, ins, 0);
    cw_ref byte = resolve_ref(promoter, cw_arg(promoter->fn, ins, 1));
    const struct cw_fields *f = &promoter->fields.of[dst.object];
    for (uint32_t k = 0; k < f->list.n; k++)
        if (cw_field_within(&f->list.at[k], dst.offset, ins->aux))
            set_var(promoter, ins, f->first_var + k, splat_byte(promoter, ins, byte, f->list.at[k].type));
}

/* An integer that fills its bytes, so that shifts take it apart and put it together. */
static bool is_word(enum cw_type type, uint32_t bytes) {
    return cw_type_is_int(type) && cw_type_bits(type) == 8 * bytes;
}

/* The part of a wide value that goes into a field `by` bytes from its start (lanes of memory are little-endian). */
static cw_ref extract_part(struct promoter *promoter, const struct cw_ins *like, cw_ref ref, int64_t by,
                           const struct cw_field *field) {
    enum cw_type from = cw_ref_type(promoter->fn, ref);
    if (ref.tag == CW_REF_UNDEF)
        return cw_fn_undef(field->type);
    if (!is_word(from, like->aux) || !is_word(field->type, field->size)) {
        const char *text = cw_arena_printf(promoter->scratch, "bytes %lld+%u", (long long)by, field->size);
        return append_ins(promoter, like, CW_OP_PURE, field->type, cw_fn_add_text(promoter->fn, text), &ref, 1);
    }
    cw_ref shift[] = {ref, cw_fn_const(promoter->fn, from, 8 * by)};
    ref = by ? append_ins(promoter, like, CW_OP_LSHR, from, 0, shift, 2) : ref;
    return append_ins(promoter, like, CW_OP_TRUNC, field->type, 0, &ref, 1);
}

static void wide_store(struct promoter *promoter, const struct cw_ins *ins) {
    struct cw_pointee dst = pointee_of(promoter, ins, 1);
    cw_ref v = resolve_ref(promoter, cw_arg(promoter->fn, ins, 0));
    const struct cw_fields *f = &promoter->fields.of[dst.object];
    for (uint32_t k = 0; k < f->list.n; k++)
        if (cw_field_within(&f->list.at[k], dst.offset, ins->aux))
            set_var(promoter, ins, f->first_var + k,
                    extract_part(promoter, ins, v, f->list.at[k].offset - dst.offset, &f->list.at[k]));
}

static cw_ref join_part(struct promoter *promoter, const struct cw_ins *like, cw_ref all, cw_ref ref, int64_t by) {
    enum cw_type to = (enum cw_type)like->type;
    ref = append_ins(promoter, like, CW_OP_ZEXT, to, 0, &ref, 1);
    cw_ref shift[] = {ref, cw_fn_const(promoter->fn, to, 8 * by)};
    ref = by ? append_ins(promoter, like, CW_OP_SHL, to, 0, shift, 2) : ref;
    cw_ref both[] = {all, ref};
    return all.tag == CW_REF_NONE ? ref : append_ins(promoter, like, CW_OP_OR, to, 0, both, 2);
}

static cw_ref wide_load(struct promoter *promoter, const struct cw_ins *ins) {
    struct cw_pointee src = pointee_of(promoter, ins, 0);
    const struct cw_fields *f = &promoter->fields.of[src.object];
    cw_ref values[CW_MAX_FIELDS], all = CW_NONE;
    const char *text = "fields"; /* and their sizes */
    bool words = is_word((enum cw_type)ins->type, ins->aux);
    uint32_t n = 0, first = 0;
    for (uint32_t k = 0; k < f->list.n; k++) {
        const struct cw_field *x = &f->list.at[k];
        if (!cw_field_within(x, src.offset, ins->aux))
            continue;
        first = n ? first : k;
        words &= is_word(x->type, x->size);
        values[n++] = get_var(promoter, f->first_var + k);
        text = cw_arena_printf(promoter->scratch, "%s %u", text, x->size);
    }
    if (!words)
        return append_ins(promoter, ins, CW_OP_PURE, (enum cw_type)ins->type, cw_fn_add_text(promoter->fn, text),
                          values, n);
    for (uint32_t k = 0; k < n; k++)
        all = join_part(promoter, ins, all, values[k], f->list.at[first + k].offset - src.offset);
    return all;
}

/* True when the instruction was an access to promoted objects and has been replaced. */
static bool rewrite_access(struct promoter *promoter, uint32_t index) {
    struct cw_ins i = promoter->fn->ins.at[index]; /* a copy: appending moves the table */
    bool moves = i.op == CW_OP_MEMCOPY || i.op == CW_OP_MEMSET;
    if (i.op != CW_OP_LOAD && i.op != CW_OP_STORE && !moves)
        return false;
    struct cw_pointee to = pointee_of(promoter, &i, i.op == CW_OP_STORE ? 1 : 0);
    bool promoted = is_promoted(promoter, to.object) ||
                    (i.op == CW_OP_MEMCOPY && is_promoted(promoter, pointee_of(promoter, &i, 1).object));
    if (!promoted)
        return false;
    uint32_t var = moves ? CW_NO_VAR : cw_fields_var(&promoter->fields, to, i.aux);
    if (i.op == CW_OP_LOAD && var != CW_NO_VAR)
        promoter->replaced[index] = convert_bits(promoter, &i, get_var(promoter, var), (enum cw_type)i.type);
    else if (i.op == CW_OP_LOAD)
        promoter->replaced[index] = wide_load(promoter, &i);
    else if (i.op == CW_OP_STORE && var != CW_NO_VAR)
        set_var(promoter, &i, var, resolve_ref(promoter, cw_arg(promoter->fn, &i, 0)));
    else if (i.op == CW_OP_STORE)
        wide_store(promoter, &i);
    else if (i.op == CW_OP_MEMCOPY)
        split_copy(promoter, &i);
    else
        split_set(promoter, &i);
    return true;
}

static void fill_phis_of_successors(struct promoter *promoter, uint32_t block) {
    for (uint32_t e = 0; e < promoter->out[block].n; e++) {
        struct edge to = promoter->out[block].at[e];
        for (uint32_t k = 0; k < promoter->phis[to.block].n; k++) {
            struct new_phi phi = promoter->phis[to.block].at[k];
            promoter->fn->args.at[promoter->fn->ins.at[phi.ins].arg + to.at] = get_var(promoter, phi.var);
        }
    }
}

static void rename_block(struct promoter *promoter, uint32_t block) {
    struct cw_vec_u32 old = promoter->fn->blocks.at[block].ins;
    promoter->list = (struct cw_vec_u32){0};
    promoter->block = block;
    for (uint32_t k = 0; k < promoter->phis[block].n; k++) {
        struct new_phi phi = promoter->phis[block].at[k];
        cw_vec_push(promoter->fn->arena, &promoter->list, phi.ins);
        cw_vec_push(promoter->scratch, &promoter->undo, ((struct saved){phi.var, promoter->value[phi.var]}));
        promoter->value[phi.var] = cw_ref_ins(phi.ins);
    }
    for (uint32_t k = 0; k < old.n; k++) {
        if (rewrite_access(promoter, old.at[k]))
            cw_edit_remove(promoter->fn, old.at[k]);
        else
            cw_vec_push(promoter->fn->arena, &promoter->list, old.at[k]);
    }
    promoter->fn->blocks.at[block].ins = promoter->list;
    fill_phis_of_successors(promoter, block);
}

static void number_edges(struct promoter *promoter) {
    promoter->out = cw_arena_alloc(promoter->scratch, sizeof *promoter->out * promoter->fn->blocks.n);
    for (uint32_t b = 0; b < promoter->fn->blocks.n; b++) {
        const struct cw_vec_u32 *pred = &promoter->fn->blocks.at[b].pred;
        for (uint32_t k = 0; k < pred->n; k++)
            cw_vec_push(promoter->scratch, &promoter->out[pred->at[k]], ((struct edge){b, k}));
    }
}

/* Blocks in the order of the dominator tree; leaving a subtree takes its definitions back. */
static void rename_all(struct promoter *promoter) {
    uint32_t n = promoter->order.n;
    uint32_t *by_enter = CW_NEW_ARRAY(promoter->scratch, uint32_t, n),
             *open = CW_NEW_ARRAY(promoter->scratch, uint32_t, n);
    uint32_t *mark = CW_NEW_ARRAY(promoter->scratch, uint32_t, n), depth = 0;
    for (uint32_t k = 0; k < n; k++)
        by_enter[promoter->order.enter[promoter->order.rpo[k]]] = promoter->order.rpo[k];
    for (uint32_t k = 0; k < n; k++) {
        uint32_t b = by_enter[k];
        while (depth && !cw_order_dominates(&promoter->order, open[depth - 1], b)) {
            for (depth--; promoter->undo.n > mark[depth]; promoter->undo.n--)
                promoter->value[cw_vec_last(&promoter->undo).var] = cw_vec_last(&promoter->undo).value;
        }
        open[depth] = b;
        mark[depth++] = promoter->undo.n;
        rename_block(promoter, b);
    }
}

static void replace_operands(struct promoter *promoter) {
    for (uint32_t k = 0; k < promoter->order.n; k++) {
        struct cw_block *b = &promoter->fn->blocks.at[promoter->order.rpo[k]];
        for (uint32_t i = 0; i < b->ins.n; i++) {
            const struct cw_ins *ins = &promoter->fn->ins.at[b->ins.at[i]];
            for (uint32_t o = 0; o < ins->narg; o++)
                promoter->fn->args.at[ins->arg + o] = resolve_ref(promoter, promoter->fn->args.at[ins->arg + o]);
        }
        b->jump.value = resolve_ref(promoter, b->jump.value);
    }
}

static uint32_t promote_round(struct cw_fn *fn, struct cw_arena *scratch) {
    struct promoter p = {.fn = fn, .scratch = scratch};
    p.order = cw_order_blocks(fn, scratch);
    cw_edit_drop_unreachable(fn, &p.order);
    p.locals = cw_locals_find(fn, &p.order, scratch);
    p.fields = cw_fields_choose(fn, &p.order, &p.locals, scratch);
    if (!p.fields.nobjects)
        return 0;
    make_vars(&p);
    place_all_phis(&p);
    number_edges(&p);
    p.value = CW_NEW_ARRAY(scratch, cw_ref, p.fields.nvars + 1);
    p.nreplaced = fn->ins.n;
    p.replaced = CW_NEW_ARRAY(scratch, cw_ref, p.nreplaced);
    rename_all(&p);
    replace_operands(&p);
    return p.fields.nobjects;
}

uint32_t cw_promote_count(struct cw_fn *fn) {
    struct cw_arena scratch;
    cw_arena_init(&scratch);
    uint32_t all = 0, some = 1;
    for (int round = 0; round < MAX_ROUNDS && some; round++)
        all += some = promote_round(fn, &scratch);
    fn->is_ssa = true;
    cw_arena_free(&scratch);
    cw_fn_verify_after(fn, "promote");
    return all;
}

void cw_promote(struct cw_fn *fn) {
    cw_promote_count(fn);
}
