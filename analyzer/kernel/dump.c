/* computes: the texts of --dump=NAME. */
#include "kernel/dump.h"

#include "base/str.h"
#include "kernel/ask/races.h"
#include "kernel/ask/values.h"
#include "kernel/dump_accesses.h"
#include "kernel/kernel_internal.h"

#include <string.h>

static void print_participation(struct cw_kernel *kernel, struct cw_buf *out) {
    for (uint32_t i = 0; i < kernel->launches.n; i++)
        cw_participation_print(cw_kernel_lanes(kernel, i, 0), out);
    cw_buf_putc(out, '\n');
}

static void print_races(struct cw_kernel *kernel, struct cw_buf *out) {
    struct cw_kernel_query q = cw_kernel_query_for(kernel, CW_NEEDS_LANES);
    cw_races_print(&q, out);
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

#define CW_DUMP(id, name, print)                                                                                       \
    static void dump_##id(struct cw_kernel *k, struct cw_buf *out) {                                                   \
        print;                                                                                                         \
    }
#include "kernel/analyses.def"

static const struct {
    enum cw_dump what;
    const char *name;
    void (*print)(struct cw_kernel *k, struct cw_buf *out);
} dumps[] = {
#define CW_DUMP(id, name, print) {CW_DUMP_##id, name, dump_##id},
#include "kernel/analyses.def"
};

bool cw_dump_parse(const char *text, enum cw_dump *out) {
    for (size_t i = 0; i < sizeof dumps / sizeof *dumps; i++)
        if (!strcmp(text, dumps[i].name)) {
            *out = dumps[i].what;
            return true;
        }
    return false;
}

void cw_kernel_dump(struct cw_kernel *kernel, enum cw_dump what, struct cw_buf *out) {
    for (size_t i = 0; i < sizeof dumps / sizeof *dumps; i++)
        if (dumps[i].what == what)
            dumps[i].print(kernel, out);
}
