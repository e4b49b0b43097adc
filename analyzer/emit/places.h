/* Places as other tools want them: paths from the root of the repository, URIs, columns in UTF-16 code units. */
#ifndef CW_EMIT_PLACES_H
#define CW_EMIT_PLACES_H

#include "emit/emit.h"

/* Path of `file` from the root of the repository that the run stands in, else as it is (arena text). */
const char *cw_emit_path(struct cw_emit *e, const char *file);
/* The same percent-encoded; *in_root says whether it is relative to that root. A file outside of it has an absolute
 * file: URI. */
const char *cw_emit_uri(struct cw_emit *e, const char *file, bool *in_root);

/* The absolute file: URI of a file on this machine (arena text). */
const char *cw_emit_file_uri(struct cw_emit *e, const char *file);

/* A place with columns in UTF-16 code units, from 1. Bytes that are not UTF-8 count one each, as the U+FFFD that stands
 * for them. Without the file's text columns stay as they are. The end is never before the start. */
struct cw_place cw_emit_utf16(struct cw_emit *e, const struct cw_place *p);

#endif
