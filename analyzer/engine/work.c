/* See work.h. */
#include "engine/work.h"

#include "base/hash.h"
#include "rules/analysis.h"

#include <string.h>

enum {
    FIRST_PART = 2,            /* what every unit has, as a part of what one kernel may do at most, */
    READ_TWICE_PART = 2,       /* less where the second front end had to help; */
    TEXT_SHARE = 16,           /* for every byte of text that was parsed, */
    TEXT_SHARE_MAX = 3 << 19,  /* but no more than that */
    INSTRUCTION_SHARE = 8,  /* work that a unit has for every instruction that was lowered, besides that of one kernel */
    LARGEST_PART = 2,       /* a family may always have that part of what is left */
    LEAST_PART = 8,         /* of all, for functions that come when everything is used up */
    RESERVED_PART = 2       /* of all, which those to come share evenly whatever the first ones need */
};

/* The instantiations of one template, or one function. */
struct family {
    uint64_t left;
    uint32_t members; /* still to come */
    bool has_begun;
};

struct cw_work_shares {
    struct cw_map families; /* key of the template or function -> 1 + index */
    CW_VEC(struct family) family;
    struct cw_arena *arena;
    uint64_t left, least;
    uint64_t reserved; /* of what is left, for each family of which nothing was analysed yet */
    uint32_t to_come;  /* those */
};

static uint64_t key_of(const struct cw_fn *fn) {
    const char *key = fn->pattern_key ? fn->pattern_key : fn->key;
    return cw_hash(key, strlen(key), 0);
}

static struct family *family_of(struct cw_work_shares *s, const struct cw_fn *fn) {
    uint64_t index;
    return cw_map_get(&s->families, key_of(fn), &index) ? &s->family.at[index] : NULL;
}

static void add(struct cw_work_shares *s, const struct cw_fn *fn) {
    struct family *f = family_of(s, fn);
    if (!f) {
        cw_map_put(&s->families, key_of(fn), s->family.n);
        cw_vec_push(s->arena, &s->family, (struct family){0});
        f = &cw_vec_last(&s->family);
        s->to_come++;
    }
    f->members++;
}

static uint64_t larger(uint64_t a, uint64_t b) {
    return a > b ? a : b;
}

static uint64_t smaller(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

struct cw_work_shares *cw_work_shares_new(const struct cw_module *m, struct cw_arena *a) {
    struct cw_work_shares *s = CW_NEW(a, struct cw_work_shares);
    cw_map_init(&s->families, a);
    s->arena = a;
    s->left = CW_KERNEL_WORK / FIRST_PART;
    if (m->is_read_twice)
        s->left /= READ_TWICE_PART;
    else
        s->left += smaller(m->text_bytes * TEXT_SHARE, TEXT_SHARE_MAX);
    for (uint32_t i = 0; i < m->fns.n; i++)
        s->left += (uint64_t)m->fns.at[i]->ins.n * INSTRUCTION_SHARE;
    s->least = s->left / LEAST_PART;
    return s;
}

void cw_work_shares_add(struct cw_work_shares *s, struct cw_fn *const *fns, uint32_t n, uint32_t part) {
    s->to_come = 0;
    s->left = s->left / part > s->least ? s->left / part : s->least;
    for (uint32_t i = 0; i < n; i++)
        add(s, fns[i]);
    s->reserved = s->to_come ? s->left / RESERVED_PART / s->to_come : 0;
}

static void begin(struct cw_work_shares *s, struct family *f) {
    if (f->has_begun)
        return;
    f->has_begun = true;
    s->to_come -= s->to_come > 0;
    uint64_t others = s->to_come * s->reserved, free = s->left - smaller(others, s->left);
    f->left = larger(s->left / (s->to_come + 1), s->to_come ? free / LARGEST_PART : free);
}

/* What is too much for the first instantiation is so for the others: it may have all of what the family has. */
uint64_t cw_work_for(struct cw_work_shares *s, const struct cw_fn *fn) {
    struct family *f = family_of(s, fn);
    if (!f)
        return 0;
    begin(s, f);
    return smaller(smaller(f->left, s->left), CW_KERNEL_WORK);
}

void cw_work_took(struct cw_work_shares *s, const struct cw_fn *fn, uint64_t work) {
    struct family *f = family_of(s, fn);
    s->left -= smaller(work, s->left);
    if (!f)
        return;
    f->left -= smaller(work, f->left);
    f->members -= f->members > 0;
}
