#include "rules/report_comments.h"

#include "base/suggest.h"
#include "rules/registry.h"

#include <string.h>

enum { MAX_NAMES = 512 };

static bool stands_for(cw_str name, const struct cw_rule *rule) {
    return cw_silence_names(name, rule->name, rule->category);
}

bool cw_comment_name_is_known(cw_str name) {
    for (uint32_t i = 0; i < cw_nrules; i++)
        if (stands_for(name, &cw_rules[i]))
            return true;
    return false;
}

bool cw_comment_name_is_rule(cw_str name) {
    for (uint32_t i = 0; i < cw_nrules; i++)
        if (cw_str_is(name, cw_rules[i].name))
            return true;
    return false;
}

const char *cw_comment_name_near(const char *name) {
    const char *names[MAX_NAMES];
    uint32_t n = 0;
    for (uint32_t i = 0; i < cw_nrules && n + 2 <= MAX_NAMES; i++) {
        names[n++] = cw_rules[i].name;
        names[n++] = cw_rules[i].category;
    }
    return cw_suggest(name, names, n);
}

static bool is_on_comments(cw_str name) {
    for (uint32_t i = 0; i < cw_nrules; i++)
        if (stands_for(name, &cw_rules[i]) && cw_rules[i].hooks->comments)
            return true;
    return false;
}

bool cw_comment_name_has_run(const struct cw_comments_ctx *ctx, cw_str name) {
    bool any = false;
    for (uint32_t i = 0; i < cw_nrules; i++) {
        const struct cw_rule *r = &cw_rules[i];
        bool is_one = cw_str_is(name, r->name);
        if (!is_one && (!stands_for(name, r) || r->preview || r->off_by_default))
            continue;
        if (!ctx->enabled[i])
            return false;
        any = true;
    }
    return any && !is_on_comments(name);
}

const char *cw_comment_text(struct cw_comments_ctx *ctx, cw_str slice) {
    return cw_arena_strndup(ctx->arena, slice.at, slice.n);
}
