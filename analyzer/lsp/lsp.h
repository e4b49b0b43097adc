/* The language server: LSP 3.17 over standard input and output. */
#ifndef CW_LSP_LSP_H
#define CW_LSP_LSP_H

#include "engine/run.h"

/* What the program around the server knows: options, configuration files, the rules' texts. */
struct cw_lsp_host {
    /* Options of a run over `paths`, which live in the arena; `settings` are "KEY=VALUE" texts of the client, over what
     * the configuration files say. *docs_url: where the rules' pages are published, "" when nowhere. NULL, or what is
     * wrong (arena text). Called in processes of their own, so that configuration files are read each time. */
    const char *(*options)(void *ctx, struct cw_arena *a, const char *const *paths, uint32_t npaths,
                           const char *const *settings, uint32_t nsettings, struct cw_run_options *out,
                           const char **docs_url);
    void *ctx;
    uint32_t jobs;         /* analyses at a time */
    uint64_t memory_limit; /* bytes per analysis */
};

/* Serves one client until it says goodbye, is gone, or closes the stream. Returns the exit status that LSP asks for: 0
 * after `shutdown`, else 1. */
int cw_lsp_serve(const struct cw_lsp_host *host);

#endif
