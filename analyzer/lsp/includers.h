/* Who includes a header: headers are diagnosed through the files that do. */
#ifndef CW_LSP_INCLUDERS_H
#define CW_LSP_INCLUDERS_H

#include "lsp/server.h"

/* Looks through the workspace, in a job; the header is analysed again when some are found. */
void cw_lsp_find_includers(struct cw_lsp_server *s, struct cw_lsp_document *header);
/* Files have come or gone: what is known of includers does not hold any more. */
void cw_lsp_forget_includers(struct cw_lsp_server *s);

#endif
