/* Settings of the client: the keys of .cuwarp-lint.yaml, over what the files say. */
#ifndef CW_LSP_SETTINGS_H
#define CW_LSP_SETTINGS_H

#include "lsp/server.h"

/* Takes settings as clients send them: an object, or one below "cuwarp-lint". Returns whether anything has changed.
 * NULL and null take nothing. */
bool cw_lsp_settings_take(struct cw_lsp_server *s, const json_t *settings);

#endif
