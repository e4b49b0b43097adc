#include "fix/apply/edits.h"

#include <string.h>

/* ---- a set ---- */

static bool is_same(const struct cw_replacement *replacement, const struct cw_replacement *other) {
    return replacement->from == other->from && replacement->to == other->to && !strcmp(replacement->text, other->text);
}

bool cw_edits_add(struct cw_arena *a, struct cw_edits *edits, struct cw_replacement replacement) {
    uint32_t at = edits->at.n;
    while (at > 0 && edits->at.at[at - 1].from > replacement.from)
        at--;
    if (at < edits->at.n && is_same(&edits->at.at[at], &replacement))
        return true;
    if (at > 0 && is_same(&edits->at.at[at - 1], &replacement))
        return true;
    if ((at > 0 && edits->at.at[at - 1].to >= replacement.from) ||
        (at < edits->at.n && edits->at.at[at].from <= replacement.to))
        return false;
    cw_vec_push(a, &edits->at, replacement);
    memmove(&edits->at.at[at + 1], &edits->at.at[at], (edits->at.n - 1 - at) * sizeof replacement);
    edits->at.at[at] = replacement;
    return true;
}

/* ---- from places ---- */

static const char *ending_at(const struct cw_source *source, size_t offset) {
    const char *end = source->text + source->size, *at = source->text + offset;
    while (at < end && *at != '\n' && *at != '\r')
        at++;
    if (at == end) /* the last line, without an ending */
        for (at = source->text; at < end && *at != '\n' && *at != '\r';)
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

void cw_edits_apply(const struct cw_edits *edits, const char *text, size_t size, struct cw_buf *out) {
    size_t done = 0;
    for (uint32_t i = 0; i < edits->at.n; i++) {
        const struct cw_replacement *r = &edits->at.at[i];
        cw_buf_add(out, text + done, r->from - done);
        cw_buf_puts(out, r->text);
        done = r->to;
    }
    cw_buf_add(out, text + done, size - done);
}

struct cw_range cw_edits_map(const struct cw_edits *edits, size_t offset) {
    size_t added = 0, removed = 0;
    for (uint32_t i = 0; i < edits->at.n && edits->at.at[i].from <= offset; i++) {
        const struct cw_replacement *r = &edits->at.at[i];
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
static size_t between_from(const struct composer *composer) {
    return composer->first->at.at[composer->i].from + composer->added - composer->removed;
}

static size_t between_to(const struct composer *composer) {
    return between_from(composer) + strlen(composer->first->at.at[composer->i].text);
}

static void pass_first(struct composer *composer) {
    const struct cw_replacement *r = &composer->first->at.at[composer->i++];
    composer->added += strlen(r->text);
    composer->removed += r->to - r->from;
}

/* A run of edits of both sets that touch each other in the text between, as one replacement of the old text. */
struct cluster {
    size_t from, to;         /* in the text between */
    size_t old_from, old_to; /* in the old one */
};

static bool joins_first(const struct composer *composer, const struct cluster *cluster) {
    return composer->i < composer->first->at.n && between_from(composer) <= cluster->to &&
           between_to(composer) >= cluster->from;
}

static bool joins_second(const struct composer *composer, const struct cluster *cluster) {
    return composer->j < composer->second->at.n && composer->second->at.at[composer->j].from <= cluster->to &&
           composer->second->at.at[composer->j].to >= cluster->from;
}

static size_t min_size(size_t x, size_t y) {
    return x < y ? x : y;
}

static size_t max_size(size_t x, size_t y) {
    return x > y ? x : y;
}

/* Takes in every edit that touches the cluster, which may make it touch more. The old text's range follows from what
 * the first set did before and inside. */
static void grow_cluster(struct composer *composer, struct cluster *cluster) {
    size_t added_before = composer->added, removed_before = composer->removed;
    for (;;) {
        if (joins_first(composer, cluster)) {
            cluster->from = min_size(cluster->from, between_from(composer));
            cluster->to = max_size(cluster->to, between_to(composer));
            pass_first(composer);
        } else if (joins_second(composer, cluster)) {
            cluster->from = min_size(cluster->from, composer->second->at.at[composer->j].from);
            cluster->to = max_size(cluster->to, composer->second->at.at[composer->j].to);
            composer->j++;
        } else {
            break;
        }
    }
    cluster->old_from = cluster->from - added_before + removed_before;
    cluster->old_to = cluster->to - composer->added + composer->removed;
}

/* The cluster's new text: old bytes through the first edits of the cluster, the result through the second ones. */
static const char *cluster_text(struct composer *composer, const struct cluster *cluster, uint32_t i, uint32_t j) {
    struct cw_edits inner = {0}, outer = {0};
    for (; i < composer->i; i++) {
        struct cw_replacement r = composer->first->at.at[i];
        r.from -= cluster->old_from, r.to -= cluster->old_from;
        cw_vec_push(composer->arena, &inner.at, r);
    }
    for (; j < composer->j; j++) {
        struct cw_replacement r = composer->second->at.at[j];
        r.from -= cluster->from, r.to -= cluster->from;
        cw_vec_push(composer->arena, &outer.at, r);
    }
    struct cw_buf middle = {0}, last = {0};
    cw_edits_apply(&inner, composer->text + cluster->old_from, cluster->old_to - cluster->old_from, &middle);
    cw_edits_apply(&outer, middle.at ? middle.at : "", middle.n, &last);
    const char *text = cw_arena_strndup(composer->arena, last.at ? last.at : "", last.n);
    cw_buf_free(&middle);
    cw_buf_free(&last);
    return text;
}

static struct cw_replacement next_cluster(struct composer *composer) {
    struct cluster k = {0};
    uint32_t i = composer->i, j = composer->j;
    bool has_second = j < composer->second->at.n;
    if (i < composer->first->at.n && (!has_second || between_from(composer) <= composer->second->at.at[j].from))
        k.from = between_from(composer), k.to = between_to(composer);
    else
        k.from = composer->second->at.at[j].from, k.to = composer->second->at.at[j].to;
    grow_cluster(composer, &k);
    return (struct cw_replacement){k.old_from, k.old_to, cluster_text(composer, &k, i, j)};
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
