/* What macros stand for, where libclang does not tell: names whose text makes a kernel, a device function or a launch.
 *
 * A function template's cursor has no attributes (they sit on the templated function, which libclang does not visit),
 * so its head is read as written: `template <class T> GLOBAL void f(…)` is a kernel when GLOBAL's text says __global__.
 */
#include "front/clang/lower.h"

#include <string.h>

enum { MAX_MACROS = 4096 };

static bool is_blank(char c) {
    return c == ' ' || c == '\t';
}

bool cw_clang_mentions(cw_str text, const char *word, bool as_name) {
    if (as_name)
        return cw_str_has_word(text, word);
    return *word && text.n && memmem(text.at, text.n, word, strlen(word));
}

/* `<<<`, also `<< <`, or a call that launches, makes a node of a graph which does, or gets a kernel by its name. */
bool cw_clang_shows_launch(cw_str text) {
    static const char *const marks[] = {"<<<", "<< <", "cudaLaunch", "KernelNodeSetParams", "cudaGraphAddKernelNode",
                                        "cudaGraphAddNode", "cuLaunchKernel", "cuLaunchCooperativeKernel",
                                        "cuModuleGetFunction", "cuLibraryGetKernel"};
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        if (cw_clang_mentions(text, marks[i], false))
            return true;
    return false;
}

/* The text after a `#`: the name it defines and the replacement with its parameters; false for other directives. */
static bool read_define(cw_str text, cw_str *name, cw_str *replacement) {
    const char *at = text.at, *end = text.at + text.n;
    while (at < end && is_blank(*at))
        at++;
    if (end - at < 8 || memcmp(at, "define", 6) != 0 || !is_blank(at[6]))
        return false;
    for (at += 6; at < end && is_blank(*at);)
        at++;
    const char *line = at;
    while (at < end && cw_clang_is_name(*at))
        at++;
    *name = (cw_str){line, (size_t)(at - line)};
    const char *stop = at;
    while (stop < end && (*stop != '\n' || stop[-1] == '\\' || (stop[-1] == '\r' && stop[-2] == '\\')))
        stop++;
    *replacement = (cw_str){at, (size_t)(stop - at)};
    return name->n > 0;
}

static bool mentions_any(cw_str text, const struct cw_names *names) {
    for (uint32_t i = 0; i < names->n; i++)
        if (cw_clang_mentions(text, names->at[i], true))
            return true;
    return false;
}

static void note_macro(struct cw_unit *unit, cw_str name, cw_str text) {
    const char *unique = cw_intern_n(&unit->module->names, name.at, name.n);
    if (cw_clang_shows_launch(text))
        cw_clang_note_launcher(unit, unique);
    else if (unit->macros.n < MAX_MACROS && text.n && memchr(text.at, '(', text.n))
        cw_vec_push(&unit->scratch, &unit->macros, ((struct cw_macro_text){unique, text}));
    if (mentions_any(text, &unit->kernel_words))
        cw_vec_push(&unit->scratch, &unit->kernel_words, unique);
    if (mentions_any(text, &unit->device_words))
        cw_vec_push(&unit->scratch, &unit->device_words, unique);
}

static void read_file(CXFile file, CXSourceLocation *stack, unsigned depth, CXClientData data) {
    struct cw_unit *u = data;
    (void)stack;
    (void)depth;
    if (clang_Location_isInSystemHeader(clang_getLocationForOffset(u->tu, file, 0)))
        return;
    size_t size = 0;
    const char *text = clang_getFileContents(u->tu, file, &size), *at = text;
    while (at && (at = memchr(at, '#', size - (size_t)(at - text)))) {
        cw_str name, replacement;
        at++;
        if (read_define((cw_str){at, size - (size_t)(at - text)}, &name, &replacement))
            note_macro(u, name, replacement);
    }
}

void cw_clang_read_macros(struct cw_unit *unit) {
    cw_vec_push(&unit->scratch, &unit->kernel_words, cw_intern(&unit->module->names, "__global__"));
    cw_vec_push(&unit->scratch, &unit->device_words, cw_intern(&unit->module->names, "__device__"));
    clang_getInclusions(unit->tu, read_file, unit);
}

/* From `template` to the body's brace. */
static cw_str head_of(struct cw_unit *unit, CXCursor function_template) {
    cw_str text = cw_clang_source(unit, function_template);
    struct cw_kids kids = cw_clang_kids(unit, function_template);
    if (kids.n && clang_getCursorKind(kids.at[kids.n - 1]) == CXCursor_CompoundStmt) {
        cw_str body = cw_clang_source(unit, kids.at[kids.n - 1]);
        if (body.at >= text.at && body.at <= text.at + text.n)
            text.n = (size_t)(body.at - text.at);
    }
    return text;
}

bool cw_clang_template_is_kernel(struct cw_unit *unit, CXCursor function_template) {
    return mentions_any(head_of(unit, function_template), &unit->kernel_words);
}

bool cw_clang_template_is_device(struct cw_unit *unit, CXCursor function_template) {
    return mentions_any(head_of(unit, function_template), &unit->device_words);
}
