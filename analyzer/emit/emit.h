/* Output formats. An emitter sees only the report of the run and the text of the files it names. */
#ifndef CW_EMIT_EMIT_H
#define CW_EMIT_EMIT_H

#include "base/str.h"
#include "diag/diag.h"
#include "source/source.h"

struct cw_emit {
    const struct cw_run_report *report;
    struct cw_arena *arena;
    /* The source of a file, or NULL; borrowed until the run ends. */
    const struct cw_source *(*source_of)(void *ctx, const char *file);
    void *ctx;
    bool color, unicode; /* for text */
    bool quiet;          /* findings only, no summary */
    bool brief;          /* and no notes with them */
    bool links;          /* the terminal may be given hyperlinks (OSC 8) */
    uint32_t told;       /* leading findings that were shown before; for streamed formats */
    uint32_t width;      /* columns of the terminal that text is for, or 0 */
    struct cw_places *places; /* internal, see places.c; NULL at first */
    bool *rules_used;         /* internal, see sarif.c; NULL at first */
    struct cw_buf *out;
};

typedef void cw_emitter(struct cw_emit *);

struct cw_format {
    const char *name, *help;
    bool is_streamed; /* findings are shown one by one, in their order, before anything else */
    cw_emitter *emit;
};

extern const struct cw_format cw_formats[];
extern const uint32_t cw_nformats;
const struct cw_format *cw_format_find(const char *name);

/* Findings by severity, the worst first, otherwise in their order (arena). */
const struct cw_finding **cw_worst_first(struct cw_arena *a, const struct cw_run_report *report);

/* What a row of a witness shows, a bit for each cell: lanes, or warps. */
uint32_t cw_witness_row(const struct cw_witness *w, uint32_t row);
/* Cells of a witness's rows: the lanes its warp has (the last warp of a block may be a part of one), or the warps of
 * the block. */
uint32_t cw_witness_cells(const struct cw_witness *w);

/* Which analyses gave up on a kernel, and why: "race search: …, …; masks: …" (arena text). */
const char *cw_partial_text(struct cw_arena *a, const struct cw_partial *p);
/* "2 errors, 1 warning in 3 files; 12 of 12 kernels analysed" (arena text). */
const char *cw_summary_text(struct cw_arena *a, const struct cw_run_report *report);

#endif
