#include "perturb/plan.h"

#include "base/hash.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

static bool is_below(const char *path, const char *folder) {
    size_t n = strlen(folder);
    return strncmp(path, folder, n) == 0 && (path[n] == '/' || path[n] == '\0');
}

void cw_plan_init(struct cw_plan *p, struct cw_arena *a, struct cw_sources *sources, const char *root,
                  const char *out) {
    *p = (struct cw_plan){.arena = a, .sources = sources, .root = root, .out = out};
    cw_intern_init(&p->names, a);
    cw_map_init(&p->by_name, a);
    cw_map_init(&p->told, a);
}

const char *cw_plan_relative(struct cw_plan *p, const char *path, const char **real) {
    char full[PATH_MAX];
    if (!path || !realpath(path, full) || !is_below(full, p->root) || is_below(full, p->out))
        return NULL;
    *real = cw_intern(&p->names, full);
    const char *relative = *real + strlen(p->root);
    return relative + strspn(relative, "/");
}

const struct cw_skewed_file *cw_plan_find(struct cw_plan *p, const char *real) {
    uint64_t found = 0;
    cw_map_get(&p->by_name, (uint64_t)(uintptr_t)cw_intern(&p->names, real), &found);
    return (const struct cw_skewed_file *)(uintptr_t)found;
}

/* "#include" of the header by the way from the file's folder, and the count of lines set back. */
static const char *prologue_of(struct cw_arena *a, const char *relative) {
    struct cw_buf way = {0};
    cw_buf_puts(&way, "#include \"");
    for (const char *slash = strchr(relative, '/'); slash; slash = strchr(slash + 1, '/'))
        cw_buf_puts(&way, "../");
    cw_buf_puts(&way, CW_SKEW_HEADER "\"\n#line 1\n");
    const char *text = cw_arena_strndup(a, way.at, way.n);
    cw_buf_free(&way);
    return text;
}

static struct cw_skewed_file *file_at(struct cw_plan *p, const char *path) {
    const char *real = NULL, *relative = cw_plan_relative(p, path, &real);
    if (!relative)
        return NULL;
    struct cw_skewed_file *f = (struct cw_skewed_file *)(uintptr_t)cw_plan_find(p, real);
    if (f)
        return f;
    f = CW_NEW(p->arena, struct cw_skewed_file);
    *f = (struct cw_skewed_file){.real = real, .relative = relative, .source = cw_sources_get(p->sources, path, NULL)};
    cw_map_put(&p->by_name, (uint64_t)(uintptr_t)real, (uint64_t)(uintptr_t)f);
    cw_vec_push(p->arena, &p->files, f);
    return f;
}

static struct cw_skew *skew_at(struct cw_skewed_file *f, struct cw_spot spot) {
    for (uint32_t i = 0; i < f->skews.n; i++)
        if (f->skews.at[i].spot.at == spot.at && f->skews.at[i].spot.kind == spot.kind)
            return &f->skews.at[i];
    return NULL;
}

static void add_rule(struct cw_plan *p, struct cw_skew *s, const char *rule) {
    for (uint32_t i = 0; i < s->rules.n; i++)
        if (!strcmp(s->rules.at[i], rule))
            return;
    cw_vec_push(p->arena, &s->rules, rule);
}

static void add_skew(struct cw_plan *p, struct cw_skewed_file *f, struct cw_spot spot, const struct cw_place *place,
                     const char *rule) {
    struct cw_skew *known = skew_at(f, spot);
    if (!known) {
        struct cw_skew made = {.place = *place, .spot = spot};
        made.place.file = f->relative;
        cw_vec_push(p->arena, &f->skews, made);
        known = &cw_vec_last(&f->skews);
    }
    add_rule(p, known, rule);
}

/* NULL, or why a frame has no spot. */
static const char *try_frame(struct cw_plan *p, const struct cw_place *place, const char *rule) {
    struct cw_skewed_file *f = file_at(p, place->file);
    if (!f || !f->source || f->source->is_binary || f->source->is_converted || !place->line)
        return "it lies outside of the folder that is copied";
    if (!f->tokens)
        f->tokens = cw_tokens_read(p->arena, f->source);
    struct cw_spot spot = cw_spot_find(f->tokens, cw_source_offset(f->source, place->line, place->col));
    if (spot.kind == CW_SPOT_NONE)
        return spot.why;
    add_skew(p, f, spot, place, rule);
    return NULL;
}

static void add_lost(struct cw_plan *p, const struct cw_place *place, const char *rule, const char *why) {
    uint64_t key = cw_hash(place->file, strlen(place->file), (uint64_t)place->line << 32 | place->col);
    key = cw_hash(rule, strlen(rule), key);
    if (cw_map_get(&p->told, key, NULL))
        return;
    cw_map_put(&p->told, key, 1);
    cw_vec_push(p->arena, &p->lost, ((struct cw_unskewed){*place, rule, why}));
}

void cw_plan_add(struct cw_plan *p, const struct cw_flagged *site) {
    const char *why = NULL;
    for (uint32_t i = 0; i < site->frames.n; i++) {
        const char *reason =
            site->frames.at[i].file ? try_frame(p, &site->frames.at[i], site->rule) : "it has no place";
        if (!reason)
            return;
        why = why ? why : reason;
    }
    if (site->frames.n && site->frames.at[0].file)
        add_lost(p, &site->frames.at[0], site->rule, why);
}

void cw_plan_unit(struct cw_plan *p, const char *main_file, const char *const *reads, uint32_t n) {
    struct cw_skewed_file *f = file_at(p, main_file);
    for (uint32_t i = 0; i < n && f && !f->prologue; i++) {
        const char *real = NULL;
        const struct cw_skewed_file *read = cw_plan_relative(p, reads[i], &real) ? cw_plan_find(p, real) : NULL;
        if (read && read->skews.n)
            f->prologue = prologue_of(p->arena, f->relative);
    }
}

/* ---- numbers ---- */

static int by_relative(const void *a, const void *b) {
    return strcmp((*(struct cw_skewed_file *const *)a)->relative, (*(struct cw_skewed_file *const *)b)->relative);
}

static int by_offset(const void *a, const void *b) {
    const struct cw_spot *x = &((const struct cw_skew *)a)->spot, *y = &((const struct cw_skew *)b)->spot;
    return x->at != y->at ? (x->at > y->at) - (x->at < y->at) : (int)x->kind - (int)y->kind;
}

static int by_text(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void write_calls(struct cw_plan *p, struct cw_skew *s) {
    static const char *const forms[] = {[CW_SPOT_BEFORE] = "CUWARP_SKEW(%u); ",
                                        [CW_SPOT_BEHIND] = " CUWARP_SKEW(%u);",
                                        [CW_SPOT_AROUND] = "{ CUWARP_SKEW(%u); ",
                                        [CW_SPOT_OPERAND] = "CUWARP_SKEW(%u), "};
    struct cw_buf text = {0};
    const char *form = forms[s->spot.kind], *number = strstr(form, "%u");
    cw_buf_add(&text, form, (size_t)(number - form));
    cw_buf_printf(&text, "%u%s", s->id, number + 2);
    struct cw_insertion first = {s->spot.at, cw_arena_strndup(p->arena, text.at, text.n)};
    cw_buf_free(&text);
    cw_vec_push(p->arena, &s->inserted, first);
    if (s->spot.kind == CW_SPOT_AROUND)
        cw_vec_push(p->arena, &s->inserted, ((struct cw_insertion){s->spot.end, " }"}));
}

static void finish_file(struct cw_plan *p, struct cw_skewed_file *f) {
    if (!f->skews.n)
        return;
    qsort(f->skews.at, f->skews.n, sizeof *f->skews.at, by_offset);
    for (uint32_t i = 0; i < f->skews.n; i++) {
        f->skews.at[i].id = ++p->nskews;
        qsort(f->skews.at[i].rules.at, f->skews.at[i].rules.n, sizeof *f->skews.at[i].rules.at, by_text);
        write_calls(p, &f->skews.at[i]);
    }
    if (!f->prologue)
        f->prologue = prologue_of(p->arena, f->relative);
}

void cw_plan_finish(struct cw_plan *p) {
    if (p->files.n)
        qsort(p->files.at, p->files.n, sizeof *p->files.at, by_relative);
    for (uint32_t i = 0; i < p->files.n; i++)
        finish_file(p, p->files.at[i]);
}

/* ---- text ---- */

static bool is_closing(const struct cw_insertion *i) {
    return i->text[0] == ' ';
}

/* At one offset, what closes comes first. */
static int in_order(const void *a, const void *b) {
    const struct cw_insertion *x = a, *y = b;
    if (x->offset != y->offset)
        return (x->offset > y->offset) - (x->offset < y->offset);
    return (int)is_closing(y) - (int)is_closing(x);
}

void cw_skewed_text(const struct cw_skewed_file *f, struct cw_arena *a, struct cw_buf *out) {
    CW_VEC(struct cw_insertion) all = {0};
    uint32_t from = 0;
    for (uint32_t i = 0; i < f->skews.n; i++)
        for (uint32_t k = 0; k < f->skews.at[i].inserted.n; k++)
            cw_vec_push(a, &all, f->skews.at[i].inserted.at[k]);
    if (all.n)
        qsort(all.at, all.n, sizeof *all.at, in_order);
    if (f->source->has_bom)
        cw_buf_puts(out, "\xEF\xBB\xBF");
    cw_buf_puts(out, f->prologue);
    for (uint32_t i = 0; i < all.n; i++) {
        cw_buf_add(out, f->source->text + from, all.at[i].offset - from);
        cw_buf_puts(out, all.at[i].text);
        from = all.at[i].offset;
    }
    cw_buf_add(out, f->source->text + from, f->source->size - from);
}
