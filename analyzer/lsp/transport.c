#include "lsp/transport.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

enum { CHUNK = 65536, MAX_HEADERS = 8192, PATIENCE_MS = 1000 };

/* ---- reading ---- */

void cw_lsp_receive(struct cw_lsp_stream *s) {
    char chunk[CHUNK];
    ssize_t n = read(s->in, chunk, sizeof chunk);
    if (n < 0 && (errno == EINTR || errno == EAGAIN))
        return;
    if (n <= 0) {
        s->is_closed = true;
        return;
    }
    size_t skipped = s->to_skip < (uint64_t)n ? (size_t)s->to_skip : (size_t)n;
    s->to_skip -= skipped;
    cw_buf_add(&s->input, chunk + skipped, (size_t)n - skipped);
}

static void drop_front(struct cw_buf *b, size_t n) {
    memmove(b->at, b->at + n, b->n - n + 1);
    b->n -= n;
}

/* The last header of that name before `end`, whatever garbage stands before it; false: none, or no number. */
static bool find_length(const char *from, const char *end, uint64_t *length) {
    static const char name[] = "content-length:";
    const char *found = NULL;
    for (const char *at = from; at + sizeof name - 1 <= end; at++)
        if (!strncasecmp(at, name, sizeof name - 1))
            found = at + sizeof name - 1;
    while (found && found < end && (*found == ' ' || *found == '\t'))
        found++;
    if (!found || *found < '0' || *found > '9')
        return false;
    errno = 0;
    char *after;
    *length = strtoull(found, &after, 10);
    return !errno && (*after == '\r' || *after == ' ');
}

/* Garbage without end keeps no memory: its last bytes may be the beginning of a header. */
static enum cw_lsp_read shorten_garbage(struct cw_lsp_stream *s) {
    if (s->input.n <= MAX_HEADERS)
        return CW_LSP_NONE;
    drop_front(&s->input, s->input.n - MAX_HEADERS / 2);
    return CW_LSP_BAD_FRAME;
}

static enum cw_lsp_read skip_large(struct cw_lsp_stream *s, size_t body, uint64_t length) {
    size_t there = s->input.n - body;
    size_t dropped = length < there ? (size_t)length : there;
    s->to_skip = length - dropped;
    drop_front(&s->input, body + dropped);
    return CW_LSP_TOO_LARGE;
}

enum cw_lsp_read cw_lsp_next(struct cw_lsp_stream *s, json_t **out) {
    uint64_t length = 0;
    *out = NULL;
    char *end = s->input.n ? memmem(s->input.at, s->input.n, "\r\n\r\n", 4) : NULL;
    if (!end)
        return s->input.n ? shorten_garbage(s) : CW_LSP_NONE;
    size_t body = (size_t)(end - s->input.at) + 4;
    if (!find_length(s->input.at, end + 2, &length)) {
        drop_front(&s->input, body);
        return CW_LSP_BAD_FRAME;
    }
    if (length > CW_LSP_MAX_MESSAGE)
        return skip_large(s, body, length);
    if (s->input.n - body < length)
        return CW_LSP_NONE;
    *out = json_loadb(s->input.at + body, (size_t)length, JSON_ALLOW_NUL | JSON_DECODE_ANY, NULL);
    drop_front(&s->input, body + (size_t)length);
    return *out ? CW_LSP_MESSAGE : CW_LSP_BAD_JSON;
}

/* ---- writing ---- */

void cw_lsp_send(struct cw_lsp_stream *s, json_t *message) {
    char *text = json_dumps(message, JSON_COMPACT);
    json_decref(message);
    if (!text || s->is_broken || s->output.n - s->written > CW_LSP_MAX_QUEUE) {
        s->is_broken = true;
        free(text);
        return;
    }
    cw_buf_printf(&s->output, "Content-Length: %zu\r\n\r\n", strlen(text));
    cw_buf_puts(&s->output, text);
    free(text);
}

bool cw_lsp_has_output(const struct cw_lsp_stream *s) {
    return !s->is_broken && s->output.n > s->written;
}

void cw_lsp_flush(struct cw_lsp_stream *s) {
    size_t left = s->output.n - s->written;
    /* A pipe that is writable takes this much without waiting. */
    ssize_t n = left ? write(s->out, s->output.at + s->written, left < PIPE_BUF ? left : PIPE_BUF) : 0;
    if (n < 0 && errno != EINTR && errno != EAGAIN)
        s->is_broken = true;
    if (n > 0)
        s->written += (size_t)n;
    if (s->written == s->output.n)
        s->written = s->output.n = 0;
    else if (s->written > CW_LSP_MAX_MESSAGE) {
        drop_front(&s->output, s->written);
        s->written = 0;
    }
}

void cw_lsp_drain(struct cw_lsp_stream *s) {
    struct pollfd fd = {.fd = s->out, .events = POLLOUT};
    while (cw_lsp_has_output(s) && poll(&fd, 1, PATIENCE_MS) > 0)
        cw_lsp_flush(s);
}

void cw_lsp_stream_free(struct cw_lsp_stream *s) {
    cw_buf_free(&s->input);
    cw_buf_free(&s->output);
}
