/* See leading.h. Each file is read once; what cannot be told (a header that is not there, a macro's name, one that may
 * be read twice) ends the list there. */
#include "engine/leading.h"

#include "base/hash.h"
#include "base/intern.h"
#include "front/shim/shim.h"
#include "source/lexer.h"
#include "source/source.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Parsing a shared text once more, to save it, pays from a few units on; little text does not pay at all. */
enum { MAX_DEPTH = 48, MAX_LEADING = 64, MAX_GROUPS = 4, LEAST_UNITS = 6, LEAST_BYTES = 16384 };

struct include {
    const char *name;
    bool angled;
};

/* Of a file, what stands before its first token of its own. */
struct file {
    CW_VEC(struct include) includes;
    size_t size;
    bool is_read, is_guarded, has_kernels, has_device_code;
    bool is_overridden; /* read otherwise than the disk has it: nothing that is kept for other runs may hold it */
};

struct unit {
    const char *path;
    const char *const *args;
    uint32_t nargs;
    CW_VEC(const char *) headers; /* absolute */
    uint64_t keys[MAX_LEADING];   /* of the arguments and the first i + 1 headers */
    uint32_t shared;              /* how many of them it shares with others */
    bool is_done;
};

/* Units that begin alike, up to one header. */
struct group {
    uint64_t key;
    uint32_t units;
    uint64_t bytes;
};

struct cw_leading {
    struct cw_arena *arena;
    const struct cw_sources *sources;
    struct cw_intern names;
    struct cw_map files; /* interned real path -> struct file* */
    struct cw_map units; /* interned path -> struct unit* */
    CW_VEC(struct unit *) list;
    const char *here;
};

struct cw_leading *cw_leading_open(struct cw_arena *a, const struct cw_sources *sources) {
    char full[PATH_MAX];
    struct cw_leading *l = CW_NEW(a, struct cw_leading);
    l->arena = a;
    l->sources = sources;
    cw_intern_init(&l->names, a);
    cw_map_init(&l->files, a);
    cw_map_init(&l->units, a);
    l->here = getcwd(full, sizeof full) ? cw_arena_strdup(a, full) : NULL;
    return l;
}

/* ---- a file ---- */

struct reading {
    struct cw_lexer lexer;
    const char *text;
    struct cw_token token; /* the next one that is no comment */
};

static void advance_token(struct reading *reading) {
    do
        reading->token = cw_lexer_next(&reading->lexer);
    while (reading->token.kind == CW_TOKEN_COMMENT);
}

static cw_str token_text(const struct reading *reading) {
    return (cw_str){reading->text + reading->token.at, reading->token.n};
}

/* Steps into a directive; its name. */
static cw_str enter_directive(struct reading *reading) {
    cw_str name = cw_token_directive(reading->text, reading->token);
    advance_token(reading);
    return name;
}

static void skip_line(struct reading *reading) {
    while (reading->token.in_directive && reading->token.kind != CW_TOKEN_DIRECTIVE &&
           reading->token.kind != CW_TOKEN_END)
        advance_token(reading);
}

static bool is_rest_of_line(const struct reading *reading) {
    return reading->token.in_directive && reading->token.kind != CW_TOKEN_DIRECTIVE &&
           reading->token.kind != CW_TOKEN_END;
}

/* `#ifndef NAME`, `#define NAME`, and behind its #endif nothing. */
static bool begins_guard(struct reading *reading) {
    cw_str name = is_rest_of_line(reading) ? token_text(reading) : CW_STR("");
    skip_line(reading);
    if (!name.n || reading->token.kind != CW_TOKEN_DIRECTIVE || !cw_str_is(enter_directive(reading), "define"))
        return false;
    bool same = is_rest_of_line(reading) && cw_str_eq(name, token_text(reading));
    skip_line(reading);
    struct reading rest = *reading;
    for (uint32_t depth = 1; rest.token.kind != CW_TOKEN_END;) {
        bool is_directive = rest.token.kind == CW_TOKEN_DIRECTIVE;
        cw_str word = is_directive ? cw_token_directive(rest.text, rest.token) : CW_STR("");
        if (!depth)
            return false;
        depth += cw_str_starts(word, "if");
        depth -= cw_str_is(word, "endif");
        if (depth == 1 && cw_str_starts(word, "el"))
            return false;
        advance_token(&rest);
        if (!depth)
            while (is_rest_of_line(&rest))
                advance_token(&rest);
    }
    return same;
}

/* False at the first line that is more than an #include. */
static bool read_directive(struct cw_leading *leading, struct file *file, struct reading *reading, bool is_first) {
    cw_str word = enter_directive(reading);
    bool angled = reading->token.kind == CW_TOKEN_HEADER;
    if (cw_str_is(word, "include") && is_rest_of_line(reading) && (angled || reading->token.kind == CW_TOKEN_STRING) &&
        reading->token.n > 2) {
        const char *name = cw_intern_n(&leading->names, reading->text + reading->token.at + 1, reading->token.n - 2);
        cw_vec_push(leading->arena, &file->includes, ((struct include){name, angled}));
    } else if (cw_str_is(word, "pragma") && is_rest_of_line(reading) && cw_str_is(token_text(reading), "once")) {
        file->is_guarded = true;
    } else if (cw_str_is(word, "ifndef") && is_first) {
        return file->is_guarded = begins_guard(reading);
    } else {
        return false;
    }
    skip_line(reading);
    return true;
}

static bool mentions_word(const struct cw_source *source, const char *word) {
    return memmem(source->text, source->size, word, strlen(word)) != NULL;
}

static void read_file(struct cw_leading *leading, struct file *file, const char *path) {
    struct cw_arena scratch;
    const char *error;
    cw_arena_init(&scratch);
    const struct cw_source *given = cw_sources_overridden(leading->sources, path);
    const struct cw_source *s = given ? given : cw_source_load(&scratch, path, &error);
    file->is_overridden = given != NULL;
    if (s && !s->is_binary) {
        struct reading r = {.text = s->text};
        cw_lexer_init(&r.lexer, s->text, s->size);
        advance_token(&r);
        for (bool is_first = true; r.token.kind == CW_TOKEN_DIRECTIVE && read_directive(leading, file, &r, is_first);)
            is_first = false;
        file->size = s->size;
        file->is_read = true;
        file->has_kernels = mentions_word(s, "__global__");
        file->has_device_code = file->has_kernels || mentions_word(s, "__device__") || mentions_word(s, "<<<");
    }
    cw_arena_free(&scratch);
}

static const char *real_name(struct cw_leading *leading, const char *path) {
    char full[PATH_MAX];
    return realpath(path, full) ? cw_intern(&leading->names, full) : NULL;
}

static const struct file *file_of(struct cw_leading *leading, const char *real) {
    uint64_t found, key = (uint64_t)(uintptr_t)real;
    if (cw_map_get(&leading->files, key, &found))
        return (const struct file *)(uintptr_t)found;
    struct file *f = CW_NEW(leading->arena, struct file);
    read_file(leading, f, real);
    cw_map_put(&leading->files, key, (uint64_t)(uintptr_t)f);
    return f;
}

/* ---- where an #include leads, as clang looks ---- */

struct walk {
    struct cw_leading *l;
    struct unit *unit;
    CW_VEC(const char *) quoted, given, system; /* directories of -iquote, -I and -isystem */
    struct cw_map seen; /* real paths */
};

static bool is_of_shim(const char *name) {
    static const size_t root = sizeof CW_SHIM_ROOT;
    uint32_t n;
    const struct cw_shim_file *files = cw_shim_files(&n);
    for (uint32_t i = 0; i < n; i++)
        if (strcmp(files[i].path + root, name) == 0)
            return true;
    return false;
}

/* False when an argument changes the search in a way that is not followed here. */
static bool read_arguments(struct walk *walk) {
    struct cw_arena *a = walk->l->arena;
    for (uint32_t i = 0; i < walk->unit->nargs; i++) {
        const char *arg = walk->unit->args[i], *next = i + 1 < walk->unit->nargs ? walk->unit->args[i + 1] : NULL;
        bool separate = !strcmp(arg, "-I") || !strcmp(arg, "-iquote") || !strcmp(arg, "-isystem");
        if (separate && !next)
            return false;
        if (!strcmp(arg, "-iquote"))
            cw_vec_push(a, &walk->quoted, next);
        else if (!strcmp(arg, "-isystem"))
            cw_vec_push(a, &walk->system, next);
        else if (!strncmp(arg, "-I", 2))
            cw_vec_push(a, &walk->given, arg[2] ? arg + 2 : next);
        else if (strncmp(arg, "-D", 2) != 0 && strncmp(arg, "-U", 2) != 0 && strncmp(arg, "-std=", 5) != 0)
            return false;
        else if (!arg[2])
            i++;
        i += separate;
    }
    return true;
}

static const char *file_below(struct walk *walk, const char *directory, size_t n, const char *name) {
    const char *path = cw_arena_printf(walk->l->arena, "%.*s/%s", (int)n, directory, name);
    return access(path, R_OK) == 0 ? path : NULL;
}

static const char *in_directories(struct walk *walk, const char *const *at, uint32_t n, const char *name) {
    const char *found = NULL;
    for (uint32_t i = 0; i < n && !found; i++)
        found = file_below(walk, at[i], strlen(at[i]), name);
    return found;
}

/* The file's path; NULL: the shim's (*is_shim) or none. */
static const char *resolve_include(struct walk *walk, const struct include *in, const char *from, bool *is_shim) {
    const char *found = NULL, *slash = strrchr(from, '/');
    *is_shim = false;
    if (in->name[0] == '/')
        return access(in->name, R_OK) == 0 ? in->name : NULL;
    if (!in->angled)
        found = slash ? file_below(walk, from, (size_t)(slash - from), in->name) : file_below(walk, ".", 1, in->name);
    if (!found && !in->angled)
        found = in_directories(walk, walk->quoted.at, walk->quoted.n, in->name);
    if (!found)
        found = in_directories(walk, walk->given.at, walk->given.n, in->name);
    if (!found && is_of_shim(in->name)) {
        *is_shim = true;
        return NULL;
    }
    return found ? found : in_directories(walk, walk->system.at, walk->system.n, in->name);
}

/* ---- a unit ---- */

static const char *absolute_path(const struct cw_leading *leading, const char *path) {
    return path[0] == '/' ? path : cw_arena_printf(leading->arena, "%s/%s", leading->here, path);
}

/* Follows the leading #includes of a file. False: the list ends here. */
static bool follow_includes(struct walk *walk, const struct file *file, const char *path, uint32_t depth) {
    for (uint32_t i = 0; i < file->includes.n; i++) {
        bool is_shim;
        const char *found = resolve_include(walk, &file->includes.at[i], path, &is_shim);
        const char *real = found ? real_name(walk->l, found) : NULL;
        if (is_shim)
            continue;
        if (!real || depth >= MAX_DEPTH)
            return false;
        if (cw_map_get(&walk->seen, (uint64_t)(uintptr_t)real, NULL))
            continue;
        cw_map_put(&walk->seen, (uint64_t)(uintptr_t)real, 1);
        const struct file *header = file_of(walk->l, real);
        if (!header->is_read || header->is_overridden || !follow_includes(walk, header, found, depth + 1))
            return false;
        if (!header->is_guarded || header->has_kernels || walk->unit->headers.n >= MAX_LEADING)
            return false;
        cw_vec_push(walk->l->arena, &walk->unit->headers, absolute_path(walk->l, found));
    }
    return true;
}

static void compute_keys(struct unit *unit) {
    uint64_t key = unit->nargs;
    for (uint32_t i = 0; i < unit->nargs; i++)
        key = cw_hash(unit->args[i], strlen(unit->args[i]), key);
    for (uint32_t i = 0; i < unit->headers.n; i++)
        unit->keys[i] = key = cw_hash(unit->headers.at[i], strlen(unit->headers.at[i]), key);
}

void cw_leading_add(struct cw_leading *leading, const char *path, const char *const *args, uint32_t nargs) {
    const char *real = real_name(leading, path);
    struct walk w = {.l = leading};
    if (!leading->here || !real ||
        cw_map_get(&leading->units, (uint64_t)(uintptr_t)cw_intern(&leading->names, path), NULL))
        return;
    const struct file *f = file_of(leading, real);
    if (!f->is_read || !f->has_device_code)
        return;
    w.unit = CW_NEW(leading->arena, struct unit);
    *w.unit = (struct unit){.path = path, .args = args, .nargs = nargs};
    if (!read_arguments(&w))
        return;
    cw_map_init(&w.seen, leading->arena);
    cw_map_put(&w.seen, (uint64_t)(uintptr_t)real, 1);
    follow_includes(&w, f, path, 0);
    compute_keys(w.unit);
    cw_vec_push(leading->arena, &leading->list, w.unit);
    cw_map_put(&leading->units, (uint64_t)(uintptr_t)cw_intern(&leading->names, path), (uint64_t)(uintptr_t)w.unit);
}

/* ---- who shares what ---- */

struct groups {
    CW_VEC(struct group) list;
    struct cw_map index; /* key -> index in list */
};

static uint64_t size_of(struct cw_leading *leading, const char *header) {
    const char *real = real_name(leading, header);
    return real ? file_of(leading, real)->size : 0;
}

static struct groups gather_groups(struct cw_leading *leading) {
    struct groups g = {0};
    cw_map_init(&g.index, leading->arena);
    for (uint32_t i = 0; i < leading->list.n; i++) {
        const struct unit *u = leading->list.at[i];
        uint64_t bytes = 0, at;
        for (uint32_t k = 0; k < u->headers.n && !u->is_done; k++) {
            bytes += size_of(leading, u->headers.at[k]);
            if (!cw_map_get(&g.index, u->keys[k], &at)) {
                at = g.list.n;
                cw_map_put(&g.index, u->keys[k], at);
                cw_vec_push(leading->arena, &g.list, ((struct group){u->keys[k], 0, bytes}));
            }
            g.list.at[at].units++;
        }
    }
    return g;
}

static const struct group *best_of(const struct groups *groups) {
    const struct group *best = NULL;
    for (uint32_t i = 0; i < groups->list.n; i++) {
        const struct group *x = &groups->list.at[i];
        bool pays = x->units >= LEAST_UNITS && x->bytes >= LEAST_BYTES;
        if (pays && (!best || x->units * x->bytes > best->units * best->bytes))
            best = x;
    }
    return best;
}

static void assign_headers(struct cw_leading *leading, uint64_t key) {
    for (uint32_t i = 0; i < leading->list.n; i++) {
        struct unit *u = leading->list.at[i];
        for (uint32_t k = 0; k < u->headers.n && !u->is_done; k++)
            if (u->keys[k] == key) {
                u->shared = k + 1;
                u->is_done = true;
            }
    }
}

void cw_leading_choose(struct cw_leading *leading) {
    for (uint32_t i = 0; i < MAX_GROUPS; i++) {
        struct groups g = gather_groups(leading);
        const struct group *best = best_of(&g);
        if (!best)
            return;
        assign_headers(leading, best->key);
    }
}

void cw_leading_choose_all(struct cw_leading *leading) {
    for (uint32_t i = 0; i < leading->list.n; i++)
        if (!leading->list.at[i]->is_done)
            leading->list.at[i]->shared = leading->list.at[i]->headers.n;
}

const char *const *cw_leading_of(struct cw_leading *l, const char *path, uint32_t *n) {
    uint64_t found;
    *n = 0;
    if (!l || !cw_map_get(&l->units, (uint64_t)(uintptr_t)cw_intern(&l->names, path), &found))
        return NULL;
    const struct unit *u = (const struct unit *)(uintptr_t)found;
    *n = u->shared;
    return u->headers.at;
}
