/* The server's state, for the files of this room. */
#ifndef CW_LSP_SERVER_H
#define CW_LSP_SERVER_H

#include "lsp/documents.h"
#include "lsp/jobs.h"
#include "lsp/lsp.h"
#include "lsp/transport.h"

enum cw_lsp_state { CW_LSP_FRESH, CW_LSP_RUNNING, CW_LSP_SHUT_DOWN, CW_LSP_EXITED, CW_LSP_EXITED_WELL };

enum cw_lsp_code {
    CW_LSP_PARSE_ERROR = -32700,
    CW_LSP_INVALID_REQUEST = -32600,
    CW_LSP_METHOD_NOT_FOUND = -32601,
    CW_LSP_INVALID_PARAMS = -32602,
    CW_LSP_INTERNAL_ERROR = -32603,
    CW_LSP_NOT_INITIALIZED = -32002,
    CW_LSP_REQUEST_FAILED = -32803,
    CW_LSP_CONTENT_MODIFIED = -32801,
    CW_LSP_REQUEST_CANCELLED = -32800,
};

/* What the client can do. */
struct cw_lsp_client {
    bool pulls;             /* asks for diagnostics itself: none are pushed */
    bool refreshes_pulls, refreshes_lenses;
    bool has_related, has_tags, has_code_link, has_data;
    bool has_related_documents;
    bool has_action_literals, resolves_edits;
    bool has_document_changes, applies_edits;
    bool has_configuration; /* answers workspace/configuration */
    bool watches_files;
    bool has_markdown;
};

struct cw_lsp_request;
struct cw_lsp_server;

enum cw_lsp_outcome { CW_LSP_ANSWERED, CW_LSP_WAITS, CW_LSP_FAILED };

/* Answers a request: *result is a new reference for ANSWERED; a request that WAITS is asked again after each event;
 * FAILED comes with r->code and r->message. */
typedef enum cw_lsp_outcome cw_lsp_answer(struct cw_lsp_server *s, struct cw_lsp_request *r, json_t **result);

/* A request without an answer yet. */
struct cw_lsp_request {
    struct cw_lsp_request *next;
    json_t *id, *params;
    cw_lsp_answer *answer;
    uint64_t edition;       /* of its document when it came; 0: it has none, or does not mind changes */
    struct cw_lsp_job *job; /* that it waits for, or NULL */
    bool has_begun;         /* its job was started */
    json_t *value;          /* what the job gave */
    int code;
    const char *message;    /* static text */
};

struct cw_lsp_server {
    const struct cw_lsp_host *host;
    struct cw_lsp_stream stream;
    struct cw_lsp_jobs jobs;
    struct cw_lsp_documents documents;
    struct cw_lsp_request *requests;
    struct cw_lsp_client client;
    enum cw_lsp_state state;
    enum cw_lsp_encoding encoding;
    json_t *folders;    /* paths of the workspace */
    json_t *settings;   /* of the client: "KEY=VALUE" texts */
    char *reason;       /* for comments that silence a finding */
    json_t *published;  /* address -> diagnostics that the client has of it */
    json_t *includers;  /* real path of a header -> files that include it */
    json_t *asked;      /* our requests: id -> what for */
    json_t *said;       /* error messages that were shown */
    json_int_t next_id;
    uint64_t workspace_edition, workspace_told; /* grows with what may change workspace diagnostics */
    int parent;         /* process that started the client, 0: none to watch */
    int parent_fd;      /* tells when it ends, or -1 */
};

/* ---- messages: server.c ---- */

void cw_lsp_notify(struct cw_lsp_server *s, const char *method, json_t *params);
/* `what` says what becomes of the answer, see take_answer(). */
void cw_lsp_ask(struct cw_lsp_server *s, const char *method, json_t *params, const char *what);
/* In the client's log; and as a message, each text once. */
void cw_lsp_log(struct cw_lsp_server *s, const char *format, ...) __attribute__((format(printf, 2, 3)));
void cw_lsp_show_error(struct cw_lsp_server *s, const char *text);
enum cw_lsp_outcome cw_lsp_fail(struct cw_lsp_request *r, int code, const char *message);
/* The open document that the request's params name, or NULL. */
struct cw_lsp_document *cw_lsp_document_of(struct cw_lsp_server *s, const struct cw_lsp_request *r);
/* Starts a job for the request; what it sends becomes r->value. Takes `subject`. */
void cw_lsp_begin(struct cw_lsp_server *s, struct cw_lsp_request *r,
                  void (*work)(struct cw_lsp_channel *, void *, const json_t *), json_t *subject);
double cw_lsp_now(void);

/* ---- answers, one file each ---- */

cw_lsp_answer cw_lsp_hover, cw_lsp_code_lens, cw_lsp_code_action, cw_lsp_resolve_action, cw_lsp_execute_command,
    cw_lsp_document_diagnostic, cw_lsp_workspace_diagnostic;

#endif
