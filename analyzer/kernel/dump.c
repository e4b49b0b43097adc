/* computes: the texts of --dump=NAME. An analysis has a heading and a line for each fact, or "nothing". */
#include "kernel/dump.h"

#include "base/str.h"
#include "cfg/facts_print.h"
#include "kernel/ask/activemask.h"
#include "kernel/ask/barriers.h"
#include "kernel/ask/blocks.h"
#include "kernel/ask/groups.h"
#include "kernel/ask/masks.h"
#include "kernel/ask/races.h"
#include "kernel/ask/shuffles.h"
#include "kernel/ask/speed.h"
#include "kernel/ask/values.h"
#include "kernel/ask/waits.h"
#include "kernel/dump_accesses.h"
#include "kernel/kernel_internal.h"

static void print_participation(struct cw_kernel *kernel, struct cw_buf *out) {
    for (uint32_t i = 0; i < kernel->launches.n; i++)
        cw_participation_print(cw_kernel_lanes(kernel, i, 0), out);
    cw_buf_putc(out, '\n');
}

static void print_phases(struct cw_kernel *kernel, struct cw_buf *out) {
    struct cw_kernel_query q = cw_kernel_query_for(kernel, CW_NEEDS_LANES);
    cw_phases_print(&q, out);
    cw_buf_putc(out, '\n');
}

static void print_code(const struct cw_fn *fn, struct cw_buf *out) {
    cw_fn_print(fn, out);
    cw_buf_putc(out, '\n');
}

static void print_cfg(const struct cw_fn *fn, struct cw_buf *out) {
    cw_cfg_print(fn, out);
    cw_buf_putc(out, '\n');
}

static void print_uniformity(const struct cw_uniformity *uniformity, struct cw_buf *out) {
    cw_uniformity_print(uniformity, out);
    cw_buf_putc(out, '\n');
}

#define CW_ANALYSIS(id, type, needs, compute)                                                                          \
    static void facts_##id(struct cw_kernel *k, struct cw_buf *out) {                                                  \
        type##_print(&(struct cw_facts_print){k->fn, &k->launches, out}, cw_kernel_##id(k));                           \
    }
#define CW_DUMP(id, name, print)                                                                                       \
    static void dump_##id(struct cw_kernel *k, struct cw_buf *out) {                                                   \
        print;                                                                                                         \
    }
#include "kernel/analyses.def"

static const struct {
    enum cw_dump what;
    bool is_analysis; /* its name is an identifier, to be read with hyphens */
    const char *name;
    void (*print)(struct cw_kernel *k, struct cw_buf *out);
} dumps[] = {
#define CW_ANALYSIS(id, type, needs, compute) {CW_DUMP_##id, true, #id, facts_##id},
#define CW_DUMP(id, name, print) {CW_DUMP_##id, false, name, dump_##id},
#include "kernel/analyses.def"
};
enum { NDUMPS = sizeof dumps / sizeof *dumps };

static void put_name(const char *name, struct cw_buf *out) {
    for (; *name; name++)
        cw_buf_putc(out, *name == '_' ? '-' : *name);
}

static bool is_name(const char *name, const char *text) {
    for (; *name && *text == (*name == '_' ? '-' : *name); name++)
        text++;
    return !*name && !*text;
}

bool cw_dump_parse(const char *text, enum cw_dump *out) {
    for (size_t i = 0; i < NDUMPS; i++)
        if (is_name(dumps[i].name, text)) {
            *out = dumps[i].what;
            return true;
        }
    return false;
}

void cw_dump_names(const char *separator, struct cw_buf *out) {
    for (size_t i = 0; i < NDUMPS; i++) {
        cw_buf_puts(out, i ? separator : "");
        put_name(dumps[i].name, out);
    }
}

/* `dump`: an index in dumps. */
static void print_facts(struct cw_kernel *kernel, size_t dump, struct cw_buf *out) {
    put_name(dumps[dump].name, out);
    cw_buf_printf(out, " of %s\n", kernel->fn->name);
    size_t before = out->n;
    dumps[dump].print(kernel, out);
    cw_buf_puts(out, out->n == before ? "  nothing\n\n" : "\n");
}

void cw_kernel_dump(struct cw_kernel *kernel, enum cw_dump what, struct cw_buf *out) {
    for (size_t i = 0; i < NDUMPS; i++)
        if (dumps[i].what == what && dumps[i].is_analysis)
            print_facts(kernel, i, out);
        else if (dumps[i].what == what)
            dumps[i].print(kernel, out);
}
