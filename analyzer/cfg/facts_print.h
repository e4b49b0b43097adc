/* The lines of --dump=NAME for an analysis: one for each fact, "  definite WHAT, PART, PART". An instruction is written
 * as its operation and its place file:line:col, followed by the places of the calls that it was inlined through; code
 * without places (textual IR) by its number. lanes/facts_print.h has the parts that speak of threads and launches.
 *
 * requires: fn->cfg for loops. computes: text. preserves: everything. Cost: linear in the facts. */
#ifndef CW_CFG_FACTS_PRINT_H
#define CW_CFG_FACTS_PRINT_H

#include "cfg/cfg.h"

struct cw_buf;
struct cw_launches;

struct cw_facts_print {
    const struct cw_fn *fn;
    const struct cw_launches *launches; /* those that the facts name by index; NULL: none do */
    struct cw_buf *out;
};

/* Begins and ends the line of one fact. */
void cw_facts_begin(const struct cw_facts_print *to, bool definite, const char *what);
void cw_facts_end(const struct cw_facts_print *to);

/* Parts of a line. One that there is not (UINT32_MAX, CW_NO_BLOCK, CW_NO_LOOP, false, CW_REF_NONE) is left out. */
void cw_facts_part(const struct cw_facts_print *to, const char *format, ...) __attribute__((format(printf, 2, 3)));
void cw_facts_flag(const struct cw_facts_print *to, bool is_set, const char *text);
void cw_facts_ins(const struct cw_facts_print *to, const char *label, uint32_t ins);
void cw_facts_access(const struct cw_facts_print *to, bool writes, bool atomic, uint32_t ins); /* "atomic write …" */
void cw_facts_also(const struct cw_facts_print *to, const struct cw_vec_u32 *also); /* further instructions */
void cw_facts_loc(const struct cw_facts_print *to, const char *label, uint32_t loc); /* 0: left out */
void cw_facts_branch(const struct cw_facts_print *to, uint32_t block);
void cw_facts_loop(const struct cw_facts_print *to, uint32_t loop);
void cw_facts_memory(const struct cw_facts_print *to, cw_ref base, int64_t offset, uint64_t bytes);
void cw_facts_base(const struct cw_facts_print *to, cw_ref base);

#endif
