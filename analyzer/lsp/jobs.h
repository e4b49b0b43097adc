/* Jobs: work in child processes, which may crash, hang or be killed at any time without harm to the server.
 *
 * A job's child has the server's memory as it was when the job began, sends any number of JSON values and ends. It is
 * the leader of a process group, so that killing it ends the workers and parsers that it started too. */
#ifndef CW_LSP_JOBS_H
#define CW_LSP_JOBS_H

#include "base/str.h"

#include <jansson.h>
#include <stdint.h>
#include <sys/types.h>

struct cw_lsp_channel {
    int fd;
};

/* In the child: sends a value to the server; takes the reference. */
void cw_lsp_emit(struct cw_lsp_channel *c, json_t *value);

/* Of waiting jobs the most urgent one goes first; below USUAL, a job gives way to all other processes too. */
enum cw_lsp_urgency { CW_LSP_IDLE, CW_LSP_USUAL, CW_LSP_ASKED, CW_LSP_TYPING };

struct cw_lsp_job {
    struct cw_lsp_job *next;
    pid_t pid; /* 0: waits for its turn */
    int fd;
    struct cw_buf input;
    /* In the child. `subject` belongs to the job. */
    void (*work)(struct cw_lsp_channel *out, void *server, const json_t *subject);
    /* In the server: a value arrived; or the job has ended, with NULL. Not called for a job that was killed. */
    void (*take)(void *server, struct cw_lsp_job *job, json_t *value);
    json_t *subject;    /* what the job is about */
    enum cw_lsp_urgency urgency;
};

struct cw_lsp_jobs {
    struct cw_lsp_job *first;
    void *server;
    unsigned most;         /* at a time */
    uint64_t memory_limit; /* bytes, 0: none */
};

/* Takes the reference of `subject`. The job starts at once or when another ends. */
struct cw_lsp_job *cw_lsp_job_add(struct cw_lsp_jobs *jobs, const struct cw_lsp_job *like, json_t *subject);
/* Starts waiting jobs where there is room. */
void cw_lsp_jobs_start(struct cw_lsp_jobs *jobs);
/* Reads what a job sent. May call `take`, and may free the job. */
void cw_lsp_job_read(struct cw_lsp_jobs *jobs, struct cw_lsp_job *job);
/* Ends a job without a word. */
void cw_lsp_job_kill(struct cw_lsp_jobs *jobs, struct cw_lsp_job *job);
/* Ends those that hold too much memory; they count as crashed. */
void cw_lsp_jobs_watch(struct cw_lsp_jobs *jobs);

#endif
