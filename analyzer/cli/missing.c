/* Headers that were not found, each once in a run, with how many kernels were analysed in part for want of it. */
#include "base/intern.h"
#include "base/log.h"
#include "base/map.h"
#include "cli/cli.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_LISTED = 10 };

struct missing {
    const char *name;
    uint32_t kernels;
};

struct missing_list { struct missing *at; uint32_t n, cap; };

static int most_first(const void *a, const void *b) {
    const struct missing *x = a, *y = b;
    if (x->kernels != y->kernels)
        return x->kernels < y->kernels ? 1 : -1;
    return strcmp(x->name, y->name);
}

static void count_kernel(struct cw_arena *a, struct cw_intern *names, struct cw_map *places, struct missing_list *list,
                         const struct cw_partial *partial) {
    size_t prefix = strlen(CW_MISSING_HEADER);
    for (uint32_t i = 0; i < partial->reasons.n; i++) {
        uint64_t at;
        if (strncmp(partial->reasons.at[i].reason, CW_MISSING_HEADER, prefix) != 0)
            continue;
        const char *name = cw_intern(names, partial->reasons.at[i].reason + prefix);
        if (!cw_map_get(places, (uint64_t)(uintptr_t)name, &at)) {
            at = list->n;
            cw_map_put(places, (uint64_t)(uintptr_t)name, at);
            cw_vec_push(a, list, ((struct missing){name, 0}));
        }
        list->at[at].kernels++;
    }
}

void cw_cli_missing_headers(const struct cw_run_report *report, struct cw_arena *a) {
    struct missing_list list = {0};
    struct cw_intern names;
    struct cw_map places; /* interned name -> index in the list */
    cw_intern_init(&names, a);
    cw_map_init(&places, a);
    for (uint32_t i = 0; i < report->files.n; i++)
        for (uint32_t k = 0; k < report->files.at[i].partial.n; k++)
            count_kernel(a, &names, &places, &list, &report->files.at[i].partial.at[k]);
    if (list.n)
        qsort(list.at, list.n, sizeof *list.at, most_first);
    for (uint32_t i = 0; i < list.n && i < MAX_LISTED; i++)
        cw_note(CW_MISSING_HEADER "%s (%u kernel%s in part)", list.at[i].name, list.at[i].kernels,
                list.at[i].kernels == 1 ? "" : "s");
    if (list.n > MAX_LISTED)
        cw_note("and %u more missing headers, see --output json", list.n - MAX_LISTED);
}
