/* requires: the errors of a parse. computes: names from their messages and from the tokens where these point, and from
 * what stands beside them whether they are types, values or functions. */
#include "front/repair/missing.h"

#include "source/lexed.h"
#include "source/source.h"

#include <string.h>

enum { MAX_NAMES = 600, MAX_FILES = 2000 };

/* One in a file of the module. */
struct file {
    const struct cw_source *source;
    struct cw_lexed tokens;
};

#define VALUE_TYPE "cuwarp_missing_value"

enum kind { NAMESPACE, TYPE, VALUE, CASE, FUNCTION, MEMBER, METHOD, HIDING, HEADER };

struct name {
    const char *path; /* "lib::detail::kind"; of a member the word alone */
    const char *owner; /* the path of a member's type */
    enum kind kind;
    bool is_template, takes_values; /* type<…>, function<…>() */
};

struct cw_missing {
    struct cw_arena *arena;
    CW_VEC(struct name) names;
    uint32_t nchanges; /* names added, or taken for something else than before */
};

struct cw_missing *cw_missing_new(struct cw_arena *arena) {
    struct cw_missing *missing = CW_NEW(arena, struct cw_missing);
    missing->arena = arena;
    return missing;
}

/* ---- tokens ---- */

static uint32_t token_at(const struct cw_lexed *tokens, size_t offset) {
    uint32_t low = 0, high = tokens->n;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (tokens->at[middle].at + tokens->at[middle].n <= offset)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool is_name(const struct cw_lexed *tokens, uint32_t i) {
    return i < tokens->n && tokens->at[i].kind == CW_TOKEN_NAME;
}

static bool is_one_of(const struct cw_lexed *tokens, uint32_t i, const char *const *words) {
    for (; *words; words++)
        if (cw_lexed_is(tokens, i, *words))
            return true;
    return false;
}

/* The qualified name around token i: its first token; *end is behind its last. */
static uint32_t qualified_name(const struct cw_lexed *tokens, uint32_t i, uint32_t *end) {
    while (i >= 2 && cw_lexed_is(tokens, i - 1, "::") && is_name(tokens, i - 2))
        i -= 2;
    *end = i + 1;
    while (cw_lexed_is(tokens, *end, "::") && is_name(tokens, *end + 1))
        *end += 2;
    return i;
}

/* Does the word have template arguments anywhere? */
static bool has_arguments(const struct cw_lexed *tokens, cw_str word) {
    for (uint32_t i = 0; i + 1 < tokens->n; i++)
        if (cw_str_eq(cw_lexed_text(tokens, i), word) && cw_lexed_is(tokens, i + 1, "<"))
            return true;
    return false;
}

/* Does what stands at `next`, behind a name that begins at `first`, make it a type: `T x`, `(T &x, …)`, `<T>`? */
static bool is_declaration(const struct cw_lexed *tokens, uint32_t first, uint32_t next) {
    static const char *const marks[] = {"*", "&", NULL}, *const ends[] = {")", ",", "=", ";", "{", "[", NULL};
    static const char *const begins[] = {"(", ",", ";", "{", "}", "const", "static", "<", ">", NULL};
    uint32_t at = next;
    while (is_one_of(tokens, at, marks) || cw_lexed_is(tokens, at, "const") || cw_lexed_is(tokens, at, "__restrict__"))
        at++;
    if (at == next)
        return is_name(tokens, at);
    return is_name(tokens, at) && is_one_of(tokens, at + 1, ends) && (!first || is_one_of(tokens, first - 1, begins));
}

/* ---- messages ---- */

static bool begins_with(const char *text, const char *const *starts) {
    for (; *starts; starts++)
        if (!strncmp(text, *starts, strlen(*starts)))
            return true;
    return false;
}

/* The message says that a type is missing; of classes and of parameters of templates nothing can be declared. */
static bool says_type(const char *text) {
    static const char *const types[] = {"unknown type name '", "no template named '", "no type named '", NULL};
    const char *in = strstr(text, "' in '");
    return begins_with(text, types) && !in;
}

static bool says_name(const char *text) {
    static const char *const names[] = {"use of undeclared identifier '", "no member named '", NULL};
    return begins_with(text, names) && !strstr(text, "' in '") && !strstr(text, "did you mean");
}

static bool says_member(const char *text) {
    return !strncmp(text, "no member named '", strlen("no member named '")) && strstr(text, "' in '");
}

static bool says_namespace(const char *text) {
    return !strcmp(text, "expected namespace name");
}

/* The name between the message's first quotes. */
static cw_str quoted_name(const char *text) {
    const char *from = strchr(text, '\''), *end = from ? strchr(from + 1, '\'') : NULL;
    return end ? (cw_str){from + 1, (size_t)(end - from - 1)} : (cw_str){0};
}

static struct name *find_name(const struct cw_missing *missing, cw_str owner, cw_str path) {
    for (uint32_t i = 0; i < missing->names.n; i++)
        if (cw_str_is(path, missing->names.at[i].path) && cw_str_is(owner, missing->names.at[i].owner))
            return &missing->names.at[i];
    return NULL;
}

static const struct { const char *name, *header; } standard_names[] = {
#define ROW(name, header) {#name, #header},
#include "front/repair/standard_names.def"
#undef ROW
};

/* The header that declares `std::name` or `std::name::…`; "": not known. */
static cw_str standard_header(cw_str path) {
    path = (cw_str){path.at + strlen("std::"), path.n - strlen("std::")};
    const char *end = memchr(path.at, ':', path.n);
    if (end)
        path.n = (size_t)(end - path.at);
    for (size_t i = 0; i < sizeof standard_names / sizeof *standard_names; i++)
        if (cw_str_is(path, standard_names[i].name))
            return cw_str_of(standard_names[i].header);
    return (cw_str){"", 0};
}

static void add_name(struct cw_missing *missing, cw_str path, struct name name) {
    if (cw_str_starts(path, "std::")) {
        path = standard_header(path);
        name = (struct name){.kind = HEADER, .owner = "std"};
    }
    struct name *known = find_name(missing, cw_str_of(name.owner), path);
    bool is_value = known && (known->kind == VALUE || known->kind == FUNCTION);
    bool is_new = known ? is_value && name.kind == TYPE : missing->names.n < MAX_NAMES;
    if (!path.n || !is_new)
        return;
    missing->nchanges++;
    name.path = cw_arena_strndup(missing->arena, path.at, path.n);
    if (known) /* where it was seen first, `a::b(x)`, it may be either */
        *known = name;
    else
        cw_vec_push(missing->arena, &missing->names, name);
}

/* "must use 'class' tag to refer to type 'x' in this scope": there is such a type, which a value of that name hides. */
static bool says_hidden(const char *text) {
    return !strncmp(text, "must use '", strlen("must use '")) && strstr(text, "tag to refer to type '");
}

static void drop_hiding(struct cw_missing *missing, const char *text) {
    cw_str type = quoted_name(strstr(text, "tag to refer to type '"));
    for (uint32_t i = 0; i < missing->names.n; i++) {
        struct name *name = &missing->names.at[i];
        const char *scope = strrchr(name->path, ':');
        if ((name->kind != VALUE && name->kind != FUNCTION) || !cw_str_is(type, scope ? scope + 1 : name->path))
            continue;
        name->kind = HIDING;
        missing->nchanges++;
    }
}

/* "no member named 'size' in 'lib::list'": of a type that is declared here. */
static void take_member(struct cw_missing *missing, const struct file *file, const struct cw_parse_note *note) {
    const struct cw_lexed *tokens = &file->tokens;
    const char *in = strstr(note->text, "' in '");
    cw_str member = quoted_name(note->text), owner = in ? quoted_name(in + strlen("' in ")) : (cw_str){0};
    const char *arguments = owner.n ? memchr(owner.at, '<', owner.n) : NULL;
    uint32_t i = token_at(tokens, cw_source_offset(file->source, note->span.line, note->span.col));
    if (arguments)
        owner.n = (size_t)(arguments - owner.at);
    const struct name *type = cw_str_is(owner, VALUE_TYPE) ? NULL : find_name(missing, (cw_str){"", 0}, owner);
    if (type ? type->kind != TYPE : !cw_str_is(owner, VALUE_TYPE))
        return;
    bool is_method = cw_str_eq(member, cw_lexed_text(tokens, i)) && cw_lexed_is(tokens, i + 1, "(");
    add_name(missing, member,
             (struct name){.kind = is_method ? METHOD : MEMBER,
                           .owner = cw_arena_strndup(missing->arena, owner.at, owner.n)});
}

/* In the text of a macro, whose use is all that stands there, nothing is beside the name. */
static void take_name_of_macro(struct cw_missing *missing, cw_str name, const char *text) {
    if (!strstr(text, "in namespace"))
        add_name(missing, name, (struct name){.kind = says_type(text) ? TYPE : VALUE, .owner = ""});
}

/* Is more done with the name, anywhere in the text, than comparing values with it? The number of a `case` is made up:
 * no template may be instantiated with it. */
static bool is_used(const struct cw_lexed *tokens, cw_str word) {
    static const char *const before[] = {"case", "==", "!=", NULL}, *const behind[] = {"==", "!=", NULL};
    for (uint32_t i = 0; i < tokens->n; i++) {
        uint32_t end;
        if (!is_name(tokens, i) || !cw_str_eq(cw_lexed_text(tokens, i), word))
            continue;
        uint32_t first = qualified_name(tokens, i, &end);
        if (!(first && is_one_of(tokens, first - 1, before)) && !is_one_of(tokens, end, behind))
            return true;
    }
    return false;
}

static void take_note(struct cw_missing *missing, const struct file *file, const struct cw_parse_note *note) {
    static const char *const others[] = {"::", "<", NULL};
    const struct cw_lexed *tokens = &file->tokens;
    if (says_member(note->text)) {
        take_member(missing, file, note);
        return;
    }
    if (says_hidden(note->text)) {
        drop_hiding(missing, note->text);
        return;
    }
    struct name name = {.kind = VALUE, .owner = ""};
    uint32_t i = token_at(tokens, cw_source_offset(file->source, note->span.line, note->span.col)), end;
    cw_str said = quoted_name(note->text);
    if (!is_name(tokens, i))
        return;
    if (said.n && !cw_str_eq(said, cw_lexed_text(tokens, i))) {
        take_name_of_macro(missing, said, note->text);
        return;
    }
    uint32_t first = qualified_name(tokens, i, &end);
    uint32_t next = cw_lexed_behind_angles(tokens, end);
    if (says_namespace(note->text))
        name.kind = NAMESPACE;
    else if (first && cw_lexed_is(tokens, first - 1, "case"))
        name.kind = is_used(tokens, cw_lexed_text(tokens, end - 1)) ? VALUE : CASE;
    else if (first && cw_lexed_is(tokens, first - 1, "using")) {
        name.kind = TYPE;
        name.is_template = has_arguments(tokens, cw_lexed_text(tokens, end - 1));
    }
    /* "undeclared identifier" may point at a namespace whose member is the type */
    else if (says_type(note->text) || is_declaration(tokens, first, next)) {
        name.kind = TYPE;
        name.is_template = next != end;
    } else if (cw_lexed_is(tokens, next, "(")) {
        name.kind = FUNCTION;
        name.is_template = next != end;
    } else if (is_one_of(tokens, end, others))
        return;
    name.takes_values = name.is_template && end + 1 < tokens->n && tokens->at[end + 1].kind == CW_TOKEN_NUMBER;
    struct cw_buf path = {0};
    for (uint32_t k = first; k < end; k++) {
        cw_str text = cw_lexed_text(tokens, k);
        cw_buf_add(&path, text.at, text.n);
    }
    add_name(missing, (cw_str){path.at, path.n}, name);
    cw_buf_free(&path);
}

/* ---- files ---- */

static bool is_of(const struct cw_parse_note *note, uint32_t file) {
    return note->is_error && note->span.file == file && note->span.line &&
           (says_type(note->text) || says_name(note->text) || says_namespace(note->text) || says_member(note->text) ||
            says_hidden(note->text));
}

static void take_file(struct cw_missing *missing, const struct cw_module *m, uint32_t at,
                      const struct cw_front_options *options) {
    struct file file = {NULL, {0}};
    struct cw_arena scratch;
    const char *error;
    cw_arena_init(&scratch);
    for (uint32_t i = 0; i < m->notes.n; i++) {
        if (!is_of(&m->notes.at[i], at))
            continue;
        if (!file.source) {
            file.source = at ? cw_source_load(&scratch, m->files.at[at], &error)
                             : cw_source_of_text(&scratch, options->path, options->text, options->size);
            if (!file.source)
                break;
            file.tokens = cw_lexed_read(&scratch, (cw_str){file.source->text, file.source->size});
        }
        take_note(missing, &file, &m->notes.at[i]);
    }
    cw_arena_free(&scratch);
}

/* ---- text ---- */

/* No device functions: what device code does with one is an error as before, and what is read of it is no more than in
 * part. */
static const char unknown_content[] =
    "char cuwarp_unknown[64]; template <class... A> cuwarp_missing_value operator()(A &&...) const; "
    "template <class A> cuwarp_missing_value operator[](const A &) const; cuwarp_missing_value *operator->() const; "
    "cuwarp_missing_value &operator*() const; operator int() const; ";

/* A value is made of nothing else, as no variable is declared to be one: `c ? value : pointer` has one meaning. */
static const char value_content[] = "template <class A> operator A &() const;";

static const char type_content[] =
    "%s() = default; %s(const %s &) = default; %s(%s &) = default; "
    "template <class... A> %s(A &&...); template <class A> operator A() const; "
    "template <class A> bool operator==(const A &) const; template <class A> bool operator!=(const A &) const; "
    "template <class A> bool operator<(const A &) const; template <class A> bool operator>(const A &) const; "
    "template <class A> bool operator<=(const A &) const; template <class A> bool operator>=(const A &) const; "
    "template <class A> %s operator|(const A &) const; template <class A> const %s &operator<<(const A &) const;";

/* Of values with anything, and of numbers and pointers with values. */
static const char value_operators[] =
    "template <bool> struct cuwarp_missing_if {}; template <> struct cuwarp_missing_if<true> { typedef int is; };\n"
    "#define CUWARP_MISSING(O, R) template <class A> R operator O(const " VALUE_TYPE " &, const A &); "
    "template <class A, typename cuwarp_missing_if<!__is_class(A)>::is = 0> "
    "R operator O(const A &, const " VALUE_TYPE " &);\n"
    "CUWARP_MISSING(==, bool) CUWARP_MISSING(!=, bool) CUWARP_MISSING(<, bool) CUWARP_MISSING(>, bool)\n"
    "CUWARP_MISSING(<=, bool) CUWARP_MISSING(>=, bool) CUWARP_MISSING(+, " VALUE_TYPE ")\n"
    "CUWARP_MISSING(-, " VALUE_TYPE ") CUWARP_MISSING(*, " VALUE_TYPE ") CUWARP_MISSING(/, " VALUE_TYPE ")\n"
    "CUWARP_MISSING(%, " VALUE_TYPE ") CUWARP_MISSING(|, " VALUE_TYPE ") CUWARP_MISSING(&, " VALUE_TYPE ")\n"
    "CUWARP_MISSING(<<, " VALUE_TYPE ")\n"
    "#undef CUWARP_MISSING\n"
    "template <class A, typename cuwarp_missing_if<__is_class(A)>::is = 0> "
    "A &operator<<(A &, const " VALUE_TYPE " &);\n"
    "template <class A> A &operator+=(A &, const " VALUE_TYPE " &);\n" VALUE_TYPE
    " operator-(const " VALUE_TYPE " &);\n";

/* What a function is handed it may call: a lambda, whose launches count then. One with parameters goes to a function
 * that nobody sees. */
static const char calls_arguments[] =
    "template <class F> void cuwarp_missing_keep(const F &) { (void)\"cuwarp_unseen\"; }"
    "template <class F, class = decltype(&F::operator()), class = decltype((*(F *)0)())> "
    "void cuwarp_missing_call(F *f, int) { (*f)(); } "
    "template <class F, class = decltype(&F::operator())> "
    "void cuwarp_missing_call(F *f, long) { cuwarp_missing_keep(*f); } "
    "template <class F> void cuwarp_missing_call(F *, ...) {}\n";

static void declare_function(struct cw_buf *out, const struct name *name, const char *word, const char *rest) {
    const char *first = !name->is_template ? "" : name->takes_values ? "auto... V, " : "class... T, ";
    cw_buf_printf(out, "template <%sclass... A> " VALUE_TYPE " %s(A &&...a)%s", first, word, rest);
    if (cw_names_launcher(word)) /* known by its name */
        cw_buf_puts(out, ";");
    else
        cw_buf_puts(out, " { (cuwarp_missing_call(&a, 0), ...); return *(" VALUE_TYPE " *)0; }");
}

static void put_content(struct cw_buf *out, const char *content, const char *word) {
    for (const char *at = content; *at; at++) {
        bool is_word = at[0] == '%' && at[1] == 's';
        if (is_word)
            cw_buf_puts(out, word);
        else
            cw_buf_putc(out, *at);
        at += is_word;
    }
}

static void declare_type(const struct cw_missing *missing, struct cw_buf *out, const char *path, const char *word) {
    cw_buf_printf(out, "struct %s { ", word);
    cw_buf_puts(out, unknown_content);
    put_content(out, strcmp(path, VALUE_TYPE) ? type_content : value_content, word);
    for (uint32_t i = 0; i < missing->names.n; i++) {
        const struct name *member = &missing->names.at[i];
        if (strcmp(member->owner, path) != 0)
            continue;
        cw_buf_putc(out, ' ');
        if (member->kind == METHOD)
            declare_function(out, member, member->path, " const");
        else
            cw_buf_printf(out, "static " VALUE_TYPE " %s;", member->path);
    }
    cw_buf_puts(out, " };");
}

static void declare_name(const struct cw_missing *missing, struct cw_buf *out, const struct name *name) {
    const char *at = name->path;
    uint32_t depth = 0;
    for (const char *end; (end = strstr(at, "::")); at = end + 2, depth++)
        cw_buf_printf(out, "namespace %.*s { ", (int)(end - at), at);
    if (name->is_template && name->kind == TYPE)
        cw_buf_puts(out, name->takes_values ? "template <auto...> " : "template <class...> ");
    switch (name->kind) {
    case NAMESPACE: cw_buf_printf(out, "namespace %s {}", at); break;
    case TYPE: declare_type(missing, out, name->path, at); break;
    case VALUE: cw_buf_printf(out, "extern " VALUE_TYPE " %s;", at); break;
    case CASE: cw_buf_printf(out, "const int %s = %u;", at, (unsigned)(name - missing->names.at)); break;
    case FUNCTION: declare_function(out, name, at, ""); break;
    default: break;
    }
    for (; depth; depth--)
        cw_buf_puts(out, " }");
    cw_buf_putc(out, '\n');
}

bool cw_missing_has_some(const struct cw_missing *missing) {
    return missing->names.n > 0;
}

bool cw_missing_add(struct cw_missing *missing, const struct cw_module *m, const struct cw_front_options *options,
                    bool *is_of_main) {
    uint32_t before = missing->nchanges;
    take_file(missing, m, 0, options);
    *is_of_main = missing->nchanges > before;
    for (uint32_t i = 1; i < m->files.n && i < MAX_FILES; i++)
        take_file(missing, m, i, options);
    return missing->nchanges > before;
}

const char *cw_missing_text(struct cw_missing *missing) {
    struct cw_buf out = {0};
    for (uint32_t i = 0; i < missing->names.n; i++)
        if (missing->names.at[i].kind == HEADER)
            cw_buf_printf(&out, "#if __has_include(<%s>)\n#include <%s>\n#endif\n", missing->names.at[i].path,
                          missing->names.at[i].path);
    cw_buf_puts(&out, "struct " VALUE_TYPE ";\n");
    cw_buf_puts(&out, calls_arguments);
    declare_type(missing, &out, VALUE_TYPE, VALUE_TYPE);
    cw_buf_putc(&out, '\n');
    cw_buf_puts(&out, value_operators);
    for (uint32_t i = 0; i < missing->names.n; i++)
        if (!*missing->names.at[i].owner)
            declare_name(missing, &out, &missing->names.at[i]);
    const char *text = cw_arena_strndup(missing->arena, out.at, out.n);
    cw_buf_free(&out);
    return text;
}

void cw_missing_launchers(struct cw_missing *missing, struct cw_front_options *options) {
    const char **names = CW_NEW_ARRAY(missing->arena, const char *, missing->names.n + 1);
    uint32_t n = 0;
    for (uint32_t i = 0; i < missing->names.n; i++) {
        const char *path = missing->names.at[i].path, *scope = strrchr(path, ':');
        const char *word = scope ? scope + 1 : path;
        if (missing->names.at[i].kind == FUNCTION && cw_names_launcher(word))
            names[n++] = word;
    }
    options->launchers = names;
    options->nlaunchers = n;
}
