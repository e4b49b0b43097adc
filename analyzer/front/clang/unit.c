/* The clang front end: parse with libclang against the shim (or a real toolkit), then lower. */
#include "base/sanitizer.h"
#include "front/clang/assume.h"
#include "front/clang/invocation.h"
#include "front/clang/lower.h"
#include "front/clang/remake.h"
#include "front/shim/shim.h"

#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#ifdef CW_HAS_ADDRESS_SANITIZER
#include <sanitizer/common_interface_defs.h>
#endif

enum { MAX_NOTES = 500, MAX_ERRORS = 100000 };

/* In an expression clang reads `a.at<T>()` after this error as nvcc does. */
static bool is_harmless(struct cw_unit *unit, CXDiagnostic d) {
    static const char words[] = "use 'template' keyword to treat '";
    return !strncmp(cw_clang_text(unit, clang_getDiagnosticSpelling(d)), words, sizeof words - 1);
}

static bool is_error(struct cw_unit *unit, CXDiagnostic d) {
    return clang_getDiagnosticSeverity(d) >= CXDiagnostic_Error && !is_harmless(unit, d);
}

static void add_note(struct cw_unit *unit, CXDiagnostic d, bool is_error) {
    CXFile f = NULL;
    unsigned line = 0, col = 0;
    clang_getFileLocation(clang_getDiagnosticLocation(d), &f, &line, &col, NULL);
    struct cw_span span = {cw_clang_file(unit, f)->index, line, col, line, col};
    const char *text = cw_clang_text(unit, clang_getDiagnosticSpelling(d));
    cw_vec_push(unit->arena, &unit->module->notes, ((struct cw_parse_note){span, is_error, text}));
}

bool cw_clang_is_users(const char *path) {
    return path && strncmp(path, CW_SHIM_ROOT "/", sizeof CW_SHIM_ROOT) != 0;
}

/* An error there says what the shim leaves out (a body for a template on a local type), nothing about the user's
 * code. */
static bool is_in_shim(CXDiagnostic d) {
    CXFile f = NULL;
    clang_getFileLocation(clang_getDiagnosticLocation(d), &f, NULL, NULL, NULL);
    CXString name = clang_getFileName(f);
    const char *text = clang_getCString(name);
    bool is = text && !cw_clang_is_users(text);
    clang_disposeString(name);
    return is;
}

static void collect_notes(struct cw_unit *unit) {
    unsigned n = clang_getNumDiagnostics(unit->tu);
    for (unsigned i = 0; i < n && i < MAX_ERRORS; i++) {
        CXDiagnostic d = clang_getDiagnostic(unit->tu, i);
        bool is = is_error(unit, d), is_users = !is_in_shim(d) && !(is && cw_clang_assumed_error(unit, d));
        if (is_users && is)
            cw_clang_note_error(unit, d);
        if (is_users && i < MAX_NOTES)
            add_note(unit, d, is);
        clang_disposeDiagnostic(d);
    }
    cw_clang_sort_errors(unit);
}

static void init_maps(struct cw_unit *unit) {
    struct cw_map *maps[] = {&unit->types, &unit->leaves, &unit->members, &unit->callees, &unit->closures,
                             &unit->closure_numbers, &unit->files, &unit->globals, &unit->names, &unit->destructors,
                             &unit->instances, &unit->arguments, &unit->left_out, &unit->places, &unit->decayed,
                             &unit->shared_names, &unit->failed_lines, &unit->assumed, &unit->virtual_names,
                             &unit->launchers.words, &unit->launchers.users,
                             &unit->launchers.numbers, &unit->launchers.text_users};
    for (size_t i = 0; i < sizeof maps / sizeof *maps; i++)
        cw_map_init(maps[i], &unit->scratch);
    unit->where = CW_NEW_ARRAY(&unit->scratch, struct cw_where, CW_WHERE_KEPT);
    unit->exprs = CW_NEW_ARRAY(&unit->scratch, struct cw_known_expr, CW_EXPRS_KEPT);
}

bool cw_clang_has_errors(struct cw_unit *unit) {
    bool is = false;
    for (unsigned i = 0, n = clang_getNumDiagnostics(unit->tu); i < n && !is; i++) {
        CXDiagnostic d = clang_getDiagnostic(unit->tu, i);
        is = clang_getDiagnosticSeverity(d) >= CXDiagnostic_Error && !is_in_shim(d);
        clang_disposeDiagnostic(d);
    }
    return is;
}

static void note_file(struct cw_unit *unit, const char *name) {
    struct cw_module *m = unit->module;
    const char *kept = cw_arena_strdup(unit->arena, name);
    if (cw_clang_is_users(name))
        cw_vec_push(unit->arena, &m->reads, kept);
    else if (strncmp(name, CW_SHIM_MADE "/", sizeof CW_SHIM_MADE) == 0)
        cw_vec_push(unit->arena, &m->made_reads, kept);
}

static void note_read(CXFile file, CXSourceLocation *stack, unsigned depth, CXClientData data) {
    struct cw_unit *u = data;
    (void)stack;
    (void)depth;
    CXString name = clang_getFileName(file);
    const char *text = clang_getCString(name);
    if (text)
        note_file(u, text);
    clang_disposeString(name);
}

static void read_unit(struct cw_unit *unit) {
    struct cw_file_text main_file = {.file = clang_getFile(unit->tu, unit->options->path), .is_main = true};
    unit->main_file = &main_file;
    unit->main_file = cw_clang_file(unit, main_file.file);
    collect_notes(unit);
    clang_getInclusions(unit->tu, note_read, unit);
    if (unit->options->shared_notes)
        cw_clang_read_shared(unit, unit->options->shared_notes);
    cw_clang_collect(unit);
}

#ifdef CW_HAS_ADDRESS_SANITIZER
static void send_sanitizer_reports_to(int fd) {
    __sanitizer_set_report_fd((void *)(intptr_t)fd);
}
#else
static void send_sanitizer_reports_to(int fd) {
    (void)fd;
}
#endif

/* libclang and pragmas (`#pragma clang __debug dump`) write to standard error what a file tells them to. What is said
 * of a unit comes as diagnostics. Returns the descriptor of the real standard error, or -1. */
static int mute_stderr(void) {
    int null = open("/dev/null", O_WRONLY | O_CLOEXEC),
        saved = null < 0 ? -1 : fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
    if (saved >= 0) {
        dup2(null, STDERR_FILENO);
        send_sanitizer_reports_to(saved);
    }
    if (null >= 0)
        close(null);
    return saved;
}

static void restore_stderr(int saved) {
    if (saved < 0)
        return;
    send_sanitizer_reports_to(STDERR_FILENO);
    dup2(saved, STDERR_FILENO);
    close(saved);
}

static void limit_parser(const struct cw_front_options *options, bool begins) {
    if (options->limit_parser)
        options->limit_parser(options->limit_ctx, begins);
}

static const char *parse_unit(struct cw_unit *unit, CXIndex index) {
    static const char *const why[] = {[CXError_Failure] = "libclang could not parse it",
                                      [CXError_Crashed] = "libclang crashed",
                                      [CXError_InvalidArguments] = "libclang refused its arguments",
                                      [CXError_ASTReadError] = "libclang could not read the tree"};
    struct cw_clang_invocation v = cw_clang_invocation(&unit->scratch, unit->options);
    int saved = mute_stderr();
    limit_parser(unit->options, true);
    enum CXErrorCode e = clang_parseTranslationUnit2(index, v.main_file, v.args, (int)v.nargs, v.files, v.nfiles,
                                                     v.flags, &unit->tu);
    limit_parser(unit->options, false);
    restore_stderr(saved);
    if (e == CXError_Success && unit->tu)
        return NULL;
    return (size_t)e < sizeof why / sizeof *why && why[e] ? why[e] : why[CXError_Failure];
}

void cw_clang_unit_init(struct cw_unit *unit, struct cw_arena *a, const struct cw_front_options *options) {
    *unit = (struct cw_unit){.arena = a, .options = options};
    cw_arena_init(&unit->scratch);
    init_maps(unit);
    unit->module = CW_NEW(a, struct cw_module);
    cw_module_init(unit->module, a);
    cw_module_file(unit->module, options->path);
}

void cw_clang_unit_free(struct cw_unit *unit) {
    clang_disposeTranslationUnit(unit->tu);
    cw_arena_free(&unit->scratch);
}

/* Does a macro of the unit's arguments change the prelude? That was precompiled without. */
static bool changes_prelude(const struct cw_front_options *options) {
    for (uint32_t i = 0; i < options->nargs; i++) {
        const char *arg = options->args[i], *name = arg + 2;
        if (strncmp(arg, "-D", 2) != 0 && strncmp(arg, "-U", 2) != 0)
            continue;
        if (!*name && i + 1 < options->nargs)
            name = options->args[i + 1];
        if (cw_shim_mentions(name, strcspn(name, "=(")))
            return true;
    }
    return false;
}

/* Whether libclang gives a tree of the unit. A precompiled header that was made for other options, or of files
 * that have changed, or is damaged, is done without. */
static bool parse_somehow(struct cw_unit *unit, CXIndex index, struct cw_front_options *plain, const char **error) {
    const struct cw_front_options *o = unit->options;
    bool is_itself = o->shared_notes && (o->remade->files.n || cw_clang_shared_holds(o->shared_notes, o->path));
    bool is_another = o->precompiled && !o->shared_notes && changes_prelude(o);
    *plain = *o;
    plain->precompiled = plain->shared_notes = NULL;
    if (is_itself || is_another)
        unit->options = plain;
    *error = parse_unit(unit, index);
    if (*error && unit->options->precompiled) {
        unit->options = plain;
        *error = parse_unit(unit, index);
    }
    return !*error;
}

/* Code that is read for the first time has errors of its own. */
enum { REMAKES = 3 };

/* Another parse, with the files as cw_clang_remake() writes them. It may have more errors than the first one: code that
 * was no call to clang is one now. */
static bool remake(struct cw_unit *unit, CXIndex index, struct cw_front_options *plain) {
    struct cw_remade *remade = unit->options->remade, old = *remade;
    const struct cw_front_options *options = unit->options;
    CXTranslationUnit first = unit->tu;
    const char *error;
    if (!cw_clang_remake(unit))
        return false;
    bool has_time = !options->may_parse_again || options->may_parse_again(options->limit_ctx);
    unit->tu = NULL;
    if (has_time && parse_somehow(unit, index, plain, &error)) {
        clang_disposeTranslationUnit(first);
        return true;
    }
    unit->tu = first;
    unit->options = options;
    *remade = old;
    return false;
}

struct cw_module *cw_front_clang(struct cw_arena *a, const struct cw_front_options *options, const char **error) {
    struct cw_unit u;
    struct cw_remade remade = {0};
    struct cw_front_options own = *options, plain;
    if (!cw_front_clang_load(error))
        return NULL;
    own.remade = own.remade ? own.remade : &remade;
    cw_clang_unit_init(&u, a, &own);
    /* "Without declarations of a precompiled header": there is none, but this list also has every instantiation. */
    CXIndex index = clang_createIndex(1, 0);
    cw_clang_foresee(&u);
    if (parse_somehow(&u, index, &plain, error)) {
        cw_clang_name_foreseen(&u);
        for (int round = 0; !options->is_survey && round < REMAKES && remake(&u, index, &plain); round++)
            continue;
        read_unit(&u);
    }
    cw_clang_unit_free(&u);
    clang_disposeIndex(index);
    return *error ? NULL : u.module;
}
