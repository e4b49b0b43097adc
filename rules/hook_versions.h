/* The hook on two versions of the code: for rules about a change (`--since`, `--staged`). */
#ifndef CW_RULES_HOOK_VERSIONS_H
#define CW_RULES_HOOK_VERSIONS_H

#include "rules/rule.h"
#include "versions/versions.h"

/* A finding, and the unit whose run it belongs to. */
struct cw_version_finding {
    const char *unit;
    struct cw_finding finding;
};

struct cw_versions_ctx {
    const struct cw_rule *rule;
    struct cw_arena *arena; /* findings live here */
    const struct cw_version_changes *changes;
    CW_VEC(struct cw_version_finding) found; /* what the rules have reported */
};

/* Adds a definite finding at a place of the new version, about a call of either; valid until the next one is begun. */
struct cw_finding *cw_report_change(struct cw_versions_ctx *, const struct cw_sync *, struct cw_place,
                                    const char *format, ...) __attribute__((format(printf, 4, 5)));

#endif
