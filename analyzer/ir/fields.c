#include "ir/fields.h"

enum { MAX_SPREADS = 64 /* rounds of agreement between copied objects */ };

/* Bytes that are accessed together: a copy, a set (no src), or a wide load or store (no src). */
struct cw_extent {
    struct cw_pointee dst, src;
    uint32_t bytes;
    bool needs_all; /* every byte must have a field: somebody takes the value of the whole */
};

static bool overlaps_field(const struct cw_field *field, int64_t from, int64_t bytes) {
    return field->offset < from + bytes && from < field->offset + field->size;
}

static bool same_place(const struct cw_field *field, int64_t offset, uint32_t size) {
    return field->offset == offset && field->size == size;
}

/* ---- collecting ---- */

static bool add_field(struct cw_fields_of *all, uint32_t object, struct cw_field add) {
    struct cw_fields *f = &all->of[object];
    struct cw_field *have = NULL;
    for (uint32_t k = 0; k < f->list.n && !have; k++)
        if (same_place(&f->list.at[k], add.offset, add.size))
            have = &f->list.at[k];
    if (!have) {
        if (f->list.n == CW_MAX_FIELDS)
            f->promote = false;
        else
            cw_vec_push(all->arena, &f->list, add);
        return f->promote;
    }
    if ((add.from_load && !have->from_load && add.type != CW_AGG) || have->type == CW_AGG) {
        have->type = add.type;
        have->from_load |= add.from_load;
    }
    return false;
}

static void collect_access(struct cw_fields_of *all, cw_ref pointer, struct cw_field field) {
    struct cw_pointee to = cw_locals_pointee(all->locals, pointer);
    if (!cw_fields_promoted(all, to.object))
        return;
    field.offset = to.offset;
    add_field(all, to.object, field);
}

static void collect_extent(struct cw_fields_of *all, const struct cw_ins *ins) {
    struct cw_extent e = {.bytes = ins->aux, .src.object = CW_NO_OBJECT, .needs_all = ins->op == CW_OP_MEMCOPY};
    e.dst = cw_locals_pointee(all->locals, cw_arg(all->fn, ins, 0));
    if (ins->op == CW_OP_MEMCOPY)
        e.src = cw_locals_pointee(all->locals, cw_arg(all->fn, ins, 1));
    if (cw_fields_promoted(all, e.dst.object) || cw_fields_promoted(all, e.src.object))
        cw_vec_push(all->arena, &all->extents, e);
}

static void collect_field(struct cw_fields_of *all, const struct cw_ins *ins) {
    struct cw_field f = {.size = ins->aux};
    if (ins->op == CW_OP_LOAD) {
        f.type = (enum cw_type)ins->type;
        f.from_load = true;
        collect_access(all, cw_arg(all->fn, ins, 0), f);
    } else if (ins->op == CW_OP_STORE) {
        f.type = cw_ref_type(all->fn, cw_arg(all->fn, ins, 0));
        collect_access(all, cw_arg(all->fn, ins, 1), f);
    } else if (ins->op == CW_OP_MEMCOPY || ins->op == CW_OP_MEMSET) {
        collect_extent(all, ins);
    }
}

/* ---- agreeing ---- */

/* The fields of one side of a copy exist on the other side too. */
static bool spread_fields(struct cw_fields_of *all, struct cw_pointee from, struct cw_pointee to, uint32_t bytes) {
    bool grew = false;
    if (!cw_fields_promoted(all, from.object) || !cw_fields_promoted(all, to.object))
        return false;
    for (uint32_t k = 0; k < all->of[from.object].list.n; k++) {
        struct cw_field f = all->of[from.object].list.at[k];
        if (!cw_field_within(&f, from.offset, bytes))
            continue;
        f.offset += to.offset - from.offset;
        f.from_load = false;
        grew |= add_field(all, to.object, f);
    }
    return grew;
}

static void spread_all(struct cw_fields_of *all) {
    bool grew = true;
    for (int round = 0; grew && round < MAX_SPREADS; round++) {
        grew = false;
        for (uint32_t k = 0; k < 2 * all->extents.n; k++) { /* there and back: a chain of copies takes one round */
            struct cw_extent e = all->extents.at[k < all->extents.n ? k : 2 * all->extents.n - 1 - k];
            grew |= spread_fields(all, e.src, e.dst, e.bytes);
            grew |= spread_fields(all, e.dst, e.src, e.bytes);
        }
    }
    for (uint32_t k = 0; grew && k < all->extents.n; k++) { /* no agreement: leave them all */
        const struct cw_extent *e = &all->extents.at[k];
        if (cw_fields_promoted(all, e->dst.object) && cw_fields_promoted(all, e->src.object))
            all->of[e->dst.object].promote = all->of[e->src.object].promote = false;
    }
}

static bool contains_smaller(const struct cw_fields *fields, const struct cw_field *wide) {
    for (uint32_t k = 0; k < fields->list.n; k++) {
        const struct cw_field *x = &fields->list.at[k];
        if (x->size && x->size < wide->size && cw_field_within(x, wide->offset, wide->size))
            return true;
    }
    return false;
}

/* Wide accesses stop being fields and become extents. */
static bool split_wide(struct cw_fields_of *all, uint32_t object) {
    struct cw_fields *f = &all->of[object];
    uint32_t kept = 0;
    bool *wide = CW_NEW_ARRAY(all->arena, bool, f->list.n + 1);
    for (uint32_t k = 0; k < f->list.n; k++)
        wide[k] = contains_smaller(f, &f->list.at[k]);
    for (uint32_t k = 0; k < f->list.n; k++) {
        struct cw_field x = f->list.at[k];
        if (!wide[k]) {
            f->list.at[kept++] = x;
            continue;
        }
        struct cw_extent e = {.dst = {object, x.offset, true}, .src.object = CW_NO_OBJECT, .bytes = x.size};
        e.needs_all = true;
        cw_vec_push(all->arena, &all->extents, e);
    }
    bool any = kept < f->list.n;
    f->list.n = kept;
    return any;
}

static bool has_field_of_unknown_size(const struct cw_fields *fields) {
    for (uint32_t k = 0; k < fields->list.n; k++)
        if (fields->list.at[k].size == 0)
            return true;
    return false;
}

/* Bytes that are copied but never accessed singly become fields of no particular type. Beside the whole of an object of
 * unknown size there is no room for them. */
static bool fill_gaps(struct cw_fields_of *all, struct cw_pointee in, uint32_t bytes) {
    bool grew = false;
    if (!cw_fields_promoted(all, in.object))
        return false;
    int64_t at = in.offset, end = in.offset + bytes;
    if (at < end && has_field_of_unknown_size(&all->of[in.object])) {
        all->of[in.object].promote = false;
        return false;
    }
    while (at < end) {
        int64_t next = end, past = at;
        for (uint32_t k = 0; k < all->of[in.object].list.n; k++) {
            const struct cw_field *f = &all->of[in.object].list.at[k];
            if (overlaps_field(f, at, 1) && f->offset + f->size > past)
                past = f->offset + f->size;
            if (f->offset >= at && f->offset < next)
                next = f->offset;
        }
        if (past == at) {
            struct cw_field gap = {.offset = at, .size = (uint32_t)(next - at), .type = CW_AGG};
            grew |= add_field(all, in.object, gap);
            past = next;
        }
        at = past;
    }
    return grew;
}

/* Until fields are the same on both sides of every copy, no field contains another, and copies have no gaps. */
static void agree_on_fields(struct cw_fields_of *all) {
    bool grew = true;
    for (int round = 0; grew && round < MAX_SPREADS; round++) {
        grew = false;
        spread_all(all);
        for (uint32_t o = 0; o < all->fn->objects.n; o++)
            grew |= all->of[o].promote && split_wide(all, o);
        for (uint32_t k = 0; k < all->extents.n; k++) {
            struct cw_extent e = all->extents.at[k];
            grew |= e.needs_all && fill_gaps(all, e.dst, e.bytes);
            grew |= e.needs_all && fill_gaps(all, e.src, e.bytes);
        }
    }
    for (uint32_t o = 0; grew && o < all->fn->objects.n; o++) /* no agreement */
        all->of[o].promote = false;
}

/* ---- rejecting ---- */

static void sort_fields(struct cw_fields *fields) {
    for (uint32_t k = 1; k < fields->list.n; k++) {
        struct cw_field x = fields->list.at[k];
        uint32_t at = k;
        for (; at > 0 && fields->list.at[at - 1].offset > x.offset; at--)
            fields->list.at[at] = fields->list.at[at - 1];
        fields->list.at[at] = x;
    }
}

static void reject_overlaps(struct cw_fields *fields) {
    sort_fields(fields);
    for (uint32_t k = 1; k < fields->list.n; k++)
        if (fields->list.at[0].size == 0 || fields->list.at[k].size == 0 || /* the whole of an object of unknown size */
            overlaps_field(&fields->list.at[k], fields->list.at[k - 1].offset, fields->list.at[k - 1].size))
            fields->promote = false;
}

/* An extent that takes only a part of a field. */
static void reject_partial(struct cw_fields_of *all, struct cw_pointee in, uint32_t bytes) {
    if (!cw_fields_promoted(all, in.object))
        return;
    struct cw_fields *f = &all->of[in.object];
    for (uint32_t k = 0; k < f->list.n; k++)
        if (overlaps_field(&f->list.at[k], in.offset, bytes) && !cw_field_within(&f->list.at[k], in.offset, bytes))
            f->promote = false;
}

static void number_vars(struct cw_fields_of *all) {
    for (uint32_t o = 0; o < all->fn->objects.n; o++) {
        if (!all->of[o].promote)
            continue;
        all->of[o].first_var = all->nvars;
        all->nvars += all->of[o].list.n;
        all->nobjects++;
    }
}

static bool find_candidates(struct cw_fields_of *all) {
    bool any = false;
    for (uint32_t o = 0; o < all->fn->objects.n; o++) {
        unsigned flags = all->locals->flags[o];
        all->of[o].promote = all->fn->objects.at[o].space == CW_SPACE_LOCAL && (flags & CW_LOCAL_ACCESSED) &&
                             !(flags & (CW_LOCAL_ESCAPES | CW_LOCAL_INDEXED));
        any |= all->of[o].promote;
    }
    return any;
}

struct cw_fields_of cw_fields_choose(const struct cw_fn *fn, const struct cw_order_of_blocks *order,
                                     const struct cw_locals *locals, struct cw_arena *a) {
    struct cw_fields_of all = {.fn = fn, .arena = a, .locals = locals};
    all.of = CW_NEW_ARRAY(a, struct cw_fields, fn->objects.n + 1);
    if (!find_candidates(&all))
        return all;
    for (uint32_t k = 0; k < order->n; k++) {
        const struct cw_block *b = &fn->blocks.at[order->rpo[k]];
        for (uint32_t i = 0; i < b->ins.n; i++)
            collect_field(&all, &fn->ins.at[b->ins.at[i]]);
    }
    agree_on_fields(&all);
    for (uint32_t o = 0; o < fn->objects.n; o++)
        if (all.of[o].promote)
            reject_overlaps(&all.of[o]);
    for (uint32_t k = 0; k < all.extents.n; k++) {
        reject_partial(&all, all.extents.at[k].dst, all.extents.at[k].bytes);
        reject_partial(&all, all.extents.at[k].src, all.extents.at[k].bytes);
    }
    number_vars(&all);
    return all;
}

uint32_t cw_fields_var(const struct cw_fields_of *all, struct cw_pointee at, uint32_t size) {
    if (!cw_fields_promoted(all, at.object))
        return CW_NO_VAR;
    const struct cw_fields *f = &all->of[at.object];
    uint32_t low = 0, high = f->list.n;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (f->list.at[middle].offset < at.offset)
            low = middle + 1;
        else
            high = middle;
    }
    return low < f->list.n && same_place(&f->list.at[low], at.offset, size) ? f->first_var + low : CW_NO_VAR;
}
