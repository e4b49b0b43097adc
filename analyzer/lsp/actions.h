/* Code actions and commands. */
#ifndef CW_LSP_ACTIONS_H
#define CW_LSP_ACTIONS_H

#include "lsp/server.h"

struct cw_buf;

/* The commands for the server's capabilities; a new array. */
json_t *cw_lsp_commands(void);
/* A rule's summary and documentation, as Markdown; nothing for an unknown one. */
void cw_lsp_put_rule(struct cw_buf *out, const char *rule);

#endif
