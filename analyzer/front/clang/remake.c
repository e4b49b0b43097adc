#include "front/clang/remake.h"

#include <ctype.h>
#include <string.h>

/* `this->` becomes `__cw::`, and the macro names the class of `this`. */
static const char class_scope[] = "__cw::";
static const char class_macro[] = "-D__cw=decltype(static_cast<auto(*)()->__typeof__(*this)>(nullptr)())";
enum { CLASS_SCOPE = sizeof class_scope - 1 };

struct changes {
    struct cw_unit *unit;
    struct cw_remade *remade;
    bool any;
};

struct place {
    char *text;
    size_t size, at;
};

/* ---- texts ---- */

static const char *path_of(struct cw_unit *unit, CXFile file) {
    CXFile own = clang_getFile(unit->tu, unit->options->path);
    return own && clang_File_isEqual(file, own) ? unit->options->path : cw_clang_text(unit, clang_getFileName(file));
}

/* The texts of an earlier parse stay as they are, for the case that this one's are worse. */
static struct cw_remade copy_of(struct cw_arena *a, const struct cw_remade *old) {
    struct cw_remade copy = {0};
    for (uint32_t i = 0; i < old->files.n; i++) {
        struct cw_remade_file file = old->files.at[i];
        file.text = cw_arena_strndup(a, file.text, file.size);
        cw_vec_push(a, &copy.files, file);
    }
    for (uint32_t i = 0; i < old->macros.n; i++)
        cw_vec_push(a, &copy.macros, old->macros.at[i]);
    return copy;
}

static struct cw_remade_file *file_of(struct changes *to, const char *path) {
    for (uint32_t i = 0; i < to->remade->files.n; i++)
        if (!strcmp(to->remade->files.at[i].path, path))
            return &to->remade->files.at[i];
    return NULL;
}

/* A place in a text to write to, which is a copy of what clang has read; without text when it is none of a user's. */
static struct place place_of(struct changes *to, CXSourceLocation location) {
    struct cw_unit *unit = to->unit;
    CXFile file = NULL;
    unsigned offset = 0;
    size_t size = 0;
    clang_getFileLocation(location, &file, NULL, NULL, &offset);
    const char *path = file ? path_of(unit, file) : NULL,
               *text = path && cw_clang_is_users(path) ? clang_getFileContents(unit->tu, file, &size) : NULL;
    if (path == unit->options->path) /* without what is appended */
        size = unit->options->size;
    if (!text || offset >= size)
        return (struct place){0};
    if (!file_of(to, path)) {
        struct cw_arena *a = unit->arena;
        const char *original = cw_arena_strndup(a, text, size);
        struct cw_remade_file made = {cw_arena_strdup(a, path), original, cw_arena_strndup(a, text, size), size};
        cw_vec_push(a, &to->remade->files, made);
    }
    return (struct place){file_of(to, path)->text, size, offset};
}

static size_t skip_blanks(struct place place, size_t at) {
    while (at < place.size && isspace((unsigned char)place.text[at]))
        at++;
    return at;
}

static size_t name_length(struct place place, size_t at) {
    size_t n = 0;
    while (at + n < place.size && cw_clang_is_name(place.text[at + n]))
        n++;
    return n;
}

static bool is_word(struct place place, size_t at, const char *word) {
    size_t n = name_length(place, at);
    return n == strlen(word) && !memcmp(place.text + at, word, n);
}

static void add_macro(struct changes *to, const char *argument) {
    for (uint32_t i = 0; i < to->remade->macros.n; i++)
        if (!strcmp(to->remade->macros.at[i], argument))
            return;
    cw_vec_push(to->unit->arena, &to->remade->macros, argument);
}

/* ---- this-> ---- */

/* `this->` or `(*this).` at a place, but not before a template's name. */
static void replace_this(struct changes *to, struct place place) {
    if (!place.text || !is_word(place, place.at, "this"))
        return;
    size_t from = place.at, end = skip_blanks(place, from + strlen("this"));
    if (from >= 2 && !memcmp(place.text + from - 2, "(*", 2) && end < place.size && place.text[end] == ')') {
        from -= 2;
        end = skip_blanks(place, end + 1);
        end = end < place.size && place.text[end] == '.' ? end + 1 : place.size;
    } else {
        end = end + 2 <= place.size && !memcmp(place.text + end, "->", 2) ? end + 2 : place.size;
    }
    size_t member = skip_blanks(place, end);
    if (!name_length(place, member) || is_word(place, member, "template") ||
        memchr(place.text + from, '\n', end - from))
        return;
    memset(place.text + from, ' ', end - from);
    memcpy(place.text + end - CLASS_SCOPE, class_scope, CLASS_SCOPE);
    add_macro(to, class_macro);
    to->any = true;
}

/* All of them from a place on, before `end`. */
static void replace_this_until(struct changes *to, struct place place, size_t end) {
    for (size_t i = place.at; place.text && i < end && i < place.size; i++)
        if (!i || !cw_clang_is_name(place.text[i - 1]))
            replace_this(to, (struct place){place.text, place.size, i});
}

/* All of them within the brackets that begin at a place. */
static void replace_this_in_brackets(struct changes *to, struct place place) {
    int depth = 0;
    for (size_t i = place.at; place.text && i < place.size && place.text[i] != ';'; i++) {
        depth += place.text[i] == '[' ? 1 : place.text[i] == ']' ? -1 : 0;
        if (depth <= 0)
            return;
        if (!cw_clang_is_name(place.text[i - 1]))
            replace_this(to, (struct place){place.text, place.size, i});
    }
}

/* ---- names ---- */

/* A macro's name of that length that stands for `text`; NULL when the length has no more. In the module's arena. */
static const char *macro_named(struct changes *to, size_t length, const char *text) {
    static const char digits[] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    struct cw_arena *a = to->unit->arena;
    for (const char *digit = digits; *digit && length >= strlen("__0"); digit++) {
        char *name = cw_arena_alloc(a, length + 1);
        memset(name, '_', length);
        name[2] = *digit;
        name[length] = '\0';
        const char *argument = cw_arena_printf(a, "-D%s=%s", name, text);
        bool is_taken = false;
        for (uint32_t i = 0; i < to->remade->macros.n; i++)
            is_taken |= strcmp(to->remade->macros.at[i], argument) != 0 &&
                        !strncmp(to->remade->macros.at[i], argument, strlen("-D") + length + 1);
        if (!is_taken) {
            add_macro(to, argument);
            return name;
        }
    }
    return NULL;
}

/* An error is told once for each instance. */
static bool is_macro(const struct changes *to, const char *name, size_t length) {
    for (uint32_t i = 0; i < to->remade->macros.n; i++) {
        const char *defined = to->remade->macros.at[i] + strlen("-D");
        if (!strncmp(defined, name, length) && defined[length] == '=')
            return true;
    }
    return false;
}

/* Puts a word before the name at a place. */
static void put_before_name(struct changes *to, struct place place, const char *word) {
    size_t n = place.text ? name_length(place, place.at) : 0;
    if (!n || is_macro(to, place.text + place.at, n))
        return;
    const char *text = cw_arena_printf(to->unit->arena, "%s%.*s", word, (int)n, place.text + place.at),
               *name = macro_named(to, n, text);
    if (name) {
        memcpy(place.text + place.at, name, n);
        to->any = true;
    }
}

/* Within an expression clang reads the code as nvcc does. */
static bool follows_scope(struct place place) {
    size_t at = place.at;
    while (place.text && at && isspace((unsigned char)place.text[at - 1]))
        at--;
    return at && place.text[at - 1] == ':';
}

/* Is the name at a place one of a member, with `<` behind it? */
static bool begins_arguments(struct place place) {
    size_t n = name_length(place, place.at), at = skip_blanks(place, place.at + n);
    bool is_member = place.at && (place.text[place.at - 1] == '.' || place.text[place.at - 1] == '>');
    return n && is_member && at < place.size && place.text[at] == '<';
}

/* ---- errors: clang's words ---- */

static bool begins(const char *text, const char *with) {
    return !strncmp(text, with, strlen(with));
}

/* The first of them is noted, the expression is the error's range. */
static void replace_noted(struct changes *to, CXDiagnostic d, CXDiagnostic note) {
    struct place first = place_of(to, clang_getDiagnosticLocation(note));
    replace_this(to, first);
    for (unsigned k = 0, n = clang_getDiagnosticNumRanges(d); k < n && first.text; k++) {
        CXSourceRange range = clang_getDiagnosticRange(d, k);
        struct place begin = place_of(to, clang_getRangeStart(range)), end = place_of(to, clang_getRangeEnd(range));
        if (begin.text == first.text && end.text == first.text)
            replace_this_until(to, begin, end.at);
    }
}

static void look_at_notes(struct changes *to, CXDiagnostic d) {
    CXDiagnosticSet notes = clang_getChildDiagnostics(d);
    for (unsigned i = 0, n = clang_getNumDiagnosticsInSet(notes); i < n; i++) {
        CXDiagnostic child = clang_getDiagnosticInSet(notes, i);
        const char *text = cw_clang_text(to->unit, clang_getDiagnosticSpelling(child));
        if (begins(text, "use of 'this' pointer is only allowed within the evaluation of a call"))
            replace_noted(to, d, child);
    }
}

static void look_at(struct changes *to, CXDiagnostic d) {
    const char *text = cw_clang_text(to->unit, clang_getDiagnosticSpelling(d));
    CXSourceLocation location = clang_getDiagnosticLocation(d);
    look_at_notes(to, d);
    if (begins(text, "cannot use variable-length arrays in"))
        replace_this_in_brackets(to, place_of(to, location));
    if (begins(text, "explicit qualification required to use member"))
        put_before_name(to, place_of(to, location), "this->");
    if (begins(text, "missing 'typename' prior to dependent type name"))
        put_before_name(to, place_of(to, location), "typename ");
    if (begins(text, "missing 'template' keyword prior to dependent template name"))
        put_before_name(to, place_of(to, location), "template ");
    if (begins(text, "reference to non-static member function must be called")) {
        struct place place = place_of(to, location); /* v + a.operator()<T>(x), a.f<T>(x) */
        if (place.text && (is_word(place, place.at, "operator") || begins_arguments(place)))
            put_before_name(to, place, "template ");
    }
    if (begins(text, "use 'template' keyword to treat")) {
        struct place place = place_of(to, location);
        if (follows_scope(place))
            put_before_name(to, place, "template ");
    }
}

const char *cw_clang_original(const struct cw_unit *unit, const char *path, const char *text, size_t size) {
    const struct cw_remade *remade = unit->options->remade;
    for (uint32_t i = 0; remade && i < remade->files.n; i++) {
        const struct cw_remade_file *file = &remade->files.at[i];
        if (strcmp(file->path, path) != 0 || file->size > size)
            continue;
        char *whole = cw_arena_strndup(unit->arena, text, size); /* what is appended stays */
        memcpy(whole, file->original, file->size);
        return whole;
    }
    return text;
}

bool cw_clang_remake(struct cw_unit *unit) {
    struct cw_remade remade = copy_of(unit->arena, unit->options->remade);
    struct changes to = {.unit = unit, .remade = &remade};
    for (unsigned i = 0, n = clang_getNumDiagnostics(unit->tu); i < n; i++) {
        CXDiagnostic d = clang_getDiagnostic(unit->tu, i);
        if (clang_getDiagnosticSeverity(d) >= CXDiagnostic_Error)
            look_at(&to, d);
        clang_disposeDiagnostic(d);
    }
    if (to.any)
        *unit->options->remade = remade;
    return to.any;
}
