/* See coalescing.h. */
#include "faults/coalescing.h"

#include "lanes/iterations.h"
#include "launch/for_each_launch.h"

#include <stdlib.h>

enum {
    SECTOR = 32,
    WASTE = 4,    /* sectors over those needed, from which on it is told */
    COMERS = 16,  /* lanes that must come: a few stragglers move little */
    SAMPLES = 3, INNER = 2,
    SIBLINGS = 16, /* accesses taken together */
    BYTES_MAX = 32 * 16 * SIBLINGS,
    ALSO = 8
};

struct probe {
    const struct cw_kernel_query *q;
    uint32_t sibling[SIBLINGS], n; /* accesses through one root in one block; the first is the one asked about */
    int64_t *bytes;                /* BYTES_MAX of them, to count in */
};

/* ---- one warp ---- */

static int by_number(const void *a, const void *b) {
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static uint32_t distinct(int64_t *at, uint32_t n) {
    uint32_t out = 0;
    qsort(at, n, sizeof *at, by_number);
    for (uint32_t k = 0; k < n; k++)
        out += k == 0 || at[k] != at[k - 1];
    return out;
}

/* A pointer is taken to begin on a sector, as cudaMalloc() gives them. */
static int64_t sector_of(int64_t byte) {
    return byte >= 0 ? byte / SECTOR : (byte - SECTOR + 1) / SECTOR;
}

static bool access_of(const struct probe *p, struct cw_lanes *l, uint32_t ins, const struct cw_context *c,
                      uint32_t warp, struct cw_warp_access *out) {
    struct cw_access acc[2];
    return cw_memory_accesses(p->q->fn, &p->q->fn->ins.at[ins], acc) == 1 &&
           cw_warp_access_of(l, p->q->fn, ins, &acc[0], c, warp, out);
}

/* The bytes of all siblings, and the sectors in which they lie. */
static void count(const struct probe *p, struct cw_lanes *l, const struct cw_context *c,
                  const struct cw_warp_access *first, struct cw_scattered *out) {
    int64_t *bytes = p->bytes;
    uint32_t n = 0;
    for (uint32_t k = 0; k < p->n; k++) {
        struct cw_warp_access a;
        if (!access_of(p, l, p->sibling[k], c, out->warp, &a) || !cw_ref_eq(a.base, first->base) ||
            a.token != first->token)
            continue;
        for (uint32_t lane = 0; lane < 32; lane++)
            for (uint32_t b = 0; (a.lanes >> lane & 1) && b < a.size; b++)
                bytes[n++] = a.offset[lane] + b;
    }
    out->needed = (distinct(bytes, n) + SECTOR - 1) / SECTOR;
    for (uint32_t k = 0; k < n; k++)
        bytes[k] = sector_of(bytes[k]);
    out->sectors = distinct(bytes, n);
}

static int64_t distance_of(const struct cw_warp_access *a) {
    uint32_t first = (uint32_t)__builtin_ctz(a->lanes), rest = a->lanes & (a->lanes - 1);
    return rest ? a->offset[__builtin_ctz(rest)] - a->offset[first] : 0;
}

/* In one iteration: the fullest warp. False when it is not known. */
static bool look_at_iteration(const struct probe *p, struct cw_lanes *l, const struct cw_context *c,
                              struct cw_scattered *out) {
    struct cw_warp_access a;
    if (!access_of(p, l, p->sibling[0], c, 0, &a))
        return false;
    if (__builtin_popcount(a.lanes) < COMERS)
        return true;
    struct cw_scattered now = {.ins = p->sibling[0],
                               .base = a.base,
                               .lanes = a.lanes,
                               .context = c,
                               .evaluator = l,
                               .writes = p->q->fn->ins.at[p->sibling[0]].op == CW_OP_STORE,
                               .distance = distance_of(&a)};
    count(p, l, c, &a, &now);
    if (out->sectors == 0 || now.sectors * out->needed < out->sectors * now.needed)
        *out = now; /* the best iteration counts: a walk that begins badly may go on well */
    return true;
}

static bool best_in(const struct probe *p, struct cw_lanes *l, struct cw_scattered *out) {
    struct cw_iterations it;
    const struct cw_context *c;
    *out = (struct cw_scattered){.sectors = 0};
    cw_iterations_begin(&it, l, p->q->fn, p->q->fn->ins.at[p->sibling[0]].block);
    while (cw_iterations_next(&it, &c))
        if (!look_at_iteration(p, l, c, out))
            return false;
    return true;
}

static bool wastes(const struct cw_scattered *s) {
    return s->sectors != 0 && s->sectors >= WASTE * s->needed;
}

/* ---- launches ---- */

static bool agreed(const struct probe *p, uint32_t launch, struct cw_scattered *out) {
    struct cw_scattered other;
    struct cw_lanes *inner = p->q->lanes(p->q->owner, launch, INNER);
    if (inner == NULL || !best_in(p, inner, out) || !wastes(out))
        return false;
    for (uint32_t sample = 0; sample < SAMPLES && cw_lanes_sample_text(inner, p->q->arena) != NULL; sample++) {
        struct cw_lanes *l = p->q->lanes(p->q->owner, launch, sample);
        if (sample != INNER && (l == NULL || !best_in(p, l, &other) || (other.sectors != 0 && !wastes(&other))))
            return false;
    }
    return true;
}

static bool probe_access(const struct probe *p, struct cw_scattered *out) {
    struct cw_survey s = cw_survey_of(p->q->launches, 32);
    struct cw_scattered now;
    while (cw_survey_next(&s))
        if (agreed(p, s.launch, &now) && cw_survey_shown(&s))
            *out = now;
    out->definite = cw_survey_definite(&s);
    return s.shown > 0;
}

/* ---- the kernel ---- */

/* Device memory, by one way to it; not a variable of the caller, nor what is private to the thread. */
static bool is_device_memory(const struct cw_fn *fn, const struct cw_ins *i, struct cw_base *root) {
    struct cw_access acc[2];
    bool plain = i->op == CW_OP_LOAD || i->op == CW_OP_STORE;
    if (!plain || cw_memory_accesses(fn, i, acc) != 1)
        return false;
    struct cw_bases bases = cw_memory_bases(fn, acc[0].pointer);
    *root = bases.at[0];
    if (bases.n != 1 || root->root.tag == CW_REF_NONE)
        return false;
    if (root->root.tag == CW_REF_OBJECT && !root->is_read)
        return fn->objects.at[root->root.index].space == CW_SPACE_GLOBAL;
    return root->is_read || fn->kind == CW_FN_KERNEL;
}

static bool same_root(const struct cw_base *a, const struct cw_base *b) {
    return cw_ref_eq(a->root, b->root) && a->is_read == b->is_read && a->field == b->field;
}

/* The other accesses of the block through the same root, of the same kind. */
static void add_siblings(struct probe *p, const struct cw_base *root) {
    const struct cw_fn *fn = p->q->fn;
    const struct cw_ins *i = &fn->ins.at[p->sibling[0]];
    const struct cw_block *b = &fn->blocks.at[i->block];
    for (uint32_t k = 0; k < b->ins.n && p->n < SIBLINGS; k++) {
        struct cw_base other;
        const struct cw_ins *j = &fn->ins.at[b->ins.at[k]];
        if (j != i && j->op == i->op && is_device_memory(fn, j, &other) && same_root(root, &other))
            p->sibling[p->n++] = b->ins.at[k];
    }
}

static void keep(const struct cw_kernel_query *q, struct cw_scattered_accesses *all, const struct cw_scattered *s) {
    for (uint32_t k = 0; k < all->at.n; k++) {
        struct cw_scattered *old = &all->at.at[k];
        if (!cw_ref_eq(old->base, s->base) || old->definite != s->definite)
            continue;
        if (old->also.n < ALSO)
            cw_vec_push(q->arena, &old->also, s->ins);
        return;
    }
    cw_vec_push(q->arena, &all->at, *s);
}

struct cw_scattered_accesses cw_scattered_accesses_of(const struct cw_kernel_query *q) {
    struct cw_scattered_accesses all = {{0}};
    int64_t *bytes = CW_NEW_ARRAY(q->arena, int64_t, BYTES_MAX);
    for (uint32_t k = 0; k < q->fn->cfg->nrpo; k++) {
        const struct cw_block *b = &q->fn->blocks.at[q->fn->cfg->rpo[k]];
        for (uint32_t j = 0; j < b->ins.n; j++) {
            struct probe p = {.q = q, .sibling = {b->ins.at[j]}, .n = 1, .bytes = bytes};
            struct cw_base root;
            struct cw_scattered s;
            if (!is_device_memory(q->fn, &q->fn->ins.at[b->ins.at[j]], &root))
                continue;
            add_siblings(&p, &root);
            if (probe_access(&p, &s))
                keep(q, &all, &s);
        }
    }
    return all;
}
