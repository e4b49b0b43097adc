/* Files, directives and conditionals; macros are in preproc_macro.c, conditions in preproc_if.c. */
#include "front/repair/preproc.h"

#include "front/shim/shim.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_CONDITIONALS = 256, MAX_NOTES = 200, OPENING = 512 /* work that opening a file counts as, in tokens */ };

struct conditional {
    bool is_active, was_taken, outer;
};

struct reading {
    struct pp_preproc *preproc;
    uint32_t file;
    bool keeps_text; /* false: only its macros are wanted */
    struct pp_tokens tokens;
    struct conditional stack[MAX_CONDITIONALS];
    uint32_t depth;
    bool is_active;
};

static void read_file(struct pp_preproc *preproc, uint32_t file);

bool pp_token_is(const struct pp_token *token, const char *text) {
    return cw_str_is((cw_str){token->at, token->n}, text);
}

static cw_str text_of(const struct pp_token *token) {
    return (cw_str){token->at, token->n};
}

static void note_error(struct pp_preproc *preproc, const struct pp_token *at, const char *text) {
    const struct cw_source *s = preproc->files.at[at->file].source;
    struct cw_parse_note n = {.is_error = true, .text = text};
    if (preproc->notes.n >= MAX_NOTES)
        return;
    n.span.file = at->file;
    cw_source_place(s, at->from, &n.span.line, &n.span.col);
    cw_source_place(s, at->to, &n.span.end_line, &n.span.end_col);
    cw_vec_push(preproc->arena, &preproc->notes, n);
}

/* ---- tokens of a file ---- */

static bool has_newline(const char *text, uint32_t from, uint32_t to) {
    return to > from && memchr(text + from, '\n', to - from) != NULL;
}

/* Comments are gone; a directive is its DIRECTIVE token, the tokens of its line, and an END token. */
static void tokenise_file(struct reading *reading) {
    const struct cw_source *s = reading->preproc->files.at[reading->file].source;
    struct cw_lexer lexer;
    uint32_t before = 0;
    bool in_directive = false;
    cw_lexer_init(&lexer, s->text, s->size);
    for (;;) {
        struct cw_token t = cw_lexer_next(&lexer);
        struct pp_token made = {.at = s->text + t.at,
                                .n = t.n,
                                .kind = t.kind,
                                .file = (uint16_t)reading->file,
                                .from = t.at,
                                .to = t.at + t.n,
                                .space = t.at > before,
                                .line = has_newline(s->text, before, t.at)};
        if (in_directive && (!t.in_directive || t.kind == CW_TOKEN_DIRECTIVE || t.kind == CW_TOKEN_END))
            cw_vec_push(reading->preproc->arena, &reading->tokens,
                        ((struct pp_token){.kind = CW_TOKEN_END, .file = (uint16_t)reading->file}));
        in_directive = t.in_directive;
        if (t.kind == CW_TOKEN_END || reading->preproc->work > PP_MAX_WORK)
            break;
        if (t.kind == CW_TOKEN_COMMENT)
            continue;
        before = t.at + t.n;
        reading->preproc->work++;
        cw_vec_push(reading->preproc->arena, &reading->tokens, made);
    }
}

/* ---- conditionals ---- */

static void open_conditional(struct reading *reading, bool value) {
    if (reading->depth < MAX_CONDITIONALS)
        reading->stack[reading->depth] = (struct conditional){reading->is_active && value, value, reading->is_active};
    reading->depth++;
    reading->is_active = reading->depth <= MAX_CONDITIONALS && reading->is_active && value;
}

static void next_branch(struct reading *reading, bool value) {
    if (!reading->depth || reading->depth > MAX_CONDITIONALS)
        return;
    struct conditional *c = &reading->stack[reading->depth - 1];
    reading->is_active = c->outer && !c->was_taken && value;
    c->was_taken |= value;
}

static void close_conditional(struct reading *reading) {
    if (!reading->depth)
        return;
    reading->depth--;
    if (reading->depth < MAX_CONDITIONALS)
        reading->is_active = reading->stack[reading->depth].outer;
}

static bool is_defined(struct reading *reading, const struct pp_token *at, uint32_t n) {
    return n && pp_macro_find(reading->preproc, text_of(at));
}

/* True when the directive is one of a conditional. */
static bool read_conditional(struct reading *reading, cw_str name, const struct pp_token *at, uint32_t n) {
    bool may_take = reading->depth && reading->depth <= MAX_CONDITIONALS &&
                    !reading->stack[reading->depth - 1].was_taken && reading->stack[reading->depth - 1].outer;
    if (cw_str_is(name, "if"))
        open_conditional(reading, reading->is_active && pp_condition(reading->preproc, at, n));
    else if (cw_str_is(name, "ifdef"))
        open_conditional(reading, is_defined(reading, at, n));
    else if (cw_str_is(name, "ifndef"))
        open_conditional(reading, n && !is_defined(reading, at, n));
    else if (cw_str_is(name, "elif"))
        next_branch(reading, may_take && pp_condition(reading->preproc, at, n));
    else if (cw_str_is(name, "elifdef") || cw_str_is(name, "elifndef"))
        next_branch(reading, is_defined(reading, at, n) == cw_str_is(name, "elifdef"));
    else if (cw_str_is(name, "else"))
        next_branch(reading, true);
    else if (cw_str_is(name, "endif"))
        close_conditional(reading);
    else
        return false;
    return true;
}

/* ---- includes ---- */

static bool same_path(const char *a, const char *b) {
    return strcmp(a, b) == 0;
}

static int known_file(const struct pp_preproc *preproc, const char *path) {
    for (uint32_t i = 0; i < preproc->files.n; i++)
        if (same_path(preproc->files.at[i].path, path))
            return (int)i;
    return -1;
}

/* The caller's own text of a file, or NULL. */
static const struct cw_source *override_source(const struct pp_preproc *preproc, const char *path) {
    char full[PATH_MAX];
    const struct cw_front_options *o = preproc->options;
    bool is_made = !strncmp(path, CW_SHIM_MADE "/", sizeof CW_SHIM_MADE);
    const char *real = is_made || !o->nfiles ? path : realpath(path, full);
    if (!o->nfiles || !real)
        return NULL;
    for (uint32_t i = 0; i < o->nfiles; i++)
        if (same_path(o->files[i].path, real))
            return cw_source_of_text(preproc->arena, path, o->files[i].text, o->files[i].size);
    return NULL;
}

static int load_file(struct pp_preproc *preproc, const char *path) {
    int known = known_file(preproc, path);
    const char *error;
    if (known >= 0 || preproc->files.n >= PP_MAX_FILES)
        return known;
    const struct cw_source *s = override_source(preproc, path);
    if (!s)
        s = cw_source_load(preproc->arena, path, &error);
    if (!s || s->is_binary)
        return -1;
    cw_vec_push(preproc->arena, &preproc->files, ((struct pp_file){.path = path, .source = s}));
    return (int)preproc->files.n - 1;
}

static int load_shim(struct pp_preproc *preproc, cw_str name) {
    uint32_t n;
    const struct cw_shim_file *shim = cw_shim_files(&n);
    const char *path = cw_arena_printf(preproc->arena, "%s/%.*s", CW_SHIM_ROOT, (int)name.n, name.at);
    int known = known_file(preproc, path);
    if (known >= 0)
        return known;
    for (uint32_t i = 0; i < n; i++)
        if (same_path(shim[i].path, path)) {
            const struct cw_source *s = cw_source_of_text(preproc->arena, path, shim[i].text, shim[i].size);
            cw_vec_push(preproc->arena, &preproc->files,
                        ((struct pp_file){.path = path, .source = s, .is_shim = true}));
            return (int)preproc->files.n - 1;
        }
    return -1;
}

/* Folder of a path with the slash at its end. */
static cw_str folder_of(const char *path) {
    const char *slash = strrchr(path, '/');
    return (cw_str){path, slash ? (size_t)(slash - path) + 1 : 0};
}

int pp_include_find(struct pp_preproc *preproc, uint32_t from_file, cw_str name, bool is_angled) {
    int found = -1;
    if (!name.n || name.n > 1000)
        return -1;
    if (name.at[0] == '/')
        return load_file(preproc, cw_arena_strndup(preproc->arena, name.at, name.n));
    if (!is_angled && !preproc->files.at[from_file].is_shim) {
        cw_str folder = folder_of(preproc->files.at[from_file].path);
        found = load_file(preproc,
                          cw_arena_printf(preproc->arena, "%.*s%.*s", (int)folder.n, folder.at, (int)name.n, name.at));
    }
    for (uint32_t i = 0; i < preproc->dirs.n && found < 0; i++)
        found =
            load_file(preproc, cw_arena_printf(preproc->arena, "%s/%.*s", preproc->dirs.at[i], (int)name.n, name.at));
    if (found < 0 && preproc->options->nfiles)
        found = load_file(preproc, cw_arena_printf(preproc->arena, CW_SHIM_MADE "/%.*s", (int)name.n, name.at));
    return found >= 0 ? found : load_shim(preproc, name);
}

static void read_include(struct reading *reading, const struct pp_token *at, uint32_t n) {
    struct pp_preproc *preproc = reading->preproc;
    struct pp_tokens expanded = {0};
    if (n && at->kind == CW_TOKEN_NAME) { /* #include MACRO */
        for (uint32_t i = 0; i < n;)
            i += pp_macro_expand(preproc, at + i, n - i, &expanded);
        at = expanded.at;
        n = expanded.n;
    }
    if (!n || (at->kind != CW_TOKEN_STRING && at->kind != CW_TOKEN_HEADER) || at->n < 3 ||
        preproc->depth >= PP_MAX_INCLUDES)
        return;
    cw_str name = {at->at + 1, at->n - 2};
    int file = pp_include_find(preproc, reading->file, name, at->kind == CW_TOKEN_HEADER);
    if (file < 0) {
        note_error(preproc, at, cw_arena_printf(preproc->arena, "'%.*s' file not found", (int)name.n, name.at));
        return;
    }
    if (preproc->files.at[file].is_once)
        return;
    preproc->depth++;
    read_file(preproc, (uint32_t)file);
    preproc->depth--;
}

/* ---- other directives ---- */

static void read_pragma(struct reading *reading, const struct pp_token *directive, const struct pp_token *at,
                        uint32_t n) {
    struct pp_preproc *preproc = reading->preproc;
    if (n && pp_token_is(at, "once")) {
        preproc->files.at[reading->file].is_once = true;
        return;
    }
    if (!n || !reading->keeps_text || !pp_token_is(at, "unroll"))
        return;
    struct pp_token line = *directive;
    struct cw_buf text = {0};
    cw_buf_puts(&text, "#pragma");
    struct pp_tokens expanded = {0};
    for (uint32_t i = 0; i < n;)
        i += pp_macro_expand(preproc, at + i, n - i, &expanded);
    for (uint32_t i = 0; i < expanded.n; i++) {
        cw_buf_putc(&text, ' ');
        cw_buf_add(&text, expanded.at[i].at, expanded.at[i].n);
    }
    line.at = cw_arena_strndup(preproc->arena, text.at, text.n);
    line.n = (uint32_t)text.n;
    line.line = true;
    cw_buf_free(&text);
    cw_vec_push(preproc->arena, &preproc->out, line);
}

/* Words of the language that the shim's headers spell out for the other front end. */
static bool is_word_of_grammar(struct reading *reading, const struct pp_token *name, uint32_t n) {
    if (!reading->preproc->files.at[reading->file].is_shim || name->n < 5 || name->at[0] != '_' ||
        name->at[name->n - 1] != '_')
        return pp_token_is(name, "alignas") || pp_token_is(name, "NULL") || pp_token_is(name, "offsetof");
    return n != 2 || name[1].kind != CW_TOKEN_NUMBER;
}

static void other_directive(struct reading *reading, cw_str name, const struct pp_token *directive,
                            const struct pp_token *at, uint32_t n) {
    if (cw_str_is(name, "define") && n && at->kind == CW_TOKEN_NAME) {
        if (!reading->preproc->files.at[reading->file].is_shim || !is_word_of_grammar(reading, at, n))
            pp_macro_define(reading->preproc, at, n);
    } else if (cw_str_is(name, "undef") && n) {
        pp_macro_undef(reading->preproc, text_of(at));
    } else if (cw_str_starts(name, "include")) {
        read_include(reading, at, n);
    } else if (cw_str_is(name, "pragma")) {
        read_pragma(reading, directive, at, n);
    }
}

static uint32_t read_directive(struct reading *reading, uint32_t i) {
    const struct pp_token *d = &reading->tokens.at[i];
    uint32_t first = i + 1, end = first;
    while (end < reading->tokens.n && reading->tokens.at[end].kind != CW_TOKEN_END)
        end++;
    struct cw_token token = {d->from, d->n, CW_TOKEN_DIRECTIVE, true};
    cw_str name = cw_token_directive(reading->preproc->files.at[reading->file].source->text, token);
    if (!read_conditional(reading, name, reading->tokens.at + first, end - first) && reading->is_active)
        other_directive(reading, name, d, reading->tokens.at + first, end - first);
    return end + 1;
}

/* The text up to the next directive, as a macro's arguments may run over lines but not over directives. */
static void text_run(struct reading *reading, uint32_t from, uint32_t to) {
    struct pp_preproc *preproc = reading->preproc;
    for (uint32_t i = from; i < to;) {
        if (preproc->out.n > PP_MAX_OUT || preproc->work > PP_MAX_WORK) {
            preproc->is_cut_off = true;
            return;
        }
        i += pp_macro_expand(preproc, reading->tokens.at + i, to - i, &preproc->out);
    }
}

/* A file's tokens are the same each time it is included. */
static void take_tokens(struct reading *reading) {
    struct pp_preproc *preproc = reading->preproc;
    preproc->work += OPENING;
    reading->tokens = preproc->files.at[reading->file].tokens;
    if (preproc->files.at[reading->file].is_read) {
        preproc->work += reading->tokens.n;
        return;
    }
    tokenise_file(reading);
    preproc->files.at[reading->file].is_read = true;
    preproc->files.at[reading->file].tokens = reading->tokens;
}

static void read_file(struct pp_preproc *preproc, uint32_t file) {
    struct reading own = {.preproc = preproc,
                          .file = file,
                          .is_active = true,
                          .keeps_text = !preproc->files.at[file].is_shim},
                   *r = &own;
    if (preproc->work <= PP_MAX_WORK)
        take_tokens(r);
    for (uint32_t i = 0; i < r->tokens.n;) {
        uint32_t end = i;
        if (r->tokens.at[i].kind == CW_TOKEN_DIRECTIVE) {
            i = read_directive(r, i);
            continue;
        }
        while (end < r->tokens.n && r->tokens.at[end].kind != CW_TOKEN_DIRECTIVE)
            end++;
        if (r->is_active && r->keeps_text)
            text_run(r, i, end);
        i = end;
    }
}

/* ---- what the command line says ---- */

static void define_text(struct pp_preproc *preproc, const char *text) {
    const struct cw_source *s = cw_source_of_text(preproc->arena, "", text, strlen(text));
    struct pp_tokens tokens = {0};
    struct cw_lexer lexer;
    cw_lexer_init(&lexer, s->text, s->size);
    for (struct cw_token t = cw_lexer_next(&lexer); t.kind != CW_TOKEN_END; t = cw_lexer_next(&lexer))
        cw_vec_push(
            preproc->arena, &tokens,
            ((struct pp_token){
                .at = s->text + t.at, .n = t.n, .kind = t.kind, .space = t.at > 0 && s->text[t.at - 1] == ' '}));
    if (tokens.n && tokens.at[0].kind == CW_TOKEN_NAME)
        pp_macro_define(preproc, tokens.at, tokens.n);
}

/* NAME, NAME=VALUE, NAME(x)=VALUE as a #define would write it. */
static void define_option(struct pp_preproc *preproc, const char *text) {
    const char *equal = strchr(text, '=');
    int n = equal ? (int)(equal - text) : (int)strlen(text);
    define_text(preproc, cw_arena_printf(preproc->arena, "%.*s %s", n, text, equal ? equal + 1 : "1"));
}

/* The value of an option that is written in one word or in two. */
static const char *value_of(const struct cw_front_options *options, uint32_t *i, const char *option) {
    size_t n = strlen(option);
    const char *arg = options->args[*i];
    if (strncmp(arg, option, n) != 0)
        return NULL;
    if (arg[n])
        return arg + n;
    return *i + 1 < options->nargs ? options->args[++*i] : NULL;
}

static void read_arguments(struct pp_preproc *preproc) {
    static const char *const folders[] = {"-isystem", "-iquote", "-I"};
    const struct cw_front_options *o = preproc->options;
    for (uint32_t i = 0; i < o->nargs; i++) {
        const char *value;
        if ((value = value_of(o, &i, "-D"))) {
            define_option(preproc, value);
        } else if ((value = value_of(o, &i, "-U"))) {
            pp_macro_undef(preproc, cw_str_of(value));
        } else if ((value = value_of(o, &i, "-include"))) {
            int file = load_file(preproc, value);
            if (file >= 0)
                read_file(preproc, (uint32_t)file);
        } else {
            for (size_t k = 0; k < sizeof folders / sizeof *folders && !value; k++)
                if ((value = value_of(o, &i, folders[k])))
                    cw_vec_push(preproc->arena, &preproc->dirs, value);
        }
    }
}

static void read_prelude(struct pp_preproc *preproc) {
    static const char *const files[] = {"cuwarp/macros.h", "limits.h", "assert.h"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        int file = load_shim(preproc, cw_str_of(files[i]));
        if (file >= 0)
            read_file(preproc, (uint32_t)file);
    }
}

void pp_preprocess(struct pp_preproc *preproc, struct cw_arena *a, struct cw_intern *names,
                   const struct cw_front_options *options) {
    *preproc = (struct pp_preproc){.arena = a, .names = names, .options = options};
    cw_map_init(&preproc->macros, a);
    const struct cw_source *s = cw_source_of_text(a, options->path, options->text ? options->text : "", options->size);
    cw_vec_push(a, &preproc->files, ((struct pp_file){.path = options->path, .source = s}));
    define_text(preproc, cw_arena_printf(a, "__CUDA_ARCH__ %u0", options->arch ? options->arch : 75));
    define_text(preproc, "__cplusplus 201703L");
    define_text(preproc, "__CUDA__ 1");
    define_text(preproc, "__linux__ 1");
    define_text(preproc, "__x86_64__ 1");
    define_text(preproc, "__GNUC__ 4");
    read_prelude(preproc);
    read_arguments(preproc);
    read_file(preproc, 0);
}
