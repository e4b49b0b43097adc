#include "versions/versions.h"

#include "base/hash.h"
#include "base/map.h"
#include "base/printable.h"
#include "source/lexer.h"
#include "versions/lines.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* ---- reading ---- */

static int by_place(const struct cw_sync *sync, const struct cw_sync *other) {
    int order = strcmp(sync->place.file, other->place.file);
    if (!order)
        order = (sync->place.line > other->place.line) - (sync->place.line < other->place.line);
    return order ? order : (sync->place.col > other->place.col) - (sync->place.col < other->place.col);
}

static int in_order(const void *x, const void *y) {
    const struct cw_sync *a = x, *b = y;
    int order = strcmp(a->unit, b->unit);
    order = order ? order : strcmp(a->root, b->root);
    order = order ? order : by_place(a, b);
    return order ? order : strcmp(a->op, b->op);
}

static const char *path_below(struct cw_arena *a, const char *folder, const char *file) {
    char full[PATH_MAX];
    size_t n = strlen(folder);
    if (!realpath(file, full) || strncmp(full, folder, n) != 0 || full[n] != '/')
        return NULL;
    return cw_arena_strdup(a, full + n + 1);
}

static uint32_t next_number(char **rest) {
    char *field = strsep(rest, "\t");
    return field ? (uint32_t)strtoul(field, NULL, 10) : 0;
}

static enum cw_sync_mask mask_of(const char *text) {
    if (!strcmp(text, "full"))
        return CW_SYNC_MASK_FULL;
    return strcmp(text, "activemask") ? CW_SYNC_MASK_OTHER : CW_SYNC_MASK_ACTIVE;
}

static void read_line(struct cw_version *version, struct cw_arena *a, char *line) {
    char *fields[7], *rest = line;
    for (int i = 0; i < 7; i++)
        fields[i] = strsep(&rest, "\t");
    if (!rest)
        return;
    struct cw_sync s = {.unit = cw_field_text(fields[0]), .root = fields[1], .shared = !strcmp(fields[2], "shared"),
                        .function = fields[3], .op = fields[4], .mask = mask_of(fields[5]),
                        .place = {.file = cw_field_text(fields[6])}};
    s.place.line = next_number(&rest);
    s.place.col = next_number(&rest);
    s.place.end_line = next_number(&rest);
    s.place.end_col = next_number(&rest);
    cw_vec_push(a, &version->syncs, s);
}

/* Instantiations of one template say the same several times. */
static void sort_unique(struct cw_version *version) {
    uint32_t kept = 0;
    if (version->syncs.n)
        qsort(version->syncs.at, version->syncs.n, sizeof *version->syncs.at, in_order);
    for (uint32_t i = 0; i < version->syncs.n; i++)
        if (!kept || in_order(&version->syncs.at[kept - 1], &version->syncs.at[i]) != 0)
            version->syncs.at[kept++] = version->syncs.at[i];
    version->syncs.n = kept;
}

void cw_version_read(struct cw_version *version, struct cw_arena *a, cw_str dump) {
    struct cw_map names;
    char *rest = cw_arena_strndup(a, dump.n ? dump.at : "", dump.n);
    cw_map_init(&names, a);
    while (rest && *rest)
        read_line(version, a, strsep(&rest, "\n"));
    for (uint32_t i = 0; i < version->syncs.n; i++) {
        struct cw_sync *s = &version->syncs.at[i];
        uint64_t key = cw_hash(s->place.file, strlen(s->place.file), 0), known;
        if (!cw_map_get(&names, key, &known)) {
            known = (uint64_t)(uintptr_t)path_below(a, version->folder, s->place.file);
            cw_map_put(&names, key, known);
        }
        s->file = (const char *)(uintptr_t)known;
    }
    sort_unique(version);
}

/* ---- one function in two versions ---- */

struct group { /* a root's */
    const struct cw_sync *at;
    uint32_t n;
};

struct compare {
    struct cw_arena *arena;
    const struct cw_version *before, *now;
    struct cw_version_changes found;
    struct cw_map files; /* hash of a path -> struct pair * */
};

struct pair { /* of texts */
    const struct cw_source *before, *now;
    struct cw_lines lines;
};

static struct group next_group(const struct cw_version *version, uint32_t from) {
    uint32_t to = from;
    while (to < version->syncs.n && !strcmp(version->syncs.at[to].unit, version->syncs.at[from].unit) &&
           !strcmp(version->syncs.at[to].root, version->syncs.at[from].root))
        to++;
    return (struct group){version->syncs.at + from, to - from};
}

static struct pair *pair_of(struct compare *compare, const char *file) {
    uint64_t known, key = file ? cw_hash(file, strlen(file), 0) : 0;
    const char *why;
    if (!file || cw_map_get(&compare->files, key, &known))
        return file ? (struct pair *)(uintptr_t)known : NULL;
    struct pair *p = CW_NEW(compare->arena, struct pair);
    p->before =
        cw_source_load(compare->arena, cw_arena_printf(compare->arena, "%s/%s", compare->before->folder, file), &why);
    p->now = cw_source_load(compare->arena, cw_arena_printf(compare->arena, "%s/%s", compare->now->folder, file), &why);
    if (!p->before || !p->now || !cw_lines_match(compare->arena, p->before, p->now, &p->lines))
        p = NULL;
    cw_map_put(&compare->files, key, (uint64_t)(uintptr_t)p);
    return p;
}

/* How many threads wait: what is stronger takes a weaker one's place. 0: no barrier. */
static int rate_barrier(const char *op) {
    static const char *const order[] = {"syncwarp", "barrier", "clustersync", "gridsync"};
    for (int i = 0; i < 4; i++)
        if (!strcmp(op, order[i]))
            return i + 1;
    return 0;
}

static uint32_t count_syncs(struct group group, const struct cw_sync *like) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < group.n; i++)
        n += !strcmp(group.at[i].op, like->op) && !strcmp(group.at[i].function, like->function);
    return n;
}

static bool is_kept(struct compare *compare, const struct cw_sync *sync) {
    const struct pair *p = pair_of(compare, sync->file);
    return !p || (sync->place.line <= p->lines.n && p->lines.now[sync->place.line]);
}

/* The nearest line above or below that says something: 0 when there is none. */
static uint32_t nearest_line(const struct pair *pair, uint32_t line, int step) {
    for (uint32_t l = line + (uint32_t)step; l > 0 && l <= pair->lines.n; l += (uint32_t)step) {
        if (cw_str_trim(cw_source_line(pair->before, l)).n)
            return l;
    }
    return 0;
}

static uint32_t now_line(const struct pair *pair, uint32_t line) {
    return line && line <= pair->lines.n ? pair->lines.now[line] : 0;
}

/* Two lines with the same code: blanks and comments do not count. */
static bool is_same_code(cw_str text, cw_str other) {
    struct cw_lexer la, lb;
    struct cw_token x, y;
    bool any = false;
    cw_lexer_init(&la, text.at, text.n);
    cw_lexer_init(&lb, other.at, other.n);
    do {
        while ((x = cw_lexer_next(&la)).kind == CW_TOKEN_COMMENT)
            continue;
        while ((y = cw_lexer_next(&lb)).kind == CW_TOKEN_COMMENT)
            continue;
        if (x.kind != y.kind || !cw_str_eq((cw_str){text.at + x.at, x.n}, (cw_str){other.at + y.at, y.n}))
            return false;
        any |= x.kind != CW_TOKEN_END;
    } while (x.kind != CW_TOKEN_END);
    return any;
}

/* The line behind the barrier as it is now: the same, or the same but for a comment, a few lines behind `from`. */
static uint32_t line_behind(const struct pair *pair, uint32_t line, uint32_t from) {
    enum { LINES_LOOKED_AT = 8 };
    uint32_t now = now_line(pair, line), end = cw_source_lines(pair->now);
    for (uint32_t l = from + 1; !now && line && from && l <= end && l <= from + LINES_LOOKED_AT; l++)
        if (is_same_code(cw_source_line(pair->before, line), cw_source_line(pair->now, l)))
            now = l;
    return now;
}

static const char *text_of(struct compare *compare, const struct cw_sync *sync, const struct cw_source *source) {
    cw_str text = cw_source_range(source, sync->place.line, sync->place.col, sync->place.end_line, sync->place.end_col);
    enum { SHOWN = 60 };
    const char *end = memchr(text.at, '\n', text.n);
    text.n = end ? (size_t)(end - text.at) : text.n;
    return cw_arena_strndup(compare->arena, text.at, text.n < SHOWN ? text.n : SHOWN);
}

/* A comment of the new text, behind line `from` and not behind line `to`, that holds the call; false when there is
 * none. */
static bool find_comment(const struct pair *pair, const char *call, uint32_t from, uint32_t to, struct cw_place *out) {
    struct cw_lexer l;
    struct cw_token t;
    size_t begin = cw_source_offset(pair->now, from ? from : 1, 1);
    cw_lexer_init(&l, pair->now->text + begin, pair->now->size - begin);
    while ((t = cw_lexer_next(&l)).kind != CW_TOKEN_END) {
        uint32_t line, col;
        cw_source_place(pair->now, begin + t.at, &line, &col);
        if (to && line > to)
            return false;
        if (t.kind != CW_TOKEN_COMMENT || !memmem(l.text + t.at, t.n, call, strlen(call)))
            continue;
        out->line = line;
        out->col = col;
        cw_source_place(pair->now, begin + t.at + t.n, &out->end_line, &out->end_col);
        return true;
    }
    return false;
}

/* The whole line without the blanks around it. */
static struct cw_place place_of_line(const struct pair *pair, const char *file, uint32_t line) {
    cw_str text = cw_source_line(pair->now, line), trimmed = cw_str_trim(text);
    uint32_t col = (uint32_t)(trimmed.at - text.at) + 1;
    return (struct cw_place){file, line, col, line, col + (uint32_t)trimmed.n};
}

/* The barrier for fewer threads that stands between two lines now, if there is one. */
static const struct cw_sync *weaker_between(struct group now, const struct cw_sync *sync, uint32_t from, uint32_t to) {
    for (uint32_t i = 0; i < now.n; i++) {
        const struct cw_sync *n = &now.at[i];
        bool is_there = n->place.line > from && n->place.line < to && !strcmp(n->function, sync->function);
        if (is_there && rate_barrier(n->op) && rate_barrier(n->op) < rate_barrier(sync->op))
            return n;
    }
    return NULL;
}

/* A function without a text to show its change in, and code that went together with its barrier, are left alone. */
static void add_lost(struct compare *compare, const struct cw_sync *sync, struct group now) {
    const struct pair *p = pair_of(compare, sync->file);
    if (!p || sync->place.line > p->lines.n)
        return;
    uint32_t above = nearest_line(p, sync->place.line, -1), behind = nearest_line(p, sync->place.end_line, 1);
    uint32_t from = now_line(p, above), to = line_behind(p, behind, from);
    struct cw_lost_barrier lost = {.sync = sync, .call = text_of(compare, sync, p->before), .weaker = "",
                                   .comment = {.file = sync->place.file}};
    if (!from || !to || to < from || !*lost.call)
        return;
    lost.is_commented = find_comment(p, lost.call, from, to, &lost.comment);
    if (!lost.is_commented) {
        const struct cw_sync *weaker = weaker_between(now, sync, from, to);
        lost.weaker = weaker ? text_of(compare, weaker, p->now) : "";
        lost.next = place_of_line(p, sync->place.file, to);
    }
    cw_vec_push(compare->arena, &compare->found.lost, lost);
}

/* Barriers that are fewer now than before, less those that came instead. */
static void compare_barriers(struct compare *compare, struct group before, struct group now) {
    int spare[5] = {0};
    for (uint32_t i = 0; i < now.n; i++)
        if (rate_barrier(now.at[i].op) && (i == 0 || count_syncs((struct group){now.at, i}, &now.at[i]) == 0)) {
            uint32_t had = count_syncs(before, &now.at[i]), has = count_syncs(now, &now.at[i]);
            spare[rate_barrier(now.at[i].op)] += has > had ? (int)(has - had) : 0;
        }
    for (uint32_t i = 0; i < before.n; i++) {
        const struct cw_sync *s = &before.at[i];
        int level = rate_barrier(s->op);
        uint32_t had = count_syncs(before, s), has = count_syncs(now, s), told = 0;
        if (!level || !s->shared || had <= has || is_kept(compare, s))
            continue;
        for (uint32_t k = 0; k < i; k++) /* those told before it */
            told += !strcmp(before.at[k].op, s->op) && !strcmp(before.at[k].function, s->function) &&
                    !is_kept(compare, &before.at[k]);
        while (level < 5 && !spare[level])
            level++;
        if (told >= had - has)
            continue;
        if (level < 5)
            spare[level]--;
        else
            add_lost(compare, s, now);
    }
}

/* The k-th of a kind is the k-th of it in the other version, when there are as many. */
static const struct cw_sync *find_counterpart(struct group before, struct group now, uint32_t i) {
    const struct cw_sync *s = &now.at[i];
    uint32_t rank = count_syncs((struct group){now.at, i}, s);
    if (count_syncs(before, s) != count_syncs(now, s))
        return NULL;
    for (uint32_t k = 0; k < before.n; k++)
        if (!strcmp(before.at[k].op, s->op) && !strcmp(before.at[k].function, s->function) && rank-- == 0)
            return &before.at[k];
    return NULL;
}

static void add_kept(struct compare *compare, struct group before, struct group now) {
    for (uint32_t i = 0; i < now.n; i++) {
        const struct cw_sync *was = find_counterpart(before, now, i);
        if (was)
            cw_vec_push(compare->arena, &compare->found.kept, ((struct cw_sync_pair){was, &now.at[i]}));
    }
}

static const struct cw_sync *first_of(const struct cw_version *version, const struct cw_sync *like) {
    for (uint32_t i = 0; i < version->syncs.n; i++)
        if (!strcmp(version->syncs.at[i].unit, like->unit) && !strcmp(version->syncs.at[i].root, like->root))
            return &version->syncs.at[i];
    return NULL;
}

struct cw_version_changes cw_versions_compare(struct cw_arena *a, const struct cw_version *before,
                                              const struct cw_version *now) {
    struct compare c = {.arena = a, .before = before, .now = now};
    cw_map_init(&c.files, a);
    for (uint32_t i = 0; i < before->syncs.n;) {
        struct group was = next_group(before, i);
        const struct cw_sync *first = first_of(now, was.at);
        if (first) {
            struct group is = next_group(now, (uint32_t)(first - now->syncs.at));
            compare_barriers(&c, was, is);
            add_kept(&c, was, is);
        }
        i += was.n;
    }
    return c.found;
}
