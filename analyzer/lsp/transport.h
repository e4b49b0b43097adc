/* Messages as LSP frames them: headers, an empty line, JSON. Reading never blocks and never loses step for longer than
 * one message; writing is queued, so that a client that does not read cannot stop the server. */
#ifndef CW_LSP_TRANSPORT_H
#define CW_LSP_TRANSPORT_H

#include "base/str.h"

#include <jansson.h>
#include <stdint.h>

enum { CW_LSP_MAX_MESSAGE = 64 << 20, CW_LSP_MAX_QUEUE = 512 << 20 };

struct cw_lsp_stream {
    int in, out;
    struct cw_buf input, output;
    size_t written;    /* of output */
    uint64_t to_skip;  /* bytes of a message that is too large */
    bool is_closed;    /* nothing more comes */
    bool is_broken;    /* nothing can be written, or the client does not read */
};

enum cw_lsp_read {
    CW_LSP_NONE,      /* no whole message is there */
    CW_LSP_MESSAGE,
    CW_LSP_BAD_FRAME, /* no usable header; skipped */
    CW_LSP_BAD_JSON,
    CW_LSP_TOO_LARGE,
};

/* Takes what can be read now, at most a chunk. requires: poll() said that it is readable. */
void cw_lsp_receive(struct cw_lsp_stream *s);
/* The next message; *out is a new reference for CW_LSP_MESSAGE, else NULL. */
enum cw_lsp_read cw_lsp_next(struct cw_lsp_stream *s, json_t **out);
/* Queues a message; takes the reference. */
void cw_lsp_send(struct cw_lsp_stream *s, json_t *message);
bool cw_lsp_has_output(const struct cw_lsp_stream *s);
/* Writes what goes without waiting. requires: poll() said that it is writable. */
void cw_lsp_flush(struct cw_lsp_stream *s);
/* Writes all that is queued, as long as the client reads within a second. */
void cw_lsp_drain(struct cw_lsp_stream *s);
void cw_lsp_stream_free(struct cw_lsp_stream *s);

#endif
