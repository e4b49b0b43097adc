#include "diag/diag.h"

#include <string.h>

enum { ALSO_IN_MAX = 3 };

static const char *const severity_texts[] = {[CW_INFO] = "info", [CW_WARNING] = "warning", [CW_ERROR] = "error"};

const char *cw_severity_text(enum cw_severity severity) {
    return severity_texts[severity];
}

bool cw_severity_parse(const char *text, enum cw_severity *out) {
    for (int s = CW_INFO; s <= CW_ERROR; s++)
        if (!strcmp(text, severity_texts[s])) {
            *out = (enum cw_severity)s;
            return true;
        }
    return false;
}

const char *cw_confidence_text(enum cw_confidence confidence) {
    return confidence == CW_DEFINITE ? "definite" : "possible";
}

static int compare_text(const char *a, const char *b) {
    return strcmp(a ? a : "", b ? b : "");
}

static int compare_number(uint32_t a, uint32_t b) {
    return (a > b) - (a < b);
}

/* Rule and place only: what makes two findings the same one. */
static int compare_identity(const struct cw_finding *finding, const struct cw_finding *other) {
    int order = compare_text(finding->place.file, other->place.file);
    if (!order)
        order = compare_number(finding->place.line, other->place.line);
    if (!order)
        order = compare_number(finding->place.col, other->place.col);
    if (!order)
        order = compare_number(finding->place.end_line, other->place.end_line);
    if (!order)
        order = compare_number(finding->place.end_col, other->place.end_col);
    return order ? order : compare_text(finding->rule, other->rule);
}

static int compare_findings(const struct cw_finding *finding, const struct cw_finding *other) {
    int order = compare_identity(finding, other);
    if (!order)
        order = compare_number((uint32_t)finding->confidence, (uint32_t)other->confidence);
    return order ? order : compare_number((uint32_t)other->severity, (uint32_t)finding->severity);
}

/* Bottom-up merge sort: stable, so findings of the same rank keep the order of their kernels. */
void cw_findings_sort(struct cw_arena *a, struct cw_finding *at, uint32_t n) {
    struct cw_finding *from = at, *to = CW_NEW_ARRAY(a, struct cw_finding, n + 1);
    for (uint32_t width = 1; width < n; width *= 2) {
        for (uint32_t start = 0; start < n; start += 2 * width) {
            uint32_t middle = start + width < n ? start + width : n, end = middle + width < n ? middle + width : n;
            for (uint32_t i = start, j = middle, k = start; k < end; k++) {
                bool left = j >= end || (i < middle && compare_findings(&from[i], &from[j]) <= 0);
                to[k] = from[left ? i++ : j++];
            }
        }
        struct cw_finding *swap = from;
        from = to;
        to = swap;
    }
    if (from != at && n)
        memcpy(at, from, n * sizeof *at);
}

static bool is_listed(const struct cw_finding *finding, const char *kernel) {
    if (!compare_text(finding->kernel, kernel))
        return true;
    for (uint32_t i = 0; i < finding->also_in.n; i++)
        if (!strcmp(finding->also_in.at[i], kernel))
            return true;
    return false;
}

static void add_kernel(struct cw_arena *a, struct cw_finding *finding, const char *kernel) {
    if (kernel && finding->also_in.n < ALSO_IN_MAX && !is_listed(finding, kernel))
        cw_vec_push(a, &finding->also_in, kernel);
}

static void merge_kernels(struct cw_arena *a, struct cw_finding *kept, const struct cw_finding *other) {
    add_kernel(a, kept, other->kernel);
    for (uint32_t i = 0; i < other->also_in.n; i++)
        add_kernel(a, kept, other->also_in.at[i]);
}

/* ---- a fix of one place is one of all kernels that it was found in ---- */

/* A fix that was proved for the other kernel is not known to be right in this one. */
static void adopt_advice(struct cw_arena *a, struct cw_finding *finding, const struct cw_finding *stronger) {
    finding->help = stronger->help;
    memset(&finding->fixes, 0, sizeof finding->fixes);
    for (uint32_t i = 0; i < stronger->fixes.n; i++) {
        struct cw_fix fix = stronger->fixes.at[i];
        fix.safe = false;
        cw_vec_push(a, &finding->fixes, fix);
    }
}

static bool same_edits(const struct cw_fix *fix, const struct cw_fix *other) {
    if (fix->edits.n != other->edits.n)
        return false;
    for (uint32_t i = 0; i < fix->edits.n; i++) {
        const struct cw_place *p = &fix->edits.at[i].place, *q = &other->edits.at[i].place;
        if (p->line != q->line || p->col != q->col || p->end_line != q->end_line || p->end_col != q->end_col ||
            compare_text(p->file, q->file) || strcmp(fix->edits.at[i].replacement, other->edits.at[i].replacement) != 0)
            return false;
    }
    return true;
}

/* What the other kernel's finding does not offer as well is not known to be right there. */
static void keep_common_fixes(struct cw_arena *a, struct cw_finding *kept, const struct cw_finding *other) {
    struct cw_finding now = *kept;
    memset(&now.fixes, 0, sizeof now.fixes); /* the list may be shared with the finding that this is a copy of */
    for (uint32_t i = 0; i < kept->fixes.n; i++) {
        struct cw_fix fix = kept->fixes.at[i];
        bool too = false;
        for (uint32_t k = 0; k < other->fixes.n && !too; k++)
            too = same_edits(&fix, &other->fixes.at[k]) && other->fixes.at[k].safe;
        fix.safe &= too;
        cw_vec_push(a, &now.fixes, fix);
    }
    *kept = now;
}

/* ---- one pair of accesses races in one warp here, across warps in another instantiation or launch ---- */

static bool same_start(const struct cw_place *place, const struct cw_place *other) {
    return place->line == other->line && place->col == other->col && !compare_text(place->file, other->file);
}

/* Of a race, the first label is its earlier access. */
static bool same_accesses(const struct cw_finding *finding, const struct cw_finding *other) {
    return same_start(&finding->place, &other->place) && finding->labels.n && other->labels.n &&
           same_start(&finding->labels.at[0].place, &other->labels.at[0].place);
}

/* requires: sorted. */
static void adopt_stronger(struct cw_arena *a, struct cw_finding *at, uint32_t n) {
    for (uint32_t start = 0, end; start < n; start = end) {
        for (end = start + 1; end < n && same_start(&at[start].place, &at[end].place);)
            end++;
        for (uint32_t i = start; i < end; i++) {
            const struct cw_finding *strongest = &at[i];
            for (uint32_t k = start; k < end; k++)
                if (at[i].orders && at[k].orders > strongest->orders && same_accesses(&at[i], &at[k]))
                    strongest = &at[k];
            if (strongest != &at[i])
                adopt_advice(a, &at[i], strongest);
        }
    }
    for (uint32_t i = 0; i < n; i++)
        at[i].orders = CW_ORDERS_NONE;
}

/* The same finding in two kernels. */
static void combine_findings(struct cw_arena *a, struct cw_finding *kept, const struct cw_finding *other) {
    if (other->orders > kept->orders) {
        adopt_advice(a, kept, other);
        kept->orders = other->orders;
    } else {
        keep_common_fixes(a, kept, other);
    }
    merge_kernels(a, kept, other);
}

uint32_t cw_findings_dedupe(struct cw_arena *a, struct cw_finding *at, uint32_t n) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (kept && !compare_identity(&at[kept - 1], &at[i]))
            combine_findings(a, &at[kept - 1], &at[i]);
        else
            at[kept++] = at[i];
    }
    adopt_stronger(a, at, kept);
    return kept;
}

/* ---- one cause in several kernels ---- */

static bool covers_finding(const struct cw_finding *finding, const struct cw_finding *other) {
    if (compare_text(finding->rule, other->rule) || finding->confidence > other->confidence ||
        !compare_text(finding->kernel, other->kernel))
        return false;
    for (uint32_t i = 0; i < finding->covers.n; i++) {
        const struct cw_place *p = &finding->covers.at[i];
        if (p->line == other->place.line && p->col == other->place.col && !compare_text(p->file, other->place.file))
            return true;
    }
    return false;
}

static bool comes_first(const struct cw_finding *finding, const struct cw_finding *than, const char *file) {
    bool own = !compare_text(finding->place.file, file), other = !compare_text(than->place.file, file);
    return own != other ? own : compare_identity(finding, than) < 0;
}

/* True when `finding` has found its place in the one finding of its rule. */
static bool add_once(struct cw_arena *a, struct cw_file_result *result, const struct cw_finding *finding) {
    for (uint32_t i = 0; finding->is_once_per_file && i < result->findings.n; i++) {
        struct cw_finding *known = &result->findings.at[i], now = *finding;
        if (compare_text(known->rule, finding->rule))
            continue;
        if (comes_first(finding, known, result->path)) {
            merge_kernels(a, &now, known);
            *known = now;
        } else {
            merge_kernels(a, known, finding);
        }
        return true;
    }
    return false;
}

void cw_findings_add(struct cw_arena *a, struct cw_file_result *result, const struct cw_finding *finding) {
    struct cw_finding now = *finding;
    uint32_t kept = 0;
    if (add_once(a, result, finding))
        return;
    for (uint32_t i = 0; i < result->findings.n; i++)
        if (covers_finding(&result->findings.at[i], finding)) {
            merge_kernels(a, &result->findings.at[i], finding);
            return;
        }
    for (uint32_t i = 0; i < result->findings.n; i++) {
        if (finding->covers.n && covers_finding(finding, &result->findings.at[i]))
            merge_kernels(a, &now, &result->findings.at[i]);
        else
            result->findings.at[kept++] = result->findings.at[i];
    }
    result->findings.n = kept;
    cw_vec_push(a, &result->findings, now);
}
