/* Which diagnostics each file has: the results of the open documents' analyses, together. */
#ifndef CW_LSP_PUBLISH_H
#define CW_LSP_PUBLISH_H

#include "lsp/server.h"

/* Something changed what is known of the document and those that read it: stops their analyses; new ones follow after a
 * pause. NULL: of all. */
void cw_lsp_touch(struct cw_lsp_server *s, const struct cw_lsp_document *d);
/* Starts what is due; seconds until something more is, or -1. */
double cw_lsp_schedule(struct cw_lsp_server *s);
/* Has it been analysed as it is? */
bool cw_lsp_is_current(struct cw_lsp_server *s, const struct cw_lsp_document *d);
/* The items of a real path, of all results; a new array of borrowed items. */
json_t *cw_lsp_items_of(struct cw_lsp_server *s, const char *path);
/* What a run about the document looks at; a new array. */
json_t *cw_lsp_paths_of(struct cw_lsp_server *s, struct cw_lsp_document *d);
/* A report for a client that asks; `previous`: the id of the report that it has, or NULL. */
json_t *cw_lsp_diagnostic_report(json_t *diagnostics, const char *previous);
json_t *cw_lsp_pulled_report(struct cw_lsp_server *s, const char *path, const char *previous);
/* The document goes: its share of the diagnostics too. */
void cw_lsp_forget(struct cw_lsp_server *s, struct cw_lsp_document *d);
/* Pushes the diagnostics of all files whose list has changed. */
void cw_lsp_publish(struct cw_lsp_server *s);

#endif
