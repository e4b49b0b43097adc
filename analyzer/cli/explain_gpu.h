/* What runtime_check saw of a rule's hazards on a GPU, for `cuwarp-lint explain`. */
#ifndef CW_CLI_EXPLAIN_GPU_H
#define CW_CLI_EXPLAIN_GPU_H

#include "base/str.h"
#include "diag/diag_json.h"

#include <stdbool.h>
#include <stdint.h>

/* A section "On a GPU" of the rule's documentation; nothing when no GPU has seen it. In short: how many kernels gave
 * what, and some of them; or all of them as a table. */
void cw_explain_gpu(const char *rule, bool all, struct cw_buf *out);
/* A list with an object for each kernel. */
json_t *cw_explain_gpu_json(const char *rule);

#endif
