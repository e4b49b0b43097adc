/* What the engine gives to the rules of one kernel besides the kernel, and takes back from them. */
#ifndef CW_RULES_SINK_H
#define CW_RULES_SINK_H

#include "rules/rule.h"
#include "source/branches.h"
#include "source/statements.h"

struct cw_rule_sink {
    struct cw_arena *keep; /* findings live here: until the unit's result has been sent */
    bool is_alone;         /* analysed without its callers: definite becomes possible */
    bool is_doubtful;      /* alone, and perhaps an instance that only assumed ones ask for: what its text says, too */
    CW_VEC(struct cw_finding) findings;
    uint32_t dropped;      /* more than are kept */
    const struct cw_source *(*source_of)(void *ctx, const char *file);
    void *ctx;
    const struct cw_statements *(*statements_of)(void *ctx, const char *file); /* for fixes; NULL: none are at hand */
    const struct cw_branches *(*branches_of)(void *ctx,
                                             const char *file); /* read once a file; NULL: the text is not at hand */
    void *text_ctx; /* of the two */
};

#endif
