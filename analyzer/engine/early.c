#include "engine/early.h"

#include <signal.h>
#include <string.h>
#include <time.h>

enum { PAUSE_MS = 100 }; /* between two looks for findings that are final: each walks all files */

struct cw_early {
    const struct cw_run_options *options;
    struct cw_report_draft *draft;
    struct cw_run_report report;
    const char **first;    /* by index of the file; NULL: not asked for yet */
    bool *is_done;         /* the same */
    const uint32_t *left;  /* sorted by `first` */
    uint32_t nleft, next;  /* those before `next` are done */
    uint32_t reported;     /* findings */
    const char *end;       /* findings before it have been reported */
    int64_t looked;        /* ms */
    struct sigaction before[2];
};

static const int interrupts[] = {SIGINT, SIGTERM};
static volatile sig_atomic_t caught; /* 0: none */

static int64_t now_ms(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

struct cw_early *cw_early_open(const struct cw_run_options *o, const struct cw_report_files *files,
                               struct cw_arena *a) {
    if (!o->early)
        return NULL;
    struct cw_early *e = CW_NEW(a, struct cw_early);
    *e = (struct cw_early){.options = o};
    e->draft = cw_report_open(o, files, a, &e->report);
    e->first = CW_NEW_ARRAY(a, const char *, files->n + 1);
    e->is_done = CW_NEW_ARRAY(a, bool, files->n + 1);
    return e;
}

const char *cw_early_first_of(struct cw_early *e, uint32_t file) {
    if (!e)
        return "";
    if (!e->first[file])
        e->first[file] = cw_report_first_of(e->draft, file);
    return e->first[file];
}

static void report_new(struct cw_early *e) {
    if (e->report.findings.n > e->reported)
        e->options->early(e->options->early_ctx, &e->report);
    e->reported = e->report.findings.n;
}

/* When the last file is done, the rest comes with the report. */
static void settle(struct cw_early *e) {
    while (e->next < e->nleft && e->is_done[e->left[e->next]])
        e->next++;
    const char *end = e->next < e->nleft ? cw_early_first_of(e, e->left[e->next]) : e->end;
    if (!end || (e->end && !strcmp(end, e->end)))
        return;
    e->end = end;
    cw_report_settle(e->draft, end);
    report_new(e);
}

void cw_early_expect(struct cw_early *e, const uint32_t *files, uint32_t n) {
    if (!e)
        return;
    e->left = files;
    e->nleft = n;
    settle(e);
}

void cw_early_add(struct cw_early *e, uint32_t file) {
    if (!e)
        return;
    cw_report_add(e->draft, file);
    e->is_done[file] = true;
}

void cw_early_report(struct cw_early *e) {
    int64_t now = now_ms();
    if (!e || now - e->looked < PAUSE_MS)
        return;
    e->looked = now;
    settle(e);
}

void cw_early_cut_short(struct cw_early *e) {
    if (!e)
        return;
    cw_report_settle_added(e->draft);
    report_new(e);
}

int cw_early_finish(struct cw_early *e, struct cw_run_report *report) {
    int failed = cw_report_finish(e->draft);
    *report = e->report;
    return failed;
}

/* ---- signals ---- */

static void note_signal(int number) {
    caught = number;
}

void cw_early_hold_signals(struct cw_early *e) {
    struct sigaction note = {.sa_handler = note_signal, .sa_flags = SA_RESTART};
    for (size_t i = 0; e && i < sizeof interrupts / sizeof interrupts[0]; i++) {
        sigaction(interrupts[i], NULL, &e->before[i]);
        if (e->before[i].sa_handler != SIG_IGN)
            sigaction(interrupts[i], &note, NULL);
    }
}

bool cw_early_is_interrupted(const struct cw_early *e) {
    return e && caught;
}

void cw_early_release_signals(struct cw_early *e) {
    for (size_t i = 0; e && i < sizeof interrupts / sizeof interrupts[0]; i++)
        sigaction(interrupts[i], &e->before[i], NULL);
    if (e && caught)
        raise(caught);
}
