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
#include "ir/fields.h"

#include <assert.h>

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

static bool is_promoted(const struct promoter *p, uint32_t object) {
    return cw_fields_promoted(&p->fields, object);
}

static struct cw_pointee pointee(const struct promoter *p, const struct cw_ins *i, uint32_t k) {
    return cw_locals_pointee(&p->locals, cw_arg(p->fn, i, k));
}

/* ---- variables ---- */

static const char *var_name(struct promoter *p, uint32_t object, const struct cw_field *f) {
    const struct cw_object *o = &p->fn->objects.at[object];
    if (!o->name || (f->offset == 0 && (o->size == f->size || p->fields.of[object].list.n == 1)))
        return o->name;
    const char *name = cw_arena_printf(p->scratch, "%s.%lld", o->name, (long long)f->offset);
    return cw_intern(&p->fn->module->names, name);
}

static void make_vars(struct promoter *p) {
    p->vars = CW_NEW_ARRAY(p->scratch, struct var, p->fields.nvars + 1);
    for (uint32_t o = 0; o < p->fn->objects.n; o++) {
        const struct cw_fields *f = &p->fields.of[o];
        for (uint32_t k = 0; f->promote && k < f->list.n; k++) {
            struct var *v = &p->vars[f->first_var + k];
            *v = (struct var){.object = o, .type = f->list.at[k].type, .name = var_name(p, o, &f->list.at[k])};
        }
    }
}

/* ---- where PHIs go ---- */

static void use_var(struct promoter *p, uint32_t var, uint32_t block) {
    struct var *v = &p->vars[var];
    bool defined = v->defs.n && cw_vec_last(&v->defs) == block;
    if (!defined && !(v->uses.n && cw_vec_last(&v->uses) == block))
        cw_vec_push(p->scratch, &v->uses, block);
}

static void def_var(struct promoter *p, uint32_t var, uint32_t block) {
    struct var *v = &p->vars[var];
    if (!(v->defs.n && cw_vec_last(&v->defs) == block))
        cw_vec_push(p->scratch, &v->defs, block);
}

static void touch(struct promoter *p, struct cw_pointee in, uint32_t bytes, uint32_t block, bool writes) {
    if (!is_promoted(p, in.object))
        return;
    const struct cw_fields *f = &p->fields.of[in.object];
    for (uint32_t k = 0; k < f->list.n; k++) {
        if (!cw_field_within(&f->list.at[k], in.offset, bytes))
            continue;
        if (writes)
            def_var(p, f->first_var + k, block);
        else
            use_var(p, f->first_var + k, block);
    }
}

static void note_accesses(struct promoter *p, uint32_t block) {
    const struct cw_block *b = &p->fn->blocks.at[block];
    for (uint32_t k = 0; k < b->ins.n; k++) {
        const struct cw_ins *i = &p->fn->ins.at[b->ins.at[k]];
        if (i->op == CW_OP_LOAD)
            touch(p, pointee(p, i, 0), i->aux, block, false);
        else if (i->op == CW_OP_STORE)
            touch(p, pointee(p, i, 1), i->aux, block, true);
        if (i->op == CW_OP_MEMCOPY)
            touch(p, pointee(p, i, 1), i->aux, block, false);
        if (i->op == CW_OP_MEMCOPY || i->op == CW_OP_MEMSET)
            touch(p, pointee(p, i, 0), i->aux, block, true);
    }
}

/* Cooper, Harvey, Kennedy's frontiers: from each predecessor of a join up to the join's dominator. */
static void find_frontiers(struct promoter *p) {
    p->frontier = CW_NEW_ARRAY(p->scratch, struct cw_vec_u32, p->fn->blocks.n);
    for (uint32_t k = 0; k < p->order.n; k++) {
        uint32_t b = p->order.rpo[k];
        const struct cw_vec_u32 *pred = &p->fn->blocks.at[b].pred;
        for (uint32_t e = 0; pred->n >= 2 && e < pred->n; e++)
            for (uint32_t up = pred->at[e]; up != p->order.idom[b]; up = p->order.idom[up]) {
                struct cw_vec_u32 *f = &p->frontier[up];
                if (f->n && cw_vec_last(f) == b)
                    break; /* this way has been walked for b already */
                cw_vec_push(p->scratch, f, b);
            }
    }
}

/* Marks, per variable, with the variable's number + 1: no clearing between variables. */
struct marks {
    uint32_t *defines, *live, *has_phi, *queued;
    struct cw_vec_u32 work;
};

static void find_live(struct promoter *p, uint32_t var, struct marks *m) {
    const struct var *v = &p->vars[var];
    m->work.n = 0;
    for (uint32_t k = 0; k < v->defs.n; k++)
        m->defines[v->defs.at[k]] = var + 1;
    for (uint32_t k = 0; k < v->uses.n; k++) {
        m->live[v->uses.at[k]] = var + 1;
        cw_vec_push(p->scratch, &m->work, v->uses.at[k]);
    }
    while (m->work.n) {
        const struct cw_vec_u32 *pred = &p->fn->blocks.at[m->work.at[--m->work.n]].pred;
        for (uint32_t k = 0; k < pred->n; k++) {
            uint32_t b = pred->at[k];
            if (m->defines[b] == var + 1 || m->live[b] == var + 1)
                continue;
            m->live[b] = var + 1;
            cw_vec_push(p->scratch, &m->work, b);
        }
    }
}

static void add_phi(struct promoter *p, uint32_t var, uint32_t block) {
    const struct var *v = &p->vars[var];
    uint32_t npred = p->fn->blocks.at[block].pred.n;
    cw_ref *args = CW_NEW_ARRAY(p->scratch, cw_ref, npred);
    for (uint32_t k = 0; k < npred; k++)
        args[k] = cw_fn_undef(v->type);
    uint32_t loc = p->fn->objects.at[v->object].loc;
    uint32_t index = cw_fn_new_ins(p->fn, CW_OP_PHI, v->type, 0, args, npred, loc);
    p->fn->ins.at[index].name = v->name;
    p->fn->ins.at[index].block = block;
    cw_vec_push(p->scratch, &p->phis[block], ((struct new_phi){index, var}));
}

static void place_phis(struct promoter *p, uint32_t var, struct marks *m) {
    const struct var *v = &p->vars[var];
    if (v->uses.n == 0)
        return; /* never read in a block other than the one that wrote it */
    find_live(p, var, m);
    m->work.n = 0;
    for (uint32_t k = 0; k < v->defs.n; k++)
        cw_vec_push(p->scratch, &m->work, v->defs.at[k]);
    while (m->work.n) {
        const struct cw_vec_u32 *f = &p->frontier[m->work.at[--m->work.n]];
        for (uint32_t k = 0; k < f->n; k++) {
            uint32_t b = f->at[k];
            if (m->live[b] != var + 1 || m->has_phi[b] == var + 1)
                continue;
            m->has_phi[b] = var + 1;
            add_phi(p, var, b);
            cw_vec_push(p->scratch, &m->work, b);
        }
    }
}

static void place_all_phis(struct promoter *p) {
    uint32_t n = p->fn->blocks.n;
    struct marks m = {.defines = CW_NEW_ARRAY(p->scratch, uint32_t, n),
                      .live = CW_NEW_ARRAY(p->scratch, uint32_t, n),
                      .has_phi = CW_NEW_ARRAY(p->scratch, uint32_t, n)};
    p->phis = cw_arena_alloc(p->scratch, sizeof *p->phis * n);
    for (uint32_t k = 0; k < p->order.n; k++)
        note_accesses(p, p->order.rpo[k]);
    find_frontiers(p);
    for (uint32_t v = 0; v < p->fields.nvars; v++)
        place_phis(p, v, &m);
}

/* ---- renaming ---- */

static cw_ref resolve(const struct promoter *p, cw_ref r) {
    if (r.tag == CW_REF_INS && r.index < p->nreplaced && p->replaced[r.index].tag != CW_REF_NONE)
        return p->replaced[r.index];
    return r;
}

/* An instruction made in place of `like`, at the end of the block being rewritten. */
static cw_ref append(struct promoter *p, const struct cw_ins *like, enum cw_op op, enum cw_type type, uint32_t aux,
                     const cw_ref *args, uint32_t narg) {
    uint32_t index = cw_fn_new_ins(p->fn, op, type, aux, args, narg, like->loc);
    p->fn->ins.at[index].block = p->block;
    cw_vec_push(p->fn->arena, &p->list, index);
    return cw_ref_ins(index);
}

/* The same bits as another type of the same size. */
static cw_ref converted(struct promoter *p, const struct cw_ins *like, cw_ref v, enum cw_type to) {
    enum cw_type from = cw_ref_type(p->fn, v);
    if (from == to)
        return v;
    if (v.tag == CW_REF_UNDEF)
        return cw_fn_undef(to);
    enum cw_op op = cw_edit_cast(from, to);
    return append(p, like, op, to, op == CW_OP_PURE ? cw_fn_add_text(p->fn, "bits") : 0, &v, 1);
}

static void set_var(struct promoter *p, const struct cw_ins *like, uint32_t var, cw_ref v) {
    v = converted(p, like, v, p->vars[var].type);
    struct cw_ins *made = cw_ins_of(p->fn, v);
    if (made && !made->name)
        made->name = p->vars[var].name;
    cw_vec_push(p->scratch, &p->undo, ((struct saved){var, p->value[var]}));
    p->value[var] = v;
}

static cw_ref get_var(const struct promoter *p, uint32_t var) {
    assert(var < p->fields.nvars);
    cw_ref v = p->value[var];
    return v.tag == CW_REF_NONE ? cw_fn_undef(p->vars[var].type) : v;
}

static cw_ref pointer_plus(struct promoter *p, const struct cw_ins *like, cw_ref base, int64_t by) {
    if (by == 0)
        return base;
    cw_ref args[] = {base, cw_fn_const(p->fn, CW_I64, by)};
    return append(p, like, CW_OP_PTRADD, CW_PTR, 0, args, 2);
}

static void mark_like(struct promoter *p, const struct cw_ins *like, cw_ref made) {
    struct cw_ins *i = cw_ins_of(p->fn, made);
    i->flags = like->flags;
    i->intrinsic = like->intrinsic;
}

static cw_ref load_field(struct promoter *p, const struct cw_ins *like, cw_ref base, int64_t by, uint32_t bytes,
                         enum cw_type type) {
    cw_ref from = pointer_plus(p, like, base, by);
    cw_ref made = append(p, like, CW_OP_LOAD, type, bytes, &from, 1);
    mark_like(p, like, made);
    return made;
}

static void store_field(struct promoter *p, const struct cw_ins *like, cw_ref v, cw_ref base, int64_t by,
                        uint32_t bytes) {
    cw_ref args[] = {v, pointer_plus(p, like, base, by)};
    mark_like(p, like, append(p, like, CW_OP_STORE, CW_VOID, bytes, args, 2));
}

/* All fields are read before any is written: the two sides may be the same object. */
static void split_copy(struct promoter *p, const struct cw_ins *i) {
    cw_ref to = resolve(p, cw_arg(p->fn, i, 0)), from = resolve(p, cw_arg(p->fn, i, 1));
    struct cw_pointee dst = pointee(p, i, 0), src = pointee(p, i, 1);
    bool reads_vars = is_promoted(p, src.object), writes_vars = is_promoted(p, dst.object);
    struct cw_pointee lead = writes_vars ? dst : src; /* whose fields are walked */
    const struct cw_fields *f = &p->fields.of[lead.object];
    cw_ref values[CW_MAX_FIELDS] = {0};
    for (uint32_t k = 0; k < f->list.n; k++) {
        const struct cw_field *x = &f->list.at[k];
        int64_t by = x->offset - lead.offset;
        if (!cw_field_within(x, lead.offset, i->aux))
            continue;
        struct cw_pointee there = {src.object, src.offset + by, true};
        if (reads_vars)
            values[k] = get_var(p, cw_fields_var(&p->fields, there, x->size));
        else
            values[k] = load_field(p, i, from, by, x->size, x->type);
    }
    for (uint32_t k = 0; k < f->list.n; k++) {
        const struct cw_field *x = &f->list.at[k];
        if (!cw_field_within(x, lead.offset, i->aux))
            continue;
        if (writes_vars)
            set_var(p, i, f->first_var + k, values[k]);
        else
            store_field(p, i, values[k], to, x->offset - lead.offset, x->size);
    }
}

/* What a field holds after all its bytes were set to one byte. */
static cw_ref splat(struct promoter *p, const struct cw_ins *like, cw_ref byte, enum cw_type type) {
    int64_t b = 0;
    bool known = cw_ref_const(p->fn, byte, &b);
    if (known && (b == 0 || cw_type_is_int(type)))
        return cw_fn_const(p->fn, type, (int64_t)((uint64_t)(b & 0xff) * 0x0101010101010101u));
    return append(p, like, CW_OP_PURE, type, cw_fn_add_text(p->fn, "splat"), &byte, 1);
}

static void split_set(struct promoter *p, const struct cw_ins *i) {
    struct cw_pointee dst = pointee(p, i, 0);
    cw_ref byte = resolve(p, cw_arg(p->fn, i, 1));
    const struct cw_fields *f = &p->fields.of[dst.object];
    for (uint32_t k = 0; k < f->list.n; k++)
        if (cw_field_within(&f->list.at[k], dst.offset, i->aux))
            set_var(p, i, f->first_var + k, splat(p, i, byte, f->list.at[k].type));
}

/* An integer that fills its bytes, so that shifts take it apart and put it together. */
static bool is_word(enum cw_type t, uint32_t bytes) {
    return cw_type_is_int(t) && cw_type_bits(t) == 8 * bytes;
}

/* The part of a wide value that goes into a field `by` bytes from its start (lanes of memory are little-endian). */
static cw_ref part(struct promoter *p, const struct cw_ins *like, cw_ref v, int64_t by, const struct cw_field *x) {
    enum cw_type from = cw_ref_type(p->fn, v);
    if (v.tag == CW_REF_UNDEF)
        return cw_fn_undef(x->type);
    if (!is_word(from, like->aux) || !is_word(x->type, x->size)) {
        const char *text = cw_arena_printf(p->scratch, "bytes %lld+%u", (long long)by, x->size);
        return append(p, like, CW_OP_PURE, x->type, cw_fn_add_text(p->fn, text), &v, 1);
    }
    cw_ref shift[] = {v, cw_fn_const(p->fn, from, 8 * by)};
    v = by ? append(p, like, CW_OP_LSHR, from, 0, shift, 2) : v;
    return append(p, like, CW_OP_TRUNC, x->type, 0, &v, 1);
}

static void wide_store(struct promoter *p, const struct cw_ins *i) {
    struct cw_pointee dst = pointee(p, i, 1);
    cw_ref v = resolve(p, cw_arg(p->fn, i, 0));
    const struct cw_fields *f = &p->fields.of[dst.object];
    for (uint32_t k = 0; k < f->list.n; k++)
        if (cw_field_within(&f->list.at[k], dst.offset, i->aux))
            set_var(p, i, f->first_var + k, part(p, i, v, f->list.at[k].offset - dst.offset, &f->list.at[k]));
}

static cw_ref joined(struct promoter *p, const struct cw_ins *like, cw_ref all, cw_ref v, int64_t by) {
    enum cw_type to = (enum cw_type)like->type;
    v = append(p, like, CW_OP_ZEXT, to, 0, &v, 1);
    cw_ref shift[] = {v, cw_fn_const(p->fn, to, 8 * by)};
    v = by ? append(p, like, CW_OP_SHL, to, 0, shift, 2) : v;
    cw_ref both[] = {all, v};
    return all.tag == CW_REF_NONE ? v : append(p, like, CW_OP_OR, to, 0, both, 2);
}

static cw_ref wide_load(struct promoter *p, const struct cw_ins *i) {
    struct cw_pointee src = pointee(p, i, 0);
    const struct cw_fields *f = &p->fields.of[src.object];
    cw_ref values[CW_MAX_FIELDS], all = CW_NONE;
    const char *text = "fields"; /* and their sizes */
    bool words = is_word((enum cw_type)i->type, i->aux);
    uint32_t n = 0, first = 0;
    for (uint32_t k = 0; k < f->list.n; k++) {
        const struct cw_field *x = &f->list.at[k];
        if (!cw_field_within(x, src.offset, i->aux))
            continue;
        first = n ? first : k;
        words &= is_word(x->type, x->size);
        values[n++] = get_var(p, f->first_var + k);
        text = cw_arena_printf(p->scratch, "%s %u", text, x->size);
    }
    if (!words)
        return append(p, i, CW_OP_PURE, (enum cw_type)i->type, cw_fn_add_text(p->fn, text), values, n);
    for (uint32_t k = 0; k < n; k++)
        all = joined(p, i, all, values[k], f->list.at[first + k].offset - src.offset);
    return all;
}

/* True when the instruction was an access to promoted objects and has been replaced. */
static bool rewrite(struct promoter *p, uint32_t index) {
    struct cw_ins i = p->fn->ins.at[index]; /* a copy: appending moves the table */
    bool moves = i.op == CW_OP_MEMCOPY || i.op == CW_OP_MEMSET;
    if (i.op != CW_OP_LOAD && i.op != CW_OP_STORE && !moves)
        return false;
    struct cw_pointee to = pointee(p, &i, i.op == CW_OP_STORE ? 1 : 0);
    bool promoted = is_promoted(p, to.object) || (i.op == CW_OP_MEMCOPY && is_promoted(p, pointee(p, &i, 1).object));
    if (!promoted)
        return false;
    uint32_t var = moves ? CW_NO_VAR : cw_fields_var(&p->fields, to, i.aux);
    if (i.op == CW_OP_LOAD && var != CW_NO_VAR)
        p->replaced[index] = converted(p, &i, get_var(p, var), (enum cw_type)i.type);
    else if (i.op == CW_OP_LOAD)
        p->replaced[index] = wide_load(p, &i);
    else if (i.op == CW_OP_STORE && var != CW_NO_VAR)
        set_var(p, &i, var, resolve(p, cw_arg(p->fn, &i, 0)));
    else if (i.op == CW_OP_STORE)
        wide_store(p, &i);
    else if (i.op == CW_OP_MEMCOPY)
        split_copy(p, &i);
    else
        split_set(p, &i);
    return true;
}

static void fill_phis_of_successors(struct promoter *p, uint32_t block) {
    for (uint32_t e = 0; e < p->out[block].n; e++) {
        struct edge to = p->out[block].at[e];
        for (uint32_t k = 0; k < p->phis[to.block].n; k++) {
            struct new_phi phi = p->phis[to.block].at[k];
            p->fn->args.at[p->fn->ins.at[phi.ins].arg + to.at] = get_var(p, phi.var);
        }
    }
}

static void rename_block(struct promoter *p, uint32_t block) {
    struct cw_vec_u32 old = p->fn->blocks.at[block].ins;
    p->list = (struct cw_vec_u32){0};
    p->block = block;
    for (uint32_t k = 0; k < p->phis[block].n; k++) {
        struct new_phi phi = p->phis[block].at[k];
        cw_vec_push(p->fn->arena, &p->list, phi.ins);
        cw_vec_push(p->scratch, &p->undo, ((struct saved){phi.var, p->value[phi.var]}));
        p->value[phi.var] = cw_ref_ins(phi.ins);
    }
    for (uint32_t k = 0; k < old.n; k++) {
        if (rewrite(p, old.at[k]))
            cw_edit_remove(p->fn, old.at[k]);
        else
            cw_vec_push(p->fn->arena, &p->list, old.at[k]);
    }
    p->fn->blocks.at[block].ins = p->list;
    fill_phis_of_successors(p, block);
}

static void number_edges(struct promoter *p) {
    p->out = cw_arena_alloc(p->scratch, sizeof *p->out * p->fn->blocks.n);
    for (uint32_t b = 0; b < p->fn->blocks.n; b++) {
        const struct cw_vec_u32 *pred = &p->fn->blocks.at[b].pred;
        for (uint32_t k = 0; k < pred->n; k++)
            cw_vec_push(p->scratch, &p->out[pred->at[k]], ((struct edge){b, k}));
    }
}

/* Blocks in the order of the dominator tree; leaving a subtree takes its definitions back. */
static void rename_all(struct promoter *p) {
    uint32_t n = p->order.n;
    uint32_t *by_enter = CW_NEW_ARRAY(p->scratch, uint32_t, n), *open = CW_NEW_ARRAY(p->scratch, uint32_t, n);
    uint32_t *mark = CW_NEW_ARRAY(p->scratch, uint32_t, n), depth = 0;
    for (uint32_t k = 0; k < n; k++)
        by_enter[p->order.enter[p->order.rpo[k]]] = p->order.rpo[k];
    for (uint32_t k = 0; k < n; k++) {
        uint32_t b = by_enter[k];
        while (depth && !cw_order_dominates(&p->order, open[depth - 1], b)) {
            for (depth--; p->undo.n > mark[depth]; p->undo.n--)
                p->value[cw_vec_last(&p->undo).var] = cw_vec_last(&p->undo).value;
        }
        open[depth] = b;
        mark[depth++] = p->undo.n;
        rename_block(p, b);
    }
}

static void replace_operands(struct promoter *p) {
    for (uint32_t k = 0; k < p->order.n; k++) {
        struct cw_block *b = &p->fn->blocks.at[p->order.rpo[k]];
        for (uint32_t i = 0; i < b->ins.n; i++) {
            const struct cw_ins *ins = &p->fn->ins.at[b->ins.at[i]];
            for (uint32_t o = 0; o < ins->narg; o++)
                p->fn->args.at[ins->arg + o] = resolve(p, p->fn->args.at[ins->arg + o]);
        }
        b->jump.value = resolve(p, b->jump.value);
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
