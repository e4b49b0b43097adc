/* SSA construction: local objects become values, field by field.
 *
 * requires: linked preds; values dominate their uses. computes: SSA for every LOCAL object whose address is only used by
 * loads, stores, copies and sets at constant offsets that fall into disjoint fields; copies between such objects or with
 * memory are split into their fields. Runs until nothing more can be promoted: promoting a pointer variable (`this`, a
 * reference) uncovers the object it points to. preserves: the order and places of all other accesses.
 *
 * Cytron, Ferrante, Rosen, Wegman, Zadeck, "Efficiently Computing Static Single Assignment Form" (1991), with PHIs only
 * where the variable is live (Choi, Cytron, Ferrante 1991). Fields as in LLVM's SROA, but without splitting accesses:
 * overlapping accesses of different extent leave their object in memory. */
#include "ir/edit.h"
#include "ir/locals.h"

#include <string.h>

enum {
    MAX_FIELDS = 128, /* per object; a larger one stays in memory */
    MAX_ROUNDS = 8,   /* depth of pointers to pointers */
    MAX_SPREADS = 64, /* rounds of agreement between copied objects */
};

#define NO_VAR UINT32_MAX

struct field {
    int64_t offset;
    uint32_t size;
    enum cw_type type;
    bool from_load;
};

struct fields {
    CW_VEC(struct field) list; /* sorted by offset when done */
    bool promote;
    uint32_t first_var;
};

/* A field of a promoted object. */
struct var {
    uint32_t object;
    enum cw_type type;
    const char *name;
    struct cw_vec_u32 defs, uses; /* blocks that write it; blocks that read it before they write it */
};

/* The extents of a MEMCOPY or MEMSET (no src). */
struct extent {
    struct cw_pointee dst, src;
    uint32_t bytes;
    bool copies;
};

struct new_phi {
    uint32_t ins, var;
};

struct edge {
    uint32_t block, at; /* a successor, and the position of this edge in its pred list */
};

struct promoter {
    struct cw_fn *fn;
    struct cw_arena *scratch;
    struct cw_order_of_blocks order;
    struct cw_locals locals;
    struct fields *fields; /* by object */
    CW_VEC(struct extent) extents;
    CW_VEC(struct var) vars;
    struct cw_vec_u32 *frontier;
    CW_VEC(struct new_phi) *phis; /* by block; at the front of its list */
    CW_VEC(struct edge) *out;     /* by block */
    cw_ref *value;                /* variable -> value at the point of the walk */
    CW_VEC(struct { uint32_t var; cw_ref old; }) undo;
    cw_ref *replaced; /* instruction -> value instead of it, or CW_NONE */
    uint32_t nreplaced;
    struct cw_vec_u32 list; /* the block being rewritten */
    uint32_t block;
};

/* ---- which fields ---- */

static bool is_candidate(const struct promoter *p, uint32_t object) {
    return object != CW_NO_OBJECT && p->fields[object].promote;
}

static struct field *find_field(const struct fields *f, int64_t offset, uint32_t size) {
    for (uint32_t k = 0; k < f->list.n; k++)
        if (f->list.at[k].offset == offset && f->list.at[k].size == size)
            return &f->list.at[k];
    return NULL;
}

static bool add_field(struct promoter *p, uint32_t object, struct field add) {
    struct fields *f = &p->fields[object];
    struct field *have = find_field(f, add.offset, add.size);
    if (!have) {
        if (f->list.n == MAX_FIELDS)
            f->promote = false;
        else
            cw_vec_push(p->scratch, &f->list, add);
        return true;
    }
    if ((add.from_load && !have->from_load && add.type != CW_AGG) || have->type == CW_AGG) {
        have->type = add.type;
        have->from_load |= add.from_load;
    }
    return false;
}

static void collect_access(struct promoter *p, cw_ref pointer, struct field f) {
    struct cw_pointee to = cw_locals_pointee(&p->locals, pointer);
    if (!is_candidate(p, to.object))
        return;
    f.offset = to.offset;
    add_field(p, to.object, f);
}

static void collect_extent(struct promoter *p, const struct cw_ins *i) {
    struct extent e = {.bytes = i->aux, .src.object = CW_NO_OBJECT, .copies = i->op == CW_OP_MEMCOPY};
    e.dst = cw_locals_pointee(&p->locals, cw_arg(p->fn, i, 0));
    if (e.copies)
        e.src = cw_locals_pointee(&p->locals, cw_arg(p->fn, i, 1));
    if (is_candidate(p, e.dst.object) || is_candidate(p, e.src.object))
        cw_vec_push(p->scratch, &p->extents, e);
}

static void collect(struct promoter *p, const struct cw_ins *i) {
    struct field f = {.size = i->aux};
    if (i->op == CW_OP_LOAD) {
        f.type = (enum cw_type)i->type;
        f.from_load = true;
        collect_access(p, cw_arg(p->fn, i, 0), f);
    } else if (i->op == CW_OP_STORE) {
        f.type = cw_ref_type(p->fn, cw_arg(p->fn, i, 0));
        collect_access(p, cw_arg(p->fn, i, 1), f);
    } else if (i->op == CW_OP_MEMCOPY || i->op == CW_OP_MEMSET) {
        collect_extent(p, i);
    }
}

static bool overlaps(const struct field *f, int64_t from, int64_t bytes) {
    return f->offset < from + bytes && from < f->offset + f->size;
}

static bool within(const struct field *f, int64_t from, int64_t bytes) {
    return f->offset >= from && f->offset + f->size <= from + bytes;
}

/* The fields of one side of a copy exist on the other side too. */
static bool spread(struct promoter *p, struct cw_pointee from, struct cw_pointee to, uint32_t bytes) {
    bool grew = false;
    if (!is_candidate(p, from.object) || !is_candidate(p, to.object))
        return false;
    for (uint32_t k = 0; k < p->fields[from.object].list.n; k++) {
        struct field f = p->fields[from.object].list.at[k];
        if (!within(&f, from.offset, bytes))
            continue;
        f.offset += to.offset - from.offset;
        f.from_load = false;
        grew |= add_field(p, to.object, f);
    }
    return grew;
}

static void spread_all(struct promoter *p) {
    bool grew = true;
    for (int round = 0; grew && round < MAX_SPREADS; round++) {
        grew = false;
        for (uint32_t k = 0; k < p->extents.n; k++) {
            const struct extent *e = &p->extents.at[k];
            grew |= spread(p, e->src, e->dst, e->bytes);
            grew |= spread(p, e->dst, e->src, e->bytes);
        }
    }
    for (uint32_t k = 0; grew && k < p->extents.n; k++) { /* no agreement: leave them all */
        const struct extent *e = &p->extents.at[k];
        if (is_candidate(p, e->dst.object) && is_candidate(p, e->src.object))
            p->fields[e->dst.object].promote = p->fields[e->src.object].promote = false;
    }
}

/* Bytes that are copied but never accessed singly become fields of no particular type. */
static bool fill_gaps(struct promoter *p, struct cw_pointee in, uint32_t bytes) {
    bool grew = false;
    if (!is_candidate(p, in.object))
        return false;
    int64_t at = in.offset, end = in.offset + bytes;
    while (at < end) {
        int64_t next = end, past = at;
        for (uint32_t k = 0; k < p->fields[in.object].list.n; k++) {
            const struct field *f = &p->fields[in.object].list.at[k];
            if (overlaps(f, at, 1) && f->offset + f->size > past)
                past = f->offset + f->size;
            if (f->offset >= at && f->offset < next)
                next = f->offset;
        }
        if (past > at) {
            at = past;
            continue;
        }
        grew |= add_field(p, in.object, (struct field){.offset = at, .size = (uint32_t)(next - at), .type = CW_AGG});
        at = next;
    }
    return grew;
}

static void agree_on_copies(struct promoter *p) {
    bool grew = true;
    for (int round = 0; grew && round < MAX_SPREADS; round++) {
        spread_all(p);
        grew = false;
        for (uint32_t k = 0; k < p->extents.n; k++) {
            const struct extent *e = &p->extents.at[k];
            grew |= e->copies && fill_gaps(p, e->dst, e->bytes);
            grew |= e->copies && fill_gaps(p, e->src, e->bytes);
        }
    }
    spread_all(p);
}

static void sort_fields(struct fields *f) {
    for (uint32_t k = 1; k < f->list.n; k++) {
        struct field x = f->list.at[k];
        uint32_t at = k;
        for (; at > 0 && f->list.at[at - 1].offset > x.offset; at--)
            f->list.at[at] = f->list.at[at - 1];
        f->list.at[at] = x;
    }
}

static void reject_overlaps(struct promoter *p, uint32_t object) {
    struct fields *f = &p->fields[object];
    sort_fields(f);
    for (uint32_t k = 1; k < f->list.n; k++)
        if (f->list.at[0].size == 0 || overlaps(&f->list.at[k], f->list.at[k - 1].offset, f->list.at[k - 1].size))
            f->promote = false; /* size 0: the whole of an object of unknown size */
}

/* A copy or set that takes only a part of a field. */
static void reject_partial(struct promoter *p, struct cw_pointee in, uint32_t bytes) {
    if (!is_candidate(p, in.object))
        return;
    struct fields *f = &p->fields[in.object];
    for (uint32_t k = 0; k < f->list.n; k++)
        if (overlaps(&f->list.at[k], in.offset, bytes) && !within(&f->list.at[k], in.offset, bytes))
            f->promote = false;
}

static const char *var_name(struct promoter *p, uint32_t object, const struct field *f) {
    const struct cw_object *o = &p->fn->objects.at[object];
    if (!o->name || (f->offset == 0 && (o->size == f->size || p->fields[object].list.n == 1)))
        return o->name;
    const char *name = cw_arena_printf(p->scratch, "%s.%lld", o->name, (long long)f->offset);
    return cw_intern(&p->fn->module->names, name);
}

static void make_vars(struct promoter *p, uint32_t object) {
    struct fields *f = &p->fields[object];
    f->first_var = p->vars.n;
    for (uint32_t k = 0; k < f->list.n; k++) {
        struct var v = {.object = object, .type = f->list.at[k].type, .name = var_name(p, object, &f->list.at[k])};
        cw_vec_push(p->scratch, &p->vars, v);
    }
}

/* How many objects there are to promote. */
static uint32_t choose_fields(struct promoter *p) {
    struct cw_fn *fn = p->fn;
    uint32_t any = 0;
    p->fields = CW_NEW_ARRAY(p->scratch, struct fields, fn->objects.n + 1);
    for (uint32_t o = 0; o < fn->objects.n; o++) {
        unsigned flags = p->locals.flags[o];
        p->fields[o].promote = fn->objects.at[o].space == CW_SPACE_LOCAL && (flags & CW_LOCAL_ACCESSED) &&
                               !(flags & (CW_LOCAL_ESCAPES | CW_LOCAL_INDEXED));
        any += p->fields[o].promote;
    }
    for (uint32_t k = 0; any && k < p->order.n; k++) {
        const struct cw_block *b = &fn->blocks.at[p->order.rpo[k]];
        for (uint32_t i = 0; i < b->ins.n; i++)
            collect(p, &fn->ins.at[b->ins.at[i]]);
    }
    agree_on_copies(p);
    for (uint32_t o = 0; o < fn->objects.n; o++)
        if (p->fields[o].promote)
            reject_overlaps(p, o);
    for (uint32_t k = 0; k < p->extents.n; k++) {
        reject_partial(p, p->extents.at[k].dst, p->extents.at[k].bytes);
        reject_partial(p, p->extents.at[k].src, p->extents.at[k].bytes);
    }
    any = 0;
    for (uint32_t o = 0; o < fn->objects.n; o++)
        if (p->fields[o].promote) {
            make_vars(p, o);
            any++;
        }
    return any;
}

/* The variable of the field at a pointer, NO_VAR when the object stays in memory. */
static uint32_t var_at(const struct promoter *p, cw_ref pointer) {
    struct cw_pointee to = cw_locals_pointee(&p->locals, pointer);
    if (!is_candidate(p, to.object))
        return NO_VAR;
    const struct fields *f = &p->fields[to.object];
    uint32_t low = 0, high = f->list.n;
    while (low + 1 < high) {
        uint32_t middle = (low + high) / 2;
        if (f->list.at[middle].offset <= to.offset)
            low = middle;
        else
            high = middle;
    }
    return f->first_var + low;
}

/* ---- where PHIs go ---- */

static void use_var(struct promoter *p, uint32_t var, uint32_t block) {
    struct var *v = &p->vars.at[var];
    bool defined = v->defs.n && cw_vec_last(&v->defs) == block;
    if (!defined && !(v->uses.n && cw_vec_last(&v->uses) == block))
        cw_vec_push(p->scratch, &v->uses, block);
}

static void def_var(struct promoter *p, uint32_t var, uint32_t block) {
    struct var *v = &p->vars.at[var];
    if (!(v->defs.n && cw_vec_last(&v->defs) == block))
        cw_vec_push(p->scratch, &v->defs, block);
}

static void touch_range(struct promoter *p, cw_ref pointer, uint32_t bytes, uint32_t block,
                        void (*touch)(struct promoter *, uint32_t, uint32_t)) {
    struct cw_pointee in = cw_locals_pointee(&p->locals, pointer);
    if (!is_candidate(p, in.object))
        return;
    const struct fields *f = &p->fields[in.object];
    for (uint32_t k = 0; k < f->list.n; k++)
        if (within(&f->list.at[k], in.offset, bytes))
            touch(p, f->first_var + k, block);
}

static void note_accesses(struct promoter *p, uint32_t block) {
    const struct cw_block *b = &p->fn->blocks.at[block];
    for (uint32_t k = 0; k < b->ins.n; k++) {
        const struct cw_ins *i = &p->fn->ins.at[b->ins.at[k]];
        uint32_t var;
        if (i->op == CW_OP_LOAD && (var = var_at(p, cw_arg(p->fn, i, 0))) != NO_VAR)
            use_var(p, var, block);
        else if (i->op == CW_OP_STORE && (var = var_at(p, cw_arg(p->fn, i, 1))) != NO_VAR)
            def_var(p, var, block);
        if (i->op == CW_OP_MEMCOPY)
            touch_range(p, cw_arg(p->fn, i, 1), i->aux, block, use_var);
        if (i->op == CW_OP_MEMCOPY || i->op == CW_OP_MEMSET)
            touch_range(p, cw_arg(p->fn, i, 0), i->aux, block, def_var);
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
    const struct var *v = &p->vars.at[var];
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
    const struct var *v = &p->vars.at[var];
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
    const struct var *v = &p->vars.at[var];
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
    for (uint32_t v = 0; v < p->vars.n; v++)
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
    v = converted(p, like, v, p->vars.at[var].type);
    struct cw_ins *made = cw_ins_of(p->fn, v);
    if (made && !made->name)
        made->name = p->vars.at[var].name;
    cw_vec_push(p->scratch, &p->undo, ((__typeof__(*p->undo.at)){var, p->value[var]}));
    p->value[var] = v;
}

static cw_ref get_var(const struct promoter *p, uint32_t var) {
    cw_ref v = p->value[var];
    return v.tag == CW_REF_NONE ? cw_fn_undef(p->vars.at[var].type) : v;
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
    struct cw_pointee dst = cw_locals_pointee(&p->locals, cw_arg(p->fn, i, 0));
    struct cw_pointee src = cw_locals_pointee(&p->locals, cw_arg(p->fn, i, 1));
    bool reads_vars = is_candidate(p, src.object), writes_vars = is_candidate(p, dst.object);
    struct cw_pointee lead = writes_vars ? dst : src; /* whose fields are walked */
    const struct fields *f = &p->fields[lead.object];
    cw_ref values[MAX_FIELDS];
    for (uint32_t k = 0; k < f->list.n; k++) {
        const struct field *x = &f->list.at[k];
        int64_t by = x->offset - lead.offset;
        if (!within(x, lead.offset, i->aux))
            continue;
        if (reads_vars) {
            const struct fields *s = &p->fields[src.object];
            values[k] = get_var(p, s->first_var + (uint32_t)(find_field(s, src.offset + by, x->size) - s->list.at));
        } else {
            values[k] = load_field(p, i, from, by, x->size, x->type);
        }
    }
    for (uint32_t k = 0; k < f->list.n; k++) {
        const struct field *x = &f->list.at[k];
        if (!within(x, lead.offset, i->aux))
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
    struct cw_pointee dst = cw_locals_pointee(&p->locals, cw_arg(p->fn, i, 0));
    cw_ref byte = resolve(p, cw_arg(p->fn, i, 1));
    const struct fields *f = &p->fields[dst.object];
    for (uint32_t k = 0; k < f->list.n; k++)
        if (within(&f->list.at[k], dst.offset, i->aux))
            set_var(p, i, f->first_var + k, splat(p, i, byte, p->vars.at[f->first_var + k].type));
}

/* True when the instruction was an access to promoted objects and has been replaced. */
static bool rewrite(struct promoter *p, uint32_t index) {
    struct cw_ins i = p->fn->ins.at[index]; /* a copy: appending moves the table */
    uint32_t var;
    if (i.op == CW_OP_LOAD && (var = var_at(p, cw_arg(p->fn, &i, 0))) != NO_VAR) {
        p->replaced[index] = converted(p, &i, get_var(p, var), (enum cw_type)i.type);
        return true;
    }
    if (i.op == CW_OP_STORE && (var = var_at(p, cw_arg(p->fn, &i, 1))) != NO_VAR) {
        set_var(p, &i, var, resolve(p, cw_arg(p->fn, &i, 0)));
        return true;
    }
    if (i.op != CW_OP_MEMCOPY && i.op != CW_OP_MEMSET)
        return false;
    bool writes = is_candidate(p, cw_locals_pointee(&p->locals, cw_arg(p->fn, &i, 0)).object);
    bool reads = i.op == CW_OP_MEMCOPY && is_candidate(p, cw_locals_pointee(&p->locals, cw_arg(p->fn, &i, 1)).object);
    if (!writes && !reads)
        return false;
    if (i.op == CW_OP_MEMCOPY)
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
        cw_vec_push(p->scratch, &p->undo, ((__typeof__(*p->undo.at)){phi.var, p->value[phi.var]}));
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
                p->value[cw_vec_last(&p->undo).var] = cw_vec_last(&p->undo).old;
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
    uint32_t promoted = choose_fields(&p);
    if (!promoted)
        return 0;
    place_all_phis(&p);
    number_edges(&p);
    p.value = CW_NEW_ARRAY(scratch, cw_ref, p.vars.n);
    p.nreplaced = fn->ins.n;
    p.replaced = CW_NEW_ARRAY(scratch, cw_ref, p.nreplaced);
    rename_all(&p);
    replace_operands(&p);
    return promoted;
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
