/* See coalescing.h. */
#include "faults/coalescing.h"

#include "lanes/facts_print.h"
#include "lanes/iterations.h"
#include "launch/for_each_launch.h"

#include <inttypes.h>
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

static uint32_t count_distinct(int64_t *at, uint32_t n) {
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

static bool access_of(const struct probe *probe, struct cw_lanes *lanes, uint32_t ins, const struct cw_context *context,
                      uint32_t warp, struct cw_warp_access *out) {
    struct cw_access acc[2];
    return cw_memory_accesses(probe->q->fn, &probe->q->fn->ins.at[ins], acc) == 1 &&
           cw_warp_access_of(lanes, probe->q->fn, ins, &acc[0], context, warp, out);
}

/* The bytes of all siblings, and the sectors in which they lie. */
static void count_sectors(const struct probe *probe, struct cw_lanes *lanes, const struct cw_context *context,
                          const struct cw_warp_access *first, struct cw_scattered *out) {
    int64_t *bytes = probe->bytes;
    uint32_t n = 0;
    for (uint32_t k = 0; k < probe->n; k++) {
        struct cw_warp_access a;
        if (!access_of(probe, lanes, probe->sibling[k], context, out->warp, &a) || !cw_ref_eq(a.base, first->base) ||
            a.token != first->token)
            continue;
        for (uint32_t lane = 0; lane < 32; lane++)
            for (uint32_t b = 0; (a.lanes >> lane & 1) && b < a.size; b++)
                bytes[n++] = a.offset[lane] + b;
    }
    out->needed = (count_distinct(bytes, n) + SECTOR - 1) / SECTOR;
    for (uint32_t k = 0; k < n; k++)
        bytes[k] = sector_of(bytes[k]);
    out->sectors = count_distinct(bytes, n);
}

static int64_t distance_of(const struct cw_warp_access *warp_access) {
    uint32_t first = (uint32_t)__builtin_ctz(warp_access->lanes), rest = warp_access->lanes & (warp_access->lanes - 1);
    return rest ? warp_access->offset[__builtin_ctz(rest)] - warp_access->offset[first] : 0;
}

/* In one iteration: the fullest warp. False when it is not known. */
static bool look_at_iteration(const struct probe *probe, struct cw_lanes *lanes, const struct cw_context *context,
                              struct cw_scattered *out) {
    struct cw_warp_access a;
    if (!access_of(probe, lanes, probe->sibling[0], context, 0, &a))
        return false;
    if (__builtin_popcount(a.lanes) < COMERS)
        return true;
    struct cw_scattered now = {.ins = probe->sibling[0],
                               .base = a.base,
                               .lanes = a.lanes,
                               .context = context,
                               .evaluator = lanes,
                               .writes = probe->q->fn->ins.at[probe->sibling[0]].op == CW_OP_STORE,
                               .distance = distance_of(&a)};
    count_sectors(probe, lanes, context, &a, &now);
    if (out->sectors == 0 || now.sectors * out->needed < out->sectors * now.needed)
        *out = now; /* the best iteration counts: a walk that begins badly may go on well */
    return true;
}

static bool best_in(const struct probe *probe, struct cw_lanes *lanes, struct cw_scattered *out) {
    struct cw_iterations it;
    const struct cw_context *c;
    *out = (struct cw_scattered){.sectors = 0};
    cw_iterations_begin(&it, lanes, probe->q->fn, probe->q->fn->ins.at[probe->sibling[0]].block);
    while (cw_iterations_next(&it, &c))
        if (!look_at_iteration(probe, lanes, c, out))
            return false;
    return true;
}

static bool is_wasteful(const struct cw_scattered *scattered) {
    return scattered->sectors != 0 && scattered->sectors >= WASTE * scattered->needed;
}

/* ---- launches ---- */

static bool is_agreed(const struct probe *probe, uint32_t launch, struct cw_scattered *out) {
    struct cw_scattered other;
    struct cw_lanes *inner = probe->q->lanes(probe->q->owner, launch, INNER);
    if (inner == NULL || !best_in(probe, inner, out) || !is_wasteful(out))
        return false;
    for (uint32_t sample = 0; sample < SAMPLES && cw_lanes_sample_text(inner, probe->q->arena) != NULL; sample++) {
        struct cw_lanes *l = probe->q->lanes(probe->q->owner, launch, sample);
        if (sample != INNER &&
            (l == NULL || !best_in(probe, l, &other) || (other.sectors != 0 && !is_wasteful(&other))))
            return false;
    }
    return true;
}

static bool probe_access(const struct probe *probe, struct cw_scattered *out) {
    struct cw_survey s = cw_survey_of(probe->q->launches, 32);
    struct cw_scattered now;
    while (cw_survey_next(&s))
        if (is_agreed(probe, s.launch, &now) && cw_survey_shown(&s))
            *out = now;
    out->definite = cw_survey_definite(&s);
    return s.shown > 0;
}

/* ---- the kernel ---- */

/* Device memory, by one way to it; not a variable of the caller, nor what is private to the thread. */
static bool is_device_memory(const struct cw_fn *fn, const struct cw_ins *ins, struct cw_base *root) {
    struct cw_access acc[2];
    bool plain = ins->op == CW_OP_LOAD || ins->op == CW_OP_STORE;
    if (!plain || cw_memory_accesses(fn, ins, acc) != 1)
        return false;
    struct cw_bases bases = cw_memory_bases(fn, acc[0].pointer);
    *root = bases.at[0];
    if (bases.n != 1 || root->root.tag == CW_REF_NONE)
        return false;
    if (root->root.tag == CW_REF_OBJECT && !root->is_read)
        return fn->objects.at[root->root.index].space == CW_SPACE_GLOBAL;
    return root->is_read || fn->kind == CW_FN_KERNEL;
}

static bool same_root(const struct cw_base *base, const struct cw_base *other) {
    return cw_ref_eq(base->root, other->root) && base->is_read == other->is_read && base->field == other->field;
}

/* The other accesses of the block through the same root, of the same kind. */
static void add_siblings(struct probe *probe, const struct cw_base *root) {
    const struct cw_fn *fn = probe->q->fn;
    const struct cw_ins *i = &fn->ins.at[probe->sibling[0]];
    const struct cw_block *b = &fn->blocks.at[i->block];
    for (uint32_t k = 0; k < b->ins.n && probe->n < SIBLINGS; k++) {
        struct cw_base other;
        const struct cw_ins *j = &fn->ins.at[b->ins.at[k]];
        if (j != i && j->op == i->op && is_device_memory(fn, j, &other) && same_root(root, &other))
            probe->sibling[probe->n++] = b->ins.at[k];
    }
}

static void keep_access(const struct cw_kernel_query *query, struct cw_scattered_accesses *all,
                        const struct cw_scattered *scattered) {
    for (uint32_t k = 0; k < all->at.n; k++) {
        struct cw_scattered *old = &all->at.at[k];
        if (!cw_ref_eq(old->base, scattered->base) || old->definite != scattered->definite)
            continue;
        if (old->also.n < ALSO)
            cw_vec_push(query->arena, &old->also, scattered->ins);
        return;
    }
    cw_vec_push(query->arena, &all->at, *scattered);
}

struct cw_scattered_accesses cw_scattered_accesses_of(const struct cw_kernel_query *query) {
    struct cw_scattered_accesses all = {{0}};
    int64_t *bytes = CW_NEW_ARRAY(query->arena, int64_t, BYTES_MAX);
    for (uint32_t k = 0; k < query->fn->cfg->nrpo; k++) {
        const struct cw_block *b = &query->fn->blocks.at[query->fn->cfg->rpo[k]];
        for (uint32_t j = 0; j < b->ins.n; j++) {
            struct probe p = {.q = query, .sibling = {b->ins.at[j]}, .n = 1, .bytes = bytes};
            struct cw_base root;
            struct cw_scattered s;
            if (!is_device_memory(query->fn, &query->fn->ins.at[b->ins.at[j]], &root))
                continue;
            add_siblings(&p, &root);
            if (probe_access(&p, &s))
                keep_access(query, &all, &s);
        }
    }
    return all;
}

/* ---- text form ---- */

void cw_scattered_accesses_print(const struct cw_facts_print *to, const struct cw_scattered_accesses *accesses) {
    for (uint32_t k = 0; k < accesses->at.n; k++) {
        const struct cw_scattered *scattered = &accesses->at.at[k];
        cw_facts_begin(to, scattered->definite, scattered->writes ? "scattered write" : "scattered read");
        cw_facts_ins(to, "", scattered->ins);
        cw_facts_also(to, &scattered->also);
        cw_facts_base(to, scattered->base);
        cw_facts_part(to, "%u sectors for %u", scattered->sectors, scattered->needed);
        cw_facts_part(to, "lanes %" PRId64 " bytes apart", scattered->distance);
        cw_facts_lanes(to, "", scattered->warp, scattered->lanes);
        cw_facts_context(to, scattered->context);
        cw_facts_evaluator(to, scattered->evaluator);
        cw_facts_end(to);
    }
}
