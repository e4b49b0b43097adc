#include "front/clang/remake.h"

#include "source/lexer.h"
#include "source/source.h"

#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>
#include <string.h>

/* `this->` becomes `__cw::`, and the macro names the class of `this`. */
static const char class_scope[] = "__cw::";
static const char class_macro[] = "-D__cw=decltype(static_cast<auto(*)()->__typeof__(*this)>(nullptr)())";
enum { CLASS_SCOPE = sizeof class_scope - 1 };

struct changes {
    struct cw_unit *unit;
    struct cw_remade *remade;
    bool any;
    bool has_uncalled; /* an error is one of `A<T>::f<n>(x)` without `template` */
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
    for (uint32_t i = 0; i < old->alike.n; i++)
        cw_vec_push(a, &copy.alike, old->alike.at[i]);
    copy.is_literal = old->is_literal;
    copy.is_foreseen = old->is_foreseen;
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

/* ---- `kernel << <1, 32>> >(x)` ---- */

/* The three brackets around a place, with blanks between them, become one token. Returns the place behind it, or 0. */
static size_t join_brackets(struct changes *to, struct place place, size_t at, char bracket) {
    size_t from = at, end = at, n = 0;
    while (from && (place.text[from - 1] == bracket || isblank((unsigned char)place.text[from - 1])))
        from--;
    while (end < place.size && (place.text[end] == bracket || isblank((unsigned char)place.text[end])))
        end++;
    for (size_t i = from; i < end; i++)
        n += place.text[i] == bracket;
    if (n != strlen("<<<"))
        return 0;
    while (isblank((unsigned char)place.text[from]))
        from++;
    if (memcmp(place.text + from, (char[]){bracket, bracket, bracket}, n) != 0) {
        memset(place.text + from, ' ', end - from);
        memset(place.text + from, bracket, n);
        to->any = true;
    }
    return end;
}

/* nvcc takes the marks of a launch also with blanks in them. The place is that of the last bracket. */
static void join_launch(struct changes *to, struct place place) {
    size_t at = place.text && place.text[place.at] == '<' ? join_brackets(to, place, place.at, '<') : 0;
    int depth = 0;
    for (; at && at < place.size && place.text[at] != ';' && depth >= 0; at++) {
        depth += place.text[at] == '(' || place.text[at] == '{' ? 1 : 0;
        depth -= place.text[at] == ')' || place.text[at] == '}' ? 1 : 0;
        if (place.text[at] == '>' && depth == 0 && join_brackets(to, place, at, '>'))
            return;
    }
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

/* Of `A<T>::f<n>(x)` the place is the beginning of the expression, else that of the name; `end` is the quote behind
 * it. */
static void add_template(struct changes *to, struct place place, const char *end) {
    size_t n = place.text ? name_length(place, place.at) : 0;
    if (n && !memcmp(end - n, place.text + place.at, n) && end[-(ptrdiff_t)n - 1] == '\'')
        put_before_name(to, place, "template ");
    else
        to->has_uncalled |= place.text != NULL;
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
        add_template(to, place_of(to, location), strchr(text, '\0') - 1);
    if (begins(text, "reference to non-static member function must be called")) {
        struct place place = place_of(to, location); /* v + a.operator()<T>(x), a.f<T>(x) */
        if (place.text && (is_word(place, place.at, "operator") || begins_arguments(place)))
            put_before_name(to, place, "template ");
    }
    if (begins(text, "expected expression"))
        join_launch(to, place_of(to, location));
    if (begins(text, "reference to overloaded function could not be resolved")) /* the expression's place */
        to->has_uncalled |= place_of(to, location).text != NULL;
    if (begins(text, "use 'template' keyword to treat")) {
        struct place place = place_of(to, location);
        if (follows_scope(place))
            put_before_name(to, place, "template ");
    }
}

/* ---- the same elsewhere ---- */

/* The tokens of a file that is read. */
struct tokens {
    const char *text;
    CW_VEC(struct cw_token) at;
};

static struct tokens read_tokens(struct cw_arena *a, const char *text, size_t size) {
    struct tokens tokens = {.text = text};
    struct cw_lexer lexer;
    struct cw_token token;
    cw_lexer_init(&lexer, text, size);
    while ((token = cw_lexer_next(&lexer)).kind != CW_TOKEN_END)
        if (token.kind != CW_TOKEN_COMMENT && !token.in_directive)
            cw_vec_push(a, &tokens.at, token);
    return tokens;
}

static bool is_token(const struct tokens *tokens, uint32_t i, const char *word) {
    return i < tokens->at.n && cw_str_is((cw_str){tokens->text + tokens->at.at[i].at, tokens->at.at[i].n}, word);
}

static bool is_name_token(const struct tokens *tokens, uint32_t i) {
    return i < tokens->at.n && tokens->at.at[i].kind == CW_TOKEN_NAME;
}

/* The token behind the bracket that closes the one at `i`; 0: there is none in the statement. */
static uint32_t behind_bracket(const struct tokens *tokens, uint32_t i) {
    enum { MAX_TOKENS = 256 };
    bool is_angle = is_token(tokens, i, "<");
    int round = 0, angle = 0;
    for (uint32_t k = i; k < tokens->at.n && k < i + MAX_TOKENS; k++) {
        if (is_token(tokens, k, ";") || is_token(tokens, k, "{") || is_token(tokens, k, "}"))
            return 0;
        round += is_token(tokens, k, "(") ? 1 : is_token(tokens, k, ")") ? -1 : 0;
        if (round == 0 || !is_angle)
            angle += is_token(tokens, k, "<") ? 1 : is_token(tokens, k, ">") ? -1 : 0;
        if (round < 0 || (is_angle ? round == 0 && angle == 0 : round == 0))
            return round < 0 ? 0 : k + 1;
    }
    return 0;
}

/* Is the name behind the `.` at `i` one of a member template that is called with arguments? `a.b < c > (d)` is no
 * comparison that anybody means. */
static bool calls_member_template(const struct tokens *tokens, uint32_t i) {
    if (!(is_token(tokens, i, ".") || is_token(tokens, i, "->")) || !is_name_token(tokens, i + 1))
        return false;
    if (is_token(tokens, i + 1, "operator"))
        return is_token(tokens, i + 2, "(") && is_token(tokens, i + 3, ")") && is_token(tokens, i + 4, "<");
    uint32_t end = is_token(tokens, i + 2, "<") ? behind_bracket(tokens, i + 2) : 0;
    return end && is_token(tokens, end, "(");
}

/* Does the file say that the name is one of a type: an alias, a template's parameter, a class? */
static bool is_type_name(const struct tokens *tokens, uint32_t name) {
    cw_str word = {tokens->text + tokens->at.at[name].at, tokens->at.at[name].n};
    for (uint32_t i = 1; i < tokens->at.n; i++) {
        if (tokens->at.at[i].kind != CW_TOKEN_NAME || i == name ||
            !cw_str_eq(word, (cw_str){tokens->text + tokens->at.at[i].at, tokens->at.at[i].n}))
            continue;
        bool is_alias = is_token(tokens, i - 1, "using") && is_token(tokens, i + 1, "=");
        bool is_class = is_token(tokens, i - 1, "class") || is_token(tokens, i - 1, "typename") ||
                        is_token(tokens, i - 1, "struct");
        if (is_alias || (is_class && !is_token(tokens, i + 1, "::")))
            return true;
    }
    return false;
}

/* In `typename A::type<T>` with its `typename` at `i`, the token of a member template without `template` before it; 0:
 * there is none. A is a class, and no namespace. */
static uint32_t find_member_template(const struct tokens *tokens, uint32_t i) {
    bool is_class = false, is_marked = false;
    uint32_t first = i + 1;
    if (!is_token(tokens, i, "typename"))
        return 0;
    for (uint32_t k = first; is_name_token(tokens, k);) {
        if (is_token(tokens, k, "template")) {
            is_marked = true;
            k++;
            continue;
        }
        bool has_arguments = is_token(tokens, k + 1, "<");
        if (has_arguments && k > first && !is_marked &&
            (is_class || (k == first + 2 && is_type_name(tokens, first))))
            return k;
        is_class |= has_arguments;
        is_marked = false;
        uint32_t end = has_arguments ? behind_bracket(tokens, k + 1) : k + 1;
        if (!end || !is_token(tokens, end, "::"))
            return 0;
        k = end + 1;
    }
    return 0;
}

/* `a < b && c > (d)` compares. */
static bool holds_logic(const struct tokens *tokens, uint32_t from, uint32_t end) {
    for (uint32_t i = from; i < end; i++)
        if ((is_token(tokens, i, "&") && is_token(tokens, i + 1, "&")) ||
            (is_token(tokens, i, "|") && is_token(tokens, i + 1, "|")))
            return true;
    return false;
}

/* In the call `A<T>::f<n>(x)` that begins at `i`, the token of a member template without `template` before it; 0: there
 * is none. A is a class, and no namespace: a template, or a name that the file says is a type. */
static uint32_t find_called_template(const struct tokens *tokens, uint32_t i) {
    bool is_class = false, is_marked = false;
    if (!is_name_token(tokens, i) || (i && (is_token(tokens, i - 1, "::") || is_token(tokens, i - 1, "typename"))))
        return 0;
    for (uint32_t k = i; is_name_token(tokens, k);) {
        if (is_token(tokens, k, "template")) {
            is_marked = true;
            k++;
            continue;
        }
        bool has_arguments = is_token(tokens, k + 1, "<");
        uint32_t end = has_arguments ? behind_bracket(tokens, k + 1) : k + 1;
        if (has_arguments && k > i && !is_marked && end && is_token(tokens, end, "(") &&
            !holds_logic(tokens, k, end) && (is_class || (k == i + 2 && is_type_name(tokens, i))))
            return k;
        is_class |= has_arguments;
        is_marked = false;
        if (!end || !is_token(tokens, end, "::"))
            return 0;
        k = end + 1;
    }
    return 0;
}

/* Is the name at `i` called, and no member of something that is written before it? In a declaration a type is. */
static bool is_plain_call(const struct tokens *tokens, uint32_t i) {
    static const char *const before[] = {"=", "(", ",", ";", "{", "}", "return", "!", "?", "+", "-"};
    if (!i || !is_token(tokens, i + 1, "("))
        return false;
    for (size_t k = 0; k < sizeof before / sizeof *before; k++)
        if (is_token(tokens, i - 1, before[k]))
            return true;
    return false;
}

/* Does the file hold the macro of this argument, "-D__0__=this->next"? */
static bool holds_macro(const struct tokens *tokens, const char *argument) {
    cw_str name = {argument + strlen("-D"), strcspn(argument + strlen("-D"), "=")};
    for (uint32_t i = 0; i < tokens->at.n; i++)
        if (tokens->at.at[i].kind == CW_TOKEN_NAME &&
            cw_str_eq(name, (cw_str){tokens->text + tokens->at.at[i].at, tokens->at.at[i].n}))
            return true;
    return false;
}

/* Notes which bytes differ from the text before, around a place. */
static void note_change(struct changes *to, uint32_t file, const char *before, uint32_t at, bool is_template) {
    enum { BACK = 2, FORTH = 80 };
    const struct cw_remade_file *now = &to->remade->files.at[file];
    uint32_t from = at > BACK ? at - BACK : 0, end = at + FORTH < now->size ? at + FORTH : (uint32_t)now->size;
    while (from < end && now->text[from] == before[from])
        from++;
    while (end > from && now->text[end - 1] == before[end - 1])
        end--;
    struct cw_remade_place place = {file, from, end - from, is_template};
    if (place.n)
        cw_vec_push(to->unit->arena, &to->remade->alike, place);
}

static void repeat_at(struct changes *to, uint32_t file, const struct tokens *tokens, uint32_t i) {
    struct cw_remade_file *f = &to->remade->files.at[file];
    struct place place = {f->text, f->size, tokens->at.at[i].at};
    if (is_token(tokens, i, "if") && is_token(tokens, i + 1, "constexpr") && is_token(tokens, i + 2, "(")) {
        for (uint32_t k = i + 3, end = behind_bracket(tokens, i + 2); k < end; k++) {
            place.at = tokens->at.at[k].at;
            replace_this(to, place);
            note_change(to, file, tokens->text, tokens->at.at[k].at, false);
        }
        return;
    }
    uint32_t name = calls_member_template(tokens, i) ? i + 1 : find_member_template(tokens, i);
    if (!name && to->has_uncalled)
        name = find_called_template(tokens, i);
    if (name) {
        place.at = tokens->at.at[name].at;
        put_before_name(to, place, "template ");
        note_change(to, file, tokens->text, tokens->at.at[name].at, true);
    }
}

/* A member of a dependent base that was not found: its other calls in the file. */
static void repeat_member(struct changes *to, uint32_t file, const struct tokens *tokens, const char *argument) {
    struct cw_remade_file *f = &to->remade->files.at[file];
    const char *member = strstr(argument, "=this->");
    if (!member || !holds_macro(tokens, argument))
        return;
    member += strlen("=this->");
    for (uint32_t i = 0; i < tokens->at.n; i++) {
        if (!is_token(tokens, i, member) || !is_plain_call(tokens, i))
            continue;
        put_before_name(to, (struct place){f->text, f->size, tokens->at.at[i].at}, "this->");
        note_change(to, file, tokens->text, tokens->at.at[i].at, false);
    }
}

/* What was an error at one place of a file is changed at all places of the file that are spelled so. Templates that
 * are instantiated by code that clang has dropped so far would show them one parse later. */
static void repeat_in_file(struct changes *to, uint32_t file) {
    const struct cw_remade_file *f = &to->remade->files.at[file];
    struct cw_arena scratch;
    cw_arena_init(&scratch);
    struct tokens tokens = read_tokens(&scratch, cw_arena_strndup(&scratch, f->text, f->size), f->size);
    for (uint32_t i = 0; i < tokens.at.n; i++)
        repeat_at(to, file, &tokens, i);
    for (uint32_t k = 0, n = to->remade->macros.n; k < n; k++)
        repeat_member(to, file, &tokens, to->remade->macros.at[k]);
    cw_arena_free(&scratch);
}

/* ---- before the first parse ---- */

/* Does the text hold what clang is bound to refuse in a template: `if constexpr` with `this->`, `.operator()<`, or
 * `typename A::type<T>`? */
static bool is_refused(const char *text, size_t size) {
    bool has_this = memmem(text, size, "constexpr", strlen("constexpr")) != NULL &&
                    memmem(text, size, "this->", strlen("this->")) != NULL;
    if (!has_this && !memmem(text, size, "operator()<", strlen("operator()<")) &&
        !memmem(text, size, "typename", strlen("typename")))
        return false;
    struct cw_arena scratch;
    cw_arena_init(&scratch);
    struct tokens tokens = read_tokens(&scratch, text, size);
    bool is = false;
    for (uint32_t i = 0; i < tokens.at.n && !is; i++) {
        bool is_if = is_token(&tokens, i, "if") && is_token(&tokens, i + 1, "constexpr");
        uint32_t end = is_if ? behind_bracket(&tokens, i + 2) : 0;
        for (uint32_t k = i + 2; k < end && !is; k++)
            is = is_token(&tokens, k, "this") && is_token(&tokens, k + 1, "->");
        is |= is_token(&tokens, i + 1, "operator") && calls_member_template(&tokens, i);
        is |= find_member_template(&tokens, i) != 0;
    }
    cw_arena_free(&scratch);
    return is;
}

/* The unit's own text, and those that are read in place of what the disk has. */
static bool is_given(const struct cw_front_options *options, const char *path) {
    char real[PATH_MAX];
    for (uint32_t i = 0; i < options->nfiles; i++)
        if (!strcmp(options->files[i].path, path))
            return true;
    return !realpath(options->path, real) || !strcmp(real, path);
}

/* What the parser calls the file when it finds it: folders of the search are named as the unit is. */
static const char *found_name(const struct cw_front_options *options, const char *path) {
    char here[PATH_MAX];
    size_t n = options->path[0] != '/' && getcwd(here, sizeof here) ? strlen(here) : 0;
    return n && !strncmp(path, here, n) && path[n] == '/' ? path + n + 1 : path;
}

static void foresee_file(struct changes *to, const char *path) {
    struct cw_arena *a = to->unit->arena, scratch;
    const char *error;
    cw_arena_init(&scratch);
    const struct cw_source *source = is_given(to->unit->options, path) ? NULL : cw_source_load(&scratch, path, &error);
    if (source && !source->is_converted && !source->has_bom && is_refused(source->text, source->size)) {
        const char *name = cw_arena_strdup(a, found_name(to->unit->options, path));
        struct cw_remade_file file = {name, cw_arena_strndup(a, source->text, source->size),
                                      cw_arena_strndup(a, source->text, source->size), source->size};
        cw_vec_push(a, &to->remade->files, file);
        repeat_in_file(to, to->remade->files.n - 1);
    }
    cw_arena_free(&scratch);
}

void cw_clang_foresee(struct cw_unit *unit) {
    const struct cw_front_options *options = unit->options;
    struct cw_remade *remade = options->remade;
    struct changes to = {.unit = unit, .remade = remade};
    if (remade->is_foreseen)
        return;
    remade->is_foreseen = true;
    for (uint32_t i = 0; i < options->nheaders; i++)
        foresee_file(&to, options->headers[i]);
}

/* What the parser calls the files that were foreseen. */
static void take_name(CXFile file, CXSourceLocation *stack, unsigned depth, CXClientData data) {
    struct cw_unit *unit = data;
    struct cw_remade *remade = unit->options->remade;
    (void)stack;
    (void)depth;
    for (uint32_t i = 0; i < remade->files.n; i++) {
        CXFile own = clang_getFile(unit->tu, remade->files.at[i].path);
        if (own && clang_File_isEqual(own, file))
            remade->files.at[i].path = cw_arena_strdup(unit->arena, path_of(unit, file));
    }
}

void cw_clang_name_foreseen(struct cw_unit *unit) {
    if (unit->options->remade->files.n)
        clang_getInclusions(unit->tu, take_name, unit);
}

/* Is the error at a place that was changed without one? Of a template's name only one about the word: a class that has
 * no such member is an error without it, too. */
static bool is_alike(struct changes *to, CXDiagnostic d) {
    CXFile file = NULL;
    unsigned offset = 0;
    clang_getFileLocation(clang_getDiagnosticLocation(d), &file, NULL, NULL, &offset);
    const char *path = file ? path_of(to->unit, file) : NULL;
    const char *text = cw_clang_text(to->unit, clang_getDiagnosticSpelling(d));
    bool is_word = strstr(text, "following the 'template' keyword") != NULL;
    for (uint32_t i = 0; path && i < to->remade->alike.n; i++) {
        const struct cw_remade_place *place = &to->remade->alike.at[i];
        if (offset >= place->at && offset < place->at + place->n && (is_word || !place->is_template) &&
            !strcmp(to->remade->files.at[place->file].path, path))
            return true;
    }
    return false;
}

/* What was changed without an error becomes again what it was, when one of these places is an error now. */
static void undo_alike(struct changes *to) {
    struct cw_remade *remade = to->remade;
    bool is_wrong = false;
    for (unsigned i = 0, n = clang_getNumDiagnostics(to->unit->tu); i < n && remade->alike.n && !is_wrong; i++) {
        CXDiagnostic d = clang_getDiagnostic(to->unit->tu, i);
        is_wrong = clang_getDiagnosticSeverity(d) >= CXDiagnostic_Error && is_alike(to, d);
        clang_disposeDiagnostic(d);
    }
    for (uint32_t i = 0; is_wrong && i < remade->alike.n; i++) {
        const struct cw_remade_place *place = &remade->alike.at[i];
        const struct cw_remade_file *file = &remade->files.at[place->file];
        memcpy(file->text + place->at, file->original + place->at, place->n);
    }
    remade->alike.n = is_wrong ? 0 : remade->alike.n;
    remade->is_literal |= is_wrong;
    to->any |= is_wrong;
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
    undo_alike(&to);
    for (unsigned i = 0, n = clang_getNumDiagnostics(unit->tu); i < n; i++) {
        CXDiagnostic d = clang_getDiagnostic(unit->tu, i);
        if (clang_getDiagnosticSeverity(d) >= CXDiagnostic_Error)
            look_at(&to, d);
        clang_disposeDiagnostic(d);
    }
    for (uint32_t i = 0; (to.any || to.has_uncalled) && !remade.is_literal && i < remade.files.n; i++)
        repeat_in_file(&to, i);
    if (to.any)
        *unit->options->remade = remade;
    return to.any;
}
