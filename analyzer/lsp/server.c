/* The life of a connection: messages in, jobs in between, one loop around both. Nothing here waits for anything but
 * poll(). */
#include "lsp/server.h"

#include "base/log.h"
#include "diag/diag_json.h"
#include "lsp/actions.h"
#include "lsp/includers.h"
#include "lsp/messages.h"
#include "lsp/publish.h"
#include "lsp/requests.h"
#include "lsp/settings.h"
#include "lsp/uri.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { MAX_FDS = 64, WATCH_MS = 500 };

double cw_lsp_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static const char *text_in(const json_t *json, const char *key) {
    return json_string_value(json_object_get(json, key));
}

struct cw_lsp_document *cw_lsp_document_of(struct cw_lsp_server *server, const struct cw_lsp_request *request) {
    return cw_lsp_document_find(&server->documents, text_in(json_object_get(request->params, "textDocument"), "uri"));
}

/* ---- initialize ---- */

static const json_t *find_key(const json_t *json, const char *path) {
    char name[64];
    while (json && *path) {
        size_t n = strcspn(path, ".");
        if (n >= sizeof name)
            return NULL;
        memcpy(name, path, n);
        name[n] = '\0';
        json = json_object_get(json, name);
        path += n + (path[n] == '.');
    }
    return json;
}

static bool is_set(const json_t *json, const char *path) {
    return json_is_true(find_key(json, path));
}

static bool lists_text(const json_t *list, const char *text) {
    size_t i;
    json_t *item;
    json_array_foreach(list, i, item)
        if (json_is_string(item) && !strcmp(json_string_value(item), text))
            return true;
    return false;
}

static struct cw_lsp_client client_of(const json_t *json) {
    return (struct cw_lsp_client){
        .pulls = json_is_object(find_key(json, "textDocument.diagnostic")),
        .refreshes_pulls = is_set(json, "workspace.diagnostics.refreshSupport"),
        .refreshes_lenses = is_set(json, "workspace.codeLens.refreshSupport"),
        .has_related = is_set(json, "textDocument.publishDiagnostics.relatedInformation") ||
                       is_set(json, "textDocument.diagnostic.relatedInformation"),
        .has_tags = find_key(json, "textDocument.publishDiagnostics.tagSupport") ||
                    find_key(json, "textDocument.diagnostic.tagSupport"),
        .has_code_link = is_set(json, "textDocument.publishDiagnostics.codeDescriptionSupport") ||
                         is_set(json, "textDocument.diagnostic.codeDescriptionSupport"),
        .has_data = is_set(json, "textDocument.publishDiagnostics.dataSupport") ||
                    is_set(json, "textDocument.diagnostic.dataSupport"),
        .has_related_documents = is_set(json, "textDocument.diagnostic.relatedDocumentSupport"),
        .has_action_literals = json_is_object(find_key(json, "textDocument.codeAction.codeActionLiteralSupport")),
        .resolves_edits = is_set(json, "textDocument.codeAction.dataSupport") &&
                          lists_text(find_key(json, "textDocument.codeAction.resolveSupport.properties"), "edit"),
        .has_document_changes = is_set(json, "workspace.workspaceEdit.documentChanges"),
        .applies_edits = is_set(json, "workspace.applyEdit"),
        .has_configuration = is_set(json, "workspace.configuration"),
        .watches_files = is_set(json, "workspace.didChangeWatchedFiles.dynamicRegistration"),
        .has_markdown = lists_text(find_key(json, "textDocument.hover.contentFormat"), "markdown"),
    };
}

static json_t *capabilities_of(const struct cw_lsp_server *server) {
    json_t *c = json_object();
    json_object_set_new(c, "positionEncoding", json_string(server->encoding == CW_LSP_UTF8 ? "utf-8" : "utf-16"));
    json_object_set_new(c, "textDocumentSync", json_pack("{s:b, s:i, s:b}", "openClose", 1, "change", 2, "save", 1));
    json_object_set_new(c, "hoverProvider", json_true());
    json_object_set_new(c, "codeLensProvider", json_pack("{s:b}", "resolveProvider", 0));
    json_object_set_new(c, "codeActionProvider",
                        json_pack("{s:[s, s], s:b}", "codeActionKinds", "quickfix", "source.fixAll.cuwarp-lint",
                                  "resolveProvider", 1));
    json_object_set_new(c, "executeCommandProvider",
                        json_pack("{s:o, s:b}", "commands", cw_lsp_commands(), "workDoneProgress", 1));
    json_object_set_new(c, "diagnosticProvider",
                        json_pack("{s:s, s:b, s:b, s:b}", "identifier", "cuwarp-lint", "interFileDependencies", 1,
                                  "workspaceDiagnostics", 1, "workDoneProgress", 1));
    json_object_set_new(c, "workspace", json_pack("{s:{s:b, s:b}}", "workspaceFolders", "supported", 1,
                                                  "changeNotifications", 1));
    return c;
}

static void add_folder(struct cw_lsp_server *server, const char *uri) {
    struct cw_arena scratch;
    cw_arena_init(&scratch);
    char *path = uri ? cw_lsp_path_of_uri(&scratch, uri) : NULL;
    for (size_t n = path ? strlen(path) : 0; n > 1 && path[n - 1] == '/';)
        path[--n] = '\0';
    if (path && !lists_text(server->folders, path))
        json_array_append_new(server->folders, cw_json_text(path));
    cw_arena_free(&scratch);
}

static void take_folders(struct cw_lsp_server *server, const json_t *params) {
    size_t i;
    json_t *folder, *folders = json_object_get(params, "workspaceFolders");
    json_array_foreach(folders, i, folder)
        add_folder(server, text_in(folder, "uri"));
    if (!json_array_size(folders))
        add_folder(server, text_in(params, "rootUri"));
    const char *root = text_in(params, "rootPath");
    if (!json_array_size(server->folders) && root && *root == '/')
        json_array_append_new(server->folders, cw_json_text(root));
}

/* A descriptor that becomes readable when the process ends, where the kernel has those; else it is asked for now and
 * then. */
static void watch_parent(struct cw_lsp_server *server, const json_t *id) {
    json_int_t pid = json_integer_value(id);
    if (!json_is_integer(id) || pid <= 0 || pid > INT32_MAX)
        return;
    server->parent = (int)pid;
#ifdef SYS_pidfd_open
    server->parent_fd = (int)syscall(SYS_pidfd_open, server->parent, 0);
#endif
}

static bool has_parent_ended(const struct cw_lsp_server *server) {
    return server->parent && kill(server->parent, 0) && errno == ESRCH;
}

static void initialize_server(struct cw_lsp_server *server, const json_t *id, const json_t *params) {
    const json_t *c = json_object_get(params, "capabilities");
    server->client = client_of(c);
    server->encoding = lists_text(find_key(c, "general.positionEncodings"), "utf-8") ? CW_LSP_UTF8 : CW_LSP_UTF16;
    server->state = CW_LSP_RUNNING;
    take_folders(server, params);
    cw_lsp_settings_take(server, json_object_get(params, "initializationOptions"));
    watch_parent(server, json_object_get(params, "processId"));
    cw_lsp_reply(server, id,
                 json_pack("{s:o, s:{s:s, s:s}}", "capabilities", capabilities_of(server), "serverInfo", "name",
                           "cuwarp-lint", "version", CUWARP_VERSION));
}

static void ask_configuration(struct cw_lsp_server *server) {
    if (server->client.has_configuration)
        cw_lsp_ask(server, "workspace/configuration", json_pack("{s:[{s:s}]}", "items", "section", "cuwarp-lint"),
                   "configuration");
}

static void take_initialized(struct cw_lsp_server *server, json_t *params) {
    static const char *const patterns[] = {"**/.cuwarp-lint.yaml", "**/.cuwarp-lint.yml", "**/compile_commands.json",
                                           "**/.gitignore",
                                           "**/*.{cu,cuh,h,hh,hpp,hxx,c,cc,cpp,cxx,inl,ipp}"};
    (void)params;
    json_t *watchers = json_array();
    for (size_t i = 0; i < sizeof patterns / sizeof patterns[0]; i++)
        json_array_append_new(watchers, json_pack("{s:s}", "globPattern", patterns[i]));
    if (server->client.watches_files)
        cw_lsp_ask(server, "client/registerCapability",
                   json_pack("{s:[{s:s, s:s, s:{s:O}}]}", "registrations", "id", "files", "method",
                             "workspace/didChangeWatchedFiles", "registerOptions", "watchers", watchers),
                   "nothing");
    json_decref(watchers);
    ask_configuration(server);
}

/* ---- documents ---- */

static void take_open(struct cw_lsp_server *server, json_t *params) {
    const json_t *item = json_object_get(params, "textDocument"), *text = json_object_get(item, "text");
    const char *uri = text_in(item, "uri"), *folder = json_string_value(json_array_get(server->folders, 0));
    if (!uri || !json_is_string(text)) {
        cw_lsp_log(server, "textDocument/didOpen without an address or a text");
        return;
    }
    struct cw_lsp_document *d = cw_lsp_document_open(&server->documents, uri, folder ? folder : "/",
                                                     json_integer_value(json_object_get(item, "version")), text);
    cw_lsp_touch(server, d);
    d->due = cw_lsp_now(); /* nobody types yet */
}

static void take_change(struct cw_lsp_server *server, json_t *params) {
    const json_t *item = json_object_get(params, "textDocument"), *version = json_object_get(item, "version");
    struct cw_lsp_document *d = cw_lsp_document_find(&server->documents, text_in(item, "uri"));
    if (!d) {
        cw_lsp_log(server, "textDocument/didChange of a document that is not open");
        return;
    }
    if (!cw_lsp_document_change(&server->documents, d, json_object_get(params, "contentChanges"), server->encoding))
        cw_lsp_show_error(server, "a change of a document could not be understood; close and open it again");
    if (json_is_integer(version))
        d->version = json_integer_value(version);
    cw_lsp_touch(server, d);
}

/* The text is the same; what others read of it from the disk is not. */
static void take_save(struct cw_lsp_server *server, json_t *params) {
    (void)params;
    server->workspace_edition++;
}

static void take_close(struct cw_lsp_server *server, json_t *params) {
    struct cw_lsp_document *d =
        cw_lsp_document_find(&server->documents, text_in(json_object_get(params, "textDocument"), "uri"));
    if (!d)
        return;
    bool is_read_by_others = d->is_header;
    cw_lsp_forget(server, d);
    if (is_read_by_others)
        cw_lsp_touch(server, NULL); /* they read the disk's text again */
}

/* ---- the workspace ---- */

static void take_configuration(struct cw_lsp_server *server, json_t *params) {
    const json_t *settings = json_object_get(params, "settings");
    if (json_is_object(settings) && json_object_size(settings))
        cw_lsp_settings_take(server, settings);
    else
        ask_configuration(server);
    json_object_clear(server->said);
    cw_lsp_touch(server, NULL);
}

static void take_files(struct cw_lsp_server *server, json_t *params) {
    (void)params;
    json_object_clear(server->said);
    cw_lsp_forget_includers(server);
    cw_lsp_touch(server, NULL);
}

static void take_folder_changes(struct cw_lsp_server *server, json_t *params) {
    const json_t *event = json_object_get(params, "event");
    size_t i, k;
    json_t *folder, *known, *kept = json_array(), *old = server->folders;
    server->folders = json_array();
    json_array_foreach(json_object_get(event, "removed"), i, folder)
        add_folder(server, text_in(folder, "uri"));
    json_array_foreach(old, k, known)
        if (!lists_text(server->folders, json_string_value(known)))
            json_array_append(kept, known);
    json_decref(server->folders);
    json_decref(old);
    server->folders = kept;
    json_array_foreach(json_object_get(event, "added"), i, folder)
        add_folder(server, text_in(folder, "uri"));
    take_files(server, NULL);
}

static void take_cancel(struct cw_lsp_server *server, json_t *params) {
    const json_t *id = json_object_get(params, "id");
    if (id)
        cw_lsp_request_cancel(server, id);
}

static void take_progress_cancel(struct cw_lsp_server *server, json_t *params) {
    cw_lsp_progress_cancel(server, json_object_get(params, "token"));
}

/* ---- messages ---- */

static const struct {
    const char *method;
    void (*take)(struct cw_lsp_server *s, json_t *params);
} notifications[] = {
    {"initialized", take_initialized},
    {"textDocument/didOpen", take_open},
    {"textDocument/didChange", take_change},
    {"textDocument/didSave", take_save},
    {"textDocument/didClose", take_close},
    {"workspace/didChangeConfiguration", take_configuration},
    {"workspace/didChangeWatchedFiles", take_files},
    {"workspace/didChangeWorkspaceFolders", take_folder_changes},
    {"$/cancelRequest", take_cancel},
    {"window/workDoneProgress/cancel", take_progress_cancel},
};

static const struct {
    const char *method;
    cw_lsp_answer *answer;
    bool minds_changes;
} requests[] = {
    {"textDocument/hover", cw_lsp_hover, true},
    {"textDocument/codeLens", cw_lsp_code_lens, true},
    {"textDocument/codeAction", cw_lsp_code_action, true},
    {"codeAction/resolve", cw_lsp_resolve_action, false},
    {"textDocument/diagnostic", cw_lsp_document_diagnostic, false},
    {"workspace/diagnostic", cw_lsp_workspace_diagnostic, false},
    {"workspace/executeCommand", cw_lsp_execute_command, false},
};

static void take_notification(struct cw_lsp_server *server, const char *method, json_t *params) {
    if (!strcmp(method, "exit")) {
        server->state = server->state == CW_LSP_SHUT_DOWN ? CW_LSP_EXITED_WELL : CW_LSP_EXITED;
        return;
    }
    for (size_t i = 0; i < sizeof notifications / sizeof notifications[0] && server->state == CW_LSP_RUNNING; i++)
        if (!strcmp(method, notifications[i].method))
            notifications[i].take(server, params);
}

static void shut_down(struct cw_lsp_server *server, const json_t *id) {
    while (server->requests)
        cw_lsp_request_cancel(server, server->requests->id);
    while (server->jobs.first)
        cw_lsp_job_kill(&server->jobs, server->jobs.first);
    for (struct cw_lsp_document *d = server->documents.first; d; d = d->next)
        d->due = 0;
    server->state = CW_LSP_SHUT_DOWN;
    cw_lsp_reply(server, id, NULL);
}

static void take_request(struct cw_lsp_server *server, const json_t *id, const char *method, json_t *params) {
    if (server->state == CW_LSP_SHUT_DOWN) {
        cw_lsp_reply_error(server, id, CW_LSP_INVALID_REQUEST, "the server is shut down");
        return;
    }
    if (!strcmp(method, "initialize")) {
        if (server->state == CW_LSP_FRESH)
            initialize_server(server, id, params);
        else
            cw_lsp_reply_error(server, id, CW_LSP_INVALID_REQUEST, "the server is initialized already");
        return;
    }
    if (server->state == CW_LSP_FRESH) {
        cw_lsp_reply_error(server, id, CW_LSP_NOT_INITIALIZED, "the server is not initialized yet");
        return;
    }
    if (!strcmp(method, "shutdown")) {
        shut_down(server, id);
        return;
    }
    for (size_t i = 0; i < sizeof requests / sizeof requests[0]; i++)
        if (!strcmp(method, requests[i].method)) {
            cw_lsp_request_take(server, id, params, requests[i].answer, requests[i].minds_changes);
            return;
        }
    cw_lsp_reply_error(server, id, CW_LSP_METHOD_NOT_FOUND, "there is no such method");
}

static void take_answer(struct cw_lsp_server *server, const json_t *message) {
    char key[32];
    snprintf(key, sizeof key, "%lld", (long long)json_integer_value(json_object_get(message, "id")));
    const char *what = text_in(server->asked, key);
    const json_t *result = json_object_get(message, "result");
    if (what && !strcmp(what, "configuration") && cw_lsp_settings_take(server, json_array_get(result, 0)))
        cw_lsp_touch(server, NULL);
    if (what && !strcmp(what, "applied") && json_is_false(json_object_get(result, "applied")))
        cw_lsp_log(server, "the client did not apply an edit");
    json_object_del(server->asked, key);
}

static void take_message(struct cw_lsp_server *server, const json_t *message) {
    const json_t *id = json_object_get(message, "id"), *method = json_object_get(message, "method");
    json_t *params = json_object_get(message, "params");
    bool is_id = json_is_string(id) || json_is_integer(id);
    if (json_is_string(method) && !id)
        take_notification(server, json_string_value(method), params);
    else if (json_is_string(method) && is_id)
        take_request(server, id, json_string_value(method), params);
    else if (!method && is_id && (json_object_get(message, "result") || json_object_get(message, "error")))
        take_answer(server, message);
    else
        cw_lsp_reply_error(server, is_id ? id : NULL, CW_LSP_INVALID_REQUEST, "this is no message of JSON-RPC 2.0");
}

static bool has_ended(const struct cw_lsp_server *server) {
    return server->state == CW_LSP_EXITED || server->state == CW_LSP_EXITED_WELL;
}

static void take_messages(struct cw_lsp_server *server) {
    json_t *message;
    enum cw_lsp_read got;
    while (!has_ended(server) && (got = cw_lsp_next(&server->stream, &message)) != CW_LSP_NONE) {
        if (got == CW_LSP_MESSAGE)
            take_message(server, message);
        else if (got == CW_LSP_TOO_LARGE)
            cw_lsp_reply_error(server, NULL, CW_LSP_INVALID_REQUEST, "the message is too large");
        else
            cw_lsp_reply_error(server, NULL, CW_LSP_PARSE_ERROR,
                               got == CW_LSP_BAD_JSON ? "the message is no JSON"
                                                      : "a header Content-Length is missing");
        json_decref(message);
    }
}

/* ---- the loop ---- */

static struct cw_lsp_job *job_with(const struct cw_lsp_server *server, int fd) {
    struct cw_lsp_job *job = server->jobs.first;
    while (job && job->fd != fd)
        job = job->next;
    return job;
}

static nfds_t collect_fds(const struct cw_lsp_server *server, struct pollfd *fds) {
    nfds_t n = 0;
    fds[n++] = (struct pollfd){.fd = server->stream.in, .events = POLLIN};
    fds[n++] = (struct pollfd){.fd = cw_lsp_has_output(&server->stream) ? server->stream.out : -1, .events = POLLOUT};
    fds[n++] = (struct pollfd){.fd = server->parent_fd, .events = POLLIN};
    for (const struct cw_lsp_job *job = server->jobs.first; job && n < MAX_FDS; job = job->next)
        if (job->pid > 0)
            fds[n++] = (struct pollfd){.fd = job->fd, .events = POLLIN};
    return n;
}

/* Waits until something happens, and does what follows from it. */
static void serve_events(struct cw_lsp_server *server, double *watched) {
    struct pollfd fds[MAX_FDS];
    double wait = cw_lsp_schedule(server);
    nfds_t n = collect_fds(server, fds);
    int ready = poll(fds, n, wait >= 0 && wait * 1e3 < (int)WATCH_MS ? (int)(wait * 1e3) + 1 : WATCH_MS);
    if (ready > 0 && fds[0].revents)
        cw_lsp_receive(&server->stream);
    if (ready > 0 && fds[1].revents)
        cw_lsp_flush(&server->stream);
    take_messages(server);
    for (nfds_t i = 3; i < n && ready > 0; i++) {
        struct cw_lsp_job *job = fds[i].revents ? job_with(server, fds[i].fd) : NULL;
        if (job)
            cw_lsp_job_read(&server->jobs, job);
    }
    cw_lsp_requests_retry(server);
    if ((ready > 0 && fds[2].revents) || has_parent_ended(server))
        server->state = CW_LSP_EXITED;
    if (cw_lsp_now() - *watched > (int)WATCH_MS * 1e-3) {
        cw_lsp_jobs_watch(&server->jobs);
        *watched = cw_lsp_now();
    }
}

static void free_server(struct cw_lsp_server *server) {
    while (server->jobs.first)
        cw_lsp_job_kill(&server->jobs, server->jobs.first);
    cw_lsp_requests_free(server);
    while (server->documents.first)
        cw_lsp_document_close(&server->documents, server->documents.first);
    json_t *all[] = {server->folders,   server->settings, server->published,
                     server->includers, server->asked,    server->said};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        json_decref(all[i]);
    if (server->parent_fd >= 0)
        close(server->parent_fd);
    free(server->reason);
    cw_lsp_stream_free(&server->stream);
}

int cw_lsp_serve(const struct cw_lsp_host *host) {
    struct cw_lsp_server s = {.host = host, .parent_fd = -1, .folders = json_array(), .settings = json_array(),
                              .published = json_object(), .includers = json_object(), .asked = json_object(),
                              .said = json_object(), .reason = strdup("reviewed"), .workspace_edition = 1};
    s.stream.in = STDIN_FILENO;
    s.stream.out = STDOUT_FILENO;
    s.jobs = (struct cw_lsp_jobs){.server = &s, .most = host->jobs, .memory_limit = host->memory_limit};
    signal(SIGPIPE, SIG_IGN);
    double watched = cw_lsp_now();
    while (!has_ended(&s) && !s.stream.is_closed && !s.stream.is_broken)
        serve_events(&s, &watched);
    cw_lsp_drain(&s.stream);
    int status = s.state == CW_LSP_EXITED_WELL || s.state == CW_LSP_SHUT_DOWN ? 0 : 1;
    free_server(&s);
    return status;
}
