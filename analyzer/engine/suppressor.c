#include "engine/suppressor.h"

#include "rules/hook_comments.h"
#include "rules/registry.h"
#include "suppress/suppress.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_MACROS = 512 }; /* looked at on the way from a macro to those it expands to */

struct cw_suppressor {
    struct cw_arena *arena;
    struct cw_sources *sources;
    struct cw_intern names;
    struct cw_map macros; /* struct cw_comments * of a file -> its struct cw_macros * */
    struct cw_map files; /* interned path, as named and as it really is -> struct cw_comments *, NULL: cannot be read */
};

struct cw_suppressor *cw_suppressor_new(struct cw_arena *a, struct cw_sources *sources) {
    struct cw_suppressor *s = CW_NEW(a, struct cw_suppressor);
    s->arena = a;
    s->sources = sources;
    cw_intern_init(&s->names, a);
    cw_map_init(&s->files, a);
    cw_map_init(&s->macros, a);
    return s;
}

/* One file has one set of comments, by whatever names it is called: they remember whether they were of use. */
static struct cw_comments *comments_of(struct cw_suppressor *suppressor, const char *path) {
    char full[PATH_MAX];
    uint64_t known, key = (uint64_t)(uintptr_t)cw_intern(&suppressor->names, path);
    if (cw_map_get(&suppressor->files, key, &known))
        return (struct cw_comments *)(uintptr_t)known;
    uint64_t real = realpath(path, full) ? (uint64_t)(uintptr_t)cw_intern(&suppressor->names, full) : key;
    if (!cw_map_get(&suppressor->files, real, &known)) {
        const struct cw_source *source = cw_sources_get(suppressor->sources, path, NULL);
        known =
            (uint64_t)(uintptr_t)(source && !source->is_binary ? cw_comments_read(suppressor->arena, source) : NULL);
        cw_map_put(&suppressor->files, real, known);
    }
    cw_map_put(&suppressor->files, key, known);
    return (struct cw_comments *)(uintptr_t)known;
}

void cw_suppressor_read(struct cw_suppressor *suppressor, const char *path) {
    comments_of(suppressor, path);
}

static struct cw_place place_of(const char *path, const struct cw_comments *comments, cw_str slice) {
    struct cw_place p = {.file = path};
    cw_comments_place(comments, slice, &p.line, &p.col, &p.end_line, &p.end_col);
    return p;
}

/* ---- matching ---- */

static const char *category_of(const struct cw_finding *finding) {
    const struct cw_rule *rule = cw_rule_find(finding->rule);
    return rule ? rule->category : NULL;
}

static bool is_within(const struct cw_comment *comment, const struct cw_silence *silence,
                      const struct cw_place *place) {
    if (place->line >= silence->first && place->line <= silence->last)
        return true;
    return comment->is_behind && comment->directive.kind == CW_DIRECTIVE_IGNORE && place->line <= silence->last &&
           place->end_line >= silence->first;
}

static void suppress_finding(struct cw_suppressor *suppressor, struct cw_finding *finding, const char *path,
                             const struct cw_comments *all, const struct cw_comment *comment) {
    if (finding->suppression.kind)
        return;
    cw_str reason = comment->directive.reason;
    finding->suppression =
        (struct cw_suppression){"inSource", reason.n ? cw_arena_strndup(suppressor->arena, reason.at, reason.n) : NULL,
                                place_of(path, all, comment->text)};
}

/* All that fit are of use: which of two is the superfluous one is not for us to say. */
static void match_place(struct cw_suppressor *suppressor, struct cw_finding *finding) {
    struct cw_comments *all = finding->place.file ? comments_of(suppressor, finding->place.file) : NULL;
    for (uint32_t i = 0; all && i < all->list.n; i++) {
        struct cw_comment *c = &all->list.at[i];
        for (uint32_t k = 0; cw_directive_is_suppression(c->directive.kind) && k < c->silences.n; k++) {
            struct cw_silence *silence = &c->silences.at[k];
            if (!is_within(c, silence, &finding->place) ||
                !cw_silence_names(silence->name, finding->rule, category_of(finding)))
                continue;
            silence->is_used = true;
            suppress_finding(suppressor, finding, finding->place.file, all, c);
        }
    }
}

/* ---- macros ---- */

struct names { const char **at; uint32_t n, cap; };

static void add_name(struct cw_suppressor *suppressor, struct names *names, const char *name) {
    for (uint32_t i = 0; i < names->n; i++)
        if (names->at[i] == name)
            return;
    if (names->n < MAX_MACROS)
        cw_vec_push(suppressor->arena, names, name);
}

static const struct cw_macros *macros_of(struct cw_suppressor *suppressor, const char *path) {
    const struct cw_comments *all = comments_of(suppressor, path);
    uint64_t known;
    if (!all)
        return NULL;
    if (!cw_map_get(&suppressor->macros, (uint64_t)(uintptr_t)all, &known)) {
        struct cw_macros *macros = CW_NEW(suppressor->arena, struct cw_macros);
        *macros = cw_macros_read(suppressor->arena, all->source);
        known = (uint64_t)(uintptr_t)macros;
        cw_map_put(&suppressor->macros, (uint64_t)(uintptr_t)all, known);
    }
    return (const struct cw_macros *)(uintptr_t)known;
}

/* The macro and those that its expansion may go through, as far as `files` define them. */
static struct names expansion_of(struct cw_suppressor *suppressor, const char *macro, const char *const *files,
                                 uint32_t nfiles) {
    struct names found = {0};
    add_name(suppressor, &found, cw_intern(&suppressor->names, macro));
    for (uint32_t at = 0; at < found.n; at++)
        for (uint32_t i = 0; i < nfiles; i++) {
            const struct cw_macros *all = macros_of(suppressor, files[i]);
            for (uint32_t m = 0; all && m < all->n; m++) {
                const struct cw_macro *def = &all->at[m];
                for (uint32_t k = 0; cw_str_is(def->name, found.at[at]) && k < def->mentions.n; k++)
                    add_name(suppressor, &found,
                             cw_intern_n(&suppressor->names, def->mentions.at[k].at, def->mentions.at[k].n));
            }
        }
    return found;
}

static bool is_in(struct cw_suppressor *suppressor, const struct names *names, cw_str macro) {
    const char *name = cw_intern_n(&suppressor->names, macro.at, macro.n);
    for (uint32_t i = 0; i < names->n; i++)
        if (names->at[i] == name)
            return true;
    return false;
}

static void match_definitions(struct cw_suppressor *suppressor, struct cw_finding *finding, const struct names *macros,
                              const char *path) {
    struct cw_comments *all = comments_of(suppressor, path);
    for (uint32_t i = 0; all && i < all->list.n; i++) {
        struct cw_comment *c = &all->list.at[i];
        if (!c->macro.n || !is_in(suppressor, macros, c->macro))
            continue;
        for (uint32_t k = 0; cw_directive_is_suppression(c->directive.kind) && k < c->silences.n; k++)
            if (cw_silence_names(c->silences.at[k].name, finding->rule, category_of(finding))) {
                c->silences.at[k].is_used = true;
                suppress_finding(suppressor, finding, path, all, c);
            }
    }
}

static bool is_any_at_a_macro(struct cw_suppressor *suppressor, const char *const *files, uint32_t nfiles) {
    for (uint32_t i = 0; i < nfiles; i++) {
        const struct cw_comments *all = comments_of(suppressor, files[i]);
        if (all && all->has_macros)
            return true;
    }
    return false;
}

bool cw_suppressor_silences(struct cw_suppressor *suppressor, struct cw_finding *finding, const char *const *files,
                            uint32_t nfiles) {
    match_place(suppressor, finding);
    if (finding->macro && is_any_at_a_macro(suppressor, files, nfiles)) {
        struct names macros = expansion_of(suppressor, finding->macro, files, nfiles);
        for (uint32_t i = 0; i < nfiles; i++)
            match_definitions(suppressor, finding, &macros, files[i]);
    }
    return finding->suppression.kind != NULL;
}

/* ---- what is wrong with comments ---- */

void cw_suppressor_review(struct cw_suppressor *suppressor, const char *path, const struct cw_selection *selection,
                          bool is_complete, struct cw_findings *out) {
    struct cw_comments_ctx ctx = {.arena = suppressor->arena, .path = path, .comments = comments_of(suppressor, path),
                                  .enabled = selection->enabled, .is_complete = is_complete, .found = out};
    for (uint32_t i = 0; ctx.comments && i < cw_nrules; i++) {
        ctx.rule = &cw_rules[i];
        if (ctx.rule->hooks->comments)
            ctx.rule->hooks->comments(&ctx);
    }
}
