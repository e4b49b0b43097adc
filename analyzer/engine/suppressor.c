#include "engine/suppressor.h"

#include "base/suggest.h"
#include "launch/launch.h"
#include "rules/registry.h"
#include "source/lexer.h"
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
static struct cw_comments *comments_of(struct cw_suppressor *s, const char *path) {
    char full[PATH_MAX];
    uint64_t known, key = (uint64_t)(uintptr_t)cw_intern(&s->names, path);
    if (cw_map_get(&s->files, key, &known))
        return (struct cw_comments *)(uintptr_t)known;
    uint64_t real = realpath(path, full) ? (uint64_t)(uintptr_t)cw_intern(&s->names, full) : key;
    if (!cw_map_get(&s->files, real, &known)) {
        const struct cw_source *source = cw_sources_get(s->sources, path, NULL);
        known = (uint64_t)(uintptr_t)(source && !source->is_binary ? cw_comments_read(s->arena, source) : NULL);
        cw_map_put(&s->files, real, known);
    }
    cw_map_put(&s->files, key, known);
    return (struct cw_comments *)(uintptr_t)known;
}

void cw_suppressor_read(struct cw_suppressor *s, const char *path) {
    comments_of(s, path);
}

static struct cw_place place_of(const char *path, const struct cw_comments *c, cw_str slice) {
    struct cw_place p = {.file = path};
    cw_comments_place(c, slice, &p.line, &p.col, &p.end_line, &p.end_col);
    return p;
}

/* ---- matching ---- */

static const char *category_of(const struct cw_finding *f) {
    const struct cw_rule *rule = cw_rule_find(f->rule);
    return rule ? rule->category : NULL;
}

static bool is_within(const struct cw_comment *c, const struct cw_silence *s, const struct cw_place *p) {
    if (p->line >= s->first && p->line <= s->last)
        return true;
    return c->is_behind && c->directive.kind == CW_DIRECTIVE_IGNORE && p->line <= s->last && p->end_line >= s->first;
}

static void take(struct cw_suppressor *s, struct cw_finding *f, const char *path, const struct cw_comments *all,
                 const struct cw_comment *c) {
    if (f->suppression.kind)
        return;
    cw_str reason = c->directive.reason;
    f->suppression = (struct cw_suppression){
        "inSource", reason.n ? cw_arena_strndup(s->arena, reason.at, reason.n) : NULL, place_of(path, all, c->text)};
}

/* All that fit are of use: which of two is the superfluous one is not for us to say. */
static void match_place(struct cw_suppressor *s, struct cw_finding *f) {
    struct cw_comments *all = f->place.file ? comments_of(s, f->place.file) : NULL;
    for (uint32_t i = 0; all && i < all->list.n; i++) {
        struct cw_comment *c = &all->list.at[i];
        for (uint32_t k = 0; cw_directive_is_suppression(c->directive.kind) && k < c->silences.n; k++) {
            struct cw_silence *silence = &c->silences.at[k];
            if (!is_within(c, silence, &f->place) || !cw_silence_names(silence->name, f->rule, category_of(f)))
                continue;
            silence->is_used = true;
            take(s, f, f->place.file, all, c);
        }
    }
}

/* ---- macros ---- */

struct names { const char **at; uint32_t n, cap; };

static void add_name(struct cw_suppressor *s, struct names *names, const char *name) {
    for (uint32_t i = 0; i < names->n; i++)
        if (names->at[i] == name)
            return;
    if (names->n < MAX_MACROS)
        cw_vec_push(s->arena, names, name);
}

static const struct cw_macros *macros_of(struct cw_suppressor *s, const char *path) {
    const struct cw_comments *all = comments_of(s, path);
    uint64_t known;
    if (!all)
        return NULL;
    if (!cw_map_get(&s->macros, (uint64_t)(uintptr_t)all, &known)) {
        struct cw_macros *macros = CW_NEW(s->arena, struct cw_macros);
        *macros = cw_macros_read(s->arena, all->source);
        known = (uint64_t)(uintptr_t)macros;
        cw_map_put(&s->macros, (uint64_t)(uintptr_t)all, known);
    }
    return (const struct cw_macros *)(uintptr_t)known;
}

/* The macro and those that its expansion may go through, as far as `files` define them. */
static struct names expansion_of(struct cw_suppressor *s, const char *macro, const char *const *files,
                                 uint32_t nfiles) {
    struct names found = {0};
    add_name(s, &found, cw_intern(&s->names, macro));
    for (uint32_t at = 0; at < found.n; at++)
        for (uint32_t i = 0; i < nfiles; i++) {
            const struct cw_macros *all = macros_of(s, files[i]);
            for (uint32_t m = 0; all && m < all->n; m++) {
                const struct cw_macro *def = &all->at[m];
                for (uint32_t k = 0; cw_str_is(def->name, found.at[at]) && k < def->mentions.n; k++)
                    add_name(s, &found, cw_intern_n(&s->names, def->mentions.at[k].at, def->mentions.at[k].n));
            }
        }
    return found;
}

static bool is_in(struct cw_suppressor *s, const struct names *names, cw_str macro) {
    const char *name = cw_intern_n(&s->names, macro.at, macro.n);
    for (uint32_t i = 0; i < names->n; i++)
        if (names->at[i] == name)
            return true;
    return false;
}

static void match_definitions(struct cw_suppressor *s, struct cw_finding *f, const struct names *macros,
                              const char *path) {
    struct cw_comments *all = comments_of(s, path);
    for (uint32_t i = 0; all && i < all->list.n; i++) {
        struct cw_comment *c = &all->list.at[i];
        if (!c->macro.n || !is_in(s, macros, c->macro))
            continue;
        for (uint32_t k = 0; cw_directive_is_suppression(c->directive.kind) && k < c->silences.n; k++)
            if (cw_silence_names(c->silences.at[k].name, f->rule, category_of(f))) {
                c->silences.at[k].is_used = true;
                take(s, f, path, all, c);
            }
    }
}

static bool is_any_at_a_macro(struct cw_suppressor *s, const char *const *files, uint32_t nfiles) {
    for (uint32_t i = 0; i < nfiles; i++) {
        const struct cw_comments *all = comments_of(s, files[i]);
        if (all && all->has_macros)
            return true;
    }
    return false;
}

bool cw_suppressor_silences(struct cw_suppressor *s, struct cw_finding *f, const char *const *files, uint32_t nfiles) {
    match_place(s, f);
    if (f->macro && is_any_at_a_macro(s, files, nfiles)) {
        struct names macros = expansion_of(s, f->macro, files, nfiles);
        for (uint32_t i = 0; i < nfiles; i++)
            match_definitions(s, f, &macros, files[i]);
    }
    return f->suppression.kind != NULL;
}

/* ---- what is wrong with comments ---- */

struct review {
    struct cw_suppressor *s;
    const char *path;
    const struct cw_comments *all;
    const struct cw_selection *selection;
    struct cw_findings *out;
};

static struct cw_finding *report(struct review *v, const char *rule, cw_str where, const char *message) {
    const struct cw_rule *r = cw_rule_find(rule);
    struct cw_finding f = {.rule = rule, .severity = r ? r->severity : CW_WARNING, .message = message,
                           .place = place_of(v->path, v->all, where), .witness = {.warp = -1, .iteration = -1}};
    cw_vec_push(v->s->arena, v->out, f);
    return &cw_vec_last(v->out);
}

static void add_fix(struct review *v, struct cw_finding *f, bool safe, const char *message, cw_str where,
                    const char *replacement) {
    struct cw_fix fix = {.message = message, .safe = safe};
    struct cw_edit edit = {place_of(v->path, v->all, where), replacement};
    cw_vec_push(v->s->arena, &fix.edits, edit);
    cw_vec_push(v->s->arena, &f->fixes, fix);
}

static const char *text_of(struct review *v, cw_str s) {
    return cw_arena_strndup(v->s->arena, s.at, s.n);
}

static bool is_known(cw_str name) {
    for (uint32_t i = 0; i < cw_nrules; i++)
        if (cw_silence_names(name, cw_rules[i].name, cw_rules[i].category))
            return true;
    return false;
}

static bool is_hygiene(cw_str name) {
    for (uint32_t i = 0; i < cw_nrules; i++)
        if (cw_silence_names(name, cw_rules[i].name, cw_rules[i].category) && !strcmp(cw_rules[i].category, "hygiene"))
            return true;
    return false;
}

/* Did everything run that the name stands for? Of a category, its rules that are on by default. */
static bool has_run(const struct cw_selection *selection, cw_str name) {
    bool any = false;
    for (uint32_t i = 0; i < cw_nrules; i++) {
        const struct cw_rule *r = &cw_rules[i];
        bool is_one = cw_str_is(name, r->name);
        if (!is_one && (!cw_silence_names(name, r->name, r->category) || r->preview || r->off_by_default))
            continue;
        if (!selection->enabled[i])
            return false;
        any = true;
    }
    return any;
}

static void unknown_name(struct review *v, const struct cw_comment *c, cw_str name) {
    const char *names[2 * CW_MAX_RULES], *text = text_of(v, name);
    uint32_t n = 0;
    for (uint32_t i = 0; i < cw_nrules; i++) {
        names[n++] = cw_rules[i].name;
        names[n++] = cw_rules[i].category;
    }
    struct cw_finding *f = report(v, "unknown-rule", name,
                                  cw_arena_printf(v->s->arena, "unknown rule or category '%s'", text));
    const char *near = cw_suggest(text, names, n);
    bool is_all = cw_str_is(name, "all") || cw_str_is(name, "ALL");
    f->help = is_all ? "name the rules or categories; 'exclude' in the configuration leaves out whole files"
              : near ? cw_arena_printf(v->s->arena, "did you mean '%s'?", near)
                     : "'cuwarp-lint rules' lists them";
    /* Not a safe one: the near name is a guess, and what it silences was told of until now. */
    if (near && !is_all && c->directive.kind != CW_DIRECTIVE_MALFORMED)
        add_fix(v, f, false, cw_arena_printf(v->s->arena, "write '%s'", near), name, near);
}

/* ---- superfluous ones ---- */

static bool is_superfluous(const struct review *v, const struct cw_silence *s) {
    return !s->is_used && is_known(s->name) && !is_hygiene(s->name) && has_run(v->selection, s->name);
}

/* The comment, with its line when it has that for itself, else with the blanks before it. */
static cw_str whole_comment(const struct review *v, const struct cw_comment *c) {
    const char *text = v->all->source->text, *end = text + v->all->source->size;
    const char *from = c->text.at, *to = c->text.at + c->text.n;
    while (from > text && (from[-1] == ' ' || from[-1] == '\t'))
        from--;
    if (c->is_alone) {
        while (to < end && (*to == ' ' || *to == '\t'))
            to++;
        to += to < end && *to == '\r';
        to += to < end && *to == '\n';
    } else if (!c->is_behind) {
        from = c->text.at;
        while (to < end && (*to == ' ' || *to == '\t'))
            to++;
    }
    return (cw_str){from, (size_t)(to - from)};
}

/* The list without the names that have gone. Others' names stay as they are written. */
static const char *shorter_list(struct review *v, const struct cw_comment *c) {
    const char *text = "";
    cw_str list = c->directive.list;
    while (list.n) {
        const char *comma = memchr(list.at, ',', list.n);
        size_t n = comma ? (size_t)(comma - list.at) : list.n;
        cw_str name = cw_str_trim((cw_str){list.at, n});
        bool goes = false;
        for (uint32_t k = 0; k < c->silences.n; k++) {
            const struct cw_silence *s = &c->silences.at[k];
            goes |= s->name.at >= list.at && s->name.at < list.at + n && is_superfluous(v, s);
        }
        if (!goes && name.n)
            text = cw_arena_printf(v->s->arena, "%s%s%.*s", text, *text ? ", " : "", (int)name.n, name.at);
        n += comma != NULL;
        list = (cw_str){list.at + n, list.n - n};
    }
    return text;
}

/* off[…] goes together with its on[…], so those two are left to a person. */
static bool is_removable(const struct cw_comment *c) {
    enum cw_directive_kind kind = c->directive.kind;
    return kind != CW_DIRECTIVE_OFF && kind != CW_DIRECTIVE_NOLINT_BEGIN && !c->macro.n;
}

static void superfluous(struct review *v, const struct cw_comment *c) {
    const char *names = "";
    uint32_t n = 0;
    for (uint32_t k = 0; k < c->silences.n; k++)
        if (is_superfluous(v, &c->silences.at[k])) {
            n++;
            names = cw_arena_printf(v->s->arena, "%s%s'%.*s'", names, *names ? ", " : "",
                                    (int)c->silences.at[k].name.n, c->silences.at[k].name.at);
        }
    if (!n)
        return;
    struct cw_finding *f = report(v, "unused-suppression", c->text,
                                  cw_arena_printf(v->s->arena, "nothing to suppress: %s reports nothing here", names));
    bool all = n == c->silences.n && !c->directive.others;
    f->help = all ? "remove the comment" : cw_arena_printf(v->s->arena, "remove %s from the list", names);
    if (is_removable(c))
        add_fix(v, f, true, f->help, all ? whole_comment(v, c) : c->directive.list, all ? "" : shorter_list(v, c));
}

/* ---- the others ---- */

static void no_reason(struct review *v, const struct cw_comment *c) {
    bool is_own = cw_directive_is_suppression(c->directive.kind) && !cw_directive_is_nolint(c->directive.kind);
    if (!is_own || c->directive.reason.n)
        return;
    struct cw_finding *f = report(v, "suppression-without-reason", c->text,
                                  cw_arena_printf(v->s->arena, "the suppression of '%.*s' gives no reason",
                                                  (int)c->directive.names.at[0].n, c->directive.names.at[0].at));
    f->help = "say why it is fine: cuwarp: ignore[rule] -- reason";
}

static void misused(struct review *v, const struct cw_comment *c, const char *message) {
    report(v, "misused-directive", c->text, message);
}

/* NOLINT(divergent-barrier): meant for this program, but read by clang-tidy only. */
static void review_others(struct review *v, const struct cw_comment *c) {
    for (uint32_t k = 0; k < c->directive.names.n; k++) {
        cw_str name = c->directive.names.at[k];
        const char *text = text_of(v, name), *whole = cw_arena_printf(v->s->arena, "cuwarp-%s", text);
        if (!cw_rule_find(text))
            continue;
        struct cw_finding *f = report(
            v, "misused-directive", name,
            cw_arena_printf(v->s->arena, "NOLINT has no effect on '%s': names of this program begin with 'cuwarp-'",
                            text));
        f->help = cw_arena_printf(v->s->arena, "write 'NOLINT(%s)'", whole);
        add_fix(v, f, false, f->help, name, whole);
    }
}

static void review_launch(struct review *v, const struct cw_comment *c) {
    struct cw_token t = {.at = (uint32_t)(c->text.at - v->all->source->text), .n = (uint32_t)c->text.n};
    struct cw_launch_comment ignored = {0};
    if (!cw_launch_comment_parse(text_of(v, cw_token_comment(v->all->source->text, t)), &ignored))
        misused(v, c, "'launch' wants a block shape that a device accepts, as in 'launch block=256 grid=8 smem=1024'");
}

static void review_comment(struct review *v, const struct cw_comment *c, bool is_complete) {
    if (c->directive.kind == CW_DIRECTIVE_MALFORMED)
        misused(v, c, c->directive.wrong);
    if (c->directive.kind == CW_DIRECTIVE_LAUNCH)
        review_launch(v, c);
    if (c->directive.kind == CW_DIRECTIVE_NOLINT_OTHERS)
        review_others(v, c);
    bool assumes =
        c->directive.kind == CW_DIRECTIVE_ASSUME_UNIFORM || c->directive.kind == CW_DIRECTIVE_ASSUME_CONVERGED;
    if (assumes && !c->is_behind && !c->code.n)
        misused(v, c, "no statement follows that this could be assumed of");
    for (uint32_t k = 0; k < c->silences.n; k++) {
        const struct cw_silence *s = &c->silences.at[k];
        if (!is_known(s->name))
            unknown_name(v, c, s->name);
        else if (s->is_wrong)
            misused(v, c,
                    cw_arena_printf(v->s->arena, "'%.*s' was not switched off before", (int)s->name.n, s->name.at));
    }
    if (is_complete && cw_directive_is_suppression(c->directive.kind))
        superfluous(v, c);
    no_reason(v, c);
}

void cw_suppressor_review(struct cw_suppressor *s, const char *path, const struct cw_selection *selection,
                          bool is_complete, struct cw_findings *out) {
    struct review v = {s, path, comments_of(s, path), selection, out};
    for (uint32_t i = 0; v.all && i < v.all->list.n; i++)
        review_comment(&v, &v.all->list.at[i], is_complete);
}
