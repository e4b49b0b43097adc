/* All rules, in the order of rules.def. */
#ifndef CW_RULES_REGISTRY_H
#define CW_RULES_REGISTRY_H

#include "rules/rule.h"

struct cw_rule {
    const char *name, *category;
    enum cw_severity severity;
    bool preview, off_by_default;
    const struct cw_rule_hooks *hooks;
};

extern const struct cw_rule cw_rules[];
extern const uint32_t cw_nrules;
const struct cw_rule *cw_rule_find(const char *name);
const char *cw_rule_doc(const struct cw_rule *);     /* Markdown, from the head comment */
const char *cw_rule_summary(const struct cw_rule *); /* one line, from the head comment */

#endif
