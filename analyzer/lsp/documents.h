/* Open documents: their text as the editor has it. */
#ifndef CW_LSP_DOCUMENTS_H
#define CW_LSP_DOCUMENTS_H

#include "lsp/positions.h"

#include <jansson.h>
#include <stdint.h>

struct cw_lsp_document {
    struct cw_lsp_document *next;
    char *uri;      /* as the client names it */
    char *path;     /* absolute; of what is no file: a name in the first folder */
    char *real;     /* without links, or `path` */
    bool is_header; /* others include it */
    json_int_t version;
    struct cw_buf text;
    uint64_t edition; /* grows with every change of any document */
    double due;       /* when it is to be analysed; 0: it was, or is being */
    json_t *result;   /* of the last analysis that ended, see analysis.h; or NULL */
    uint64_t result_edition; /* of the text that it was of */
    json_t *related;  /* files that are not open whose findings the client has got with its own; or NULL */
    bool is_warm;     /* what it begins with is precompiled */
    bool has_asked_includers;
};

struct cw_lsp_documents {
    struct cw_lsp_document *first;
    uint64_t editions;
};

struct cw_lsp_document *cw_lsp_document_find(const struct cw_lsp_documents *all, const char *uri);
/* By path, real or not. */
struct cw_lsp_document *cw_lsp_document_at(const struct cw_lsp_documents *all, const char *path);
/* Opens one, or takes the place of one with the same address. `folder`: where a document that is no file is said to be.
 */
struct cw_lsp_document *cw_lsp_document_open(struct cw_lsp_documents *all, const char *uri, const char *folder,
                                             json_int_t version, const json_t *text);
/* Applies the changes in their order; false when one is malformed or the text grows too large: what came before it
 * holds. */
bool cw_lsp_document_change(struct cw_lsp_documents *all, struct cw_lsp_document *d, const json_t *changes,
                            enum cw_lsp_encoding e);
void cw_lsp_document_close(struct cw_lsp_documents *all, struct cw_lsp_document *d);

#endif
