#include "front/clang/this_constants.h"

#include <ctype.h>
#include <string.h>

static const char class_name[] = "__cw::"; /* as long as "this->" */
enum { CLASS_NAME = sizeof class_name - 1 };

struct changes {
    struct cw_unit *unit;
    bool any, is_copied;
};

/* ---- texts ---- */

static const char *path_of(struct cw_unit *unit, CXFile file) {
    CXFile own = clang_getFile(unit->tu, unit->options->path);
    return own && clang_File_isEqual(file, own) ? unit->options->path : cw_clang_text(unit, clang_getFileName(file));
}

/* The texts of an earlier parse stay as they are, for the case that this one's are worse. */
static void copy_remade(struct changes *to) {
    struct cw_remade *remade = to->unit->options->remade, old = *remade;
    *remade = (struct cw_remade){0};
    for (uint32_t i = 0; i < old.n; i++) {
        struct cw_remade_file file = old.at[i];
        file.text = cw_arena_strndup(to->unit->arena, file.text, file.size);
        cw_vec_push(to->unit->arena, remade, file);
    }
    to->is_copied = true;
}

/* The text to write to, which is a copy of what clang has read; NULL when there is none. */
static char *text_of(struct changes *to, CXFile file, size_t *size) {
    struct cw_unit *unit = to->unit;
    const char *path = path_of(unit, file), *text = clang_getFileContents(unit->tu, file, size);
    struct cw_remade *remade = unit->options->remade;
    if (!text || !cw_clang_is_users(path))
        return NULL;
    if (!to->is_copied)
        copy_remade(to);
    if (path == unit->options->path)
        *size = unit->options->size;
    for (uint32_t i = 0; i < remade->n; i++)
        if (!strcmp(remade->at[i].path, path)) {
            *size = remade->at[i].size;
            return remade->at[i].text;
        }
    struct cw_remade_file made = {cw_arena_strdup(unit->arena, path), cw_arena_strndup(unit->arena, text, *size), *size};
    cw_vec_push(unit->arena, remade, made);
    return made.text;
}

static size_t skip_blanks(const char *text, size_t size, size_t at) {
    while (at < size && isspace((unsigned char)text[at]))
        at++;
    return at;
}

static bool is_word(const char *text, size_t size, size_t at, const char *word) {
    size_t n = strlen(word);
    return at + n <= size && !memcmp(text + at, word, n) && (at + n == size || !cw_clang_is_name(text[at + n]));
}

/* Blanks in place of [from, to), and the class's name at their end. */
static void write_name(struct changes *to, char *text, size_t from, size_t end) {
    for (size_t i = from; i + CLASS_NAME < end; i++)
        if (text[i] != '\n')
            text[i] = ' ';
    memcpy(text + end - CLASS_NAME, class_name, CLASS_NAME);
    to->any = true;
}

/* `this->` or `(*this).` with the word at `at`, but not before a template's name. */
static void replace(struct changes *to, char *text, size_t size, size_t at) {
    if (!is_word(text, size, at, "this"))
        return;
    size_t from = at, end = skip_blanks(text, size, at + strlen("this"));
    if (at >= 2 && !memcmp(text + at - 2, "(*", 2) && end < size && text[end] == ')') {
        from = at - 2;
        end = skip_blanks(text, size, end + 1);
        end = end < size && text[end] == '.' ? end + 1 : size;
    } else {
        end = end + 2 <= size && !memcmp(text + end, "->", 2) ? end + 2 : size;
    }
    size_t member = skip_blanks(text, size, end);
    bool has_break = end < size && memchr(text + from, '\n', end - from);
    if (member < size && cw_clang_is_name(text[member]) && !is_word(text, size, member, "template") && !has_break)
        write_name(to, text, from, end);
}

/* All of them within the brackets that begin at `at`. */
static void replace_in_brackets(struct changes *to, char *text, size_t size, size_t at) {
    int depth = 0;
    for (size_t i = at; i < size && text[i] != ';'; i++) {
        depth += text[i] == '[' ? 1 : text[i] == ']' ? -1 : 0;
        if (depth <= 0)
            return;
        if (text[i] == 't' && !cw_clang_is_name(text[i - 1]))
            replace(to, text, size, i);
    }
}

/* ---- errors ---- */

static void replace_at(struct changes *to, CXSourceLocation location,
                       void (*in)(struct changes *to, char *text, size_t size, size_t at)) {
    CXFile file = NULL;
    unsigned offset = 0;
    size_t size = 0;
    clang_getFileLocation(location, &file, NULL, NULL, &offset);
    char *text = file ? text_of(to, file, &size) : NULL;
    if (text && offset < size)
        in(to, text, size, offset);
}

/* clang's words for a constant expression that names `this`. */
static void look_at_notes(struct changes *to, CXDiagnostic d) {
    CXDiagnosticSet notes = clang_getChildDiagnostics(d);
    for (unsigned i = 0, n = clang_getNumDiagnosticsInSet(notes); i < n; i++) {
        CXDiagnostic child = clang_getDiagnosticInSet(notes, i);
        const char *text = cw_clang_text(to->unit, clang_getDiagnosticSpelling(child));
        if (!strncmp(text, "use of 'this' pointer is only allowed", strlen("use of 'this' pointer is only allowed")))
            replace_at(to, clang_getDiagnosticLocation(child), replace);
    }
}

bool cw_clang_remake_this(struct cw_unit *unit) {
    struct changes to = {.unit = unit};
    for (unsigned i = 0, n = clang_getNumDiagnostics(unit->tu); i < n; i++) {
        CXDiagnostic d = clang_getDiagnostic(unit->tu, i);
        if (clang_getDiagnosticSeverity(d) >= CXDiagnostic_Error) {
            const char *text = cw_clang_text(unit, clang_getDiagnosticSpelling(d));
            look_at_notes(&to, d);
            if (!strncmp(text, "cannot use variable-length arrays", strlen("cannot use variable-length arrays")))
                replace_at(&to, clang_getDiagnosticLocation(d), replace_in_brackets);
        }
        clang_disposeDiagnostic(d);
    }
    return to.any;
}
