/* See other_switches.h. */
#include "engine/other_switches.h"

#include "source/branches.h"
#include "source/lexer.h"
#include "source/makers.h"
#include "source/alternatives.h"
#include "source/source.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_BRANCHES = 16, VERSION_STEP = 10 /* 12.8 is 12080, the release before it 12070 or 12060 */ };

/* ---- what the text holds ---- */

static bool is_meeting(cw_str word) {
    return cw_str_is(word, "__syncthreads") || cw_str_is(word, "__syncwarp") ||
           (cw_str_starts(word, "__") && cw_str_ends(word, "_sync"));
}

static bool has_meeting(const struct cw_source *source, const struct cw_branch *branch) {
    struct cw_lexer l;
    struct cw_token t;
    cw_lexer_init(&l, source->text + branch->from, branch->to - branch->from);
    while ((t = cw_lexer_next(&l)).kind != CW_TOKEN_END)
        if (t.kind == CW_TOKEN_NAME && !t.in_directive && is_meeting((cw_str){source->text + branch->from + t.at, t.n}))
            return true;
    return false;
}

static struct cw_span lines_of(const struct cw_source *source, const struct cw_branch *branch) {
    struct cw_span span = {0};
    cw_source_place(source, branch->from, &span.line, &span.col);
    cw_source_place(source, branch->to, &span.end_line, &span.end_col);
    span.line++; /* its directive is no code; nor is the one that ends it */
    span.end_line--;
    return span;
}

/* ---- what was read ---- */

static bool is_in_function(const struct cw_module *m, struct cw_span lines) {
    for (uint32_t i = 0; i < m->fns.n; i++) {
        const struct cw_fn *fn = m->fns.at[i];
        if (fn->kind != CW_FN_HOST && fn->span.file == 0 && fn->span.line && fn->span.line < lines.line &&
            fn->span.end_line > lines.end_line)
            return true;
    }
    return false;
}

static bool has_code_at(const struct cw_fn *fn, struct cw_span lines) {
    for (uint32_t i = 0; i < fn->locs.n; i++) {
        const struct cw_span *at = &fn->locs.at[i].span;
        if (at->file == 0 && at->line >= lines.line && at->line <= lines.end_line)
            return true;
    }
    return false;
}

static bool is_active(const struct cw_module *m, struct cw_span lines) {
    for (uint32_t i = 0; i < m->fns.n; i++)
        if (has_code_at(m->fns.at[i], lines))
            return true;
    return false;
}

/* ---- definitions ---- */

static bool may_define(const char *name) {
    return name[0] != '_' && !cw_is_other_makers_macro(name);
}

static bool is_given(const struct cw_unit_options *options, const char *name) {
    size_t n = strlen(name);
    for (uint32_t i = 0; i < options->nargs; i++) {
        const char *arg = options->args[i];
        bool is_one = !strncmp(arg, "-D", 2) || !strncmp(arg, "-U", 2);
        const char *told = is_one && !arg[2] && i + 1 < options->nargs ? options->args[i + 1] : arg + 2;
        if (is_one && !strncmp(told, name, n) && (!told[n] || told[n] == '='))
            return true;
    }
    return false;
}

/* The toolkit's version: the shim says one, which a condition is to be compared with. */
static bool is_version(const char *name) {
    return !strcmp(name, "CUDART_VERSION") || !strcmp(name, "CUDA_VERSION");
}

/* The number that the branch's conditional compares a version with, and the version's name; 0: none. */
static int64_t find_version(const struct cw_branches *branches, const struct cw_branch *one, struct cw_arena *a,
                            const char **name) {
    for (const struct cw_branch *at = one; at; at = at->before ? &branches->at[at->before - 1] : NULL) {
        struct cw_lexer l;
        struct cw_token t;
        *name = NULL;
        cw_lexer_init(&l, at->condition.at, at->condition.n);
        while ((t = cw_lexer_next(&l)).kind != CW_TOKEN_END) {
            const char *word = cw_arena_strndup(a, at->condition.at + t.at, t.n);
            if (t.kind == CW_TOKEN_NAME && is_version(word))
                *name = word;
            else if (t.kind == CW_TOKEN_NUMBER && *name)
                return strtoll(word, NULL, 0);
        }
    }
    return 0;
}

static int64_t defined_as(const struct cw_definitions *definitions, const char *name) {
    for (uint32_t i = 0; i < definitions->n; i++)
        if (!strcmp(definitions->at[i].name, name))
            return definitions->at[i].value;
    return -1;
}

/* Definitions under which the branch is active, added to `out`; those of the branches before stay. */
static bool solve_branch(struct cw_unit *unit, const struct cw_branches *branches, uint32_t branch,
                         struct cw_definitions *out) {
    const char *name;
    uint32_t before = out->n;
    int64_t version = find_version(branches, &branches->at[branch - 1], unit->arena, &name),
            tried = version - VERSION_STEP;
    if (!version || defined_as(out, name) >= 0)
        return cw_branch_wants(unit->arena, branches, branch, may_define, out) && out->n > before;
    for (; tried <= version + VERSION_STEP; tried += VERSION_STEP) {
        cw_vec_push(unit->arena, out, ((struct cw_definition){name, tried}));
        if (cw_branch_wants(unit->arena, branches, branch, may_define, out))
            return true;
        out->n = before;
    }
    return false;
}

/* The file or a header of its own says when it is defined: a build does not choose it. */
static bool is_set_by_text(struct cw_unit *unit, const struct cw_module *m, const char *name) {
    for (uint32_t i = 0; i < m->files.n; i++) {
        const struct cw_source *s = cw_sources_get(unit->sources, m->files.at[i], NULL);
        if (s && cw_macro_is_defined(s->text, s->size, name))
            return true;
    }
    return false;
}

static bool are_free(struct cw_unit *unit, const struct cw_module *m, const struct cw_definitions *definitions) {
    for (uint32_t i = 0; i < definitions->n; i++)
        if (is_given(unit->options, definitions->at[i].name) || is_set_by_text(unit, m, definitions->at[i].name))
            return false;
    return true;
}

static void write_arguments(struct cw_unit *unit, const struct cw_definitions *definitions,
                            struct cw_other_switches *out) {
    for (uint32_t i = 0; i < definitions->n; i++) {
        const char *name = definitions->at[i].name;
        const char *other = !strcmp(name, "CUDA_VERSION")     ? "CUDART_VERSION"
                            : !strcmp(name, "CUDART_VERSION") ? "CUDA_VERSION"
                                                              : NULL;
        cw_vec_push(unit->arena, &out->args,
                    (const char *)cw_arena_printf(unit->arena, "-D%s=%" PRId64, name, definitions->at[i].value));
        if (other && defined_as(definitions, other) < 0) /* they are one number */
            cw_vec_push(unit->arena, &out->args,
                        (const char *)cw_arena_printf(unit->arena, "-D%s=%" PRId64, other, definitions->at[i].value));
        out->text = cw_arena_printf(unit->arena, "%s%s%s = %" PRId64, out->text ? out->text : "", out->text ? ", " : "",
                                    name, definitions->at[i].value);
    }
}

struct cw_switch_walk cw_switch_walk_begin(struct cw_unit *unit, const struct cw_source *source) {
    uint32_t n = cw_unit_branches(unit, unit->result->path, source)->n;
    return (struct cw_switch_walk){unit->module, source, cw_bitset_new(unit->arena, n + 1)};
}

/* A branch of a device function that holds a barrier and was left out. */
static bool is_left_out(const struct cw_switch_walk *switch_walk, const struct cw_branch *branch,
                        struct cw_span *lines) {
    if (!has_meeting(switch_walk->source, branch))
        return false;
    *lines = lines_of(switch_walk->source, branch);
    return is_in_function(switch_walk->given, *lines) && !is_active(switch_walk->given, *lines);
}

bool cw_switch_walk_next(struct cw_unit *unit, struct cw_switch_walk *walk, struct cw_other_switches *out) {
    struct cw_definitions wanted = {0};
    const struct cw_branches *b = cw_unit_branches(unit, unit->result->path, walk->source);
    memset(out, 0, sizeof *out);
    for (uint32_t i = 0; i < b->n && out->lines.n < MAX_BRANCHES; i++) {
        struct cw_span lines;
        uint32_t before = wanted.n;
        if (cw_bitset_has(&walk->done, i))
            continue;
        bool is_one = is_left_out(walk, &b->at[i], &lines), is_first = !out->lines.n;
        if (is_one && (is_first ? solve_branch(unit, b, i + 1, &wanted) && are_free(unit, walk->given, &wanted)
                                : cw_branch_wants(unit->arena, b, i + 1, may_define, &wanted) && wanted.n == before))
            cw_vec_push(unit->arena, &out->lines, lines);
        else if (is_one && !is_first) { /* of another build */
            wanted.n = before;
            continue;
        } else {
            wanted.n = is_first ? 0 : before;
        }
        cw_bitset_add(&walk->done, i);
    }
    write_arguments(unit, &wanted, out);
    return out->lines.n > 0;
}

bool cw_other_switches_have(const struct cw_unit *unit, const struct cw_finding *finding) {
    for (uint32_t i = 0; i < unit->switches->lines.n; i++)
        if (finding->place.file && !strcmp(finding->place.file, unit->result->path) &&
            finding->place.line >= unit->switches->lines.at[i].line &&
            finding->place.line <= unit->switches->lines.at[i].end_line)
            return true;
    return false;
}
