/* --dump=NAME: what the analyses hold, as text; the names are those of analyses.def. */
#ifndef CW_KERNEL_DUMP_H
#define CW_KERNEL_DUMP_H

#include "kernel/kernel.h"

struct cw_buf;

enum cw_dump {
    CW_DUMP_NONE,
#define CW_ANALYSIS(id, type, needs, compute) CW_DUMP_##id,
#define CW_DUMP(id, name, print) CW_DUMP_##id,
#include "kernel/analyses.def"
    CW_DUMP_FACTS /* see engine/kernel_facts.h; for the language server, --dump has no name for it */
};

/* False when nothing has that name. */
bool cw_dump_parse(const char *text, enum cw_dump *out);
/* All names, in the order of the table. */
void cw_dump_names(const char *separator, struct cw_buf *out);
/* Nothing for CW_DUMP_NONE and CW_DUMP_FACTS. Cost: that of the analysis. */
void cw_kernel_dump(struct cw_kernel *k, enum cw_dump what, struct cw_buf *out);

#endif
