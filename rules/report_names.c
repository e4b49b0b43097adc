/* Names for messages: what a person would call a value or a piece of source. */
#include "rules/report_names.h"

#include "rules/sink.h"

#include <ctype.h>
#include <string.h>

enum { MAX_SOURCE = 60, MAX_NAME = 24, MAX_CASTS = 8 };

/* White space, also across lines, becomes one blank. */
static const char *one_line(struct cw_arena *a, cw_str text) {
    char *out = cw_arena_alloc(a, text.n + 1);
    size_t n = 0;
    for (size_t i = 0; i < text.n; i++) {
        bool blank = isspace((unsigned char)text.at[i]);
        if (!blank || (n && out[n - 1] != ' '))
            out[n++] = blank ? ' ' : text.at[i];
    }
    while (n && out[n - 1] == ' ')
        n--;
    out[n] = '\0';
    return out;
}

const char *cw_source_of(struct cw_rule_ctx *ctx, uint32_t loc) {
    const struct cw_rule_sink *sink = ctx->sink;
    if (!loc || loc >= ctx->fn->locs.n || !sink->source_of)
        return NULL;
    struct cw_span s = ctx->fn->locs.at[loc].span;
    if (!s.line || s.file >= ctx->module->files.n)
        return NULL;
    const struct cw_source *source = sink->source_of(sink->ctx, ctx->module->files.at[s.file]);
    if (!source)
        return NULL;
    cw_str text = cw_str_trim(cw_source_range(source, s.line, s.col, s.end_line, s.end_col));
    if (!text.n)
        return NULL;
    text.n = text.n > 4 * MAX_SOURCE ? 4 * MAX_SOURCE : text.n;
    const char *line = one_line(ctx->arena, text);
    return strlen(line) <= MAX_SOURCE ? line : cw_arena_printf(ctx->arena, "%.*s...", MAX_SOURCE - 3, line);
}

/* A width change does not change what a person calls the value. */
static cw_ref skip_casts(const struct cw_fn *fn, cw_ref ref) {
    for (int i = 0; i < MAX_CASTS; i++) {
        const struct cw_ins *ins = cw_ins_of(fn, ref);
        bool cast = ins && !ins->name && cw_is_cast((enum cw_op)ins->op);
        if (!cast)
            return ref;
        ref = cw_arg(fn, ins, 0);
    }
    return ref;
}

static const char *instruction_name(struct cw_rule_ctx *ctx, const struct cw_ins *ins) {
    const struct cw_fn *fn = ctx->fn;
    if (ins->name)
        return ins->name;
    const char *source = cw_source_of(ctx, ins->loc);
    if (source && strlen(source) <= MAX_NAME)
        return source;
    if (ins->op == CW_OP_LOAD && cw_arg(fn, ins, 0).tag == CW_REF_OBJECT)
        return cw_arena_printf(ctx->arena, "a value of %s", fn->objects.at[cw_arg(fn, ins, 0).index].name);
    return "this value";
}

static const char *name_or_default(const char *name) {
    return name && *name ? name : "this value";
}

const char *cw_name_of(struct cw_rule_ctx *ctx, cw_ref ref) {
    const struct cw_fn *fn = ctx->fn;
    ref = skip_casts(fn, ref);
    switch ((enum cw_ref_tag)ref.tag) {
    case CW_REF_INS:
        return instruction_name(ctx, &fn->ins.at[ref.index]);
    case CW_REF_CONST:
        return cw_arena_printf(ctx->arena, "%lld", (long long)fn->consts.at[ref.index].value);
    case CW_REF_OBJECT:
        return name_or_default(fn->objects.at[ref.index].name);
    case CW_REF_PARAM:
        return name_or_default(fn->params.at[ref.index].name);
    case CW_REF_TPARAM:
        return name_or_default(fn->tparams.at[ref.index].name);
    case CW_REF_SREG:
        return cw_sreg_cuda((enum cw_sreg)ref.index);
    case CW_REF_UNDEF:
        return "an uninitialised value";
    case CW_REF_NONE:
        break;
    }
    return "this value";
}
