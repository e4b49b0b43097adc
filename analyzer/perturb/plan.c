#include "perturb/plan.h"

#include "base/hash.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

static bool is_below(const char *path, const char *folder) {
    size_t n = strlen(folder);
    return strncmp(path, folder, n) == 0 && (path[n] == '/' || path[n] == '\0');
}

void cw_plan_init(struct cw_plan *plan, struct cw_arena *a, struct cw_sources *sources, const char *root,
                  const char *out) {
    *plan = (struct cw_plan){.arena = a, .sources = sources, .root = root, .out = out};
    cw_intern_init(&plan->names, a);
    cw_map_init(&plan->by_name, a);
    cw_map_init(&plan->told, a);
}

const char *cw_plan_relative(struct cw_plan *plan, const char *path, const char **real) {
    char full[PATH_MAX];
    if (!path || !realpath(path, full) || !is_below(full, plan->root) || is_below(full, plan->out))
        return NULL;
    *real = cw_intern(&plan->names, full);
    const char *relative = *real + strlen(plan->root);
    return relative + strspn(relative, "/");
}

const struct cw_skewed_file *cw_plan_find(struct cw_plan *plan, const char *real) {
    uint64_t found = 0;
    cw_map_get(&plan->by_name, (uint64_t)(uintptr_t)cw_intern(&plan->names, real), &found);
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

static struct cw_skewed_file *file_at(struct cw_plan *plan, const char *path) {
    const char *real = NULL, *relative = cw_plan_relative(plan, path, &real);
    if (!relative)
        return NULL;
    struct cw_skewed_file *f = (struct cw_skewed_file *)(uintptr_t)cw_plan_find(plan, real);
    if (f)
        return f;
    f = CW_NEW(plan->arena, struct cw_skewed_file);
    *f = (struct cw_skewed_file){
        .real = real, .relative = relative, .source = cw_sources_get(plan->sources, path, NULL)};
    cw_map_put(&plan->by_name, (uint64_t)(uintptr_t)real, (uint64_t)(uintptr_t)f);
    cw_vec_push(plan->arena, &plan->files, f);
    return f;
}

static struct cw_skew *skew_at(struct cw_skewed_file *skewed_file, struct cw_spot spot) {
    for (uint32_t i = 0; i < skewed_file->skews.n; i++)
        if (skewed_file->skews.at[i].spot.at == spot.at && skewed_file->skews.at[i].spot.kind == spot.kind)
            return &skewed_file->skews.at[i];
    return NULL;
}

static void add_rule(struct cw_plan *plan, struct cw_skew *skew, const char *rule) {
    for (uint32_t i = 0; i < skew->rules.n; i++)
        if (!strcmp(skew->rules.at[i], rule))
            return;
    cw_vec_push(plan->arena, &skew->rules, rule);
}

static void add_skew(struct cw_plan *plan, struct cw_skewed_file *skewed_file, struct cw_spot spot,
                     const struct cw_place *place, const char *rule) {
    struct cw_skew *known = skew_at(skewed_file, spot);
    if (!known) {
        struct cw_skew made = {.place = *place, .spot = spot};
        made.place.file = skewed_file->relative;
        cw_vec_push(plan->arena, &skewed_file->skews, made);
        known = &cw_vec_last(&skewed_file->skews);
    }
    add_rule(plan, known, rule);
}

/* NULL, or why a frame has no spot. */
static const char *try_frame(struct cw_plan *plan, const struct cw_place *place, const char *rule) {
    struct cw_skewed_file *f = file_at(plan, place->file);
    if (!f || !f->source || f->source->is_binary || f->source->is_converted || !place->line)
        return "it lies outside of the folder that is copied";
    if (!f->tokens)
        f->tokens = cw_tokens_read(plan->arena, f->source);
    struct cw_spot spot = cw_spot_find(f->tokens, cw_source_offset(f->source, place->line, place->col));
    if (spot.kind == CW_SPOT_NONE)
        return spot.why;
    add_skew(plan, f, spot, place, rule);
    return NULL;
}

static void add_lost(struct cw_plan *plan, const struct cw_place *place, const char *rule, const char *why) {
    uint64_t key = cw_hash(place->file, strlen(place->file), (uint64_t)place->line << 32 | place->col);
    key = cw_hash(rule, strlen(rule), key);
    if (cw_map_get(&plan->told, key, NULL))
        return;
    cw_map_put(&plan->told, key, 1);
    cw_vec_push(plan->arena, &plan->lost, ((struct cw_unskewed){*place, rule, why}));
}

void cw_plan_add(struct cw_plan *plan, const struct cw_flagged *site) {
    const char *why = NULL;
    for (uint32_t i = 0; i < site->frames.n; i++) {
        const char *reason =
            site->frames.at[i].file ? try_frame(plan, &site->frames.at[i], site->rule) : "it has no place";
        if (!reason)
            return;
        why = why ? why : reason;
    }
    if (site->frames.n && site->frames.at[0].file)
        add_lost(plan, &site->frames.at[0], site->rule, why);
}

void cw_plan_unit(struct cw_plan *plan, const char *main_file, const char *const *reads, uint32_t n) {
    struct cw_skewed_file *f = file_at(plan, main_file);
    for (uint32_t i = 0; i < n && f && !f->prologue; i++) {
        const char *real = NULL;
        const struct cw_skewed_file *read = cw_plan_relative(plan, reads[i], &real) ? cw_plan_find(plan, real) : NULL;
        if (read && read->skews.n)
            f->prologue = prologue_of(plan->arena, f->relative);
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

static void write_calls(struct cw_plan *plan, struct cw_skew *skew) {
    static const char *const forms[] = {[CW_SPOT_BEFORE] = "CUWARP_SKEW(%u); ",
                                        [CW_SPOT_BEHIND] = " CUWARP_SKEW(%u);",
                                        [CW_SPOT_AROUND] = "{ CUWARP_SKEW(%u); ",
                                        [CW_SPOT_OPERAND] = "CUWARP_SKEW(%u), "};
    struct cw_buf text = {0};
    const char *form = forms[skew->spot.kind], *number = strstr(form, "%u");
    cw_buf_add(&text, form, (size_t)(number - form));
    cw_buf_printf(&text, "%u%s", skew->id, number + 2);
    struct cw_insertion first = {skew->spot.at, cw_arena_strndup(plan->arena, text.at, text.n)};
    cw_buf_free(&text);
    cw_vec_push(plan->arena, &skew->inserted, first);
    if (skew->spot.kind == CW_SPOT_AROUND)
        cw_vec_push(plan->arena, &skew->inserted, ((struct cw_insertion){skew->spot.end, " }"}));
}

static void finish_file(struct cw_plan *plan, struct cw_skewed_file *skewed_file) {
    if (!skewed_file->skews.n)
        return;
    qsort(skewed_file->skews.at, skewed_file->skews.n, sizeof *skewed_file->skews.at, by_offset);
    for (uint32_t i = 0; i < skewed_file->skews.n; i++) {
        skewed_file->skews.at[i].id = ++plan->nskews;
        qsort(skewed_file->skews.at[i].rules.at, skewed_file->skews.at[i].rules.n,
              sizeof *skewed_file->skews.at[i].rules.at, by_text);
        write_calls(plan, &skewed_file->skews.at[i]);
    }
    if (!skewed_file->prologue)
        skewed_file->prologue = prologue_of(plan->arena, skewed_file->relative);
}

void cw_plan_finish(struct cw_plan *plan) {
    if (plan->files.n)
        qsort(plan->files.at, plan->files.n, sizeof *plan->files.at, by_relative);
    for (uint32_t i = 0; i < plan->files.n; i++)
        finish_file(plan, plan->files.at[i]);
}

/* ---- text ---- */

static bool is_closing(const struct cw_insertion *insertion) {
    return insertion->text[0] == ' ';
}

/* At one offset, what closes comes first. */
static int in_order(const void *a, const void *b) {
    const struct cw_insertion *x = a, *y = b;
    if (x->offset != y->offset)
        return (x->offset > y->offset) - (x->offset < y->offset);
    return (int)is_closing(y) - (int)is_closing(x);
}

void cw_skewed_text(const struct cw_skewed_file *skewed_file, struct cw_arena *a, struct cw_buf *out) {
    CW_VEC(struct cw_insertion) all = {0};
    uint32_t from = 0;
    for (uint32_t i = 0; i < skewed_file->skews.n; i++)
        for (uint32_t k = 0; k < skewed_file->skews.at[i].inserted.n; k++)
            cw_vec_push(a, &all, skewed_file->skews.at[i].inserted.at[k]);
    if (all.n)
        qsort(all.at, all.n, sizeof *all.at, in_order);
    if (skewed_file->source->has_bom)
        cw_buf_puts(out, "\xEF\xBB\xBF");
    cw_buf_puts(out, skewed_file->prologue);
    for (uint32_t i = 0; i < all.n; i++) {
        cw_buf_add(out, skewed_file->source->text + from, all.at[i].offset - from);
        cw_buf_puts(out, all.at[i].text);
        from = all.at[i].offset;
    }
    cw_buf_add(out, skewed_file->source->text + from, skewed_file->source->size - from);
}
