/* A fix of several edits as one replacement, for readers that know no more. */
#ifndef CW_EMIT_MERGE_H
#define CW_EMIT_MERGE_H

#include "emit/emit.h"

/* The edits and the text between them as one edit. False when they are in several files, overlap, or lie further apart
 * than `most_lines`, and when there is no text to take what lies between from. */
bool cw_emit_merge(struct cw_emit *e, const struct cw_fix *fix, uint32_t most_lines, struct cw_edit *out);

#endif
