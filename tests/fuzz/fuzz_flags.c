/* Compile commands take any bytes, and only options of the allow-list come out of them.
 *
 * A text that begins with '[' is a database. Any other is a command line, up to a line "== name": what follows is the
 * response file of that name, up to the next such line. */
#include "compdb/database.h"
#include "compdb/directives.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char mark[] = "\n== ";

static const char *next_mark(cw_str s) {
    return s.n ? memmem(s.at, s.n, mark, sizeof mark - 1) : NULL;
}

/* The section of a name, "/d/" before it being the directory. */
static bool read_section(void *ctx, const char *path, struct cw_arena *a, cw_str *text) {
    cw_str rest = *(cw_str *)ctx;
    (void)a;
    for (const char *m; (m = next_mark(rest));) {
        const char *name = m + sizeof mark - 1, *end = rest.at + rest.n;
        const char *newline = memchr(name, '\n', (size_t)(end - name));
        if (!newline)
            return false;
        rest = (cw_str){newline, (size_t)(end - newline)};
        size_t n = (size_t)(newline - name);
        if (strlen(path) == n + 3 && !strncmp(path, "/d/", 3) && !memcmp(path + 3, name, n)) {
            const char *close = next_mark(rest);
            *text = (cw_str){newline + 1, close > newline ? (size_t)(close - newline - 1) : close ? 0 : rest.n - 1};
            return true;
        }
    }
    return false;
}

/* What may reach the parser: see add_value() in options.c. */
static void check_args(const struct cw_words *args) {
    static const char *const separate[] = {"-isystem", "-iquote", "-idirafter", "-include"};
    for (uint32_t i = 0; i < args->n; i++) {
        const char *arg = args->at[i];
        bool takes_value = false;
        for (size_t k = 0; k < sizeof separate / sizeof separate[0]; k++)
            takes_value |= !strcmp(arg, separate[k]);
        bool attached = !strncmp(arg, "-I", 2) || !strncmp(arg, "-D", 2) || !strncmp(arg, "-U", 2);
        if ((attached && !arg[2]) || (!attached && !takes_value && strncmp(arg, "-std=", 5) != 0))
            abort();
        if (takes_value && (++i >= args->n || !args->at[i][0]))
            abort();
    }
}

static void check_compile(const struct cw_compile *c) {
    check_args(&c->args);
    for (uint32_t i = 0; i < c->targets.n; i++)
        if (!c->targets.at[i].virtual_sm || c->targets.at[i].virtual_sm > 999)
            abort();
    if (c->targets.n > 64 || c->inputs.n > CW_MAX_WORDS)
        abort();
}

static void try_command(struct cw_arena *a, cw_str text) {
    const char *end = next_mark(text);
    struct cw_words words = {0};
    struct cw_compile c;
    cw_words_split(a, (cw_str){text.at, end ? (size_t)(end - text.at) : text.n}, CW_QUOTING_SHELL, &words);
    cw_compile_read(a, &words, "/d", (struct cw_reader){read_section, &text}, &c);
    check_compile(&c);
}

static void try_database(struct cw_arena *a, cw_str text) {
    const char *error = NULL;
    struct cw_database *d = cw_database_parse(a, text, "/d", (struct cw_reader){read_section, &text}, &error);
    if ((d == NULL) != (error != NULL))
        abort();
    for (uint32_t i = 0; d && i < d->entries.n; i++)
        check_compile(cw_database_compile(d, &d->entries.at[i]));
    if (d && d->entries.n && !cw_database_nearest(d, "/d/x.cuh"))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct cw_arena a;
    struct cw_directives directives;
    cw_str text = {(const char *)data, size};
    cw_arena_init(&a);
    if (size && data[0] == '[')
        try_database(&a, text);
    else
        try_command(&a, text);
    cw_directives_read(&a, text, &directives);
    cw_arena_free(&a);
    return 0;
}
