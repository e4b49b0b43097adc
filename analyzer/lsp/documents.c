#include "lsp/documents.h"

#include "base/log.h"
#include "lsp/transport.h"
#include "lsp/uri.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

static char *copy_text(const char *text) {
    char *copy = strdup(text);
    if (!copy)
        cw_die("out of memory");
    return copy;
}

struct cw_lsp_document *cw_lsp_document_find(const struct cw_lsp_documents *all, const char *uri) {
    struct cw_lsp_document *d = uri ? all->first : NULL;
    while (d && strcmp(d->uri, uri) != 0)
        d = d->next;
    return d;
}

struct cw_lsp_document *cw_lsp_document_at(const struct cw_lsp_documents *all, const char *path) {
    struct cw_lsp_document *d = all->first;
    while (d && strcmp(d->path, path) != 0 && strcmp(d->real, path) != 0)
        d = d->next;
    return d;
}

static void name_document(struct cw_lsp_document *document, const char *folder) {
    struct cw_arena scratch;
    char real[PATH_MAX];
    cw_arena_init(&scratch);
    char *path = cw_lsp_path_of_uri(&scratch, document->uri);
    const char *last = strrchr(document->uri, '/'), *colon = strrchr(document->uri, ':');
    const char *name = last ? last + 1 : colon ? colon + 1 : document->uri;
    if (!path)
        path = cw_arena_printf(&scratch, "%s/%s", folder, name);
    document->path = copy_text(path);
    document->real = copy_text(realpath(path, real) ? real : path);
    document->is_header = cw_str_names_header(path);
    cw_arena_free(&scratch);
}

static void set_text(struct cw_lsp_document *document, const json_t *text) {
    document->text.n = 0;
    cw_buf_add(&document->text, json_string_value(text), json_string_length(text));
}

struct cw_lsp_document *cw_lsp_document_open(struct cw_lsp_documents *all, const char *uri, const char *folder,
                                             json_int_t version, const json_t *text) {
    struct cw_lsp_document *d = cw_lsp_document_find(all, uri);
    if (!d) {
        d = calloc(1, sizeof *d);
        if (!d)
            cw_die("out of memory");
        d->uri = copy_text(uri);
        name_document(d, folder);
        d->next = all->first;
        all->first = d;
    }
    set_text(d, text);
    d->version = version;
    d->edition = ++all->editions;
    return d;
}

static bool read_position(const json_t *position, uint32_t *line, uint32_t *unit) {
    const json_t *at = json_object_get(position, "line"), *of = json_object_get(position, "character");
    json_int_t lines = json_integer_value(at), units = json_integer_value(of);
    *line = lines > 0 && lines <= INT32_MAX ? (uint32_t)lines : 0;
    *unit = units > 0 && units <= INT32_MAX ? (uint32_t)units : 0;
    return json_is_integer(at) && json_is_integer(of) && lines >= 0 && units >= 0;
}

static bool apply_change(struct cw_lsp_document *document, const json_t *change, enum cw_lsp_encoding encoding) {
    const json_t *text = json_object_get(change, "text"), *range = json_object_get(change, "range");
    uint32_t line, unit, end_line, end_unit;
    if (!json_is_string(text) || document->text.n + json_string_length(text) > CW_LSP_MAX_MESSAGE)
        return false;
    if (!range || json_is_null(range)) {
        set_text(document, text);
        return true;
    }
    if (!read_position(json_object_get(range, "start"), &line, &unit) ||
        !read_position(json_object_get(range, "end"), &end_line, &end_unit))
        return false;
    cw_str old = {document->text.at, document->text.n};
    size_t from = cw_lsp_offset(old, line, unit, encoding), to = cw_lsp_offset(old, end_line, end_unit, encoding);
    struct cw_buf changed = {0};
    cw_buf_add(&changed, old.at, from);
    cw_buf_add(&changed, json_string_value(text), json_string_length(text));
    cw_buf_add(&changed, old.at + (to < from ? from : to), old.n - (to < from ? from : to));
    cw_buf_free(&document->text);
    document->text = changed;
    return true;
}

bool cw_lsp_document_change(struct cw_lsp_documents *all, struct cw_lsp_document *document, const json_t *changes,
                            enum cw_lsp_encoding encoding) {
    size_t i;
    json_t *change;
    document->edition = ++all->editions;
    json_array_foreach(changes, i, change)
        if (!apply_change(document, change, encoding))
            return false;
    return json_is_array(changes);
}

void cw_lsp_document_close(struct cw_lsp_documents *all, struct cw_lsp_document *document) {
    struct cw_lsp_document **at = &all->first;
    while (*at && *at != document)
        at = &(*at)->next;
    if (*at)
        *at = document->next;
    all->editions++;
    free(document->uri);
    free(document->path);
    free(document->real);
    cw_buf_free(&document->text);
    json_decref(document->result);
    json_decref(document->related);
    free(document);
}
