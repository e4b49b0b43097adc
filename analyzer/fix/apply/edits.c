#include "fix/apply/edits.h"

#include <string.h>

/* ---- a set ---- */

static bool same(const struct cw_replacement *x, const struct cw_replacement *y) {
    return x->from == y->from && x->to == y->to && !strcmp(x->text, y->text);
}

bool cw_edits_add(struct cw_arena *a, struct cw_edits *e, struct cw_replacement r) {
    uint32_t at = e->at.n;
    while (at > 0 && e->at.at[at - 1].from > r.from)
        at--;
    if (at < e->at.n && same(&e->at.at[at], &r))
        return true;
    if (at > 0 && same(&e->at.at[at - 1], &r))
        return true;
    if ((at > 0 && e->at.at[at - 1].to >= r.from) || (at < e->at.n && e->at.at[at].from <= r.to))
        return false;
    cw_vec_push(a, &e->at, r);
    memmove(&e->at.at[at + 1], &e->at.at[at], (e->at.n - 1 - at) * sizeof r);
    e->at.at[at] = r;
    return true;
}

/* ---- from places ---- */

static const char *ending_at(const struct cw_source *s, size_t offset) {
    const char *end = s->text + s->size, *at = s->text + offset;
    while (at < end && *at != '\n' && *at != '\r')
        at++;
    if (at == end) /* the last line, without an ending */
        for (at = s->text; at < end && *at != '\n' && *at != '\r';)
            at++;
    if (at == end || *at == '\n')
        return "\n";
    return at + 1 < end && at[1] == '\n' ? "\r\n" : "\r";
}

static const char *with_ending(struct cw_arena *a, const char *text, const char *ending) {
    size_t lines = 0, width = strlen(ending);
    for (const char *at = text; *at; at++)
        lines += *at == '\n';
    if (!lines || !strcmp(ending, "\n"))
        return text;
    char *out = cw_arena_alloc(a, strlen(text) + lines * width + 1), *to = out;
    for (const char *at = text; *at; at++) {
        if (*at != '\n') {
            *to++ = *at;
            continue;
        }
        memcpy(to, ending, width);
        to += width;
    }
    return out;
}

struct cw_replacement cw_edit_resolve(struct cw_arena *a, const struct cw_source *source, const struct cw_edit *edit) {
    const struct cw_place *p = &edit->place;
    size_t from = cw_source_offset(source, p->line, p->col), to = cw_source_offset(source, p->end_line, p->end_col);
    const char *text = with_ending(a, edit->replacement, ending_at(source, from));
    return (struct cw_replacement){from, to < from ? from : to, text};
}

/* ---- applying ---- */

void cw_edits_apply(const struct cw_edits *e, const char *text, size_t size, struct cw_buf *out) {
    size_t done = 0;
    for (uint32_t i = 0; i < e->at.n; i++) {
        const struct cw_replacement *r = &e->at.at[i];
        cw_buf_add(out, text + done, r->from - done);
        cw_buf_puts(out, r->text);
        done = r->to;
    }
    cw_buf_add(out, text + done, size - done);
}

struct cw_range cw_edits_map(const struct cw_edits *e, size_t offset) {
    size_t added = 0, removed = 0;
    for (uint32_t i = 0; i < e->at.n && e->at.at[i].from <= offset; i++) {
        const struct cw_replacement *r = &e->at.at[i];
        size_t n = strlen(r->text), from = r->from + added - removed;
        if (offset < r->to || offset == r->from)
            return (struct cw_range){from, from + n};
        added += n;
        removed += r->to - r->from;
    }
    return (struct cw_range){offset + added - removed, offset + added - removed};
}

/* ---- composing ---- */

struct composer {
    struct cw_arena *arena;
    const char *text;                   /* the old text */
    const struct cw_edits *first, *second;
    uint32_t i, j;                      /* next of each */
    size_t added, removed;              /* by the first set up to edit i: old + added - removed = between */
};

/* Where edit i of the first set begins in the text between. */
static size_t between_from(const struct composer *c) {
    return c->first->at.at[c->i].from + c->added - c->removed;
}

static size_t between_to(const struct composer *c) {
    return between_from(c) + strlen(c->first->at.at[c->i].text);
}

static void pass_first(struct composer *c) {
    const struct cw_replacement *r = &c->first->at.at[c->i++];
    c->added += strlen(r->text);
    c->removed += r->to - r->from;
}

/* A run of edits of both sets that touch each other in the text between, as one replacement of the old text. */
struct cluster {
    size_t from, to;         /* in the text between */
    size_t old_from, old_to; /* in the old one */
};

static bool joins_first(const struct composer *c, const struct cluster *k) {
    return c->i < c->first->at.n && between_from(c) <= k->to && between_to(c) >= k->from;
}

static bool joins_second(const struct composer *c, const struct cluster *k) {
    return c->j < c->second->at.n && c->second->at.at[c->j].from <= k->to && c->second->at.at[c->j].to >= k->from;
}

static size_t least(size_t x, size_t y) {
    return x < y ? x : y;
}

static size_t most(size_t x, size_t y) {
    return x > y ? x : y;
}

/* Takes in every edit that touches the cluster, which may make it touch more. The old text's range follows from what
 * the first set did before and inside. */
static void grow(struct composer *c, struct cluster *k) {
    size_t added_before = c->added, removed_before = c->removed;
    for (;;) {
        if (joins_first(c, k)) {
            k->from = least(k->from, between_from(c));
            k->to = most(k->to, between_to(c));
            pass_first(c);
        } else if (joins_second(c, k)) {
            k->from = least(k->from, c->second->at.at[c->j].from);
            k->to = most(k->to, c->second->at.at[c->j].to);
            c->j++;
        } else {
            break;
        }
    }
    k->old_from = k->from - added_before + removed_before;
    k->old_to = k->to - c->added + c->removed;
}

/* The cluster's new text: old bytes through the first edits of the cluster, the result through the second ones. */
static const char *cluster_text(struct composer *c, const struct cluster *k, uint32_t i, uint32_t j) {
    struct cw_edits inner = {0}, outer = {0};
    for (; i < c->i; i++) {
        struct cw_replacement r = c->first->at.at[i];
        r.from -= k->old_from, r.to -= k->old_from;
        cw_vec_push(c->arena, &inner.at, r);
    }
    for (; j < c->j; j++) {
        struct cw_replacement r = c->second->at.at[j];
        r.from -= k->from, r.to -= k->from;
        cw_vec_push(c->arena, &outer.at, r);
    }
    struct cw_buf middle = {0}, last = {0};
    cw_edits_apply(&inner, c->text + k->old_from, k->old_to - k->old_from, &middle);
    cw_edits_apply(&outer, middle.at ? middle.at : "", middle.n, &last);
    const char *text = cw_arena_strndup(c->arena, last.at ? last.at : "", last.n);
    cw_buf_free(&middle);
    cw_buf_free(&last);
    return text;
}

static struct cw_replacement next_cluster(struct composer *c) {
    struct cluster k = {0};
    uint32_t i = c->i, j = c->j;
    bool has_second = j < c->second->at.n;
    if (i < c->first->at.n && (!has_second || between_from(c) <= c->second->at.at[j].from))
        k.from = between_from(c), k.to = between_to(c);
    else
        k.from = c->second->at.at[j].from, k.to = c->second->at.at[j].to;
    grow(c, &k);
    return (struct cw_replacement){k.old_from, k.old_to, cluster_text(c, &k, i, j)};
}

struct cw_edits cw_edits_compose(struct cw_arena *a, const char *text, const struct cw_edits *first,
                                 const struct cw_edits *second) {
    struct composer c = {.arena = a, .text = text, .first = first, .second = second};
    struct cw_edits out = {0};
    while (c.i < first->at.n || c.j < second->at.n) {
        struct cw_replacement r = next_cluster(&c);
        if (r.to - r.from != strlen(r.text) || memcmp(text + r.from, r.text, r.to - r.from) != 0)
            cw_vec_push(a, &out.at, r);
    }
    return out;
}
