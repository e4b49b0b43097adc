/* Progress of a request whose client asked for it (workDoneToken). */
#ifndef CW_LSP_PROGRESS_H
#define CW_LSP_PROGRESS_H

#include "lsp/server.h"

void cw_lsp_progress_begin(struct cw_lsp_server *s, const struct cw_lsp_request *r, const char *title);
/* {"done", "total", "message"}; total 0: a step without files. */
void cw_lsp_progress_report(struct cw_lsp_server *s, const struct cw_lsp_request *r, const json_t *progress);
void cw_lsp_progress_end(struct cw_lsp_server *s, const struct cw_lsp_request *r);

#endif
