/* All rules, in the order of rules.def. */
#ifndef CW_RULES_REGISTRY_H
#define CW_RULES_REGISTRY_H

#include "rules/rule.h"

typedef void cw_rule_check(struct cw_rule_ctx *);

struct cw_rule {
    const char *name, *category;
    enum cw_severity severity;
    bool preview, off_by_default;
    cw_rule_check *check;
};

extern const struct cw_rule cw_rules[];
extern const uint32_t cw_nrules;
const struct cw_rule *cw_rule_find(const char *name);
const char *cw_rule_doc(const struct cw_rule *);     /* Markdown, from the head comment */
const char *cw_rule_summary(const struct cw_rule *); /* one line, from the head comment */

#endif
