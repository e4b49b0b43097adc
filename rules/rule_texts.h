/* What docgen makes of a rule's head comment, in the order of rules.def. */
#ifndef CW_RULES_RULE_TEXTS_H
#define CW_RULES_RULE_TEXTS_H

struct cw_rule_text {
    const char *summary; /* one line */
    const char *doc;     /* Markdown */
};

extern const struct cw_rule_text cw_rule_texts[];

#endif
