/* The JSON form of findings and file results, both ways: what `--output json` prints and what workers send. */
#ifndef CW_DIAG_DIAG_JSON_H
#define CW_DIAG_DIAG_JSON_H

#include "diag/diag.h"

#include <jansson.h>

/* New references. Text that is not UTF-8 has its bad bytes replaced by U+FFFD. */
json_t *cw_finding_to_json(const struct cw_finding *f);
json_t *cw_witness_to_json(const struct cw_witness *w); /* null when there is none */
json_t *cw_result_to_json(const struct cw_file_result *r);
json_t *cw_partial_to_json(const struct cw_partial *p);
json_t *cw_basis_to_json(const struct cw_basis *b);
json_t *cw_skipped_to_json(const struct cw_skipped *s);
/* Everything is copied into the arena. False when the value does not have the shape. */
bool cw_finding_from_json(struct cw_arena *a, const json_t *j, struct cw_finding *f);
bool cw_result_from_json(struct cw_arena *a, const json_t *j, struct cw_file_result *r);

/* A JSON string of any bytes; null for NULL. */
json_t *cw_json_text(const char *text);

#endif
