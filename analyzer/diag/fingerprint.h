/* A name for a finding that survives edits elsewhere in the file: rule, path below the repository's root, function,
 * normalised tokens of the statement, and an ordinal among equals. No line numbers. */
#ifndef CW_DIAG_FINGERPRINT_H
#define CW_DIAG_FINGERPRINT_H

#include "diag/diag.h"
#include "source/source.h"

/* The source of a file, or NULL; borrowed until the run ends. */
typedef const struct cw_source *cw_source_of_file(void *ctx, const char *file);

/* requires: sorted, without duplicates. Fills in `fingerprint` of each finding (16 hexadecimal digits). */
void cw_findings_fingerprint(struct cw_arena *a, struct cw_finding *at, uint32_t n, cw_source_of_file *source_of,
                             void *ctx);

/* Appends the tokens of the statement around byte `offset`, one space between two, comments left out. */
void cw_statement_tokens(const struct cw_source *s, size_t offset, struct cw_buf *out);

#endif
