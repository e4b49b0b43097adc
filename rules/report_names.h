/* Names for messages: what a person would call a value, an element or a piece of source. */
#ifndef CW_RULES_REPORT_NAMES_H
#define CW_RULES_REPORT_NAMES_H

#include "rules/rule.h"

/* How a person would call a value: variable name, "threadIdx.x", a constant, else "this value". */
const char *cw_name_of(struct cw_rule_ctx *, cw_ref);
/* "lanes 0-15 and 24"; "lane 3"; "no lane". */
const char *cw_lanes_text(struct cw_rule_ctx *, uint32_t lanes);
/* An element as a message calls it: "s[3][5]", "count", "p (byte 6)". accessed: bytes of the access; unknown: bytes of
 * an element whose type is not known, 0 when nothing stands for it. */
const char *cw_element_text(struct cw_rule_ctx *, cw_ref base, int64_t offset, uint64_t accessed, uint64_t unknown);
/* One that data choose: "an element of s". */
const char *cw_some_element_text(struct cw_rule_ctx *, cw_ref base);
/* The instruction as the source has it, for messages: "atomicExch(&flag, 1)"; else `otherwise`. */
const char *cw_ins_text(struct cw_rule_ctx *, uint32_t ins, const char *otherwise);
/* How the source calls a barrier or collective: its text, else its name, else "this barrier". */
const char *cw_call_text(struct cw_rule_ctx *, uint32_t ins);
/* Source text of a loc (trimmed, at most 60 bytes, one line), or NULL when the file is not at hand. */
const char *cw_source_of(struct cw_rule_ctx *, uint32_t loc);
/* Text of the call's argument k (trimmed), or NULL when the text is not at hand, came out of a macro, or has no such
 * one. */
const char *cw_argument_text(struct cw_rule_ctx *, uint32_t ins, uint32_t k);

#endif
