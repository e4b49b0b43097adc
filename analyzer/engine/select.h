/* Which rules run, and how severe their findings are. */
#ifndef CW_ENGINE_SELECT_H
#define CW_ENGINE_SELECT_H

#include "base/arena.h"
#include "rules/registry.h"
#include "rules/rule.h"

enum { CW_MAX_RULES = 256 };

struct cw_selection {
    bool enabled[CW_MAX_RULES];  /* by index in cw_rules */
    bool overridden[CW_MAX_RULES];
    enum cw_severity severity[CW_MAX_RULES]; /* where overridden */
};

/* Comma-separated lists as given on the command line; NULL when not given. Terms are rule names, categories, patterns
 * of rule names (`divergent-*`, as of fnmatch(3)), `all` and `preview`. */
struct cw_selection_options {
    const char *select, *extend_select, *ignore;
    bool preview;
};

/* The rules that are on by default. */
void cw_select_defaults(struct cw_selection *s, bool preview);
/* On top of what is there: `select` in its place; plus `extend_select`; minus `ignore`. Rules in preview need --preview
 * unless named themselves. NULL, or what is wrong with a suggestion (arena text). */
const char *cw_select_more(struct cw_selection *s, const struct cw_selection_options *o, struct cw_arena *a);
/* Both. */
const char *cw_select(struct cw_selection *s, const struct cw_selection_options *o, struct cw_arena *a);
/* Does a single term stand for the rule? Rules in preview count. */
bool cw_select_term_matches(const char *term, const struct cw_rule *r);
/* Whether "RULE=level" names a rule, and not a category. */
bool cw_select_names_rule(const char *text);
/* One "RULE=level". NULL, or what is wrong. */
const char *cw_select_severity(struct cw_selection *s, const char *text, struct cw_arena *a);

#endif
