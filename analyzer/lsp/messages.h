/* What goes to the client. */
#ifndef CW_LSP_MESSAGES_H
#define CW_LSP_MESSAGES_H

#include "lsp/server.h"

/* Takes the reference of `result`. `id` NULL: of a request that could not be read. */
void cw_lsp_reply(struct cw_lsp_server *s, const json_t *id, json_t *result);
void cw_lsp_reply_error(struct cw_lsp_server *s, const json_t *id, int code, const char *message);

#endif
