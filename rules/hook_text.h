/* The hook on the text of a file: for rules that need no kernel. It runs when the kernels have been analysed. */
#ifndef CW_RULES_HOOK_TEXT_H
#define CW_RULES_HOOK_TEXT_H

#include "rules/rule.h"
#include "source/source.h"

/* A device function of the text. */
struct cw_text_function {
    const char *name;
    size_t from, to; /* offsets in the text */
    bool has_race;   /* a rule of the category `race` has reported in it */
};

/* A name in an `assume` comment that is no variable of the functions it is about. */
struct cw_missing_variable {
    const char *name;
    struct cw_place place;
};

struct cw_text_ctx {
    const struct cw_rule *rule;
    struct cw_arena *arena; /* findings live here */
    const char *path;
    const struct cw_source *source;
    /* In source order. None in later readings of the same text (for another architecture), and none of a string. */
    const struct cw_text_function *functions;
    uint32_t nfunctions;
    const struct cw_missing_variable *missing; /* of this reading */
    uint32_t nmissing;
    struct cw_findings found; /* what the rules have reported */
};

/* Adds a finding at a place of the text; valid until the next one is begun. */
struct cw_finding *cw_report_text(struct cw_text_ctx *, enum cw_confidence, struct cw_place, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* The place of a range of the text, offsets as in struct cw_text_function. */
struct cw_place cw_text_place(const struct cw_text_ctx *, size_t from, size_t to);

#endif
