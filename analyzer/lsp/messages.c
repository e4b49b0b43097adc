#include "lsp/messages.h"

#include "base/str.h"
#include "diag/diag_json.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { MESSAGE_ERROR = 1, MESSAGE_LOG = 4, MAX_SAID = 256 };

static json_t *answer_to(const json_t *id) {
    json_t *o = json_pack("{s:s}", "jsonrpc", "2.0");
    json_object_set_new(o, "id", id ? json_deep_copy(id) : json_null());
    return o;
}

void cw_lsp_reply(struct cw_lsp_server *server, const json_t *id, json_t *result) {
    json_t *o = answer_to(id);
    json_object_set_new(o, "result", result ? result : json_null());
    cw_lsp_send(&server->stream, o);
}

void cw_lsp_reply_error(struct cw_lsp_server *server, const json_t *id, int code, const char *message) {
    json_t *o = answer_to(id);
    json_object_set_new(o, "error", json_pack("{s:i, s:o}", "code", code, "message", cw_json_text(message)));
    cw_lsp_send(&server->stream, o);
}

void cw_lsp_notify(struct cw_lsp_server *server, const char *method, json_t *params) {
    json_t *o = json_pack("{s:s, s:s}", "jsonrpc", "2.0", "method", method);
    if (params)
        json_object_set_new(o, "params", params);
    cw_lsp_send(&server->stream, o);
}

void cw_lsp_ask(struct cw_lsp_server *server, const char *method, json_t *params, const char *what) {
    json_t *o = json_pack("{s:s, s:I, s:s}", "jsonrpc", "2.0", "id", ++server->next_id, "method", method);
    char key[32];
    snprintf(key, sizeof key, "%lld", (long long)server->next_id);
    json_object_set_new(server->asked, key, json_string(what));
    if (params)
        json_object_set_new(o, "params", params);
    cw_lsp_send(&server->stream, o);
}

void cw_lsp_log(struct cw_lsp_server *server, const char *format, ...) {
    struct cw_arena scratch;
    va_list ap;
    cw_arena_init(&scratch);
    va_start(ap, format);
    const char *text = cw_arena_vprintf(&scratch, format, ap);
    va_end(ap);
    cw_lsp_notify(server, "window/logMessage",
                  json_pack("{s:i, s:o}", "type", MESSAGE_LOG, "message", cw_json_text(text)));
    cw_arena_free(&scratch);
}

void cw_lsp_show_error(struct cw_lsp_server *server, const char *text) {
    if (json_object_get(server->said, text))
        return;
    if (json_object_size(server->said) >= MAX_SAID)
        json_object_clear(server->said);
    json_object_set_new(server->said, text, json_true());
    cw_lsp_notify(server, "window/showMessage", json_pack("{s:i, s:o}", "type", MESSAGE_ERROR, "message",
                                                     json_sprintf("cuwarp-lint: %s", text)));
}
