#include "rules/registry.h"

#include "rules/rule_texts.h"

#include <string.h>

#define CW_RULE(id, name, category, severity, preview, off_by_default) extern const struct cw_rule_hooks cw_rule_##id;
#include "rules/rules.def"

const struct cw_rule cw_rules[] = {
#define CW_RULE(id, name, category, severity, preview, off_by_default)                                                 \
    {name, category, severity, preview, off_by_default, &cw_rule_##id},
#include "rules/rules.def"
};
const uint32_t cw_nrules = sizeof cw_rules / sizeof cw_rules[0];

const struct cw_rule *cw_rule_find(const char *name) {
    for (uint32_t i = 0; i < cw_nrules; i++)
        if (!strcmp(cw_rules[i].name, name))
            return &cw_rules[i];
    return NULL;
}

const char *cw_rule_doc(const struct cw_rule *rule) {
    return cw_rule_texts[rule - cw_rules].doc;
}

const char *cw_rule_summary(const struct cw_rule *rule) {
    return cw_rule_texts[rule - cw_rules].summary;
}
