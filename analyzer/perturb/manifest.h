/* cuwarp_skew.json: which call stands for what, and the exact text that was put in. */
#ifndef CW_PERTURB_MANIFEST_H
#define CW_PERTURB_MANIFEST_H

#include "perturb/tree.h"

/* {"version", "tool", "skews": [{"id", "file", "line", "column", "rules": […], "inserted": [{"offset", "text"}]}],
 * "not_skewed": [{"file", "line", "column", "rule", "reason"}], "changed": [{"file", "prologue"}], "files": […]}.
 * Offsets are bytes of the original behind a byte order mark; the prologue stands there too. */
void cw_manifest_print(const struct cw_plan *p, const struct cw_tree *t, struct cw_buf *out);

/* The "files" of an earlier manifest, those that a plain relative path names (arena text). */
struct cw_manifest_files { const char **at; uint32_t n, cap; };
struct cw_manifest_files cw_manifest_files(struct cw_arena *a, const char *path);

#endif
