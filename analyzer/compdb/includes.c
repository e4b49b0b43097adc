/* A worklist over #include lines. A name is looked for where the parser will look: beside the including file, in the
 * directories given, in those added before, in the built-in headers; then near the file in the folders that projects
 * keep their headers in; then in the index of the tree. */
#include "compdb/includes.h"

#include "compdb/folders.h"
#include "compdb/made_header.h"

#include <stdio.h>
#include <string.h>

enum { MAX_FILES = 4000, MAX_ADDED = 64, MAX_PATH_BYTES = 4096, MAX_ROUNDS = 5, MAX_ANCESTORS = 64, MAX_MISSING = 4096,
       MAX_NUMBERS = 1024, MAX_MACROS = 16 };

/* No worker's time limit guards this: a unit may look at so many places, and asking the index counts for several. Real
 * ones need some ten thousand. Behind the bound nothing is found any more. */
enum { MAX_STEPS = 1 << 20, STEPS_OF_INDEX = 64, CALLS_OF_UNIT = 50000 };

/* A file as all units see it. */
struct text {
    struct cw_directives directives;
    struct cw_hash128 content;
    bool is_unread;
};

struct cw_includes {
    struct cw_arena *arena;
    struct cw_includes_options options;
    struct cw_intern names;
    struct cw_map texts;     /* interned path -> struct text * */
    struct cw_map builtin;   /* interned name -> 1 */
    struct cw_map stand_ins; /* interned name -> index plus 1 */
    struct cw_folders *folders;
    struct cw_map shadowing; /* interned directory -> 1: holds a built-in header's name, 2: none */
    uint32_t steps;          /* of the unit at hand */
};

struct cw_includes *cw_includes_new(struct cw_arena *a, const struct cw_includes_options *options) {
    struct cw_includes *in = CW_NEW(a, struct cw_includes);
    in->arena = a;
    in->options = *options;
    cw_intern_init(&in->names, a);
    cw_map_init(&in->texts, a);
    cw_map_init(&in->builtin, a);
    cw_map_init(&in->stand_ins, a);
    in->folders = options->folders ? options->folders : cw_folders_new(a, CALLS_OF_UNIT);
    cw_map_init(&in->shadowing, a);
    for (uint32_t i = 0; i < options->nbuiltin; i++)
        cw_map_put(&in->builtin, (uint64_t)(uintptr_t)cw_intern(&in->names, options->builtin[i]), 1);
    for (uint32_t i = 0; i < options->nstand_ins; i++)
        cw_map_put(&in->stand_ins, (uint64_t)(uintptr_t)cw_intern(&in->names, options->stand_ins[i].name), i + 1);
    return in;
}

static uint64_t key_of(struct cw_includes *in, const char *text) {
    return (uint64_t)(uintptr_t)cw_intern(&in->names, text);
}

/* ---- files ---- */

/* The file's canonical path, else NULL. */
static const char *file_at(struct cw_includes *in, const char *directory, const char *name) {
    const char *found = in->steps++ > MAX_STEPS ? NULL : cw_folders_file(in->folders, directory, name);
    return found ? cw_intern(&in->names, found) : NULL;
}

static const struct text *text_of(struct cw_includes *in, const char *path, const cw_str *given) {
    uint64_t known, key = key_of(in, path);
    if (cw_map_get(&in->texts, key, &known))
        return (const struct text *)(uintptr_t)known;
    struct text *t = CW_NEW(in->arena, struct text);
    const struct cw_includes_memory *memory = &in->options.memory;
    struct cw_arena scratch;
    cw_str text;
    cw_map_put(&in->texts, key, (uint64_t)(uintptr_t)t);
    if (!given && memory->recall && memory->recall(memory->ctx, path, &t->directives, &t->content))
        return t;
    cw_arena_init(&scratch);
    bool good = given || in->options.reader.read(in->options.reader.ctx, path, &scratch, &text);
    if (good && given)
        text = *given;
    if (good) {
        cw_directives_read(in->arena, text, &t->directives);
        t->content = cw_hash_wide(text.at, text.n);
    }
    if (good && !given && memory->note)
        memory->note(memory->ctx, path, &t->directives, t->content);
    t->is_unread = !good;
    cw_arena_free(&scratch);
    return t;
}

const struct cw_directives *cw_includes_read(struct cw_includes *in, const char *path) {
    return &text_of(in, cw_intern(&in->names, path), NULL)->directives;
}

static const char *directory_of(struct cw_includes *in, const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? cw_intern_n(&in->names, path, slash > path ? (size_t)(slash - path) : 1) : ".";
}

/* ---- one unit ---- */

enum group { QUOTE, USER, SYSTEM, NGROUPS };

/* An inferred directory. One with a header named like a built-in one may not stand before those: includes in quotes
 * find what it holds, those in angles do behind all other directories. */
enum added_kind { ADDED_USER, ADDED_QUOTE, ADDED_AFTER };

struct added {
    const char *directory;
    enum added_kind kind;
};

struct wanted {
    const char *from, *name; /* the including file's directory */
    bool angled;
    bool is_optional; /* looked for where the parser would, and nowhere else */
};

/* #include NAME, and how many of the unit's files have been asked for what it stands for. */
struct macro {
    const char *from, *name;
    uint32_t next;
};

/* A name in the directories added so far. */
struct lookup {
    const char *found;
    uint32_t next; /* the first directory that was not asked */
};

struct search {
    struct cw_includes *in;
    struct cw_arena *arena;
    const struct cw_include_unit *unit;
    struct cw_include_result *out;
    struct cw_words given[NGROUPS];
    CW_VEC(struct added) added;
    struct cw_words prefixes; /* of the names that directories behind all others hold */
    struct cw_map lookups[2]; /* by angled: interned name -> struct lookup * */
    CW_VEC(struct wanted) missing;
    CW_VEC(struct macro) macros;
    struct cw_words real_libraries; /* folders of stand-ins, of which a real header was found */
    uint32_t read; /* so many of out->files have been */
    struct cw_map visited; /* interned path without links to folders -> 1 */
    CW_VEC(struct cw_hash128) contents; /* of the name and the text of each file read */
};

static void sort_given(struct search *search) {
    const struct cw_words *args = search->unit->args;
    for (uint32_t i = 0; args && i < args->n; i++) {
        const char *arg = args->at[i], *next = i + 1 < args->n ? args->at[i + 1] : NULL;
        if (!strncmp(arg, "-I", 2) && (arg[2] || next))
            cw_vec_push(search->arena, &search->given[USER], arg[2] ? arg + 2 : next);
        else if (next && !strcmp(arg, "-iquote"))
            cw_vec_push(search->arena, &search->given[QUOTE], next);
        else if (next && (!strcmp(arg, "-isystem") || !strcmp(arg, "-idirafter")))
            cw_vec_push(search->arena, &search->given[SYSTEM], next);
    }
}

static const char *in_given(struct search *search, enum group group, const char *name) {
    const char *found = NULL;
    for (uint32_t i = 0; i < search->given[group].n && !found; i++)
        found = file_at(search->in, search->given[group].at[i], name);
    return found;
}

static struct lookup *lookup_of(struct search *search, const struct wanted *wanted) {
    uint64_t known = 0, key = key_of(search->in, wanted->name);
    if (!cw_map_get(&search->lookups[wanted->angled], key, &known)) {
        known = (uint64_t)(uintptr_t)CW_NEW(search->arena, struct lookup);
        cw_map_put(&search->lookups[wanted->angled], key, known);
    }
    return (struct lookup *)(uintptr_t)known;
}

/* Hundreds of headers ask for the same names: each name meets each directory once. */
static const char *in_added(struct search *search, const struct wanted *wanted) {
    struct lookup *l = lookup_of(search, wanted);
    for (; l->next < search->added.n && !l->found; l->next++) {
        enum added_kind kind = search->added.at[l->next].kind;
        if (kind == ADDED_USER || (kind == ADDED_QUOTE && !wanted->angled))
            l->found = file_at(search->in, search->added.at[l->next].directory, wanted->name);
    }
    return l->found;
}

static bool has_word(const struct cw_words *list, const char *word) {
    for (uint32_t i = 0; i < list->n; i++)
        if (!strcmp(list->at[i], word))
            return true;
    return false;
}

/* Remembers `ATen/` of `ATen/cuda/Atomic.cuh`, and all of a name without folders. */
static void note_prefix(struct search *search, const char *name) {
    const char *slash = strchr(name, '/');
    const char *prefix = slash ? cw_intern_n(&search->in->names, name, (size_t)(slash - name) + 1) : name;
    if (!has_word(&search->prefixes, prefix))
        cw_vec_push(search->arena, &search->prefixes, prefix);
}

/* In the directories behind all others. They are few. */
static const char *in_added_after(struct search *search, const struct wanted *wanted) {
    const char *found = NULL;
    for (uint32_t i = 0; i < search->added.n && !found; i++)
        if (search->added.at[i].kind == ADDED_AFTER)
            found = file_at(search->in, search->added.at[i].directory, wanted->name);
    if (found)
        note_prefix(search, wanted->name);
    return found;
}

static bool is_builtin(struct search *search, const char *name) {
    return cw_map_get(&search->in->builtin, key_of(search->in, name), NULL);
}

/* A directory with a "string.h" of its own would stand before the built-in one for everybody. */
static bool shadows_builtin(struct search *search, const char *directory) {
    uint64_t known, key = key_of(search->in, directory);
    if (cw_map_get(&search->in->shadowing, key, &known))
        return known == 1;
    known = 2;
    for (uint32_t i = 0; i < search->in->options.nbuiltin && known == 2; i++)
        known = file_at(search->in, directory, search->in->options.builtin[i]) ? 1 : 2;
    if (search->in->steps <= MAX_STEPS)
        cw_map_put(&search->in->shadowing, key, known);
    return known == 1;
}

static const char *add_directory(struct search *search, const char *directory, const struct wanted *wanted) {
    struct added added = {.directory = directory, .kind = ADDED_USER};
    const char *found = file_at(search->in, directory, wanted->name);
    if (found && shadows_builtin(search, directory))
        added.kind = wanted->angled ? ADDED_AFTER : ADDED_QUOTE;
    if (found && added.kind == ADDED_AFTER)
        note_prefix(search, wanted->name);
    if (found)
        cw_vec_push(search->arena, &search->added, added);
    return found;
}

static bool is_within(const char *path, const char *root) {
    size_t n = strlen(root);
    return !strncmp(path, root, n) && (!path[n] || path[n] == '/' || (n && root[n - 1] == '/'));
}

/* Where projects keep headers, seen from the including file upwards. */
static const char *near_by(struct search *search, const struct wanted *wanted) {
    static const char *const folders[] = {"", "/include", "/inc", "/src"};
    char path[MAX_PATH_BYTES];
    const char *up = wanted->from;
    for (int n = 0; n < MAX_ANCESTORS && is_within(up, search->unit->root); n++) {
        for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++) {
            size_t length = strlen(up), more = strlen(folders[i]);
            if (length + more >= sizeof path)
                continue;
            memcpy(path, up, length);
            memcpy(path + length, folders[i], more + 1);
            if (cw_folders_resolve(search->in->folders, path) && file_at(search->in, path, wanted->name))
                return cw_intern_n(&search->in->names, path, length + more);
        }
        if (!strcmp(up, search->unit->root) || !strcmp(up, "/"))
            break;
        up = directory_of(search->in, up);
    }
    return NULL;
}

static const char *infer_directory(struct search *search, const struct wanted *wanted) {
    if (!search->in->options.headers || search->unit->is_exact || search->added.n >= MAX_ADDED ||
        !is_within(wanted->from, search->unit->root))
        return NULL;
    const char *directory = near_by(search, wanted);
    search->in->steps += STEPS_OF_INDEX;
    if (!directory && search->in->steps < MAX_STEPS)
        directory = cw_headers_find(search->in->options.headers, search->unit->root, wanted->from, wanted->name);
    return directory ? add_directory(search, directory, wanted) : NULL;
}

static const char *resolve_include(struct search *search, const struct wanted *wanted, bool *builtin) {
    const char *found = wanted->angled ? NULL : file_at(search->in, wanted->from, wanted->name);
    if (!found && !wanted->angled)
        found = in_given(search, QUOTE, wanted->name);
    if (!found)
        found = in_given(search, USER, wanted->name);
    if (!found)
        found = in_added(search, wanted);
    *builtin = !found && is_builtin(search, wanted->name);
    if (!found && !*builtin)
        found = in_given(search, SYSTEM, wanted->name);
    if (!found && !*builtin)
        found = in_added_after(search, wanted);
    return found;
}

static void visit_file(struct search *search, const char *path) {
    uint64_t key = key_of(search->in, cw_folders_real(search->in->folders, path));
    if (search->out->files.n >= MAX_FILES || cw_map_get(&search->visited, key, NULL))
        return;
    cw_map_put(&search->visited, key, 1);
    cw_vec_push(search->arena, &search->out->files, path);
}

static const struct cw_stand_in *stand_in_of(struct search *search, const char *name) {
    uint64_t at = 0;
    cw_map_get(&search->in->stand_ins, key_of(search->in, name), &at);
    return at ? &search->in->options.stand_ins[at - 1] : NULL;
}

static const char *library_of(struct search *search, const char *name) {
    const struct cw_stand_in *stand_in = stand_in_of(search, name);
    return stand_in ? stand_in->folder : NULL;
}

static void note_real(struct search *search, const char *name) {
    const char *library = library_of(search, name);
    if (library && !has_word(&search->real_libraries, library))
        cw_vec_push(search->arena, &search->real_libraries, library);
}

static void want_include(struct search *search, const struct wanted *wanted) {
    bool builtin;
    const char *found = resolve_include(search, wanted, &builtin);
    if (!found && !builtin && !wanted->is_optional)
        found = infer_directory(search, wanted);
    if (found)
        note_real(search, wanted->name);
    if (found)
        visit_file(search, found);
    else if (!builtin && search->missing.n < MAX_MISSING)
        cw_vec_push(search->arena, &search->missing, *wanted);
}

static void add_number(struct search *search, uint32_t number) {
    if (search->out->arch_numbers.n >= MAX_NUMBERS) {
        search->out->computes_arch = true;
        return;
    }
    for (uint32_t i = 0; i < search->out->arch_numbers.n; i++)
        if (search->out->arch_numbers.at[i] == number)
            return;
    cw_vec_push(search->arena, &search->out->arch_numbers, number);
}

static void add_macro(struct search *search, const char *from, const char *name) {
    for (uint32_t i = 0; i < search->macros.n; i++)
        if (search->macros.at[i].from == from && !strcmp(search->macros.at[i].name, name))
            return;
    struct macro m = {from, name, 0};
    search->out->is_open |= search->macros.n >= MAX_MACROS;
    if (search->macros.n < MAX_MACROS)
        cw_vec_push(search->arena, &search->macros, m);
}

/* All values that a file gives the macro; a definition from outside of the files can be anything. */
static void want_values(struct search *search, const struct macro *macro, const char *path, bool is_given) {
    struct cw_includes_list list = {0};
    struct cw_arena scratch;
    cw_str text = search->unit->text;
    cw_arena_init(&scratch);
    bool good = is_given || search->in->options.reader.read(search->in->options.reader.ctx, path, &scratch, &text);
    search->out->is_open |= !good || !cw_directives_header_macro(search->arena, text, macro->name, &list);
    cw_arena_free(&scratch);
    for (uint32_t i = 0; i < list.n; i++) {
        struct wanted w = {macro->from, list.at[i].name, list.at[i].angled, false};
        want_include(search, &w);
    }
}

static bool is_defined_outside(const struct search *search, const char *name) {
    const struct cw_words *args = search->unit->args;
    for (uint32_t i = 0; args && i < args->n; i++)
        if (!strncmp(args->at[i], "-D", 2) && (!args->at[i][2] || !strncmp(args->at[i] + 2, name, strlen(name))))
            return true;
    return false;
}

/* In the files that have been read since the last time. Seldom: units with such an #include are few. */
static void resolve_macros(struct search *search) {
    for (uint32_t i = 0; i < search->macros.n; i++) {
        struct macro *m = &search->macros.at[i];
        search->out->is_open |= is_defined_outside(search, m->name);
        for (; m->next < search->read && !search->out->is_open; m->next++)
            want_values(search, m, search->out->files.at[m->next], m->next == 0 && search->unit->text.at);
    }
}

/* The same files in another folder are the same to a parser that is told no absolute names. */
static const char *name_from(const char *here, const char *path) {
    size_t n = here ? strlen(here) : 0;
    return n && !strncmp(path, here, n) && path[n] == '/' ? path + n + 1 : path;
}

static void read_file(struct search *search, const char *path, const cw_str *given) {
    const struct text *t = text_of(search->in, path, given);
    const char *from = directory_of(search->in, path);
    for (uint32_t i = 0; i < t->directives.includes.n; i++) {
        const struct cw_include *include = &t->directives.includes.at[i];
        struct wanted w = {from, include->name, include->angled, include->is_optional};
        want_include(search, &w);
    }
    for (uint32_t i = 0; i < t->directives.macro_includes.n; i++)
        add_macro(search, from, t->directives.macro_includes.at[i]);
    for (uint32_t i = 0; i < t->directives.arch_numbers.n; i++)
        add_number(search, t->directives.arch_numbers.at[i]);
    if (search->read == 0) {
        search->out->has_kernels = t->directives.has_kernels || t->directives.has_launches;
        search->out->own = &t->directives;
    } else if (t->directives.has_kernels || t->directives.has_launches) /* `KERNEL void f()`, launched there */
        cw_vec_push(search->arena, &search->out->kernels, path);
    search->out->names_arch |= t->directives.names_arch;
    search->out->computes_arch |= t->directives.computes_arch;
    search->out->is_open |= t->directives.is_open || t->is_unread;
    const char *name = name_from(search->unit->here, path);
    cw_vec_push(search->arena, &search->contents, cw_hash_wide(name, strlen(name)));
    cw_vec_push(search->arena, &search->contents, t->content);
}

/* What a directory added later finds is found by the parser too. */
static void retry_missing(struct search *search) {
    uint32_t n = search->missing.n;
    struct wanted *at = search->missing.at;
    search->missing.n = 0;
    for (uint32_t i = 0; i < n; i++) {
        bool builtin;
        struct wanted w = at[i];
        const char *found = resolve_include(search, &w, &builtin);
        if (found)
            note_real(search, w.name);
        if (found)
            visit_file(search, found);
        else
            at[search->missing.n++] = w;
    }
}

static void pre_includes(struct search *search, const char *from) {
    const struct cw_words *args = search->unit->args;
    for (uint32_t i = 0; args && i + 1 < args->n; i++)
        if (!strcmp(args->at[i], "-include")) {
            struct wanted w = {from, args->at[i + 1], false, false};
            want_include(search, &w);
        }
}

/* The library's folder when its header is stood in for: each comes once, behind all other directories. */
static bool stand_in(struct search *search, const struct wanted *wanted) {
    const struct cw_stand_in *row = stand_in_of(search, wanted->name);
    const char *library = row ? row->folder : NULL;
    bool is_given = library && has_word(&search->given[SYSTEM], library);
    if (!library || has_word(&search->real_libraries, library))
        return false;
    if (!is_given && !wanted->is_optional && !has_word(&search->out->args, library)) {
        cw_vec_push(search->arena, &search->out->args, "-idirafter");
        cw_vec_push(search->arena, &search->out->args, library);
    }
    if (row->under && !wanted->is_optional) {
        struct wanted under = {wanted->from, row->under, true, false};
        (void)stand_in(search, &under);
    }
    return true;
}

/* ---- headers that the build makes ---- */

static const char *find_template(struct search *search, const struct wanted *wanted) {
    const char *name, *slash = strrchr(wanted->name, '/');
    for (uint32_t i = 0; (name = cw_made_header_template(search->arena, wanted->name, i)); i++) {
        const char *base = slash ? name + (slash + 1 - wanted->name) : name;
        const char *directory = cw_headers_find(search->in->options.headers, search->unit->root, wanted->from, name);
        search->in->steps += STEPS_OF_INDEX;
        if (directory)
            return file_at(search->in, directory, name);
        directory = slash ? cw_headers_find(search->in->options.headers, search->unit->root, wanted->from, base) : NULL;
        if (directory)
            return file_at(search->in, directory, base);
    }
    return NULL;
}

static bool is_made(const struct search *search, const char *name) {
    for (uint32_t i = 0; i < search->out->made.n; i++)
        if (!strcmp(search->out->made.at[i].name, name))
            return true;
    return false;
}

/* Of a header that is missing, its template is read in its place. */
static void make_header(struct search *search, const struct wanted *wanted) {
    bool is_export = cw_made_export_header(search->arena, wanted->name).at != NULL;
    if (is_made(search, wanted->name) || library_of(search, wanted->name) || wanted->is_optional ||
        search->in->steps >= MAX_STEPS || !is_within(wanted->from, search->unit->root))
        return;
    struct cw_made_name made = {wanted->name, find_template(search, wanted)};
    if (made.template)
        visit_file(search, made.template);
    if (made.template || (is_export && file_at(search->in, search->unit->root, "CMakeLists.txt")))
        cw_vec_push(search->arena, &search->out->made, made);
}

static void make_missing(struct search *search) {
    if (!search->in->options.headers || search->unit->is_exact)
        return;
    for (uint32_t i = 0; i < search->missing.n; i++) {
        struct wanted wanted = search->missing.at[i];
        make_header(search, &wanted);
    }
}

static void give_option(struct search *search, const char *option, const char *value) {
    cw_vec_push(search->arena, &search->out->args, option);
    cw_vec_push(search->arena, &search->out->args, value);
}

static void finish_arguments(struct search *search) {
    for (uint32_t i = 0; i < search->added.n; i++) {
        const struct added *d = &search->added.at[i];
        if (d->kind != ADDED_USER)
            give_option(search, d->kind == ADDED_AFTER ? "-idirafter" : "-iquote", d->directory);
        else
            cw_vec_push(search->arena, &search->out->args,
                        (const char *)cw_arena_printf(search->arena, "-I%s", d->directory));
    }
    for (uint32_t i = 0; i < search->prefixes.n; i++) /* else what is found behind all others is a system header */
        cw_vec_push(
            search->arena, &search->out->args,
            (const char *)cw_arena_printf(search->arena, "--no-system-header-prefix=%s", search->prefixes.at[i]));
    for (uint32_t i = 0; i < search->missing.n; i++) {
        bool known = stand_in(search, &search->missing.at[i]) || search->missing.at[i].is_optional ||
                     is_made(search, search->missing.at[i].name);
        for (uint32_t k = 0; k < search->out->missing.n && !known; k++)
            known = !strcmp(search->out->missing.at[k], search->missing.at[i].name);
        if (!known)
            cw_vec_push(search->arena, &search->out->missing, search->missing.at[i].name);
    }
}

/* Is there a parenthesis that a brace follows, as before the body of a function? */
static bool has_body(cw_str text) {
    for (size_t at = 0; at < text.n; at++) {
        const char *brace = memchr(text.at + at, '{', text.n - at);
        if (!brace)
            return false;
        at = (size_t)(brace - text.at);
        size_t before = at;
        while (before > 0 && strchr(" \t\r\n", text.at[before - 1]))
            before--;
        if (before > 0 && text.at[before - 1] == ')')
            return true;
    }
    return false;
}

/* A host function often has the name of the kernel that it launches. */
static void note_called(struct search *search, const struct cw_directives *header, cw_str text) {
    struct cw_words *called = &search->out->called;
    for (uint32_t i = 0; i < header->launched.n; i++)
        if (!has_word(called, header->launched.at[i]) && cw_str_has_word(text, header->launched.at[i]))
            cw_vec_push(search->in->arena, called, header->launched.at[i]);
}

/* Does the unit's own text use what launches in the headers that it includes: a macro that does, by its name, or, as
 * far as the text has functions at all, host functions that may? */
static void find_launchers(struct search *search) {
    const struct cw_includes *in = search->in;
    struct cw_words names = {0};
    struct cw_arena scratch;
    cw_str text = search->unit->text;
    bool some_launch = false;
    cw_arena_init(&scratch);
    for (uint32_t i = 1; i < search->out->files.n; i++) {
        const struct text *t = text_of(search->in, search->out->files.at[i], NULL);
        some_launch |= t->directives.has_launches;
        for (uint32_t k = 0; k < t->directives.launch_macros.n; k++)
            cw_vec_push(&scratch, &names, t->directives.launch_macros.at[k]);
    }
    if (some_launch && !text.at &&
        !in->options.reader.read(in->options.reader.ctx, search->unit->path, &scratch, &text))
        text = (cw_str){0};
    for (uint32_t i = 0; i < names.n && text.at && !search->out->launches_by_macro; i++)
        search->out->launches_by_macro = cw_str_has_word(text, names.at[i]);
    search->out->calls_launchers = some_launch && text.at && has_body(text);
    for (uint32_t i = 1; i < search->out->files.n && search->out->calls_launchers; i++)
        note_called(search, &text_of(search->in, search->out->files.at[i], NULL)->directives, text);
    cw_arena_free(&scratch);
}

void cw_includes_of(struct cw_includes *in, const struct cw_include_unit *unit, struct cw_include_result *out) {
    struct search s = {.in = in, .arena = in->arena, .unit = unit, .out = out};
    *out = (struct cw_include_result){0};
    in->steps = 0;
    cw_folders_limit(in->folders, cw_folders_calls(in->folders) + CALLS_OF_UNIT);
    cw_map_init(&s.visited, in->arena);
    cw_map_init(&s.lookups[0], in->arena);
    cw_map_init(&s.lookups[1], in->arena);
    sort_given(&s);
    visit_file(&s, cw_intern(&in->names, unit->path));
    pre_includes(&s, directory_of(in, unit->path));
    for (int round = 0; round < MAX_ROUNDS; round++) {
        for (; s.read < out->files.n; s.read++)
            read_file(&s, out->files.at[s.read], s.read == 0 && unit->text.at ? &unit->text : NULL);
        resolve_macros(&s);
        retry_missing(&s);
        if (s.read == out->files.n)
            make_missing(&s);
        if (s.read == out->files.n)
            break;
    }
    finish_arguments(&s);
    if (!out->has_kernels && out->kernels.n)
        find_launchers(&s);
    out->is_open |= s.read < out->files.n || out->files.n >= MAX_FILES || s.missing.n >= MAX_MISSING;
    out->is_cut = in->steps >= MAX_STEPS || cw_folders_is_exhausted(in->folders);
    out->is_open |= out->is_cut;
    out->contents = cw_hash_wide(s.contents.at, s.contents.n * sizeof *s.contents.at);
    out->included = cw_hash_wide(s.contents.at + 2, (s.contents.n - 2) * sizeof *s.contents.at); /* it comes first */
}
