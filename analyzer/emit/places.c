#include "emit/places.h"

#include "base/intern.h"
#include "diag/diag_paths.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* Kept from file to file: finding the real path of a name costs system calls. */
struct cw_places {
    const char *root; /* absolute, without a slash at the end; NULL: unknown */
    struct cw_intern names;
    struct cw_map paths; /* interned name -> path from the root, or the absolute path */
};

/* What lies behind `root`/ in `path`, or NULL. */
static const char *path_below(const char *root, const char *path) {
    size_t n = strlen(root);
    return !strncmp(path, root, n) && path[n] == '/' && path[n + 1] ? path + n + 1 : NULL;
}

/* The repository around the working directory when it holds what was linted, else the one around that. */
static const char *root_of(struct cw_emit *emit) {
    char full[PATH_MAX], here[PATH_MAX];
    const char *file = emit->report->files.n ? emit->report->files.at[0].path : ".";
    const char *root = cw_repository_root(emit->arena, ".");
    if (root && (!realpath(file, full) || !strcmp(full, root) || path_below(root, full)))
        return root;
    root = cw_repository_root(emit->arena, file);
    if (root)
        return root;
    return realpath(".", here) ? cw_arena_strdup(emit->arena, here) : NULL;
}

static struct cw_places *places_of(struct cw_emit *emit) {
    if (!emit->places) {
        emit->places = CW_NEW(emit->arena, struct cw_places);
        cw_intern_init(&emit->places->names, emit->arena);
        cw_map_init(&emit->places->paths, emit->arena);
        emit->places->root = root_of(emit);
    }
    return emit->places;
}

/* The name of what is on no disk (standard input) is one below the working directory. */
static const char *name_of_stream(struct cw_emit *emit, const char *root, const char *file) {
    char here[PATH_MAX];
    const char *folder = file[0] != '/' && file[0] != '<' && realpath(".", here) ? path_below(root, here) : NULL;
    return folder ? cw_arena_printf(emit->arena, "%s/%s", folder, file) : file;
}

static const char *find_path(struct cw_emit *emit, const char *root, const char *file) {
    char full[PATH_MAX];
    if (!root)
        return file;
    if (!realpath(file, full))
        return name_of_stream(emit, root, file);
    const char *inside = path_below(root, full);
    return cw_arena_strdup(emit->arena, inside ? inside : full);
}

const char *cw_emit_path(struct cw_emit *emit, const char *file) {
    struct cw_places *p = places_of(emit);
    uint64_t key = (uint64_t)(uintptr_t)cw_intern(&p->names, file), found;
    if (!cw_map_get(&p->paths, key, &found)) {
        found = (uint64_t)(uintptr_t)find_path(emit, p->root, file);
        cw_map_put(&p->paths, key, found);
    }
    return (const char *)(uintptr_t)found;
}

static const char *encode_uri(struct cw_emit *emit, const char *scheme, const char *path) {
    struct cw_buf out = {0};
    cw_buf_puts(&out, scheme);
    for (const unsigned char *at = (const unsigned char *)path; *at; at++) {
        bool plain = (*at >= '0' && *at <= '9') || (*at >= 'A' && *at <= 'Z') || (*at >= 'a' && *at <= 'z');
        if (plain || strchr("-._~/", *at))
            cw_buf_putc(&out, (char)*at);
        else
            cw_buf_printf(&out, "%%%02X", *at);
    }
    const char *uri = cw_arena_strndup(emit->arena, out.at, out.n);
    cw_buf_free(&out);
    return uri;
}

const char *cw_emit_uri(struct cw_emit *emit, const char *file, bool *in_root) {
    const char *path = cw_emit_path(emit, file);
    *in_root = path[0] != '/';
    return encode_uri(emit, *in_root ? "" : "file://", path);
}

const char *cw_emit_file_uri(struct cw_emit *emit, const char *file) {
    char full[PATH_MAX];
    return encode_uri(emit, "file://", realpath(file, full) ? full : file);
}

static uint32_t utf16_column(cw_str line, uint32_t col) {
    size_t bytes = col ? col - 1 : 0;
    uint32_t units = 0, code, n;
    for (size_t at = 0; at < bytes && at < line.n; at += n) {
        n = cw_utf8_decode((cw_str){line.at + at, line.n - at}, &code);
        units += code > 0xffff ? 2 : 1;
    }
    return units + 1 + (bytes > line.n ? (uint32_t)(bytes - line.n) : 0);
}

struct cw_place cw_emit_utf16(struct cw_emit *emit, const struct cw_place *place) {
    struct cw_place out = *place;
    const struct cw_source *s = place->file ? emit->source_of(emit->ctx, place->file) : NULL;
    if (s) {
        out.col = utf16_column(cw_source_line(s, place->line), place->col);
        out.end_col = utf16_column(cw_source_line(s, place->end_line), place->end_col);
    }
    out.col += !out.col;
    if (out.end_line < out.line || (out.end_line == out.line && out.end_col < out.col)) {
        out.end_line = out.line;
        out.end_col = out.col;
    }
    return out;
}
