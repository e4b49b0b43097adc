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

struct cw_early *cw_early_open(const struct cw_run_options *options, const struct cw_report_files *files,
                               struct cw_arena *a) {
    if (!options->early)
        return NULL;
    struct cw_early *e = CW_NEW(a, struct cw_early);
    *e = (struct cw_early){.options = options};
    e->draft = cw_report_open(options, files, a, &e->report);
    e->first = CW_NEW_ARRAY(a, const char *, files->n + 1);
    e->is_done = CW_NEW_ARRAY(a, bool, files->n + 1);
    return e;
}

const char *cw_early_first_of(struct cw_early *early, uint32_t file) {
    if (!early)
        return "";
    if (!early->first[file])
        early->first[file] = cw_report_first_of(early->draft, file);
    return early->first[file];
}

static void report_new(struct cw_early *early) {
    if (early->report.findings.n > early->reported)
        early->options->early(early->options->early_ctx, &early->report);
    early->reported = early->report.findings.n;
}

/* When the last file is done, the rest comes with the report. */
static void settle_files(struct cw_early *early) {
    while (early->next < early->nleft && early->is_done[early->left[early->next]])
        early->next++;
    const char *end = early->next < early->nleft ? cw_early_first_of(early, early->left[early->next]) : early->end;
    if (!end || (early->end && !strcmp(end, early->end)))
        return;
    early->end = end;
    cw_report_settle(early->draft, end);
    report_new(early);
}

void cw_early_expect(struct cw_early *early, const uint32_t *files, uint32_t n) {
    if (!early)
        return;
    early->left = files;
    early->nleft = n;
    settle_files(early);
}

void cw_early_add(struct cw_early *early, uint32_t file) {
    if (!early)
        return;
    cw_report_add(early->draft, file);
    early->is_done[file] = true;
}

void cw_early_report(struct cw_early *early) {
    int64_t now = now_ms();
    if (!early || now - early->looked < PAUSE_MS)
        return;
    early->looked = now;
    settle_files(early);
}

void cw_early_cut_short(struct cw_early *early) {
    if (!early)
        return;
    cw_report_settle_added(early->draft);
    report_new(early);
}

int cw_early_finish(struct cw_early *early, struct cw_run_report *report) {
    int failed = cw_report_finish(early->draft);
    *report = early->report;
    return failed;
}

/* ---- signals ---- */

static void note_signal(int number) {
    caught = number;
}

void cw_early_hold_signals(struct cw_early *early) {
    struct sigaction note = {.sa_handler = note_signal, .sa_flags = SA_RESTART};
    for (size_t i = 0; early && i < sizeof interrupts / sizeof interrupts[0]; i++) {
        sigaction(interrupts[i], NULL, &early->before[i]);
        if (early->before[i].sa_handler != SIG_IGN)
            sigaction(interrupts[i], &note, NULL);
    }
}

bool cw_early_is_interrupted(const struct cw_early *early) {
    return early && caught;
}

void cw_early_release_signals(struct cw_early *early) {
    for (size_t i = 0; early && i < sizeof interrupts / sizeof interrupts[0]; i++)
        sigaction(interrupts[i], &early->before[i], NULL);
    if (early && caught)
        raise(caught);
}
