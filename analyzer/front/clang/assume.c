/* Plausible instances: text that instantiates the templates which nothing in the unit instantiates.
 *
 * requires: for writing, a collected unit. computes: for each template up to four lines like
 *     namespace a { static auto *const cuwarp_assumed_3 = &kernel<float, 256>; }
 * whose arguments differ in every parameter that was chosen, so that what holds in all instances depends on none of
 * them. A parameter with a default keeps it. Cost: one pass over each template's tokens for each of its parameters. */
#include "front/clang/assume.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_TEMPLATES = 96, MAX_PARAMETERS = 24, MAX_PARENTS = 16, ENOUGH_HOSTS = 3 };
#define PREFIX "cuwarp_assumed_"
#define NAMED PREFIX "named_"
#define GIVEN "given_"
enum { COMPILED = 1, FAILED = 2, COMPILED_NAMED = 3 }; /* what became of an instance, */
enum { GIVEN_UNIT = 4 }; /* with as many of these as arguments are named */

/* Any two of one round differ in all columns. */
struct choice {
    const char *scalar, *integral, *pointer;
    int block, tile, small, flag;
    bool calls; /* what is handed on is taken for something to call */
};

static const struct choice choices[] = {
    {"float", "int", "float *", 256, 16, 4, 1, false},
    {"double", "long long", "double *", 128, 32, 2, 0, false},
    {"int", "unsigned", "int *", 64, 8, 32, 1, true},
    {"cuwarp_assumed_vector", "long long", "double *", 512, 64, 64, 0, false},
    {"long long", "unsigned char", "long long *", 32, 4, 1, 1, false},
    {"float", "int", "float *", 256, 32, 8, 0, true},
    {"__half", "short", "__half *", 128, 16, 128, 1, false},
    {"__nv_bfloat16", "unsigned short", "__nv_bfloat16 *", 1024, 128, 512, 0, false},
};
static const uint32_t first_choice[] = {0, 2}, end_choice[] = {2, 8};
/* For the second round of a template whose named instances did not compile: the first round's, and some of its own. */
enum { END_BEHIND_NAMED = 4 };

/* Results of unknown calls must be unknown, and equal for equal arguments: that is what a math function is. */
static const char stubs[] =
    "template <class A> struct cuwarp_assumed_value { static __host__ __device__ A of(A x) { return x; } };"
    "template <> struct cuwarp_assumed_value<float> { static __host__ __device__ float of(float x) {"
    " return __cosf(x); } };"
    "template <> struct cuwarp_assumed_value<double> { static __host__ __device__ double of(double x) {"
    " return cos(x); } };"
    "template <> struct cuwarp_assumed_value<int> { static __host__ __device__ int of(int x) {"
    " return (int)__cosf((float)x); } };"
    "struct alignas(16) cuwarp_assumed_vector { float x, y, z, w; cuwarp_assumed_vector() = default;"
    " template <class A> __host__ __device__ cuwarp_assumed_vector(A a) : x(a), y(a), z(a), w(a) {}"
    " explicit __host__ __device__ operator float() const { return x; }"
    " explicit __host__ __device__ operator bool() const { return x != 0; } };";

static const char *put_operators(struct cw_arena *a) {
    static const char *const arithmetic[] = {"+", "-", "*", "/"}, *const comparisons[] = {"<", ">", "<=", ">=", "==",
                                                                                          "!="};
    const char *text = "";
    for (size_t i = 0; i < sizeof arithmetic / sizeof *arithmetic; i++)
        text = cw_arena_printf(
            a,
            "%sinline __host__ __device__ cuwarp_assumed_vector operator%s(cuwarp_assumed_vector a,"
            " cuwarp_assumed_vector b) { a.x = a.x %s b.x; a.y = a.y %s b.y; a.z = a.z %s b.z; a.w = a.w %s b.w;"
            " return a; } inline __host__ __device__ cuwarp_assumed_vector &operator%s=(cuwarp_assumed_vector &a,"
            " cuwarp_assumed_vector b) { a = a %s b; return a; }",
            text, arithmetic[i], arithmetic[i], arithmetic[i], arithmetic[i], arithmetic[i], arithmetic[i],
            arithmetic[i]);
    for (size_t i = 0; i < sizeof comparisons / sizeof *comparisons; i++)
        text = cw_arena_printf(a,
                               "%sinline __host__ __device__ bool operator%s(cuwarp_assumed_vector a,"
                               " cuwarp_assumed_vector b) { return a.x %s b.x; }",
                               text, comparisons[i], comparisons[i]);
    return text;
}

/* ---- parameters ---- */

struct parameter {
    enum CXCursorKind kind;
    const char *name;
    cw_str text;
    CXType type; /* of a value */
    bool is_pack, has_default;
    struct cw_parameter_use use;
};

struct template {
    struct cw_callee *callee;
    CXCursor owner; /* the class template that it is a member of, or null */
    cw_str text;
    struct parameter at[MAX_PARAMETERS];
    uint32_t n, written; /* arguments that have to be written: up to the last one without a default */
    bool is_overloaded;  /* only the type tells which of several of its name is meant */
};

static bool is_parameter(enum CXCursorKind k) {
    return k == CXCursor_NonTypeTemplateParameter || k == CXCursor_TemplateTypeParameter ||
           k == CXCursor_TemplateTemplateParameter;
}

static bool is_integer_parameter(const struct parameter *parameter) {
    return parameter->kind == CXCursor_NonTypeTemplateParameter;
}

/* The parameter's text in front of its default. */
static cw_str without_default(cw_str text) {
    int depth = 0;
    for (size_t i = 0; i < text.n; i++) {
        depth += text.at[i] == '<' || text.at[i] == '(' ? 1 : text.at[i] == '>' || text.at[i] == ')' ? -1 : 0;
        if (text.at[i] == '=' && depth == 0)
            return (cw_str){text.at, i};
    }
    return text;
}

/* libclang gives no default, but an extent that holds it. */
static bool has_default(cw_str text) {
    return without_default(text).n < text.n;
}

static struct parameter read_parameter(struct cw_unit *unit, const struct template *template, CXCursor cursor) {
    struct parameter p = {.kind = clang_getCursorKind(cursor),
                          .name = cw_clang_text(unit, clang_getCursorSpelling(cursor)),
                          .text = cw_clang_source(unit, cursor),
                          .type = clang_getCursorType(cursor)};
    p.is_pack = p.text.n && memmem(p.text.at, p.text.n, "...", 3);
    p.has_default = has_default(p.text) || p.is_pack;
    if (*p.name && p.kind == CXCursor_TemplateTypeParameter)
        p.use = cw_clang_type_use(&unit->scratch, template->text, p.name);
    else if (*p.name && is_integer_parameter(&p))
        p.use.use = cw_clang_integer_use(template->text, p.name);
    return p;
}

/* Of a member function that is no template itself. */
static CXCursor class_template_of(const struct cw_callee *callee) {
    CXCursor parent = clang_getCursorSemanticParent(callee->definition);
    bool is_member = clang_getCursorKind(callee->definition) == CXCursor_CXXMethod;
    return is_member && clang_getCursorKind(parent) == CXCursor_ClassTemplate ? parent : clang_getNullCursor();
}

static bool read_template(struct cw_unit *unit, struct cw_callee *callee, struct template *template) {
    CXCursor owner = class_template_of(callee);
    CXCursor from = clang_Cursor_isNull(owner) ? callee->definition : owner;
    struct cw_kids kids = cw_clang_kids(unit, from);
    *template = (struct template){.callee = callee, .owner = owner, .text = cw_clang_source(unit, from)};
    for (uint32_t i = 0; i < kids.n; i++) {
        if (!is_parameter(clang_getCursorKind(kids.at[i])))
            continue;
        if (template->n == MAX_PARAMETERS)
            return false;
        template->at[template->n] = read_parameter(unit, template, kids.at[i]);
        if (!template->at[template->n++].has_default)
            template->written = template->n;
    }
    return template->n > 0 && template->text.n > 0;
}

/* ---- arguments ---- */

static const char *copy_text(struct cw_arena *a, cw_str text) {
    return cw_arena_strndup(a, text.at, text.n);
}

static const char *member_text(struct cw_arena *a, const struct cw_asked_member *asked_member,
                               const struct choice *choice) {
    const char *name = copy_text(a, asked_member->name);
    switch (asked_member->kind) {
    case CW_ASKS_TYPE: return cw_arena_printf(a, "using %s = %s;", name, choice->scalar);
    case CW_ASKS_VALUE: return cw_arena_printf(a, "static constexpr int %s = %d;", name, choice->small);
    case CW_ASKS_FIELD: return cw_arena_printf(a, "%s %s;", choice->integral, name);
    default: break;
    }
    const char *storage = asked_member->kind == CW_ASKS_STATIC_CALL ? "static " : "",
               *is_const = *storage ? "" : " const";
    if (asked_member->has_effect) /* without a body: nobody knows what it does */
        return cw_arena_printf(a,
                               "template <class... B> %s__host__ __device__ float %s(B &&...)%s;"
                               "template <int, class... B> %s__host__ __device__ float %s(B &&...)%s;",
                               storage, name, is_const, storage, name, is_const);
    return cw_arena_printf(a,
                           "template <class A, class... B> %s__host__ __device__ A %s(A a, B...)%s {"
                           " return cuwarp_assumed_value<A>::of(a); }"
                           "%s__host__ __device__ float %s()%s { return __cosf(1.0f); }",
                           storage, name, is_const, storage, name, is_const);
}

/* A class with the members that the template asks of it; its definition is added to `classes`. */
static const char *stub_class(struct cw_arena *a, const struct parameter *parameter, const struct choice *choice,
                              const char *id, struct cw_buf *classes) {
    const char *name = cw_arena_printf(a, "cuwarp_assumed_%s_%s", parameter->name, id);
    cw_buf_printf(classes, "struct %s {", name);
    if (parameter->use.has_effect)
        cw_buf_puts(classes, "template <class... B> __host__ __device__ float operator()(B &&...) const;");
    else if (parameter->use.is_called || parameter->use.is_passed)
        cw_buf_puts(classes, "template <class A, class... B> __host__ __device__ A operator()(A a, B...) const {"
                             " return cuwarp_assumed_value<A>::of(a); }");
    for (uint32_t i = 0; i < parameter->use.members.n; i++)
        cw_buf_puts(classes, member_text(a, &parameter->use.members.at[i], choice));
    cw_buf_puts(classes, "};");
    return name;
}

static const char *integer_text(struct cw_unit *unit, const struct parameter *parameter, const struct choice *choice) {
    CXType type = clang_getCanonicalType(parameter->type);
    if (type.kind == CXType_Bool)
        return choice->flag ? "true" : "false";
    int value = parameter->use.use == CW_USE_BLOCK  ? choice->block
                : parameter->use.use == CW_USE_TILE ? choice->tile
                                                    : choice->small;
    if (type.kind == CXType_Enum)
        return cw_arena_printf(&unit->scratch, "(%s)%d", cw_clang_text(unit, clang_getTypeSpelling(type)),
                               choice->flag);
    bool is_integer = type.kind >= CXType_Char_U && type.kind <= CXType_Int128;
    if (!is_integer && type.kind != CXType_Auto && type.kind != CXType_Unexposed)
        return NULL;
    return cw_arena_printf(&unit->scratch, "%d", value);
}

/* `like`: an instance of another kernel whose arguments come first, or NULL. */
static const char *argument_text(struct cw_unit *unit, const struct parameter *parameter, const struct choice *choice,
                                 const struct cw_callee *like, const char *id, struct cw_buf *classes) {
    if (parameter->is_pack)
        return "";
    const char *alike = like ? cw_clang_like_argument(unit, like, parameter->name, parameter->kind) : NULL;
    if (alike)
        return alike;
    if (is_integer_parameter(parameter))
        return integer_text(unit, parameter, choice);
    if (parameter->kind == CXCursor_TemplateTemplateParameter)
        return "cuwarp_assumed_template";
    bool is_function = choice->calls && parameter->use.is_passed && !parameter->use.is_element;
    switch (is_function ? CW_USE_CLASS : parameter->use.use) {
    case CW_USE_CLASS: return stub_class(&unit->scratch, parameter, choice, id, classes);
    case CW_USE_POINTER: return choice->pointer;
    case CW_USE_INTEGRAL: return choice->integral;
    default: return choice->scalar;
    }
}

/* ---- lines ---- */

/* The namespaces around it, outermost first; false when something else is around it. */
static bool find_namespaces(CXCursor decl, CXCursor parents[MAX_PARENTS], uint32_t *n) {
    *n = 0;
    for (CXCursor c = clang_getCursorSemanticParent(decl); *n < MAX_PARENTS; c = clang_getCursorSemanticParent(c)) {
        enum CXCursorKind k = clang_getCursorKind(c);
        if (k == CXCursor_TranslationUnit || clang_Cursor_isNull(c))
            return true;
        if (k == CXCursor_LinkageSpec)
            continue;
        if (k != CXCursor_Namespace)
            return false;
        parents[(*n)++] = c;
    }
    return false;
}

static void open_namespaces(struct cw_unit *unit, const CXCursor *parents, uint32_t n, struct cw_buf *line) {
    while (n--) {
        const char *name = cw_clang_text(unit, clang_getCursorSpelling(parents[n]));
        cw_buf_printf(line, "%snamespace %s { ", clang_Cursor_isInlineNamespace(parents[n]) ? "inline " : "",
                      isalpha((unsigned char)*name) || *name == '_' ? name : "");
    }
}

static void close_namespaces(uint32_t n, struct cw_buf *line) {
    while (n--)
        cw_buf_puts(line, " }");
}

static struct cw_named_instances named_instances(struct cw_unit *unit, const struct template *template) {
    cw_str text = {unit->options->text, unit->options->size};
    return template->callee->is_kernel && text.at
               ? cw_clang_named_instances(&unit->scratch, text, template->callee->name)
               : (struct cw_named_instances){.n = 0};
}

/* Of a host template that is no member: the first that each file calls which includes the unit's. */
static struct cw_named_instances called_instances(struct cw_unit *unit, const struct template *template) {
    struct cw_named_instances out = {.n = 0};
    bool may_be = !template->callee->is_kernel && clang_Cursor_isNull(template->owner);
    for (uint32_t i = 0; may_be && i < unit->options->nincluders && out.n < CW_NAMED_MAX; i++) {
        cw_str text = {unit->options->includers[i].text, unit->options->includers[i].size};
        struct cw_named_instances of_file = cw_clang_called_instances(&unit->scratch, text, template->callee->name);
        if (of_file.n && !(out.n && !strcmp(out.at[0], of_file.at[0])))
            out.at[out.n++] = of_file.at[0];
    }
    return out;
}

/* A template of the function's type, by the same parameters: `using cuwarp_assumed_type_1 = void (T *, int);`. */
static const char *put_type(struct cw_unit *unit, const struct template *template, const char *id,
                            struct cw_buf *out) {
    const char *name = cw_arena_printf(&unit->scratch, PREFIX "type_%s", id);
    cw_buf_puts(out, "template <");
    for (uint32_t i = 0; i < template->n; i++) {
        /* Of an alias no parameter with a default stands before one without. */
        cw_str text = template->at[i].text;
        text = i < template->written ? without_default(text) : text;
        cw_buf_printf(out, "%s%.*s", i ? ", " : "", (int)text.n, text.at);
    }
    CXType type = clang_getCursorType(template->callee->definition);
    cw_buf_printf(out, "> using %s = %s; ", name, cw_clang_text(unit, clang_getTypeSpelling(type)));
    return name;
}

/* A variable's declaration up to its initialiser, `&type::function`. `arguments`: those of the template. */
static void put_variable(struct cw_unit *unit, const struct template *template, const char *id, const char *type,
                         const char *arguments, struct cw_buf *out) {
    bool is_device = template->callee->is_device && !template->callee->is_kernel;
    bool is_method = !clang_Cursor_isNull(template->owner) && !template->callee->is_static;
    const char *of = template->is_overloaded ? put_type(unit, template, id, out) : NULL;
    cw_buf_printf(out, "static %s", is_device ? "__device__ " : "");
    if (of)
        cw_buf_printf(out, "%s<%s> %s%s*const " PREFIX "%s = &", of, arguments, is_method ? type : "",
                      is_method ? "::" : "", id);
    else
        cw_buf_printf(out, "auto const " PREFIX "%s = &", id);
}

static uint32_t add_named_lines(struct cw_unit *unit, const struct template *template,
                                const struct cw_named_instances *named, uint32_t number, struct cw_buf *out) {
    CXCursor parents[MAX_PARENTS];
    uint32_t nparents;
    if (!find_namespaces(template->callee->definition, parents, &nparents))
        return 0;
    for (uint32_t k = 0; k < named->n; k++) {
        const char *id = cw_arena_printf(&unit->scratch, "%s%u_%u", template->callee->is_kernel ? "named_" : "called_",
                                         number, k);
        open_namespaces(unit, parents, nparents, out);
        put_variable(unit, template, id, "", named->at[k], out);
        cw_buf_printf(out, "%s<%s>;", template->callee->name, named->at[k]);
        close_namespaces(nparents, out);
        cw_buf_puts(out, "\n");
    }
    return named->n;
}

/* The body of a virtual function is made with its class: not more than once, as all lines for it say. */
static const char *class_instantiation(struct cw_unit *unit, const struct template *template, const char *type,
                                       const struct cw_buf *out) {
    const char *text = cw_arena_printf(&unit->scratch, "template class %s; ", type);
    bool is_needed = !clang_Cursor_isNull(template->owner) && template->callee->is_virtual;
    return is_needed && !(out->n && strstr(out->at, text)) ? text : "";
}

static uint32_t count_arguments(const char *list) {
    return cw_clang_count_arguments(cw_str_of(list));
}

/* `given`: the first arguments, as the file names them where it launches the kernel; NULL: none. `like`: see
 * argument_text(). */
static bool add_line(struct cw_unit *unit, const struct template *template, uint32_t choice,
                     const struct cw_callee *like, const char *given, const char *id, struct cw_buf *out) {
    CXCursor parents[MAX_PARENTS];
    struct cw_buf line = {0}, classes = {0}, type = {0}, arguments = {0};
    uint32_t nparents, i;
    bool is_member = !clang_Cursor_isNull(template->owner);
    if (!find_namespaces(is_member ? template->owner : template->callee->definition, parents, &nparents))
        return false;
    cw_buf_puts(&arguments, given ? given : "");
    for (i = given ? count_arguments(given) : 0; i < template->written; i++) {
        const char *argument = argument_text(unit, &template->at[i], &choices[choice], like, id, &classes);
        if (!argument)
            break;
        cw_buf_printf(&arguments, "%s%s", i && *argument ? ", " : "", argument);
    }
    cw_buf_printf(&type, "%s<%s>", is_member ? cw_clang_text(unit, clang_getCursorSpelling(template->owner))
                                             : template->callee->name, arguments.at ? arguments.at : "");
    open_namespaces(unit, parents, nparents, &line);
    cw_buf_puts(&line, class_instantiation(unit, template, type.at, out));
    put_variable(unit, template, id, type.at, arguments.at ? arguments.at : "", &line);
    cw_buf_printf(&line, "%s%s%s;", type.at, is_member ? "::" : "", is_member ? template->callee->name : "");
    close_namespaces(nparents, &line);
    if (i >= template->written)
        cw_buf_printf(out, "%s%s\n", classes.n ? classes.at : "", line.at);
    cw_buf_free(&line);
    cw_buf_free(&classes);
    cw_buf_free(&type);
    cw_buf_free(&arguments);
    return i >= template->written;
}

/* What the user's text could mean otherwise, and where it ends, must not matter. */
static void begin_text(struct cw_unit *unit, struct cw_buf *out) {
    cw_buf_puts(out, "\n#if __INCLUDE_LEVEL__ == 0\n");
    cw_buf_puts(out, stubs);
    cw_buf_printf(out, "%s template <class...> struct cuwarp_assumed_template {};\n", put_operators(&unit->scratch));
}

static struct cw_reach_template reach_template(struct cw_unit *unit, const struct template *template) {
    const char **types = CW_NEW_ARRAY(&unit->scratch, const char *, template->n + 1);
    struct cw_reach_template out = {.name = template->callee->name,
                                    .text = template->text,
                                    .is_kernel = template->callee->is_kernel,
                                    .types = types,
                                    .nparameters = template->n};
    for (uint32_t i = 0; i < template->n; i++) {
        const struct parameter *parameter = &template->at[i];
        types[i] = parameter->kind == CXCursor_TemplateTypeParameter && *parameter->name ? parameter->name : NULL;
        if (i < template->written && parameter->use.use == CW_USE_CLASS && parameter->use.members.n)
            out.classes |= 1u << i;
    }
    return out;
}

static const struct cw_reach *read_reach(struct cw_unit *unit, const struct template *all, uint32_t n) {
    struct cw_reach_template *list = CW_NEW_ARRAY(&unit->scratch, struct cw_reach_template, n + 1);
    for (uint32_t i = 0; i < n; i++)
        list[i] = reach_template(unit, &all[i]);
    return cw_clang_reach(&unit->scratch, list, n);
}

/* Does one instance of the host template make more instances of some kernel than are lowered, and do a few such host
 * templates make enough of each kernel? */
static bool makes_many(const struct cw_reach *reach, const struct cw_callees *templates, uint32_t i) {
    uint32_t least = templates->at[i]->is_kernel ? 0 : cw_clang_least_instances(reach, i);
    return cw_clang_most_instances(reach, i) >= CW_MAX_INSTANCES && least * ENOUGH_HOSTS * 2 >= CW_MAX_INSTANCES;
}

/* The host templates that make instances of the same kernels, each more than are lowered. Those that are given classes
 * by others are no choice. */
struct alike {
    uint32_t n, number; /* how many, and how many of them come before this one */
};

static struct alike find_alike(const struct cw_reach *reach, const struct cw_callees *templates, uint32_t i) {
    struct alike alike = {0, 0};
    if (!makes_many(reach, templates, i))
        return alike;
    for (uint32_t k = 0; k < templates->n && k < MAX_TEMPLATES; k++) {
        bool is_like = makes_many(reach, templates, k) && !cw_clang_is_given_classes(reach, k) &&
                       cw_clang_reached_kernels(reach, k) == cw_clang_reached_kernels(reach, i);
        alike.n += is_like;
        alike.number += is_like && k < i;
    }
    return alike;
}

/* Host templates that make instances of the same kernels, and that other files call, come in place of all others. */
static struct cw_named_instances *find_called(struct cw_unit *unit, const struct template *all, uint32_t n,
                                              const struct cw_reach *reach, const struct cw_callees *templates) {
    struct cw_named_instances *called = CW_NEW_ARRAY(&unit->scratch, struct cw_named_instances, n + 1);
    for (uint32_t i = 0; i < n; i++)
        if (all[i].n && find_alike(reach, templates, i).n > ENOUGH_HOSTS)
            called[i] = called_instances(unit, &all[i]);
    return called;
}

static bool is_called_for(const struct cw_reach *reach, const struct cw_named_instances *called, uint32_t n,
                          uint32_t i) {
    bool is = false;
    for (uint32_t k = 0; k < n; k++)
        is |= called[k].n && cw_clang_reached_kernels(reach, k) == cw_clang_reached_kernels(reach, i);
    return is;
}

/* The first, the last and one between them give as many that are unlike each other as all of them. */
static bool is_one_of_many(struct alike alike) {
    uint32_t number = alike.number;
    return alike.n > ENOUGH_HOSTS && number > 0 && number != alike.n / 2 && number + 1 != alike.n;
}

/* Was the host template left out of the text of the first parse, as one of many? */
static bool was_left_out(struct cw_unit *unit, const struct cw_callee *callee) {
    const char *name = cw_arena_printf(&unit->scratch, " = &%s<", callee->name);
    return !callee->is_kernel && unit->options->assumed && !strstr(unit->options->assumed->text, name);
}

/* The choices of arguments for a template in one parse: from `first` to below `end`. */
struct range {
    uint32_t first, end;
};

/* Two cases in which one choice of arguments will do. One instance of a host template that dispatches on sizes gives
 * more instances of its kernels than are lowered: those of another choice would come after them. Of several alike, each
 * has another one. And other arguments, which come when the first did not compile, are looked for on behalf of kernels
 * that have no instance yet: a host template that reaches none of them, and launches nothing itself, has made its
 * instances already. The rest would only cost the parser time. */
static struct range choices_of(const struct cw_reach *reach, const struct cw_callees *templates, uint32_t i,
                               uint32_t round) {
    uint32_t least = templates->at[i]->is_kernel ? 1 : cw_clang_least_instances(reach, i);
    struct alike alike = find_alike(reach, templates, i);
    struct range all = {first_choice[round], end_choice[round]};
    if (round == 0 && alike.n > ENOUGH_HOSTS)
        all.first += alike.number == alike.n / 2;
    if (round == 0 ? least >= CW_MAX_INSTANCES || alike.n > ENOUGH_HOSTS : least == 0)
        all.end = all.first + 1;
    return all;
}

/* Is what the body does with a class parameter unknown without the real class? A template of a header is only looked at
 * because there is one. */
static bool wants_like(struct cw_unit *unit, const struct template *template) {
    if (!cw_clang_is_in_main_file(unit, template->callee->definition))
        return true;
    for (uint32_t i = 0; i < template->n; i++)
        for (uint32_t k = 0; k < template->at[i].use.members.n; k++)
            if (template->at[i].use.members.at[k].has_effect)
                return true;
    return false;
}

static struct cw_like like_of(struct cw_unit *unit, const struct template *template, const struct cw_callees *kernels) {
    return template->callee->is_kernel && wants_like(unit, template) ? cw_clang_like(unit, template->callee, kernels)
                                                                      : (struct cw_like){NULL, NULL};
}

/* Lines with the arguments of instances of other kernels; what has none like them is chosen. */
static uint32_t add_like_lines(struct cw_unit *unit, const struct template *template, const struct cw_like *like,
                               uint32_t number, struct cw_buf *out) {
    uint32_t lines = 0;
    for (uint32_t c = first_choice[0]; c < end_choice[0]; c++)
        lines += add_line(unit, template, c, c == first_choice[0] ? like->first : like->last, NULL,
                          cw_arena_printf(&unit->scratch, "0_%u_%u", number, c), out);
    return lines;
}

/* The templates of one text. */
struct asked {
    struct cw_unit *unit;
    const struct cw_callees *templates, *kernels;
    struct template *all;
    uint32_t n, round;
    const struct cw_reach *reach;
    const struct cw_named_instances *called; /* by including files */
};

/* No instance of it is asked for: others give what it would. */
static bool is_passed_over(const struct asked *asked, uint32_t i) {
    if (!asked->all[i].n)
        return true;
    if (asked->round > 0)
        return was_left_out(asked->unit, asked->all[i].callee);
    if (cw_clang_is_given_classes(asked->reach, i))
        return true;
    struct alike alike = find_alike(asked->reach, asked->templates, i);
    bool is_called_one = alike.n > ENOUGH_HOSTS && is_called_for(asked->reach, asked->called, asked->n, i);
    return is_called_one ? !asked->called[i].n : is_one_of_many(alike);
}

/* Lines for an instance that the text names with some of its arguments, `kernel<128><<<…>>>(x)`: the others follow from
 * the call there, and are chosen. */
static uint32_t add_partly_named(const struct asked *asked, uint32_t i, const char *named, uint32_t number,
                                 struct cw_buf *out) {
    uint32_t lines = 0;
    for (uint32_t c = first_choice[asked->round]; c < end_choice[asked->round]; c++)
        lines += add_line(asked->unit, &asked->all[i], c, NULL, named,
                          cw_arena_printf(&asked->unit->scratch, GIVEN "%u_%u_%u_%u_%u", count_arguments(named),
                                          asked->round, i, number, c), out);
    return lines;
}

static bool is_partly_named(const struct asked *asked, uint32_t i, const struct cw_named_instances *named) {
    return named->n && asked->all[i].callee->is_kernel && count_arguments(named->at[0]) < asked->all[i].written;
}

/* Lines that are given by the text, by including files or by other kernels; in the first round only. */
static uint32_t add_given_lines(const struct asked *asked, uint32_t i, const struct cw_like *like,
                                const struct cw_named_instances *named, struct cw_buf *out) {
    const struct template *template = &asked->all[i];
    uint32_t lines = 0;
    if (is_partly_named(asked, i, named)) {
        for (uint32_t k = 0; k < named->n && (k == 0 || asked->round == 0); k++)
            lines += add_partly_named(asked, i, named->at[k], k, out);
        return lines;
    }
    lines = asked->round == 0 ? add_named_lines(asked->unit, template, named, i, out) : 0;
    if (asked->round == 0 && !lines && like->first)
        lines = add_like_lines(asked->unit, template, like, i, out);
    return lines;
}

static uint32_t add_template(const struct asked *asked, uint32_t i, struct cw_buf *out) {
    struct cw_unit *unit = asked->unit;
    const struct template *template = &asked->all[i];
    struct cw_like like = like_of(unit, template, asked->kernels);
    struct cw_named_instances named = asked->called[i].n ? asked->called[i] : named_instances(unit, template);
    uint32_t lines = add_given_lines(asked, i, &like, &named, out);
    bool is_behind_given = asked->round > 0 && template->callee->is_kernel && (like.first || named.n > 0);
    struct range chosen = choices_of(asked->reach, asked->templates, i, asked->round);
    bool is_given = lines && asked->round == 0; /* what is named may be of a function, and compile in no round */
    if (is_given || is_behind_given)
        chosen = (struct range){first_choice[0], is_given ? 0 : END_BEHIND_NAMED};
    for (uint32_t c = chosen.first; c < chosen.end; c++)
        lines += add_line(unit, template, c, NULL, NULL,
                          cw_arena_printf(&unit->scratch, "%u_%u_%u", asked->round, i, c), out);
    return lines;
}

static bool is_other_overload(const struct cw_callee *callee, const struct cw_callee *other) {
    CXCursor parent = clang_getCursorSemanticParent(callee->definition);
    const char *key = other->pattern ? other->pattern : other->key;
    return key != callee->key && !strcmp(other->name, callee->name) &&
           clang_equalCursors(parent, clang_getCursorSemanticParent(other->definition));
}

/* Is there another template of its name in its namespace, or another member of its class? */
static bool is_overloaded(struct cw_unit *unit, const struct template *template, const struct cw_callees *templates,
                          const struct cw_callees *kernels) {
    const struct cw_callee *callee = template->callee;
    struct cw_kids members = {0};
    if (!clang_Cursor_isNull(template->owner))
        members = cw_clang_kids(unit, template->owner);
    uint32_t n = 0;
    for (uint32_t i = 0; i < members.n; i++) {
        enum CXCursorKind kind = clang_getCursorKind(members.at[i]);
        n += (kind == CXCursor_CXXMethod || kind == CXCursor_FunctionTemplate) &&
             !strcmp(cw_clang_text(unit, clang_getCursorSpelling(members.at[i])), callee->name);
    }
    bool is = n > 1;
    for (uint32_t i = 0; i < templates->n && !is && !members.n; i++)
        is = is_other_overload(callee, templates->at[i]);
    for (uint32_t i = 0; i < kernels->n && !is && !members.n; i++)
        is = is_other_overload(callee, kernels->at[i]);
    return is;
}

const char *cw_clang_assume_text(struct cw_unit *unit, const struct cw_callees *templates,
                                 const struct cw_callees *kernels, uint32_t round, const char *kept,
                                 bool *makes_many) {
    struct cw_buf out = {0};
    uint32_t lines = 0, n = templates->n < MAX_TEMPLATES ? templates->n : MAX_TEMPLATES;
    struct template *all = CW_NEW_ARRAY(&unit->scratch, struct template, n + 1);
    begin_text(unit, &out);
    cw_buf_puts(&out, kept ? kept : "");
    for (uint32_t i = 0; i < n; i++)
        if (!read_template(unit, templates->at[i], &all[i]))
            all[i].n = 0;
        else
            all[i].is_overloaded = is_overloaded(unit, &all[i], templates, kernels);
    const struct cw_reach *reach = read_reach(unit, all, n);
    struct asked asked = {unit,  templates, kernels, all, n, round, reach,
                          find_called(unit, all, n, reach, templates)};
    for (uint32_t i = 0; i < n; i++) {
        if (is_passed_over(&asked, i))
            continue;
        lines += add_template(&asked, i, &out);
        *makes_many |= !all[i].callee->is_kernel && cw_clang_most_instances(reach, i) >= CW_MAX_INSTANCES;
    }
    cw_buf_puts(&out, "#endif\n");
    const char *text = lines ? cw_arena_strndup(unit->arena, out.at, out.n) : NULL;
    cw_buf_free(&out);
    return text;
}

/* ---- the parse with such text ---- */

/* Lines of the user's text; the appended text begins in the last one. */
static uint32_t own_lines(struct cw_unit *unit) {
    if (unit->own_lines)
        return unit->own_lines;
    unit->own_lines = 1;
    for (size_t i = 0; i < unit->options->size; i++)
        unit->own_lines += unit->options->text[i] == '\n';
    return unit->own_lines;
}

/* The line of the main file that is one of the appended ones, or 0. */
static uint32_t appended_line(struct cw_unit *unit, CXSourceLocation location) {
    CXFile file = NULL;
    unsigned line = 0;
    if (!unit->options->assumed)
        return 0;
    clang_getFileLocation(location, &file, &line, NULL, NULL);
    return file && clang_File_isEqual(file, unit->main_file->file) && line > own_lines(unit) ? line : 0;
}

bool cw_clang_assumed_error(struct cw_unit *unit, CXDiagnostic d) {
    uint32_t line = appended_line(unit, clang_getDiagnosticLocation(d)), depth = 0;
    if (!unit->options->assumed)
        return false;
    if (!line) {
        CXDiagnosticSet notes = clang_getChildDiagnostics(d);
        for (unsigned i = 0, n = clang_getNumDiagnosticsInSet(notes); i < n && !line; i++) {
            CXDiagnostic child = clang_getDiagnosticInSet(notes, i);
            line = appended_line(unit, clang_getDiagnosticLocation(child));
            depth += !line && strstr(cw_clang_text(unit, clang_getDiagnosticSpelling(child)), "in instantiation of");
        }
    }
    if (line)
        cw_map_put(&unit->failed_lines, line, 1);
    return line && !depth;
}

static enum CXChildVisitResult find_function(CXCursor cursor, CXCursor parent, CXClientData data) {
    CXCursor *found = data, to = clang_getCursorReferenced(cursor);
    (void)parent;
    enum CXCursorKind kind = clang_getCursorKind(to);
    if (clang_getCursorKind(cursor) == CXCursor_DeclRefExpr &&
        (kind == CXCursor_FunctionDecl || kind == CXCursor_CXXMethod)) {
        *found = to;
        return CXChildVisit_Break;
    }
    return CXChildVisit_Recurse;
}

/* The number in `cuwarp_assumed_given_2_…`. */
static uint64_t given_arguments(const char *variable) {
    size_t n = strlen(PREFIX GIVEN);
    return strncmp(variable, PREFIX GIVEN, n) ? 0 : strtoul(variable + n, NULL, 10);
}

bool cw_clang_assumed_variable(struct cw_unit *unit, CXCursor variable, struct cw_callee **member) {
    uint32_t line = appended_line(unit, clang_getCursorLocation(variable));
    CXCursor function = clang_getNullCursor();
    if (!line)
        return false;
    clang_visitChildren(variable, find_function, &function);
    if (clang_Cursor_isNull(function))
        return true;
    struct cw_callee *c = cw_clang_callee(unit, function);
    bool failed = cw_map_get(&unit->failed_lines, line, NULL);
    const char *name = cw_clang_text(unit, clang_getCursorSpelling(variable));
    bool is_named = !strncmp(name, NAMED, sizeof NAMED - 1);
    uint64_t given = given_arguments(name) * GIVEN_UNIT;
    cw_map_put(&unit->assumed, (uint64_t)(uintptr_t)c->key,
               failed ? FAILED : is_named ? COMPILED_NAMED : COMPILED + given);
    if (!failed)
        cw_vec_push(&unit->scratch, &unit->kept_lines, line);
    *member = clang_getCursorKind(function) == CXCursor_CXXMethod ? c : NULL;
    return true;
}

bool cw_clang_is_assumed_pattern(const struct cw_unit *unit, const char *key) {
    const struct cw_assumed *assumed = unit->options->assumed;
    for (uint32_t i = 0; assumed && key && i < assumed->patterns.n; i++)
        if (!strcmp(assumed->patterns.at[i], key))
            return true;
    return false;
}

bool cw_clang_is_appended(struct cw_unit *unit, CXCursor cursor) {
    return appended_line(unit, clang_getCursorLocation(cursor)) != 0;
}

bool cw_clang_assumed_failed(struct cw_unit *unit, const struct cw_callee *callee) {
    uint64_t state = 0;
    return cw_map_get(&unit->assumed, (uint64_t)(uintptr_t)callee->key, &state) && state == FAILED;
}

bool cw_clang_is_named(const struct cw_unit *unit, const struct cw_callee *callee) {
    uint64_t state = 0;
    return cw_map_get(&unit->assumed, (uint64_t)(uintptr_t)callee->key, &state) && state == COMPILED_NAMED;
}

const char *cw_clang_assumed_kept(struct cw_unit *unit) {
    struct cw_buf kept = {0};
    const char *at = unit->options->assumed->text;
    for (uint32_t line = unit->own_lines, k = 0; *at; line++) {
        size_t n = strcspn(at, "\n");
        for (k = 0; k < unit->kept_lines.n && unit->kept_lines.at[k] != line; k++)
            continue;
        if (k < unit->kept_lines.n)
            cw_buf_add(&kept, at, n + 1);
        at += n + (at[n] == '\n');
    }
    const char *text = kept.n ? cw_arena_strndup(unit->arena, kept.at, kept.n) : "";
    cw_buf_free(&kept);
    return text;
}

const char *cw_clang_arguments_text(struct cw_unit *unit, const struct cw_callee *callee) {
    CXCursor pattern = clang_getSpecializedCursorTemplate(callee->decl);
    struct cw_kids kids = cw_clang_kids(unit, pattern);
    struct cw_buf text = {0};
    uint64_t state = 0;
    unsigned index = 0, n = (unsigned)clang_Cursor_getNumTemplateArguments(callee->decl);
    (void)cw_map_get(&unit->assumed, (uint64_t)(uintptr_t)callee->key, &state);
    for (uint32_t i = 0; i < kids.n && index < n; i++) {
        if (!is_parameter(clang_getCursorKind(kids.at[i])))
            continue;
        const char *name = cw_clang_text(unit, clang_getCursorSpelling(kids.at[i]));
        if (has_default(cw_clang_source(unit, kids.at[i])) || index < state / GIVEN_UNIT) {
            index++;
            continue;
        }
        cw_buf_printf(&text, "%s%s = %s", text.n ? ", " : "", name, cw_clang_argument(unit, callee->decl, index++));
    }
    const char *out = text.n ? cw_arena_strndup(unit->arena, text.at, text.n) : "";
    cw_buf_free(&text);
    return out;
}
