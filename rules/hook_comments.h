/* The hook on the comments for this program, when all findings of a run are known: which comments were of use. */
#ifndef CW_RULES_HOOK_COMMENTS_H
#define CW_RULES_HOOK_COMMENTS_H

#include "rules/rule.h"
#include "suppress/suppress.h"

struct cw_comments_ctx {
    const struct cw_rule *rule;
    struct cw_arena *arena; /* findings live here */
    const char *path;
    const struct cw_comments *comments; /* of the file; its silences know whether they were of use */
    const bool *enabled;    /* which rules ran on the file, by index in cw_rules */
    bool is_complete;       /* what the comments are for would have been found, if it were there */
    struct cw_findings *found;
};

/* Adds a finding at a slice of the file's text; valid until the next one is begun. `message`: arena or static text. */
struct cw_finding *cw_report_comment(struct cw_comments_ctx *, cw_str where, const char *message);
/* A fix of one edit: the slice replaced. */
void cw_report_comment_fix(struct cw_comments_ctx *, struct cw_finding *, bool safe, const char *message, cw_str where,
                           const char *replacement);

#endif
