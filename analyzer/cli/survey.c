#include "cli/survey.h"

#include "base/io.h"
#include "base/str.h"
#include "compdb/headers.h"
#include "cuda/arch.h"
#include "source/makers.h"

#include <ctype.h>
#include <dirent.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_DEPTH = 12, MAX_ENTRIES = 200000, MAX_BUILD_FILE = 1 << 20 };

/* Whose code a folder holds; folders below belong to the same owner. */
enum owner { OWN, FOREIGN, OTHER_GPU };

struct surveying {
    struct cw_arena *arena;
    struct cw_survey *out;
    struct cw_headers *headers; /* knows folders of other projects */
    const char *root;           /* the working directory, absolute */
    uint32_t entries;
};

/* ---- architectures ---- */

static void add_arch(struct cw_survey *survey, const char *text, size_t n, const char *file) {
    char word[16];
    if (!n || n >= sizeof word)
        return;
    memcpy(word, text, n);
    word[n] = '\0';
    uint32_t sm = cw_arch_parse(word), at = 0;
    if (!cw_arch_find(sm) || survey->narchs == CW_SURVEY_MAX_ARCHS)
        return;
    while (at < survey->narchs && survey->archs[at] < sm)
        at++;
    if (at < survey->narchs && survey->archs[at] == sm)
        return;
    memmove(&survey->archs[at + 1], &survey->archs[at], (survey->narchs - at) * sizeof survey->archs[0]);
    survey->archs[at] = sm;
    survey->narchs++;
    if (!survey->arch_file)
        survey->arch_file = file;
}

/* "75;80-real", "7.0 8.0+PTX": numbers up to the end of the line, the command or the string after next. */
static void add_arch_list(struct cw_survey *survey, const char *at, const char *end, const char *file) {
    while (at < end && (isspace((unsigned char)*at) || strchr("=:,\"'({[]", *at)) && *at != '\n')
        at++;
    while (at < end && !strchr(")\n]}#$", *at)) {
        size_t n = 0;
        while (at + n < end && (isalnum((unsigned char)at[n]) || at[n] == '.' || at[n] == '_'))
            n++;
        add_arch(survey, at, n, file);
        at += n;
        while (at < end && (*at == '-' || *at == '+')) /* -real, -virtual, +PTX */
            for (at++; at < end && isalpha((unsigned char)*at);)
                at++;
        if (at < end && !strchr(")\n]}#$", *at) && !isalnum((unsigned char)*at))
            at++;
    }
}

/* Where build files name architectures. A list follows the first three, one word the others. */
static void read_archs(struct surveying *surveying, const struct cw_buf *text, const char *file) {
    static const struct {
        const char *mark;
        bool is_list;
    } marks[] = {{"CUDA_ARCHITECTURES", true}, {"TORCH_CUDA_ARCH_LIST", true}, {"CUDA_ARCH_LIST", true},
                 {"arch=", false},             {"code=", false},              {"gpu-architecture=", false}};
    const char *end = text->at + text->n;
    for (size_t m = 0; m < sizeof marks / sizeof marks[0]; m++)
        for (const char *at = text->at; (at = strstr(at, marks[m].mark));) {
            at += strlen(marks[m].mark);
            if (marks[m].is_list) {
                add_arch_list(surveying->out, at, end, file);
                continue;
            }
            size_t n = strspn(at, "abcdefghijklmnopqrstuvwxyz_0123456789");
            if (memchr(at, '_', n)) /* sm_80; a bare number after `code=` is something else */
                add_arch(surveying->out, at, n, file);
        }
}

static bool is_build_file(const char *name) {
    static const char *const names[] = {"CMakeLists.txt", "setup.py", "pyproject.toml", "Makefile", "makefile",
                                        "GNUmakefile", "meson.build", "SConstruct", "xmake.lua", "configure.ac"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (!strcmp(name, names[i]))
            return true;
    return cw_str_ends(cw_str_of(name), ".cmake") || cw_str_ends(cw_str_of(name), ".mk");
}

static void read_build_file(struct surveying *surveying, const char *path) {
    struct cw_buf text = {0};
    int fd = cw_open_regular(path, 0);
    if (fd < 0)
        return;
    if (cw_read_all(fd, &text, MAX_BUILD_FILE) && text.n && !memchr(text.at, '\0', text.n))
        read_archs(surveying, &text, path);
    close(fd);
    cw_buf_free(&text);
}

/* ---- the tree ---- */

static bool is_source(const char *name) {
    cw_str s = cw_str_of(name);
    return cw_str_ends(s, ".cu") || cw_str_ends(s, ".cuh") || cw_str_ends(s, ".hip");
}

static enum owner owner_of(struct surveying *surveying, const char *directory) {
    const char *full = cw_arena_printf(surveying->arena, "%s/%s", surveying->root, directory);
    if (cw_headers_is_foreign(surveying->headers, surveying->root, full))
        return FOREIGN;
    return cw_path_is_other_makers(cw_arena_printf(surveying->arena, "%s/x.cu", directory)) ? OTHER_GPU : OWN;
}

/* Sources that the folder and those below it hold. */
static uint32_t visit_directory(struct surveying *v, const char *directory, enum owner owner, int depth);

static uint32_t visit_folder(struct surveying *surveying, const char *path, enum owner outer, int depth) {
    enum owner owner = outer == OWN ? owner_of(surveying, path) : outer;
    uint32_t sources = visit_directory(surveying, path, owner, depth + 1);
    if (sources && outer == OWN && owner != OWN)
        cw_vec_push(surveying->arena,
                    owner == FOREIGN ? &surveying->out->foreign.list : &surveying->out->other_gpu.list, path);
    return sources;
}

static uint32_t visit_file(struct surveying *surveying, const char *directory, const char *path, const char *name,
                           enum owner owner) {
    if (!strcmp(name, "compile_commands.json") && owner == OWN)
        cw_vec_push(surveying->arena, &surveying->out->databases.list, directory);
    else if (owner == OWN && is_build_file(name))
        read_build_file(surveying, path);
    surveying->out->sources += owner == OWN && is_source(name);
    return is_source(name);
}

static uint32_t visit_directory(struct surveying *surveying, const char *directory, enum owner owner, int depth) {
    struct dirent **names;
    uint32_t sources = 0;
    int n = depth < MAX_DEPTH ? scandir(directory, &names, NULL, alphasort) : -1;
    surveying->out->is_incomplete |= depth == MAX_DEPTH;
    for (int i = 0; i < n; i++) {
        const char *name = names[i]->d_name;
        const char *path = strcmp(directory, ".") ? cw_arena_printf(surveying->arena, "%s/%s", directory, name)
                                                  : cw_arena_strdup(surveying->arena, name);
        struct stat st;
        if (++surveying->entries > MAX_ENTRIES)
            surveying->out->is_incomplete = true;
        else if (name[0] != '.' && !lstat(path, &st)) /* links are not followed */
            sources += S_ISDIR(st.st_mode)   ? visit_folder(surveying, path, owner, depth)
                       : S_ISREG(st.st_mode) ? visit_file(surveying, directory, path, name, owner)
                                             : 0;
        free(names[i]);
    }
    if (n >= 0)
        free(names);
    return sources;
}

static int nearest_first(const void *a, const void *b) {
    const char *x = *(const char *const *)a, *y = *(const char *const *)b;
    size_t n = 0, m = 0;
    for (const char *c = x; *c; c++)
        n += *c == '/';
    for (const char *c = y; *c; c++)
        m += *c == '/';
    return n != m ? (n < m ? -1 : 1) : strcmp(x, y);
}

void cw_survey_project(struct cw_arena *a, struct cw_survey *out) {
    char here[PATH_MAX];
    struct surveying v = {.arena = a, .out = out, .root = "."};
    struct cw_headers_options options = {.budget = MAX_ENTRIES};
    v.headers = cw_headers_new(a, &options);
    *out = (struct cw_survey){0};
    if (realpath(".", here))
        v.root = cw_arena_strdup(a, here);
    visit_directory(&v, ".", OWN, 0);
    if (out->databases.list.n)
        qsort(out->databases.list.at, out->databases.list.n, sizeof *out->databases.list.at, nearest_first);
}
