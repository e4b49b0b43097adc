/* --watch: lints, waits until a source or a setting changes, and lints again. What did not change comes from the kept
 * results, so a round costs what the changed files cost. Requires inotify. */
#include "base/log.h"
#include "base/str.h"
#include "cli/cli.h"
#include "engine/ignore.h"
#include "engine/project.h"

#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MAX_FOLDERS = 8192, QUIET_MS = 120, MOST_MS = 2000, MAX_DEPTH = 32 };

struct watch {
    struct cw_arena *arena;
    int fd;
    CW_VEC(const char *) folders; /* by watch descriptor */
    uint32_t nfolders;
    bool is_cut;
    const char *first; /* that changed in this round, arena text */
    uint32_t changed;
};

static volatile sig_atomic_t is_interrupted;

static void handle_interrupt(int number) {
    (void)number;
    is_interrupted = 1;
}

/* ---- what is watched ---- */

static void add_tree(struct watch *w, struct cw_ignore *ignore, const char *directory, int depth);

static void add_entry(struct watch *watch, struct cw_ignore *ignore, const char *directory, const char *name,
                      int depth) {
    struct stat st;
    const char *path = cw_arena_printf(watch->arena, "%s/%s", directory, name);
    if (name[0] != '.' && !lstat(path, &st) && S_ISDIR(st.st_mode) &&
        !(ignore && cw_is_ignored(ignore, path, true)))
        add_tree(watch, ignore, path, depth + 1);
}

/* The folder and those below it, without hidden and ignored ones; links are not followed. */
static void add_tree(struct watch *watch, struct cw_ignore *ignore, const char *directory, int depth) {
    struct dirent **names;
    if (watch->nfolders >= MAX_FOLDERS || depth > MAX_DEPTH) {
        watch->is_cut = true;
        return;
    }
    int id = inotify_add_watch(watch->fd, directory,
                               IN_CLOSE_WRITE | IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_ONLYDIR);
    if (id < 0) {
        watch->is_cut |= errno == ENOSPC;
        return;
    }
    while (watch->folders.n <= (uint32_t)id)
        cw_vec_push(watch->arena, &watch->folders, NULL);
    watch->nfolders += !watch->folders.at[id];
    watch->folders.at[id] = directory;
    int n = scandir(directory, &names, NULL, alphasort);
    for (int i = 0; i < n; i++) {
        add_entry(watch, ignore, directory, names[i]->d_name, depth);
        free(names[i]);
    }
    if (n >= 0)
        free(names);
}

static void watch_tree(struct watch *watch, const char *directory) {
    struct cw_ignore *ignore = cw_ignore_open(directory);
    add_tree(watch, ignore, directory, 0);
    if (ignore)
        cw_ignore_close(ignore);
}

/* The project of each operand: headers and settings of a file may lie anywhere in it. */
static void watch_operands(struct watch *watch, const struct cw_command_line *command) {
    struct cw_project project;
    cw_project_init(&project, watch->arena, command->operands.at, command->operands.n);
    for (uint32_t i = 0; i < command->operands.n || i == 0; i++) {
        struct stat st;
        const char *full = cw_project_full(&project, command->operands.n ? command->operands.at[i] : ".");
        const char *slash = strrchr(full, '/');
        if (stat(full, &st) || !S_ISDIR(st.st_mode))
            full = slash > full ? cw_arena_strndup(watch->arena, full, (size_t)(slash - full)) : "/";
        watch_tree(watch, cw_project_root(&project, full));
    }
}

/* ---- what happened ---- */

/* Files that a run reads; not what editors and builds write beside them. */
static bool is_input(const char *name) {
    static const char *const endings[] = {".cu",  ".cuh", ".h",  ".hpp", ".hh", ".hxx", ".inl", ".inc",
                                          ".ipp", ".cpp", ".cc", ".cxx", ".c",  ".py",  "cuwarp-lint.yaml",
                                          "cuwarp-lint.yml", "compile_commands.json", ".gitignore"};
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++)
        if (cw_str_ends(cw_str_of(name), endings[i]))
            return true;
    return false;
}

static void take_event(struct watch *watch, const struct inotify_event *event) {
    const char *folder = event->wd >= 0 && (uint32_t)event->wd < watch->folders.n ? watch->folders.at[event->wd] : NULL;
    if (event->mask & IN_Q_OVERFLOW) {
        watch->changed++;
        return;
    }
    if (!folder || !event->len)
        return;
    const char *path = cw_arena_printf(watch->arena, "%s/%s", folder, event->name);
    bool is_directory = event->mask & IN_ISDIR, is_new = event->mask & (IN_CREATE | IN_MOVED_TO);
    if (is_directory && is_new && event->name[0] != '.')
        watch_tree(watch, path);
    /* A new file has its text when it is closed. A folder that comes or goes brings or takes files. */
    if (is_directory ? event->name[0] != '.' : is_input(event->name) && !(event->mask & IN_CREATE)) {
        watch->first = watch->changed++ ? watch->first : path;
    }
}

static void take_events(struct watch *watch) {
    char text[16384] __attribute__((aligned(__alignof__(struct inotify_event))));
    ssize_t n = read(watch->fd, text, sizeof text);
    for (ssize_t at = 0; at < n;) {
        const struct inotify_event *e = (const struct inotify_event *)(const void *)(text + at);
        take_event(watch, e);
        at += (ssize_t)(sizeof *e + e->len);
    }
}

/* Until something changed, and nothing more for a moment. False: interrupted. */
static bool wait_for_change(struct watch *watch, const sigset_t *mask) {
    uint32_t waited = 0;
    watch->changed = 0;
    watch->first = NULL;
    while (!is_interrupted) {
        struct pollfd p = {.fd = watch->fd, .events = POLLIN};
        struct timespec quiet = {.tv_nsec = QUIET_MS * 1000000L};
        int n = ppoll(&p, 1, watch->changed ? &quiet : NULL, mask);
        if (n > 0)
            take_events(watch);
        else if (n < 0 && errno != EINTR)
            return false;
        waited += watch->changed ? QUIET_MS : 0;
        if (watch->changed && (n == 0 || waited >= MOST_MS))
            return true;
    }
    return false;
}

/* ---- rounds ---- */

/* In a process of its own: a run keeps much in memory, and must not see what an earlier one believed of the disk. */
static int run_once(const struct cw_command_line *command, struct cw_arena *a, const sigset_t *mask) {
    int status = 0;
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        signal(SIGINT, SIG_DFL);
        signal(SIGTERM, SIG_DFL);
        sigprocmask(SIG_SETMASK, mask, NULL);
        status = cw_cli_check(command, a);
        fflush(stdout);
        _exit(status);
    }
    sigset_t held;
    sigprocmask(SIG_SETMASK, mask, &held);
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
        if (is_interrupted)
            kill(child, SIGTERM);
    sigprocmask(SIG_SETMASK, &held, NULL);
    return child > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : CW_EXIT_INCOMPLETE;
}

static const char *refuse_options(const struct cw_command_line *command, struct cw_arena *a) {
    static const enum cw_option_id others[] = {
        CW_OPT_FIX,            CW_OPT_DIFF,       CW_OPT_ADD_IGNORE,   CW_OPT_WRITE_BASELINE,
        CW_OPT_PRUNE_BASELINE, CW_OPT_SHOW_FILES, CW_OPT_SHOW_SETTINGS};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (cw_option_given(command, others[i]))
            return cw_arena_printf(a, "--watch and --%s contradict each other", cw_options[others[i]].name);
    for (uint32_t i = 0; i < command->operands.n; i++)
        if (!strcmp(command->operands.at[i], "-"))
            return "--watch: standard input cannot be watched";
    return NULL;
}

static void tell_change(const struct watch *watch, const char *here) {
    size_t n = here ? strlen(here) : 0;
    const char *path = watch->first;
    if (path && n && !strncmp(path, here, n) && path[n] == '/')
        path += n + 1;
    if (path && watch->changed > 1)
        cw_note("%s and others changed", path);
    else
        cw_note("%s changed", path ? path : "files");
}

int cw_cli_watch(const struct cw_command_line *command, struct cw_arena *a) {
    const char *error = refuse_options(command, a);
    struct watch w = {.arena = a, .fd = error ? -1 : inotify_init1(IN_CLOEXEC | IN_NONBLOCK)};
    sigset_t held, mask;
    if (!error && w.fd < 0)
        error = cw_arena_printf(a, "--watch: %s", strerror(errno));
    if (error)
        return cw_cli_usage(error);
    sigaction(SIGINT, &(struct sigaction){.sa_handler = handle_interrupt}, NULL);
    sigaction(SIGTERM, &(struct sigaction){.sa_handler = handle_interrupt}, NULL);
    sigemptyset(&held);
    sigaddset(&held, SIGINT);
    sigaddset(&held, SIGTERM);
    sigprocmask(SIG_BLOCK, &held, &mask); /* delivered in ppoll() only, or while a run is waited for */
    watch_operands(&w, command);
    int status = run_once(command, a, &mask), next;
    char *here = realpath(".", NULL);
    if (w.is_cut)
        cw_note("only %u folders are watched: there are more than can be", w.nfolders);
    while (status != CW_EXIT_USAGE && !is_interrupted) {
        cw_note("watching %u folder%s; Ctrl-C ends", w.nfolders, w.nfolders == 1 ? "" : "s");
        if (!wait_for_change(&w, &mask))
            break;
        tell_change(&w, here);
        next = run_once(command, a, &mask);
        status = is_interrupted || next == CW_EXIT_USAGE ? status : next; /* a half-written setting is no end */
    }
    free(here);
    close(w.fd);
    return status;
}
