/* Elements of arrays as messages call them. */
#include "rules/report_names.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_RANK = 8 };

/* The extents in "float[32][33]"; 0 when there are none or not all of them are numbers. */
static uint32_t parse_extents(const char *type, uint64_t *at) {
    uint32_t n = 0;
    for (const char *p = type != NULL ? strchr(type, '[') : NULL; p != NULL && *p == '['; p++) {
        char *end;
        if (n == MAX_RANK || p[1] < '0' || p[1] > '9')
            return 0;
        at[n++] = strtoull(p + 1, &end, 10);
        if (*end != ']' || at[n - 1] == 0)
            return 0;
        p = end;
    }
    return n;
}

/* "[3][5]" for a flat index; the first extent does not matter, the object may be smaller than what is done with it. */
static const char *format_subscript(struct cw_rule_ctx *ctx, const char *type, uint64_t index) {
    uint64_t extent[MAX_RANK];
    uint32_t rank = parse_extents(type, extent);
    const char *text = "";
    for (uint32_t k = rank; k > 1; k--) {
        text = cw_arena_printf(ctx->arena, "[%llu]%s", (unsigned long long)(index % extent[k - 1]), text);
        index /= extent[k - 1];
    }
    return cw_arena_printf(ctx->arena, "[%llu]%s", (unsigned long long)index, text);
}

struct element {
    const char *name, *type;
    uint64_t bytes; /* 0 unknown */
    bool is_scalar;
};

static struct element element_of(struct cw_rule_ctx *ctx, cw_ref base, uint64_t accessed, uint64_t unknown) {
    struct element e = {cw_name_of(ctx, base), NULL, 0, false};
    if (base.tag == CW_REF_OBJECT) {
        const struct cw_object *o = &ctx->fn->objects.at[base.index];
        e.type = o->type_text;
        e.bytes = o->element;
        e.is_scalar = o->size != 0 && o->size == o->element && (e.type == NULL || strchr(e.type, '[') == NULL);
    } else if (base.tag == CW_REF_PARAM) {
        e.bytes = ctx->fn->params.at[base.index].pointee_bytes;
        e.bytes = e.bytes != 0 ? e.bytes : unknown;
    }
    if (e.bytes == 0)
        e.bytes = accessed;
    return e;
}

/* Before the pointer's target: "p[-2]" where whole elements lie between, else in bytes. Also without a known size. */
static const char *format_outside(struct cw_rule_ctx *ctx, const struct element *element, int64_t offset) {
    uint64_t bytes = offset < 0 ? -(uint64_t)offset : (uint64_t)offset;
    if (offset < 0 && element->bytes != 0 && bytes % element->bytes == 0)
        return cw_arena_printf(ctx->arena, "%s[-%llu]", element->name, (unsigned long long)(bytes / element->bytes));
    return cw_arena_printf(ctx->arena, offset < 0 ? "%s (%llu bytes before it)" : "%s (byte %llu)", element->name,
                           (unsigned long long)bytes);
}

const char *cw_element_text(struct cw_rule_ctx *ctx, cw_ref base, int64_t offset, uint64_t accessed, uint64_t unknown) {
    struct element e = element_of(ctx, base, accessed, unknown);
    if (offset < 0 || e.bytes == 0)
        return format_outside(ctx, &e, offset);
    uint64_t index = (uint64_t)offset / e.bytes, rest = (uint64_t)offset % e.bytes;
    const char *element = e.is_scalar ? "" : format_subscript(ctx, e.type, index);
    if (rest != 0)
        return cw_arena_printf(ctx->arena, "%s%s (byte %llu)", e.name, element, (unsigned long long)rest);
    return cw_arena_printf(ctx->arena, "%s%s", e.name, element);
}

const char *cw_some_element_text(struct cw_rule_ctx *ctx, cw_ref base) {
    return cw_arena_printf(ctx->arena, "an element of %s", cw_name_of(ctx, base));
}
