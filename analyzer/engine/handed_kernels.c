#include "engine/handed_kernels.h"

#include "base/hash.h"
#include "base/map.h"
#include "source/lexer.h"

#include <ctype.h>
#include <string.h>

struct cw_handed_kernels {
    struct cw_map names; /* hash of a name -> enum cw_handed */
};

/* Past the template arguments that may follow a kernel's name. */
static const char *after_arguments(const char *at, const char *end) {
    int depth = 0;
    while (at < end && isspace((unsigned char)*at))
        at++;
    if (at == end || *at != '<' || (end - at > 2 && at[1] == '<' && at[2] == '<'))
        return at;
    for (; at < end && *at != ';' && *at != '{'; at++) {
        depth += *at == '<' ? 1 : *at == '>' ? -1 : 0;
        if (depth == 0)
            break;
    }
    for (at += at < end; at < end && isspace((unsigned char)*at);)
        at++;
    return at;
}

/* `call(` of a function: no macro, whose block stands among its arguments, and nothing of the runtime's, which launches
 * nothing that the front ends do not know. */
static bool is_call_of_helper(const char *text, struct cw_token callee, struct cw_token open) {
    bool is_macro = true;
    for (size_t i = 0; i < callee.n; i++)
        is_macro &= !islower((unsigned char)text[callee.at + i]);
    return callee.kind == CW_TOKEN_NAME && !is_macro && open.kind == CW_TOKEN_PUNCT && text[open.at] == '(' &&
           !cw_str_starts((cw_str){text + callee.at, callee.n}, "cuda");
}

/* `LAUNCH_KERNEL(` or `LAUNCH_KERNEL((`: a macro that is named so. */
static bool is_call_of_launcher(const char *text, const struct cw_token *before) {
    bool is_bracketed = text[before[1].at] == '(' && before[1].n == 1;
    struct cw_token callee = before[is_bracketed ? 0 : 1];
    return text[before[2].at] == '(' && callee.kind == CW_TOKEN_NAME &&
           memmem(text + callee.at, callee.n, "LAUNCH", strlen("LAUNCH"));
}

static uint64_t key_of(cw_str name) {
    return cw_hash(name.at, name.n, 0);
}

static enum cw_handed use_of(const struct cw_source *source, struct cw_token name, bool is_in_call) {
    const char *end = source->text + source->size;
    const char *next = after_arguments(source->text + name.at + name.n, end);
    if (end - next > 3 && !strncmp(next, "<<<", 3))
        return CW_HANDED_LAUNCHED;
    return is_in_call && next < end && (*next == ',' || *next == ')') ? CW_HANDED_TO_FUNCTION : CW_HANDED_NOT;
}

struct cw_handed_kernels *cw_handed_kernels_read(const struct cw_source *source, struct cw_arena *arena) {
    struct cw_handed_kernels *handed = cw_arena_alloc(arena, sizeof *handed);
    struct cw_lexer lexer;
    struct cw_token token, before[3] = {{0}};
    cw_map_init(&handed->names, arena);
    cw_lexer_init(&lexer, source->text, source->size);
    for (; (token = cw_lexer_next(&lexer)).kind != CW_TOKEN_END;
         before[0] = before[1], before[1] = before[2], before[2] = token) {
        if (token.kind != CW_TOKEN_NAME)
            continue;
        cw_str name = {source->text + token.at, token.n};
        enum cw_handed use = use_of(source, token, is_call_of_helper(source->text, before[1], before[2]));
        if (use == CW_HANDED_NOT && is_call_of_launcher(source->text, before))
            use = CW_HANDED_LAUNCHED;
        if (use > cw_handed_kernels_use(handed, name))
            cw_map_put(&handed->names, key_of(name), use);
    }
    return handed;
}

enum cw_handed cw_handed_kernels_use(const struct cw_handed_kernels *handed, cw_str name) {
    uint64_t use = CW_HANDED_NOT;
    cw_map_get(&handed->names, key_of(name), &use);
    return (enum cw_handed)use;
}
