#include "diag/diag_json.h"

#include "source/source.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- writing ---- */

static json_t *repaired_text(const char *text) {
    struct cw_buf out = {0};
    uint32_t code, n;
    for (cw_str s = cw_str_of(text); (n = cw_utf8_decode(s, &code)); s = (cw_str){s.at + n, s.n - n}) {
        if (code == 0xfffd)
            cw_buf_puts(&out, "\xef\xbf\xbd");
        else
            cw_buf_add(&out, s.at, n);
    }
    json_t *j = json_stringn(out.at ? out.at : "", out.n);
    cw_buf_free(&out);
    return j;
}

json_t *cw_json_text(const char *text) {
    if (!text)
        return json_null();
    json_t *j = json_string(text);
    return j ? j : repaired_text(text);
}

static void put_text(json_t *o, const char *key, const char *text) {
    json_object_set_new(o, key, cw_json_text(text));
}

static void put_int(json_t *o, const char *key, json_int_t value) {
    json_object_set_new(o, key, json_integer(value));
}

static void put_place(json_t *o, const struct cw_place *p) {
    put_text(o, "file", p->file);
    put_int(o, "line", p->line);
    put_int(o, "column", p->col);
    put_int(o, "end_line", p->end_line);
    put_int(o, "end_column", p->end_col);
}

/* Remarks without a place have no place keys. */
static json_t *remark_to_json(const struct cw_remark *r, const char *text_key) {
    json_t *o = json_object();
    put_text(o, text_key, r->text);
    if (r->place.line)
        put_place(o, &r->place);
    return o;
}

static json_t *remarks_to_json(const struct cw_remark *at, uint32_t n, const char *text_key) {
    json_t *list = json_array();
    for (uint32_t i = 0; i < n; i++)
        json_array_append_new(list, remark_to_json(&at[i], text_key));
    return list;
}

static json_t *numbers_to_json(const uint32_t *at, uint32_t n) {
    json_t *list = json_array();
    for (uint32_t i = 0; i < n; i++)
        json_array_append_new(list, json_integer(at[i]));
    return list;
}

static json_t *lanes_to_json(uint32_t lanes) {
    json_t *list = json_array();
    for (uint32_t lane = 0; lane < 32; lane++)
        if (lanes >> lane & 1)
            json_array_append_new(list, json_integer(lane));
    return list;
}

static json_t *rows_to_json(const struct cw_witness *w) {
    json_t *list = json_array();
    for (uint32_t i = 0; i < w->rows.n; i++) {
        json_t *o = json_object();
        put_text(o, "label", w->rows.at[i].label);
        json_object_set_new(o, "lanes", lanes_to_json(w->rows.at[i].lanes));
        if (w->rows_are_warps)
            json_object_set_new(o, "warps", lanes_to_json(w->rows.at[i].warps));
        put_text(o, "meaning", w->rows.at[i].meaning);
        json_array_append_new(list, o);
    }
    return list;
}

static json_t *facts_to_json(const struct cw_witness *w) {
    json_t *list = json_array();
    for (uint32_t i = 0; i < w->facts.n; i++) {
        json_t *o = json_object();
        put_text(o, "name", w->facts.at[i].name);
        put_text(o, "value", w->facts.at[i].value);
        json_array_append_new(list, o);
    }
    return list;
}

static json_t *launch_to_json(const struct cw_witness *w) {
    json_t *o = json_object();
    json_object_set_new(o, "block", numbers_to_json(w->block, 3));
    if (w->grid[0])
        json_object_set_new(o, "grid", numbers_to_json(w->grid, 3));
    put_text(o, "source", w->launch_source);
    return o;
}

json_t *cw_witness_to_json(const struct cw_witness *w) {
    if (!w->present)
        return json_null();
    json_t *o = json_object();
    if (w->block[0])
        json_object_set_new(o, "launch", launch_to_json(w));
    if (w->warp >= 0)
        put_int(o, "warp", w->warp);
    json_object_set_new(o, "lanes", numbers_to_json(w->lanes.at, w->lanes.n));
    json_object_set_new(o, "threads", numbers_to_json(w->threads.at, w->threads.n));
    if (w->iteration >= 0)
        put_int(o, "iteration", w->iteration);
    if (w->address)
        put_text(o, "address", w->address);
    if (w->has_mask) {
        char mask[16];
        snprintf(mask, sizeof mask, "0x%08x", w->mask);
        put_text(o, "mask", mask);
    }
    json_object_set_new(o, "rows", rows_to_json(w));
    json_object_set_new(o, "facts", facts_to_json(w));
    return o;
}

static json_t *fix_to_json(const struct cw_fix *x) {
    json_t *o = json_object(), *edits = json_array();
    put_text(o, "message", x->message);
    json_object_set_new(o, "safe", json_boolean(x->safe));
    for (uint32_t i = 0; i < x->edits.n; i++) {
        json_t *e = json_object();
        put_place(e, &x->edits.at[i].place);
        put_text(e, "replacement", x->edits.at[i].replacement);
        json_array_append_new(edits, e);
    }
    json_object_set_new(o, "edits", edits);
    return o;
}

static json_t *suppression_to_json(const struct cw_suppression *s) {
    json_t *o = json_object();
    put_text(o, "kind", s->kind);
    put_text(o, "reason", s->reason);
    if (s->place.line)
        put_place(o, &s->place);
    return o;
}

json_t *cw_finding_to_json(const struct cw_finding *f) {
    json_t *o = json_object(), *fixes = json_array(), *also = json_array();
    for (uint32_t i = 0; i < f->fixes.n; i++)
        json_array_append_new(fixes, fix_to_json(&f->fixes.at[i]));
    for (uint32_t i = 0; i < f->also_in.n; i++)
        json_array_append_new(also, cw_json_text(f->also_in.at[i]));
    put_text(o, "rule", f->rule);
    put_text(o, "severity", cw_severity_text(f->severity));
    put_text(o, "confidence", cw_confidence_text(f->confidence));
    put_text(o, "message", f->message);
    put_place(o, &f->place);
    put_text(o, "kernel", f->kernel ? f->kernel : ""); /* a text in every finding */
    json_object_set_new(o, "also_in", also);
    json_object_set_new(o, "inlined_at", remarks_to_json(f->inlined_at.at, f->inlined_at.n, "function"));
    json_object_set_new(o, "labels", remarks_to_json(f->labels.at, f->labels.n, "message"));
    json_object_set_new(o, "notes", remarks_to_json(f->notes.at, f->notes.n, "message"));
    put_int(o, "steps", f->nsteps);
    put_text(o, "help", f->help);
    json_object_set_new(o, "witness", cw_witness_to_json(&f->witness));
    json_object_set_new(o, "fixes", fixes);
    put_text(o, "fingerprint", f->fingerprint);
    if (f->macro)
        put_text(o, "macro", f->macro);
    if (f->rests_on)
        put_text(o, "rests_on", f->rests_on);
    if (f->orders)
        put_int(o, "orders", f->orders);
    if (f->suppression.kind)
        json_object_set_new(o, "suppression", suppression_to_json(&f->suppression));
    return o;
}

json_t *cw_skipped_to_json(const struct cw_skipped *s) {
    json_t *o = json_object();
    put_text(o, "kernel", s->kernel);
    put_text(o, "reason", s->reason);
    if (s->place.line)
        put_place(o, &s->place);
    return o;
}

json_t *cw_partial_to_json(const struct cw_partial *p) {
    json_t *o = json_object(), *reasons = json_array();
    for (uint32_t i = 0; i < p->reasons.n; i++) {
        const struct cw_part_reason *why = &p->reasons.at[i];
        json_t *r = json_object();
        put_text(r, "analysis", why->analysis);
        put_text(r, "reason", why->reason);
        put_int(r, "count", why->count);
        put_text(r, "option", why->option);
        json_array_append_new(reasons, r);
    }
    put_text(o, "kernel", p->kernel);
    put_place(o, &p->place);
    json_object_set_new(o, "reasons", reasons);
    return o;
}

static void put_result_lists(json_t *o, const struct cw_file_result *r) {
    json_t *skipped = json_array(), *findings = json_array(), *bails = json_array();
    for (uint32_t i = 0; i < r->skipped.n; i++)
        json_array_append_new(skipped, cw_skipped_to_json(&r->skipped.at[i]));
    for (uint32_t i = 0; i < r->findings.n; i++)
        json_array_append_new(findings, cw_finding_to_json(&r->findings.at[i]));
    for (uint32_t i = 0; i < r->bails.n; i++) {
        json_t *b = json_object();
        put_text(b, "reason", r->bails.at[i].reason);
        put_int(b, "count", r->bails.at[i].count);
        json_array_append_new(bails, b);
    }
    json_t *partial = json_array();
    for (uint32_t i = 0; i < r->partial.n; i++)
        json_array_append_new(partial, cw_partial_to_json(&r->partial.at[i]));
    json_t *basis = json_array();
    for (uint32_t i = 0; i < r->basis.n; i++) {
        json_t *b = json_object();
        put_text(b, "kernel", r->basis.at[i].kernel);
        put_place(b, &r->basis.at[i].place);
        put_int(b, "flags", r->basis.at[i].flags);
        json_array_append_new(basis, b);
    }
    json_object_set_new(o, "basis", basis);
    json_object_set_new(o, "partial", partial);
    json_object_set_new(o, "complete", remarks_to_json(r->complete.at, r->complete.n, "kernel"));
    json_object_set_new(o, "skipped", skipped);
    json_object_set_new(o, "findings", findings);
    json_object_set_new(o, "bails", bails);
    json_object_set_new(o, "notes", remarks_to_json(r->parse_notes.at, r->parse_notes.n, "message"));
    json_t *warnings = json_array();
    for (uint32_t i = 0; i < r->warnings.n; i++)
        json_array_append_new(warnings, cw_json_text(r->warnings.at[i]));
    json_object_set_new(o, "warnings", warnings);
}

json_t *cw_result_to_json(const struct cw_file_result *r) {
    json_t *o = json_object();
    put_text(o, "path", r->path);
    json_object_set_new(o, "failed", json_boolean(r->failed));
    put_text(o, "failure", r->failure);
    json_object_set_new(o, "has_device_code", json_boolean(r->has_device_code));
    json_object_set_new(o, "has_directives", json_boolean(r->has_directives));
    put_int(o, "embedded", r->embedded);
    put_int(o, "kernels", r->kernels);
    put_int(o, "analysed", r->analysed);
    put_int(o, "degraded", r->degraded);
    put_result_lists(o, r);
    put_int(o, "possible_hidden", r->possible_hidden);
    json_object_set_new(o, "seconds_scan", json_real(r->seconds_scan));
    json_object_set_new(o, "seconds_parse", json_real(r->seconds_parse));
    json_object_set_new(o, "seconds_lower", json_real(r->seconds_lower));
    json_object_set_new(o, "seconds_analyse", json_real(r->seconds_analyse));
    put_int(o, "peak_bytes", (json_int_t)r->peak_bytes);
    put_int(o, "cells_evaluated", (json_int_t)r->cells_evaluated);
    put_int(o, "cells_reused", (json_int_t)r->cells_reused);
    return o;
}

/* ---- reading ---- */

/* One pass over the input: `bad` sticks, so callers look once at the end. */
struct reader {
    struct cw_arena *arena;
    bool bad;
};

static const char *get_text(struct reader *r, const json_t *o, const char *key) {
    const json_t *j = json_object_get(o, key);
    if (!j || json_is_null(j))
        return NULL;
    r->bad |= !json_is_string(j);
    return json_is_string(j) ? cw_arena_strndup(r->arena, json_string_value(j), json_string_length(j)) : NULL;
}

static const char *need_text(struct reader *r, const json_t *o, const char *key) {
    const char *text = get_text(r, o, key);
    r->bad |= !text;
    return text ? text : "";
}

static json_int_t get_int(struct reader *r, const json_t *o, const char *key, json_int_t missing) {
    const json_t *j = json_object_get(o, key);
    if (!j)
        return missing;
    r->bad |= !json_is_integer(j);
    return json_integer_value(j);
}

static uint32_t to_u32(struct reader *r, json_int_t value) {
    bool fits = value >= 0 && value <= (json_int_t)UINT32_MAX;
    r->bad |= !fits;
    return fits ? (uint32_t)value : 0;
}

static uint32_t get_u32(struct reader *r, const json_t *o, const char *key) {
    return to_u32(r, get_int(r, o, key, 0));
}

static bool get_bool(const json_t *o, const char *key) {
    return json_is_true(json_object_get(o, key));
}

static struct cw_place get_place(struct reader *r, const json_t *o) {
    return (struct cw_place){get_text(r, o, "file"), get_u32(r, o, "line"), get_u32(r, o, "column"),
                             get_u32(r, o, "end_line"), get_u32(r, o, "end_column")};
}

static struct cw_remark get_remark(struct reader *r, const json_t *o, const char *text_key) {
    return (struct cw_remark){get_place(r, o), need_text(r, o, text_key)};
}

#define GET_REMARKS(r, o, key, text_key, vec)                                                                          \
    do {                                                                                                               \
        size_t at_;                                                                                                    \
        json_t *item_;                                                                                                 \
        json_array_foreach(json_object_get((o), (key)), at_, item_)                                                    \
            cw_vec_push((r)->arena, (vec), get_remark((r), item_, (text_key)));                                        \
    } while (0)

#define GET_NUMBERS(r, o, key, vec)                                                                                    \
    do {                                                                                                               \
        size_t at_;                                                                                                    \
        json_t *item_;                                                                                                 \
        json_array_foreach(json_object_get((o), (key)), at_, item_)                                                    \
            cw_vec_push((r)->arena, (vec), to_u32((r), json_integer_value(item_)));                                    \
    } while (0)

static void get_triple(struct reader *r, const json_t *o, const char *key, uint32_t out[3]) {
    const json_t *list = json_object_get(o, key);
    for (size_t i = 0; i < 3; i++)
        out[i] = to_u32(r, json_integer_value(json_array_get(list, i)));
}

static uint32_t get_lanes(const json_t *o, const char *key) {
    uint32_t lanes = 0;
    size_t i;
    json_t *item;
    json_array_foreach(json_object_get(o, key), i, item)
        lanes |= UINT32_C(1) << (json_integer_value(item) & 31);
    return lanes;
}

static void get_rows_and_facts(struct reader *r, const json_t *o, struct cw_witness *w) {
    size_t i;
    json_t *item;
    json_array_foreach(json_object_get(o, "rows"), i, item) {
        w->rows_are_warps |= json_object_get(item, "warps") != NULL;
        struct cw_lane_row row = {need_text(r, item, "label"), get_lanes(item, "lanes"), get_text(r, item, "meaning"),
                                  get_lanes(item, "warps")};
        cw_vec_push(r->arena, &w->rows, row);
    }
    json_array_foreach(json_object_get(o, "facts"), i, item) {
        struct cw_witness_fact fact = {need_text(r, item, "name"), need_text(r, item, "value")};
        cw_vec_push(r->arena, &w->facts, fact);
    }
}

static void get_witness(struct reader *r, const json_t *o, struct cw_witness *w) {
    w->warp = -1;
    w->iteration = -1;
    w->present = json_is_object(o);
    if (!w->present)
        return;
    const json_t *launch = json_object_get(o, "launch");
    get_triple(r, launch, "block", w->block);
    get_triple(r, launch, "grid", w->grid);
    w->launch_source = get_text(r, launch, "source");
    w->warp = (int32_t)get_int(r, o, "warp", -1);
    w->iteration = get_int(r, o, "iteration", -1);
    w->address = get_text(r, o, "address");
    const char *mask = get_text(r, o, "mask");
    w->has_mask = mask != NULL;
    w->mask = mask ? (uint32_t)strtoul(mask, NULL, 16) : 0;
    GET_NUMBERS(r, o, "lanes", &w->lanes);
    GET_NUMBERS(r, o, "threads", &w->threads);
    get_rows_and_facts(r, o, w);
}

static struct cw_fix get_fix(struct reader *r, const json_t *o) {
    struct cw_fix fix = {.message = need_text(r, o, "message"), .safe = get_bool(o, "safe")};
    size_t i;
    json_t *item;
    json_array_foreach(json_object_get(o, "edits"), i, item) {
        struct cw_edit edit = {get_place(r, item), need_text(r, item, "replacement")};
        cw_vec_push(r->arena, &fix.edits, edit);
    }
    return fix;
}

static void get_finding_lists(struct reader *r, const json_t *j, struct cw_finding *f) {
    size_t i;
    json_t *item;
    GET_REMARKS(r, j, "inlined_at", "function", &f->inlined_at);
    GET_REMARKS(r, j, "labels", "message", &f->labels);
    GET_REMARKS(r, j, "notes", "message", &f->notes);
    json_array_foreach(json_object_get(j, "fixes"), i, item)
        cw_vec_push(r->arena, &f->fixes, get_fix(r, item));
    json_array_foreach(json_object_get(j, "also_in"), i, item) {
        r->bad |= !json_is_string(item);
        cw_vec_push(r->arena, &f->also_in,
                    (const char *)cw_arena_strdup(r->arena, json_is_string(item) ? json_string_value(item) : ""));
    }
}

static const char *get_kernel(struct reader *r, const json_t *o) {
    const char *name = get_text(r, o, "kernel");
    return name && *name ? name : NULL;
}

static struct cw_suppression get_suppression(struct reader *r, const json_t *o) {
    if (!json_is_object(o))
        return (struct cw_suppression){0};
    return (struct cw_suppression){need_text(r, o, "kind"), get_text(r, o, "reason"), get_place(r, o)};
}

bool cw_finding_from_json(struct cw_arena *a, const json_t *j, struct cw_finding *f) {
    struct reader r = {a, !json_is_object(j)};
    *f = (struct cw_finding){.rule = need_text(&r, j, "rule"),
                             .message = need_text(&r, j, "message"),
                             .place = get_place(&r, j),
                             .kernel = get_kernel(&r, j),
                             .help = get_text(&r, j, "help"),
                             .fingerprint = get_text(&r, j, "fingerprint"),
                             .macro = get_text(&r, j, "macro"),
                             .rests_on = get_text(&r, j, "rests_on"),
                             .suppression = get_suppression(&r, json_object_get(j, "suppression"))};
    r.bad |= !cw_severity_parse(need_text(&r, j, "severity"), &f->severity);
    const char *confidence = need_text(&r, j, "confidence");
    r.bad |= strcmp(confidence, "definite") && strcmp(confidence, "possible");
    f->confidence = strcmp(confidence, "definite") ? CW_POSSIBLE : CW_DEFINITE;
    get_finding_lists(&r, j, f);
    f->nsteps = get_u32(&r, j, "steps");
    f->orders = (enum cw_orders)get_u32(&r, j, "orders");
    r.bad |= f->orders > CW_ORDERS_MORE;
    r.bad |= f->nsteps > f->notes.n;
    get_witness(&r, json_object_get(j, "witness"), &f->witness);
    return !r.bad;
}

static struct cw_partial get_partial(struct reader *r, const json_t *j) {
    struct cw_partial p = {.kernel = need_text(r, j, "kernel"), .place = get_place(r, j)};
    size_t i;
    json_t *item;
    json_array_foreach(json_object_get(j, "reasons"), i, item) {
        struct cw_part_reason why = {need_text(r, item, "analysis"), need_text(r, item, "reason"),
                                     get_text(r, item, "option"), get_u32(r, item, "count")};
        cw_vec_push(r->arena, &p.reasons, why);
    }
    return p;
}

static void get_result_lists(struct reader *r, const json_t *j, struct cw_file_result *out) {
    size_t i;
    json_t *item;
    json_array_foreach(json_object_get(j, "skipped"), i, item) {
        struct cw_skipped s = {need_text(r, item, "kernel"), get_place(r, item), need_text(r, item, "reason")};
        cw_vec_push(r->arena, &out->skipped, s);
    }
    json_array_foreach(json_object_get(j, "basis"), i, item) {
        struct cw_basis b = {need_text(r, item, "kernel"), get_place(r, item), get_u32(r, item, "flags")};
        cw_vec_push(r->arena, &out->basis, b);
    }
    json_array_foreach(json_object_get(j, "partial"), i, item)
        cw_vec_push(r->arena, &out->partial, get_partial(r, item));
    json_array_foreach(json_object_get(j, "findings"), i, item) {
        struct cw_finding f;
        r->bad |= !cw_finding_from_json(r->arena, item, &f);
        cw_vec_push(r->arena, &out->findings, f);
    }
    json_array_foreach(json_object_get(j, "bails"), i, item) {
        struct cw_bail_count b = {need_text(r, item, "reason"), get_u32(r, item, "count")};
        cw_vec_push(r->arena, &out->bails, b);
    }
    GET_REMARKS(r, j, "complete", "kernel", &out->complete);
    GET_REMARKS(r, j, "notes", "message", &out->parse_notes);
    json_array_foreach(json_object_get(j, "warnings"), i, item)
        if (json_is_string(item))
            cw_vec_push(r->arena, &out->warnings, (const char *)cw_arena_strdup(r->arena, json_string_value(item)));
}

bool cw_result_from_json(struct cw_arena *a, const json_t *j, struct cw_file_result *out) {
    struct reader r = {a, !json_is_object(j)};
    *out = (struct cw_file_result){.path = need_text(&r, j, "path"),
                                   .failed = get_bool(j, "failed"),
                                   .failure = get_text(&r, j, "failure"),
                                   .has_device_code = get_bool(j, "has_device_code"),
                                   .has_directives = get_bool(j, "has_directives"),
                                   .embedded = get_u32(&r, j, "embedded"),
                                   .kernels = get_u32(&r, j, "kernels"),
                                   .analysed = get_u32(&r, j, "analysed"),
                                   .degraded = get_u32(&r, j, "degraded"),
                                   .possible_hidden = get_u32(&r, j, "possible_hidden"),
                                   .seconds_scan = json_number_value(json_object_get(j, "seconds_scan")),
                                   .seconds_parse = json_number_value(json_object_get(j, "seconds_parse")),
                                   .seconds_lower = json_number_value(json_object_get(j, "seconds_lower")),
                                   .seconds_analyse = json_number_value(json_object_get(j, "seconds_analyse")),
                                   .peak_bytes = (uint64_t)get_int(&r, j, "peak_bytes", 0),
                                   .cells_evaluated = (uint64_t)get_int(&r, j, "cells_evaluated", 0),
                                   .cells_reused = (uint64_t)get_int(&r, j, "cells_reused", 0)};
    get_result_lists(&r, j, out);
    return !r.bad;
}
