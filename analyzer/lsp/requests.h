/* Requests that have no answer yet. */
#ifndef CW_LSP_REQUESTS_H
#define CW_LSP_REQUESTS_H

#include "lsp/server.h"

/* A request has come: answers it, or keeps it until it can be. `minds_changes`: an answer about a text that has changed
 * meanwhile is of no use. */
void cw_lsp_request_take(struct cw_lsp_server *s, const json_t *id, json_t *params, cw_lsp_answer *answer,
                         bool minds_changes);
/* Asks all waiting requests again. */
void cw_lsp_requests_retry(struct cw_lsp_server *s);
/* The client does not want the answer any more. */
void cw_lsp_request_cancel(struct cw_lsp_server *s, const json_t *id);
/* The same by the token of its progress. */
void cw_lsp_progress_cancel(struct cw_lsp_server *s, const json_t *token);
void cw_lsp_requests_free(struct cw_lsp_server *s);

#endif
