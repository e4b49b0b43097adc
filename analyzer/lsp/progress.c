#include "lsp/progress.h"

#include "diag/diag_json.h"

static void send_value(struct cw_lsp_server *server, const struct cw_lsp_request *request, json_t *value) {
    json_t *token = json_object_get(request->params, "workDoneToken");
    if (json_is_string(token) || json_is_integer(token))
        cw_lsp_notify(server, "$/progress", json_pack("{s:O, s:O}", "token", token, "value", value));
    json_decref(value);
}

void cw_lsp_progress_begin(struct cw_lsp_server *server, const struct cw_lsp_request *request, const char *title) {
    send_value(server, request,
               json_pack("{s:s, s:s, s:b, s:i}", "kind", "begin", "title", title, "cancellable", 1, "percentage", 0));
}

void cw_lsp_progress_report(struct cw_lsp_server *server, const struct cw_lsp_request *request,
                            const json_t *progress) {
    json_int_t done = json_integer_value(json_object_get(progress, "done"));
    json_int_t total = json_integer_value(json_object_get(progress, "total"));
    json_t *value = json_pack("{s:s}", "kind", "report");
    if (total > 0) {
        json_object_set_new(value, "message", json_sprintf("%lld of %lld files", (long long)done, (long long)total));
        json_object_set_new(value, "percentage", json_integer(done * 100 / total));
    } else {
        json_object_set(value, "message", json_object_get(progress, "message"));
    }
    send_value(server, request, value);
}

void cw_lsp_progress_end(struct cw_lsp_server *server, const struct cw_lsp_request *request) {
    send_value(server, request, json_pack("{s:s}", "kind", "end"));
}
