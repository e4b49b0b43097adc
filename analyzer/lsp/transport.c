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

void cw_lsp_receive(struct cw_lsp_stream *stream) {
    char chunk[CHUNK];
    ssize_t n = read(stream->in, chunk, sizeof chunk);
    if (n < 0 && (errno == EINTR || errno == EAGAIN))
        return;
    if (n <= 0) {
        stream->is_closed = true;
        return;
    }
    size_t skipped = stream->to_skip < (uint64_t)n ? (size_t)stream->to_skip : (size_t)n;
    stream->to_skip -= skipped;
    cw_buf_add(&stream->input, chunk + skipped, (size_t)n - skipped);
}

static void drop_front(struct cw_buf *buf, size_t n) {
    memmove(buf->at, buf->at + n, buf->n - n + 1);
    buf->n -= n;
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
static enum cw_lsp_read shorten_garbage(struct cw_lsp_stream *stream) {
    if (stream->input.n <= MAX_HEADERS)
        return CW_LSP_NONE;
    drop_front(&stream->input, stream->input.n - MAX_HEADERS / 2);
    return CW_LSP_BAD_FRAME;
}

static enum cw_lsp_read skip_large(struct cw_lsp_stream *stream, size_t body, uint64_t length) {
    size_t there = stream->input.n - body;
    size_t dropped = length < there ? (size_t)length : there;
    stream->to_skip = length - dropped;
    drop_front(&stream->input, body + dropped);
    return CW_LSP_TOO_LARGE;
}

enum cw_lsp_read cw_lsp_next(struct cw_lsp_stream *stream, json_t **out) {
    uint64_t length = 0;
    *out = NULL;
    char *end = stream->input.n ? memmem(stream->input.at, stream->input.n, "\r\n\r\n", 4) : NULL;
    if (!end)
        return stream->input.n ? shorten_garbage(stream) : CW_LSP_NONE;
    size_t body = (size_t)(end - stream->input.at) + 4;
    if (!find_length(stream->input.at, end + 2, &length)) {
        drop_front(&stream->input, body);
        return CW_LSP_BAD_FRAME;
    }
    if (length > CW_LSP_MAX_MESSAGE)
        return skip_large(stream, body, length);
    if (stream->input.n - body < length)
        return CW_LSP_NONE;
    *out = json_loadb(stream->input.at + body, (size_t)length, JSON_ALLOW_NUL | JSON_DECODE_ANY, NULL);
    drop_front(&stream->input, body + (size_t)length);
    return *out ? CW_LSP_MESSAGE : CW_LSP_BAD_JSON;
}

/* ---- writing ---- */

void cw_lsp_send(struct cw_lsp_stream *stream, json_t *message) {
    char *text = json_dumps(message, JSON_COMPACT);
    json_decref(message);
    if (!text || stream->is_broken || stream->output.n - stream->written > CW_LSP_MAX_QUEUE) {
        stream->is_broken = true;
        free(text);
        return;
    }
    cw_buf_printf(&stream->output, "Content-Length: %zu\r\n\r\n", strlen(text));
    cw_buf_puts(&stream->output, text);
    free(text);
}

bool cw_lsp_has_output(const struct cw_lsp_stream *stream) {
    return !stream->is_broken && stream->output.n > stream->written;
}

void cw_lsp_flush(struct cw_lsp_stream *stream) {
    size_t left = stream->output.n - stream->written;
    /* A pipe that is writable takes this much without waiting. */
    ssize_t n = left ? write(stream->out, stream->output.at + stream->written, left < PIPE_BUF ? left : PIPE_BUF) : 0;
    if (n < 0 && errno != EINTR && errno != EAGAIN)
        stream->is_broken = true;
    if (n > 0)
        stream->written += (size_t)n;
    if (stream->written == stream->output.n)
        stream->written = stream->output.n = 0;
    else if (stream->written > CW_LSP_MAX_MESSAGE) {
        drop_front(&stream->output, stream->written);
        stream->written = 0;
    }
}

void cw_lsp_drain(struct cw_lsp_stream *stream) {
    struct pollfd fd = {.fd = stream->out, .events = POLLOUT};
    while (cw_lsp_has_output(stream) && poll(&fd, 1, PATIENCE_MS) > 0)
        cw_lsp_flush(stream);
}

void cw_lsp_stream_free(struct cw_lsp_stream *stream) {
    cw_buf_free(&stream->input);
    cw_buf_free(&stream->output);
}
