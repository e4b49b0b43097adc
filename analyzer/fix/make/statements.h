/* What the makers of fixes share: text, statements, and what the analyses know of them. For this folder only. */
#ifndef CW_FIX_MAKE_STATEMENTS_H
#define CW_FIX_MAKE_STATEMENTS_H

#include "fix/make/drafts.h"
#include "fix/make/together.h"
#include "source/statements.h"

/* A statement, in one inlined call or in the kernel itself. */
struct cw_spot {
    uint32_t statement;   /* index in the file's statements, CW_NO_STATEMENT */
    uint32_t file, frame; /* indices in module->files and fn->sites */
    uint32_t block;       /* that it begins in; set by cw_spot_together() */
};

/* Of operations that do more than compute or read. */
enum { CW_EFFECTS = CW_OP_W | CW_OP_C | CW_OP_B | CW_OP_S | CW_OP_O };

/* The place in `frame` through which `loc` is reached, 0 when it is not reached from there. */
uint32_t cw_site_lift(const struct cw_fn *fn, uint32_t loc, uint32_t frame);
/* The innermost inlined call that both are in. */
uint32_t cw_site_common(const struct cw_fn *fn, uint32_t a, uint32_t b);

/* NULL when none are at hand. */
const struct cw_statements *cw_rule_statements(struct cw_rule_ctx *ctx, uint32_t file);
const struct cw_statement *cw_spot_statement(struct cw_rule_ctx *ctx, const struct cw_spot *p);
/* The innermost statement around `loc`, whose frame it is in. False when there is none. */
bool cw_spot_of(struct cw_rule_ctx *ctx, uint32_t loc, struct cw_spot *out);
bool cw_statement_holds(const struct cw_statement *s, const struct cw_span_text *t);
struct cw_extent cw_statement_extent(const struct cw_statement *s);
/* Is `loc`, seen from the spot's frame, in that part of the spot's file? */
bool cw_spot_is_in(struct cw_rule_ctx *ctx, uint32_t loc, const struct cw_spot *p, struct cw_extent range);
/* Do all threads of each warp or of the block begin the statement together? */
enum cw_together cw_spot_together(struct cw_rule_ctx *ctx, struct cw_spot *p, enum cw_uni level);
/* Does an operation with one of the flags come from the range? */
bool cw_spot_touches_memory(struct cw_rule_ctx *ctx, const struct cw_spot *p, struct cw_extent range, unsigned flags);

/* No calls and nothing that changes a variable, by its tokens: it may be written down a second time. */
bool cw_text_is_repeatable(const char *text, struct cw_extent e);
bool cw_text_has_comment(const char *text, struct cw_extent e);
/* The end of a comment that follows `at` on the same line with nothing between; else `at`. */
size_t cw_text_end_with_comment(const char *text, size_t size, size_t at);
/* The blanks that the line of an offset begins with. */
const char *cw_text_indent(struct cw_arena *a, const char *text, size_t at);
bool cw_text_begins_line(const char *text, size_t at);
/* Writes `line` before the statement, on a line of its own: where the statement begins its line, and where it follows
 * another one there, which then has its own line as well. */
void cw_draft_put_before(struct cw_draft *draft, const struct cw_span_text *file, const struct cw_statement *s,
                         const char *line);
/* The same behind it, and behind a comment that follows it. */
void cw_draft_put_behind(struct cw_draft *draft, const struct cw_span_text *file, const struct cw_statement *s,
                         const char *line);
/* Writes `call` on a line of its own before a statement that is not bare, and before what belongs to its head. */
void cw_draft_insert_before(struct cw_draft *draft, const struct cw_span_text *file, const struct cw_statement *s,
                            const char *call);
/* `base`, or `base` with a number, which the file does not use. */
const char *cw_text_fresh_name(struct cw_arena *a, const struct cw_source *source, const char *base);

#endif
