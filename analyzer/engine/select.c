#include "engine/select.h"

#include "base/str.h"
#include "base/suggest.h"
#include "rules/registry.h"

#include <fnmatch.h>
#include <string.h>

enum { MAX_PATTERN = 255 };

static bool names_rule(cw_str term, const struct cw_rule *rule) {
    return cw_str_is(term, rule->name);
}

/* In capitals it is what users of other linters write. */
static bool is_all(cw_str term) {
    return cw_str_is(term, "all") || cw_str_is(term, "ALL");
}

static bool is_pattern(cw_str term) {
    return term.n && (memchr(term.at, '*', term.n) || memchr(term.at, '?', term.n) || memchr(term.at, '[', term.n));
}

/* `divergent-*` */
static bool is_pattern_of(cw_str term, const struct cw_rule *rule) {
    char pattern[MAX_PATTERN + 1];
    if (!is_pattern(term) || term.n > MAX_PATTERN)
        return false;
    memcpy(pattern, term.at, term.n);
    pattern[term.n] = '\0';
    return fnmatch(pattern, rule->name, 0) == 0;
}

/* `all`, categories and patterns do not reach into preview; its name, `preview` and --preview do. */
static bool matches_rule(cw_str term, const struct cw_rule *rule, bool preview) {
    if (names_rule(term, rule))
        return true;
    if (cw_str_is(term, "preview"))
        return rule->preview;
    return (is_all(term) || cw_str_is(term, rule->category) || is_pattern_of(term, rule)) &&
           (preview || !rule->preview);
}

static bool is_known(cw_str term) {
    if (is_all(term) || cw_str_is(term, "preview"))
        return true;
    for (uint32_t i = 0; i < cw_nrules; i++)
        if (matches_rule(term, &cw_rules[i], true))
            return true;
    return false;
}

bool cw_select_term_matches(const char *term, const struct cw_rule *rule) {
    return matches_rule(cw_str_of(term), rule, true);
}

static const char *explain_unknown(cw_str term, struct cw_arena *a) {
    const char *names[2 * CW_MAX_RULES + 2] = {"all", "preview"};
    uint32_t n = 2;
    for (uint32_t i = 0; i < cw_nrules; i++) {
        names[n++] = cw_rules[i].name;
        names[n++] = cw_rules[i].category;
    }
    const char *text = cw_arena_strndup(a, term.at, term.n), *near = cw_suggest(text, names, n);
    if (is_pattern(term))
        return cw_arena_printf(a, "no rule is called '%s'; 'cuwarp-lint rules' lists them", text);
    if (near)
        return cw_arena_printf(a, "unknown rule or category '%s'; did you mean '%s'?", text, near);
    return cw_arena_printf(a, "unknown rule or category '%s'; 'cuwarp-lint rules' lists them", text);
}

/* Next term of a comma-separated list; false at the end. */
static bool next_term(cw_str *list, cw_str *term) {
    while (list->n) {
        const char *comma = memchr(list->at, ',', list->n);
        size_t n = comma ? (size_t)(comma - list->at) : list->n, step = comma ? n + 1 : n;
        *term = cw_str_trim((cw_str){list->at, n});
        *list = (cw_str){list->at + step, list->n - step};
        if (term->n)
            return true;
    }
    return false;
}

static const char *apply_list(struct cw_selection *selection, const char *text, bool value, bool preview,
                              struct cw_arena *a) {
    cw_str list = cw_str_of(text), term;
    while (next_term(&list, &term)) {
        if (!is_known(term))
            return explain_unknown(term, a);
        bool any = false;
        for (uint32_t i = 0; i < cw_nrules; i++)
            if (matches_rule(term, &cw_rules[i], preview || !value)) {
                selection->enabled[i] = value;
                any = true;
            }
        if (!any && is_pattern(term)) /* a pattern that selects nothing is a slip */
            return cw_arena_printf(a, "'%.*s' matches rules in preview only; add --preview", (int)term.n, term.at);
    }
    return NULL;
}

void cw_select_defaults(struct cw_selection *selection, bool preview) {
    for (uint32_t i = 0; i < cw_nrules; i++)
        selection->enabled[i] = !cw_rules[i].off_by_default && (preview || !cw_rules[i].preview);
}

const char *cw_select_more(struct cw_selection *selection, const struct cw_selection_options *options,
                           struct cw_arena *a) {
    if (options->select)
        memset(selection->enabled, 0, sizeof selection->enabled);
    const char *error = apply_list(selection, options->select, true, options->preview, a);
    if (!error)
        error = apply_list(selection, options->extend_select, true, options->preview, a);
    return error ? error : apply_list(selection, options->ignore, false, options->preview, a);
}

const char *cw_select(struct cw_selection *selection, const struct cw_selection_options *options, struct cw_arena *a) {
    cw_select_defaults(selection, options->preview);
    return cw_select_more(selection, options, a);
}

bool cw_select_names_rule(const char *text) {
    const char *equals = strchr(text, '=');
    cw_str term = cw_str_trim((cw_str){text, equals ? (size_t)(equals - text) : strlen(text)});
    for (uint32_t i = 0; i < cw_nrules; i++)
        if (names_rule(term, &cw_rules[i]))
            return true;
    return false;
}

const char *cw_select_severity(struct cw_selection *selection, const char *text, struct cw_arena *a) {
    const char *equals = strchr(text, '=');
    enum cw_severity severity;
    if (!equals)
        return cw_arena_printf(a, "'%s' is not of the form RULE=error|warning|info", text);
    if (!cw_severity_parse(equals + 1, &severity))
        return cw_arena_printf(a, "unknown severity '%s'; it is error, warning or info", equals + 1);
    cw_str term = cw_str_trim((cw_str){text, (size_t)(equals - text)});
    if (!is_known(term))
        return explain_unknown(term, a);
    for (uint32_t i = 0; i < cw_nrules; i++)
        if (matches_rule(term, &cw_rules[i], true)) {
            selection->overridden[i] = true;
            selection->severity[i] = severity;
        }
    return NULL;
}
