/* Fixes in the making: edits of the text that a finding lies in (docs/internals/fixes.md). */
#ifndef CW_FIX_MAKE_DRAFTS_H
#define CW_FIX_MAKE_DRAFTS_H

#include "rules/rule.h"

/* A range of a file, to be edited. */
struct cw_source;
struct cw_span_text {
    const struct cw_source *source;
    uint32_t file; /* index in module->files */
    size_t from, to;
};
/* A fix in the making. */
struct cw_draft {
    struct cw_rule_ctx *ctx;
    struct cw_fix fix;
    bool spoilt;
};
struct cw_draft cw_draft_begin(struct cw_rule_ctx *);
void cw_draft_edit(struct cw_draft *, const struct cw_span_text *file, size_t from, size_t to, const char *replacement);
void cw_draft_spoil(struct cw_draft *);
/* Adds it to the finding unless it is spoilt or empty. Of several fixes the first that stands the proof is applied.
 * Safe: right whatever was meant, given what the analysis has shown; the message says what is done, as an order. */
void cw_draft_offer(struct cw_draft *, struct cw_finding *, bool safe, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* False when the text is not at hand or came out of a macro. */
bool cw_rule_text(struct cw_rule_ctx *, uint32_t loc, struct cw_span_text *out);
/* The same, and of what came out of a macro the macro's use. */
bool cw_rule_use_text(struct cw_rule_ctx *, uint32_t loc, struct cw_span_text *out);
/* The call's k-th argument, or the name called. False also when the text has not the arguments that the call has. */
bool cw_rule_argument(struct cw_rule_ctx *, uint32_t ins, uint32_t k, struct cw_span_text *out);
bool cw_rule_callee(struct cw_rule_ctx *, uint32_t ins, struct cw_span_text *out);
bool cw_span_text_is(const struct cw_span_text *, const char *text);
bool cw_span_text_is_literal(const struct cw_span_text *);
const char *cw_span_text_copy(struct cw_rule_ctx *, const struct cw_span_text *);

#endif
