#include "lsp/jobs.h"

#include "base/io.h"
#include "base/log.h"
#include "engine/worker.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CHUNK = 65536, MAX_VALUE = 256 << 20, NICE = 10 };

/* ---- in the child ---- */

void cw_lsp_emit(struct cw_lsp_channel *channel, json_t *value) {
    char *text = json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY);
    uint32_t length = text ? (uint32_t)strlen(text) : 0;
    json_decref(value);
    if (!text || !cw_write_all(channel->fd, (const char *)&length, sizeof length) ||
        !cw_write_all(channel->fd, text, length))
        _exit(1);
    free(text);
}

/* The client's streams are not the child's: a stray word there would break the protocol. */
static void leave_streams(void) {
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (null < 0)
        _exit(1);
    dup2(null, STDIN_FILENO);
    dup2(null, STDOUT_FILENO);
}

static _Noreturn void run_child(struct cw_lsp_jobs *jobs, struct cw_lsp_job *job, int fd, pid_t parent) {
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(1);
    leave_streams();
    struct cw_lsp_channel out = {fd};
    if (job->urgency < CW_LSP_USUAL)
        setpriority(PRIO_PROCESS, 0, NICE);
    if (cw_log_level != CW_LOG_VERBOSE)
        cw_log_level = CW_LOG_QUIET;
    job->work(&out, jobs->server, job->subject);
    _exit(0);
}

/* ---- in the server ---- */

struct cw_lsp_job *cw_lsp_job_add(struct cw_lsp_jobs *jobs, const struct cw_lsp_job *like, json_t *subject) {
    struct cw_lsp_job *job = calloc(1, sizeof *job);
    if (!job)
        cw_die("out of memory");
    *job = *like;
    job->subject = subject;
    job->fd = -1;
    struct cw_lsp_job **end = &jobs->first;
    while (*end)
        end = &(*end)->next;
    *end = job;
    return job;
}

static void unlink_job(struct cw_lsp_jobs *jobs, struct cw_lsp_job *job) {
    struct cw_lsp_job **at = &jobs->first;
    while (*at && *at != job)
        at = &(*at)->next;
    if (*at)
        *at = job->next;
}

static void free_job(struct cw_lsp_job *job) {
    if (job->fd >= 0)
        close(job->fd);
    while (job->pid > 0 && waitpid(job->pid, NULL, 0) < 0 && errno == EINTR)
        continue;
    cw_buf_free(&job->input);
    json_decref(job->subject);
    free(job);
}

static void end_job(struct cw_lsp_jobs *jobs, struct cw_lsp_job *job) {
    unlink_job(jobs, job);
    job->take(jobs->server, job, NULL);
    free_job(job);
}

/* False when no process can be created now. */
static bool start_job(struct cw_lsp_jobs *jobs, struct cw_lsp_job *job) {
    int pipes[2];
    if (pipe2(pipes, O_CLOEXEC))
        return false;
    pid_t parent = getpid(), pid = fork();
    if (pid == 0) {
        close(pipes[0]);
        run_child(jobs, job, pipes[1], parent);
    }
    close(pipes[1]);
    if (pid < 0) {
        close(pipes[0]);
        return false;
    }
    setpgid(pid, pid);
    fcntl(pipes[0], F_SETFL, O_NONBLOCK);
    job->pid = pid;
    job->fd = pipes[0];
    return true;
}

static struct cw_lsp_job *most_urgent(const struct cw_lsp_jobs *jobs, unsigned *running) {
    struct cw_lsp_job *found = NULL;
    *running = 0;
    for (struct cw_lsp_job *job = jobs->first; job; job = job->next)
        if (job->pid)
            ++*running;
        else if (!found || job->urgency > found->urgency)
            found = job;
    return found;
}

void cw_lsp_jobs_start(struct cw_lsp_jobs *jobs) {
    struct cw_lsp_job *job;
    unsigned running;
    while ((job = most_urgent(jobs, &running)) && running < jobs->most) {
        if (start_job(jobs, job))
            continue;
        if (running)
            return; /* later */
        cw_error("no process can be started: %s", strerror(errno));
        end_job(jobs, job);
    }
}

/* One value of the job's input; false when none is whole. A child that writes nonsense is none of ours. */
static bool take_value(struct cw_lsp_jobs *jobs, struct cw_lsp_job *job) {
    uint32_t length;
    if (job->input.n < sizeof length)
        return false;
    memcpy(&length, job->input.at, sizeof length);
    if (job->input.n - sizeof length < length)
        return false;
    json_t *value = json_loadb(job->input.at + sizeof length, length, JSON_ALLOW_NUL | JSON_DECODE_ANY, NULL);
    size_t used = sizeof length + length;
    memmove(job->input.at, job->input.at + used, job->input.n - used + 1);
    job->input.n -= used;
    if (value)
        job->take(jobs->server, job, value);
    json_decref(value);
    return true;
}

void cw_lsp_job_read(struct cw_lsp_jobs *jobs, struct cw_lsp_job *job) {
    char chunk[CHUNK];
    ssize_t n = read(job->fd, chunk, sizeof chunk);
    if (n < 0 && (errno == EINTR || errno == EAGAIN))
        return;
    if (n > 0)
        cw_buf_add(&job->input, chunk, (size_t)n);
    while (take_value(jobs, job))
        continue;
    if (n <= 0 || job->input.n > MAX_VALUE) {
        kill(-job->pid, SIGKILL); /* what it left behind */
        end_job(jobs, job);
    }
}

void cw_lsp_job_kill(struct cw_lsp_jobs *jobs, struct cw_lsp_job *job) {
    unlink_job(jobs, job);
    if (job->pid > 0) {
        kill(-job->pid, SIGKILL);
        kill(job->pid, SIGKILL); /* it may not have its own group yet */
    }
    free_job(job);
}

void cw_lsp_jobs_watch(struct cw_lsp_jobs *jobs) {
    for (struct cw_lsp_job *job = jobs->first; job && jobs->memory_limit; job = job->next)
        if (job->pid > 0 && cw_process_memory(job->pid) > jobs->memory_limit)
            kill(-job->pid, SIGKILL);
}
