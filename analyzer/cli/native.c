/* --arch native: which GPUs this machine has, from the programs that know. They are looked for in $PATH only, and given
 * up on after PATIENCE seconds. */
#include "base/io.h"
#include "base/log.h"
#include "base/str.h"
#include "cli/cli.h"
#include "cuda/arch.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PATIENCE = 10, MAX_OUTPUT = 1 << 16 };

static void exec_program(char *const *argv, int out, bool wants_stderr) {
    int nothing = open("/dev/null", O_RDWR);
    dup2(nothing, STDIN_FILENO);
    dup2(out, STDOUT_FILENO);
    dup2(wants_stderr ? out : nothing, STDERR_FILENO);
    alarm(PATIENCE);
    execvp(argv[0], argv);
    _exit(127);
}

/* What the program prints; false when it cannot be run or fails. */
static bool read_output(char *const *argv, bool wants_stderr, struct cw_buf *out) {
    int ends[2], status = 0;
    if (pipe2(ends, O_CLOEXEC) != 0)
        return false;
    pid_t child = fork();
    if (child == 0)
        exec_program(argv, ends[1], wants_stderr);
    close(ends[1]);
    bool good = child > 0 && cw_read_all(ends[0], out, MAX_OUTPUT);
    close(ends[0]);
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
        continue;
    return good && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static void add_arch(struct cw_buf *list, const char *word) {
    char name[16];
    uint32_t sm = cw_arch_parse(word);
    snprintf(name, sizeof name, "sm_%u", sm);
    if (cw_arch_find(sm) && !(list->n && cw_str_has_word((cw_str){list->at, list->n}, name)))
        cw_buf_printf(list, "%s%s", list->n ? "," : "", name);
}

/* One line per GPU: "9.0". */
static void ask_smi(struct cw_buf *list) {
    char *argv[] = {"nvidia-smi", "--query-gpu=compute_cap", "--format=csv,noheader", NULL};
    struct cw_buf out = {0};
    if (read_output(argv, false, &out) && out.n)
        for (char *line = strtok(out.at, " \r\n"); line; line = strtok(NULL, " \r\n"))
            add_arch(list, line);
    cw_buf_free(&out);
}

/* The commands that it would run for -arch=native name the architectures: "sm_90". Without a GPU it says so, and names
 * one all the same. */
static void ask_nvcc(struct cw_buf *list) {
    char *argv[] = {"nvcc", "-arch=native", "--dryrun", "-c", "-x", "cu", "/dev/null", NULL};
    struct cw_buf out = {0};
    bool good = read_output(argv, true, &out) && out.n && !strstr(out.at, "Cannot find valid GPU");
    for (char *at = good ? out.at : NULL; at && (at = strstr(at, "sm_"));) {
        char *end = at + 3;
        while (isdigit((unsigned char)*end))
            end++;
        char after = *end;
        *end = '\0';
        add_arch(list, at);
        *end = after;
        at = end;
    }
    cw_buf_free(&out);
}

const char *cw_cli_native_archs(void) {
    static const char *found; /* for the whole run: settings are read more than once */
    static bool is_asked;
    struct cw_buf list = {0};
    const char *who = "nvidia-smi";
    if (is_asked)
        return found;
    is_asked = true;
    ask_smi(&list);
    if (!list.n) {
        who = "nvcc";
        ask_nvcc(&list);
    }
    if (!list.n)
        return NULL;
    cw_note("--arch native: %s, as %s says", list.at, who);
    found = list.at;
    return found;
}
