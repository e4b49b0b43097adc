/* Arguments as the user wrote them, for slips that only the spelling shows. */
#include "rules/report_names.h"

#include <string.h>

/* End of the argument that begins at `at`: the comma or closing parenthesis outside all brackets; NULL when cut off. */
static const char *argument_end(const char *at) {
    int depth = 0;
    for (; *at != '\0'; at++) {
        if (depth == 0 && (*at == ',' || *at == ')'))
            return at;
        if (strchr("([{", *at) != NULL)
            depth++;
        else if (strchr(")]}", *at) != NULL)
            depth--;
    }
    return NULL;
}

const char *cw_argument_text(struct cw_rule_ctx *ctx, uint32_t ins, uint32_t k) {
    uint32_t loc = ctx->fn->ins.at[ins].loc;
    const char *text = ctx->fn->locs.at[loc].macro == NULL ? cw_source_of(ctx, loc) : NULL;
    const char *at = text != NULL ? strchr(text, '(') : NULL;
    for (uint32_t n = 0; at != NULL; n++) {
        const char *end = argument_end(++at);
        if (end == NULL || n == k) {
            while (end != NULL && *at == ' ')
                at++;
            return end != NULL && end > at ? cw_arena_strndup(ctx->arena, at, (size_t)(end - at)) : NULL;
        }
        at = *end == ',' ? end : NULL;
    }
    return NULL;
}
