/* cuwarp-lint init: a first configuration, with what was seen of the project. Nothing is overwritten. */
#include "base/io.h"
#include "base/log.h"
#include "base/str.h"
#include "cli/cli.h"
#include "cli/survey.h"
#include "config/config.h"
#include "engine/pipeline.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

/* ---- the text ---- */

static void put_head(struct cw_buf *out) {
    if (*CUWARP_DOCS_URL)
        cw_buf_puts(out, "# yaml-language-server: $schema=" CUWARP_DOCS_URL "/cuwarp-lint.schema.json\n");
    cw_buf_puts(out, "# Settings of cuwarp-lint. Every key may be left out; the keys are the options of the command "
                     "line.\n# 'cuwarp-lint --show-settings FILE' prints the effective settings of a file.\n\n");
}

/* A build folder is not in a clean checkout, where a setting that names it would be an error. */
static void put_build(const struct cw_survey *survey, struct cw_buf *out) {
    if (!survey->databases.list.n) {
        cw_buf_puts(out, "# Compile commands: none found. They are not needed; where a build writes a\n"
                         "# compile_commands.json, its flags are used with -p DIR, or with this key:\n"
                         "# build: build\n\n");
        return;
    }
    cw_buf_printf(out,
                  "# Compile commands: %s/compile_commands.json was found. Remove the # where every checkout has it,\n"
                  "# otherwise give -p %s on the command line.\n# build: %s\n\n",
                  survey->databases.list.at[0], survey->databases.list.at[0], survey->databases.list.at[0]);
}

static void put_archs(const struct cw_survey *survey, struct cw_buf *out) {
    uint32_t n = survey->narchs < CW_MAX_ARCHS ? survey->narchs : CW_MAX_ARCHS;
    if (!n) {
        cw_buf_puts(out, "# Architectures: no build file names them. Without this key: sm_75, and later ones that "
                         "the code has\n# parts for.\n# arch: [sm_75, sm_90]\n\n");
        return;
    }
    cw_buf_printf(out, "# Architectures that the code is built for, as %s says%s.\narch: [", survey->arch_file,
                  n < survey->narchs ? " (the latest of them)" : "");
    for (uint32_t i = survey->narchs - n; i < survey->narchs; i++)
        cw_buf_printf(out, "%ssm_%u", i > survey->narchs - n ? ", " : "", survey->archs[i]);
    cw_buf_puts(out, "]\n\n");
}

/* A folder's name that a pattern would read differently is left to the user. */
static bool is_plain(const char *path) {
    return path[0] != '-' && strspn(path, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.+/") ==
                                 strlen(path);
}

static void put_folders(const struct cw_survey_paths *folders, const char *why, struct cw_buf *out) {
    bool any = false;
    for (uint32_t i = 0; i < folders->list.n; i++) {
        if (!is_plain(folders->list.at[i]))
            continue;
        if (!any)
            cw_buf_printf(out, "  # %s\n", why);
        any = true;
        cw_buf_printf(out, "  - /%s/\n", folders->list.at[i]);
    }
}

static void put_excludes(const struct cw_survey *survey, struct cw_buf *out) {
    struct cw_buf list = {0};
    put_folders(&survey->foreign, "other projects", &list);
    put_folders(&survey->other_gpu, "for GPUs of another maker, where CUDA's rules do not hold", &list);
    cw_buf_puts(out, "# Folders that a walk leaves out, beside those of .gitignore (patterns as in .gitignore).\n");
    cw_buf_puts(out, list.n ? "exclude:\n" : "# exclude: [\"generated/\"]\n");
    cw_buf_add(out, list.at ? list.at : "", list.n);
    cw_buf_putc(out, '\n');
    cw_buf_free(&list);
}

static void put_rest(struct cw_buf *out) {
    cw_buf_puts(out, "# Rules: names, categories, patterns of names; 'cuwarp-lint rules' lists them.\n"
                     "# ignore: [volta, \"activemask-*\"]\n"
                     "# severity: {race: error, warp-size-assumption: info}\n\n"
                     "# Findings that rest on an assumption as well.\n# possible: true\n\n"
                     "# The block shape, where no launch in the sources says it.\n# block: 256\n\n"
                     "# Other settings for a part of the tree.\n"
                     "# overrides:\n#   - paths: [\"legacy/**\"]\n#     ignore: [legacy-warp-intrinsic]\n");
}

static void put_configuration(const struct cw_survey *survey, struct cw_buf *out) {
    put_head(out);
    put_build(survey, out);
    put_archs(survey, out);
    put_excludes(survey, out);
    put_rest(out);
}

/* ---- the file ---- */

/* O_EXCL: a file that appears meanwhile stays as well. */
static const char *write_new(struct cw_arena *a, const char *path, const struct cw_buf *text) {
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd < 0 && errno == EEXIST)
        return cw_arena_printf(a, "%s exists and is left as it is; 'init --stdout' prints what would be written", path);
    bool good = fd >= 0 && cw_write_all(fd, text->at, text->n);
    int why = errno;
    if (fd >= 0 && (close(fd) != 0 || !good))
        unlink(path);
    return good ? NULL : cw_arena_printf(a, "%s: cannot be written: %s", path, strerror(why));
}

static void tell_written(const struct cw_survey *survey) {
    cw_note("wrote %s: %u CUDA source%s, %u architecture%s, %u folder%s left out", CW_CONFIG_NAME, survey->sources,
            survey->sources == 1 ? "" : "s", survey->narchs, survey->narchs == 1 ? "" : "s",
            survey->foreign.list.n + survey->other_gpu.list.n,
            survey->foreign.list.n + survey->other_gpu.list.n == 1 ? "" : "s");
    if (survey->is_incomplete)
        cw_note("the tree is large: only a part of it was looked at");
}

int cw_command_init(const struct cw_command_line *command, struct cw_arena *a) {
    static const char *const names[] = {CW_CONFIG_NAME, CW_CONFIG_OTHER_NAME};
    bool to_stdout = cw_option_given(command, CW_OPT_STDOUT);
    struct cw_survey survey;
    struct cw_buf out = {0};
    const char *error = command->operands.n ? "init takes no operands: it looks at the current directory" : NULL;
    for (size_t i = 0; i < sizeof names / sizeof names[0] && !error && !to_stdout; i++)
        if (!access(names[i], F_OK))
            error = cw_arena_printf(a, "%s exists and is left as it is; 'init --stdout' prints what would be written",
                                    names[i]);
    if (error)
        return cw_cli_usage(error);
    cw_survey_project(a, &survey);
    put_configuration(&survey, &out);
    int failed = to_stdout ? cw_cli_write(&out, NULL) : 0;
    error = to_stdout ? NULL : write_new(a, CW_CONFIG_NAME, &out);
    cw_buf_free(&out);
    if (error)
        return cw_cli_usage(error);
    if (!to_stdout)
        tell_written(&survey);
    return failed ? CW_EXIT_USAGE : CW_EXIT_CLEAN;
}
