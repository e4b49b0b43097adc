/* What a unit has to know of headers that come to it precompiled: libclang shows only the unit's own declarations, and
 * only the files that it read itself. The process that precompiles them writes it down, the units read it.
 *
 *   F path          a file that was read             L name   a host function or macro that launches
 *   K name, D name  a macro that stands for __global__, __device__
 *   N file offset name   a variable or enumerator, for arguments of attributes: the file's number, the name's offset
 *   H file offset        a host function that launches */
#include "front/clang/lower.h"
#include "front/shim/shim.h"

#include "base/str.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- writing ---- */

struct files {
    struct cw_buf *out;
    struct cw_map index; /* CXFile -> number */
    uint32_t n;
    struct cw_unit *unit;
    bool is_plain; /* false: a path has a line end, or a function cannot be named by its place */
};

static void write_file(CXFile file, CXSourceLocation *stack, unsigned depth, CXClientData data) {
    struct files *f = data;
    (void)stack;
    (void)depth;
    CXString name = clang_getFileName(file);
    const char *path = clang_getCString(name);
    bool is_users = cw_clang_is_users(path);
    if (is_users && !cw_map_get(&f->index, (uint64_t)(uintptr_t)file, NULL)) {
        cw_map_put(&f->index, (uint64_t)(uintptr_t)file, f->n++);
        cw_buf_printf(f->out, "F %s\n", path);
        f->is_plain &= strchr(path, '\n') == NULL;
    }
    clang_disposeString(name);
}

static CXCursor cursor_at(struct cw_unit *unit, CXCursor decl) {
    return clang_getCursor(unit->tu, clang_getCursorLocation(decl));
}

static void write_words(struct cw_buf *out, char kind, const struct cw_names *words) {
    for (uint32_t i = 0; i < words->n; i++)
        cw_buf_printf(out, "%c %s\n", kind, words->at[i]);
}

static bool place_of(const struct files *files, CXCursor decl, uint64_t *number, unsigned *offset) {
    CXFile file = NULL;
    clang_getFileLocation(clang_getCursorLocation(decl), &file, NULL, NULL, offset);
    return cw_map_get(&files->index, (uint64_t)(uintptr_t)file, number);
}

static void write_name(struct cw_unit *unit, const struct files *files, CXCursor decl) {
    unsigned offset;
    uint64_t number;
    const char *name = cw_clang_text(unit, clang_getCursorSpelling(decl));
    if (name && *name && place_of(files, decl, &number, &offset))
        cw_buf_printf(files->out, "N %" PRIu64 " %u %s\n", number, offset, name);
}

/* False when it could not be found again: a function that a macro made is where the macro's use is. */
static bool write_host(struct cw_unit *unit, const struct files *files, CXCursor function) {
    unsigned offset;
    uint64_t number;
    if (!place_of(files, function, &number, &offset) || !clang_equalCursors(cursor_at(unit, function), function))
        return false;
    cw_buf_printf(files->out, "H %" PRIu64 " %u\n", number, offset);
    return true;
}

bool cw_clang_write_shared(struct cw_unit *unit, struct cw_buf *out) {
    struct files f = {.out = out, .unit = unit, .is_plain = true};
    struct cw_cursors names = {0}, hosts = {0};
    cw_map_init(&f.index, &unit->scratch);
    if (!cw_clang_survey(unit, &names, &hosts))
        return false;
    clang_getInclusions(unit->tu, write_file, &f);
    write_words(out, 'L', &unit->launchers.names);
    write_words(out, 'K', &unit->kernel_words);
    write_words(out, 'D', &unit->device_words);
    for (uint32_t i = 0; i < names.n; i++)
        write_name(unit, &f, names.at[i]);
    for (uint32_t i = 0; i < hosts.n; i++)
        f.is_plain &= write_host(unit, &f, hosts.at[i]);
    return f.is_plain;
}

/* ---- reading ---- */

struct shared_name {
    const char *path;
    unsigned offset;
};

static void add_word(struct cw_unit *unit, struct cw_names *to, const char *word) {
    cw_vec_push(&unit->scratch, to, cw_intern(&unit->module->names, word));
}

/* "file offset name". */
static void add_name(struct cw_unit *unit, const struct cw_names *files, const char *line) {
    char *end, *name;
    unsigned long file = strtoul(line, &end, 10), offset = strtoul(end, &name, 10);
    if (file >= files->n || *name != ' ')
        return;
    struct shared_name *s = CW_NEW(&unit->scratch, struct shared_name);
    *s = (struct shared_name){files->at[file], (unsigned)offset};
    cw_map_put(&unit->shared_names, (uint64_t)(uintptr_t)cw_intern(&unit->module->names, name + 1),
               (uint64_t)(uintptr_t)s);
}

static void add_host(struct cw_unit *unit, const struct cw_names *files, const char *line) {
    char *end;
    unsigned long number = strtoul(line, &end, 10), offset = strtoul(end, NULL, 10);
    CXFile file = number < files->n ? clang_getFile(unit->tu, files->at[number]) : NULL;
    if (file)
        cw_vec_push(&unit->scratch, &unit->shared_hosts,
                    clang_getCursor(unit->tu, clang_getLocationForOffset(unit->tu, file, (unsigned)offset)));
}

static void read_line(struct cw_unit *unit, struct cw_names *files, char *line) {
    const char *value = line + 2;
    switch (line[0]) {
    case 'F':
        cw_vec_push(&unit->scratch, files, (const char *)cw_arena_strdup(unit->arena, value));
        cw_vec_push(unit->arena, &unit->module->reads, cw_vec_last(files));
        break;
    case 'L': cw_clang_note_launcher(unit, cw_intern(&unit->module->names, value)); break;
    case 'K': add_word(unit, &unit->kernel_words, value); break;
    case 'D': add_word(unit, &unit->device_words, value); break;
    case 'H': add_host(unit, files, value); break;
    default: add_name(unit, files, value); break;
    }
}

void cw_clang_read_shared(struct cw_unit *unit, const char *path) {
    struct cw_names files = {0};
    char *line = NULL;
    size_t room = 0;
    FILE *f = fopen(path, "re");
    for (ssize_t n; f && (n = getline(&line, &room, f)) > 2;) {
        line[n - 1] = '\0';
        read_line(unit, &files, line);
    }
    free(line);
    if (f)
        fclose(f);
}

bool cw_clang_shared_holds(const char *notes, const char *path) {
    char real[PATH_MAX], other[PATH_MAX], *line = NULL;
    size_t room = 0;
    bool holds = false;
    FILE *f = realpath(path, real) ? fopen(notes, "re") : NULL;
    for (ssize_t n; f && !holds && (n = getline(&line, &room, f)) > 2 && line[0] == 'F';) {
        line[n - 1] = '\0';
        holds = realpath(line + 2, other) && strcmp(real, other) == 0;
    }
    free(line);
    if (f)
        fclose(f);
    return holds;
}

bool cw_clang_shared_name(struct cw_unit *unit, const char *name, CXCursor *decl) {
    uint64_t found;
    if (!cw_map_get(&unit->shared_names, (uint64_t)(uintptr_t)name, &found))
        return false;
    const struct shared_name *s = (const struct shared_name *)(uintptr_t)found;
    CXFile file = clang_getFile(unit->tu, s->path);
    *decl =
        file ? clang_getCursor(unit->tu, clang_getLocationForOffset(unit->tu, file, s->offset)) : clang_getNullCursor();
    enum CXCursorKind k = clang_getCursorKind(*decl);
    return k == CXCursor_VarDecl || k == CXCursor_EnumConstantDecl;
}
