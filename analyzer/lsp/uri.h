/* file: addresses and paths. */
#ifndef CW_LSP_URI_H
#define CW_LSP_URI_H

#include "base/arena.h"

/* The path of a file: address; NULL for other schemes and hosts, and for what is no address. */
char *cw_lsp_path_of_uri(struct cw_arena *a, const char *uri);
/* requires: an absolute path. */
char *cw_lsp_uri_of_path(struct cw_arena *a, const char *path);

#endif
