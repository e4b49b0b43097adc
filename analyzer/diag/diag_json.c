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

static void put_text(json_t *json, const char *key, const char *text) {
    json_object_set_new(json, key, cw_json_text(text));
}

static void put_int(json_t *json, const char *key, json_int_t value) {
    json_object_set_new(json, key, json_integer(value));
}

static void put_place(json_t *json, const struct cw_place *place) {
    put_text(json, "file", place->file);
    put_int(json, "line", place->line);
    put_int(json, "column", place->col);
    put_int(json, "end_line", place->end_line);
    put_int(json, "end_column", place->end_col);
}

/* Remarks without a place have no place keys. */
static json_t *remark_to_json(const struct cw_remark *remark, const char *text_key) {
    json_t *o = json_object();
    put_text(o, text_key, remark->text);
    if (remark->place.line)
        put_place(o, &remark->place);
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

static json_t *rows_to_json(const struct cw_witness *witness) {
    json_t *list = json_array();
    for (uint32_t i = 0; i < witness->rows.n; i++) {
        json_t *o = json_object();
        put_text(o, "label", witness->rows.at[i].label);
        json_object_set_new(o, "lanes", lanes_to_json(witness->rows.at[i].lanes));
        if (witness->rows_are_warps)
            json_object_set_new(o, "warps", lanes_to_json(witness->rows.at[i].warps));
        put_text(o, "meaning", witness->rows.at[i].meaning);
        json_array_append_new(list, o);
    }
    return list;
}

static json_t *facts_to_json(const struct cw_witness *witness) {
    json_t *list = json_array();
    for (uint32_t i = 0; i < witness->facts.n; i++) {
        json_t *o = json_object();
        put_text(o, "name", witness->facts.at[i].name);
        put_text(o, "value", witness->facts.at[i].value);
        json_array_append_new(list, o);
    }
    return list;
}

static json_t *launch_to_json(const struct cw_witness *witness) {
    json_t *o = json_object();
    json_object_set_new(o, "block", numbers_to_json(witness->block, 3));
    if (witness->grid[0])
        json_object_set_new(o, "grid", numbers_to_json(witness->grid, 3));
    put_text(o, "source", witness->launch_source);
    return o;
}

json_t *cw_witness_to_json(const struct cw_witness *witness) {
    if (!witness->present)
        return json_null();
    json_t *o = json_object();
    if (witness->block[0])
        json_object_set_new(o, "launch", launch_to_json(witness));
    if (witness->warp >= 0)
        put_int(o, "warp", witness->warp);
    json_object_set_new(o, "lanes", numbers_to_json(witness->lanes.at, witness->lanes.n));
    json_object_set_new(o, "threads", numbers_to_json(witness->threads.at, witness->threads.n));
    if (witness->iteration >= 0)
        put_int(o, "iteration", witness->iteration);
    if (witness->address)
        put_text(o, "address", witness->address);
    if (witness->has_mask) {
        char mask[16];
        snprintf(mask, sizeof mask, "0x%08x", witness->mask);
        put_text(o, "mask", mask);
    }
    json_object_set_new(o, "rows", rows_to_json(witness));
    json_object_set_new(o, "facts", facts_to_json(witness));
    return o;
}

static json_t *fix_to_json(const struct cw_fix *fix) {
    json_t *o = json_object(), *edits = json_array();
    put_text(o, "message", fix->message);
    json_object_set_new(o, "safe", json_boolean(fix->safe));
    for (uint32_t i = 0; i < fix->edits.n; i++) {
        json_t *e = json_object();
        put_place(e, &fix->edits.at[i].place);
        put_text(e, "replacement", fix->edits.at[i].replacement);
        json_array_append_new(edits, e);
    }
    json_object_set_new(o, "edits", edits);
    return o;
}

static json_t *suppression_to_json(const struct cw_suppression *suppression) {
    json_t *o = json_object();
    put_text(o, "kind", suppression->kind);
    put_text(o, "reason", suppression->reason);
    if (suppression->place.line)
        put_place(o, &suppression->place);
    return o;
}

json_t *cw_finding_to_json(const struct cw_finding *finding) {
    json_t *o = json_object(), *fixes = json_array(), *also = json_array();
    for (uint32_t i = 0; i < finding->fixes.n; i++)
        json_array_append_new(fixes, fix_to_json(&finding->fixes.at[i]));
    for (uint32_t i = 0; i < finding->also_in.n; i++)
        json_array_append_new(also, cw_json_text(finding->also_in.at[i]));
    put_text(o, "rule", finding->rule);
    put_text(o, "severity", cw_severity_text(finding->severity));
    put_text(o, "confidence", cw_confidence_text(finding->confidence));
    put_text(o, "message", finding->message);
    put_place(o, &finding->place);
    put_text(o, "kernel", finding->kernel ? finding->kernel : ""); /* a text in every finding */
    json_object_set_new(o, "also_in", also);
    json_object_set_new(o, "inlined_at", remarks_to_json(finding->inlined_at.at, finding->inlined_at.n, "function"));
    json_object_set_new(o, "labels", remarks_to_json(finding->labels.at, finding->labels.n, "message"));
    json_object_set_new(o, "notes", remarks_to_json(finding->notes.at, finding->notes.n, "message"));
    put_int(o, "steps", finding->nsteps);
    put_text(o, "help", finding->help);
    json_object_set_new(o, "witness", cw_witness_to_json(&finding->witness));
    json_object_set_new(o, "fixes", fixes);
    put_text(o, "fingerprint", finding->fingerprint);
    if (finding->macro)
        put_text(o, "macro", finding->macro);
    if (finding->rests_on)
        put_text(o, "rests_on", finding->rests_on);
    if (finding->orders)
        put_int(o, "orders", finding->orders);
    if (finding->suppression.kind)
        json_object_set_new(o, "suppression", suppression_to_json(&finding->suppression));
    return o;
}

json_t *cw_skipped_to_json(const struct cw_skipped *skipped) {
    json_t *o = json_object();
    put_text(o, "kernel", skipped->kernel);
    put_text(o, "reason", skipped->reason);
    if (skipped->place.line)
        put_place(o, &skipped->place);
    return o;
}

json_t *cw_basis_to_json(const struct cw_basis *basis) {
    json_t *o = json_object(), *lacks = json_array();
    put_text(o, "kernel", basis->kernel);
    put_place(o, &basis->place);
    if (basis->flags & CW_BASIS_PATTERN)
        json_array_append_new(lacks, json_string("instance"));
    if (basis->flags & CW_BASIS_GUESSED)
        json_array_append_new(lacks, json_string(basis->flags & CW_BASIS_NO_LAUNCH ? "launch" : "block"));
    if (basis->flags & CW_BASIS_NO_HEADERS)
        json_array_append_new(lacks, json_string("headers"));
    json_object_set_new(o, "lacks", lacks);
    return o;
}

json_t *cw_partial_to_json(const struct cw_partial *partial) {
    json_t *o = json_object(), *reasons = json_array();
    for (uint32_t i = 0; i < partial->reasons.n; i++) {
        const struct cw_part_reason *why = &partial->reasons.at[i];
        json_t *r = json_object();
        put_text(r, "analysis", why->analysis);
        put_text(r, "reason", why->reason);
        put_int(r, "count", why->count);
        put_text(r, "option", why->option);
        json_array_append_new(reasons, r);
    }
    put_text(o, "kernel", partial->kernel);
    put_place(o, &partial->place);
    json_object_set_new(o, "reasons", reasons);
    return o;
}

static void put_result_lists(json_t *json, const struct cw_file_result *result) {
    json_t *skipped = json_array(), *findings = json_array(), *bails = json_array();
    for (uint32_t i = 0; i < result->skipped.n; i++)
        json_array_append_new(skipped, cw_skipped_to_json(&result->skipped.at[i]));
    for (uint32_t i = 0; i < result->findings.n; i++)
        json_array_append_new(findings, cw_finding_to_json(&result->findings.at[i]));
    for (uint32_t i = 0; i < result->bails.n; i++) {
        json_t *b = json_object();
        put_text(b, "reason", result->bails.at[i].reason);
        put_int(b, "count", result->bails.at[i].count);
        json_array_append_new(bails, b);
    }
    json_t *partial = json_array(), *included = json_array();
    for (uint32_t i = 0; i < result->partial.n; i++)
        json_array_append_new(partial, cw_partial_to_json(&result->partial.at[i]));
    for (uint32_t i = 0; i < result->included.n; i++)
        json_array_append_new(included, cw_partial_to_json(&result->included.at[i]));
    json_t *basis = json_array();
    for (uint32_t i = 0; i < result->basis.n; i++) {
        json_t *b = json_object();
        put_text(b, "kernel", result->basis.at[i].kernel);
        put_place(b, &result->basis.at[i].place);
        put_int(b, "flags", result->basis.at[i].flags);
        json_array_append_new(basis, b);
    }
    json_object_set_new(json, "basis", basis);
    json_object_set_new(json, "partial", partial);
    json_object_set_new(json, "included", included);
    json_object_set_new(json, "skipped", skipped);
    json_object_set_new(json, "findings", findings);
    json_object_set_new(json, "bails", bails);
    json_object_set_new(json, "notes", remarks_to_json(result->parse_notes.at, result->parse_notes.n, "message"));
    json_t *warnings = json_array();
    for (uint32_t i = 0; i < result->warnings.n; i++)
        json_array_append_new(warnings, cw_json_text(result->warnings.at[i]));
    json_object_set_new(json, "warnings", warnings);
}

json_t *cw_result_to_json(const struct cw_file_result *result) {
    json_t *o = json_object();
    put_text(o, "path", result->path);
    json_object_set_new(o, "failed", json_boolean(result->failed));
    put_text(o, "failure", result->failure);
    json_object_set_new(o, "has_device_code", json_boolean(result->has_device_code));
    json_object_set_new(o, "is_hip", json_boolean(result->is_hip));
    json_object_set_new(o, "has_directives", json_boolean(result->has_directives));
    put_int(o, "embedded", result->embedded);
    put_int(o, "kernels", result->kernels);
    put_int(o, "analysed", result->analysed);
    put_int(o, "degraded", result->degraded);
    put_result_lists(o, result);
    put_int(o, "possible_hidden", result->possible_hidden);
    json_object_set_new(o, "seconds_scan", json_real(result->seconds_scan));
    json_object_set_new(o, "seconds_parse", json_real(result->seconds_parse));
    json_object_set_new(o, "seconds_lower", json_real(result->seconds_lower));
    json_object_set_new(o, "seconds_analyse", json_real(result->seconds_analyse));
    put_int(o, "peak_bytes", (json_int_t)result->peak_bytes);
    put_int(o, "cells_evaluated", (json_int_t)result->cells_evaluated);
    put_int(o, "cells_reused", (json_int_t)result->cells_reused);
    return o;
}

/* ---- reading ---- */

/* One pass over the input: `bad` sticks, so callers look once at the end. */
struct reader {
    struct cw_arena *arena;
    bool bad;
};

static const char *get_text(struct reader *reader, const json_t *json, const char *key) {
    const json_t *j = json_object_get(json, key);
    if (!j || json_is_null(j))
        return NULL;
    reader->bad |= !json_is_string(j);
    return json_is_string(j) ? cw_arena_strndup(reader->arena, json_string_value(j), json_string_length(j)) : NULL;
}

static const char *need_text(struct reader *reader, const json_t *json, const char *key) {
    const char *text = get_text(reader, json, key);
    reader->bad |= !text;
    return text ? text : "";
}

static json_int_t get_int(struct reader *reader, const json_t *json, const char *key, json_int_t missing) {
    const json_t *j = json_object_get(json, key);
    if (!j)
        return missing;
    reader->bad |= !json_is_integer(j);
    return json_integer_value(j);
}

static uint32_t to_u32(struct reader *reader, json_int_t value) {
    bool fits = value >= 0 && value <= (json_int_t)UINT32_MAX;
    reader->bad |= !fits;
    return fits ? (uint32_t)value : 0;
}

static uint32_t get_u32(struct reader *reader, const json_t *json, const char *key) {
    return to_u32(reader, get_int(reader, json, key, 0));
}

static bool get_bool(const json_t *json, const char *key) {
    return json_is_true(json_object_get(json, key));
}

static struct cw_place get_place(struct reader *reader, const json_t *json) {
    return (struct cw_place){get_text(reader, json, "file"), get_u32(reader, json, "line"),
                             get_u32(reader, json, "column"), get_u32(reader, json, "end_line"),
                             get_u32(reader, json, "end_column")};
}

static struct cw_remark get_remark(struct reader *reader, const json_t *json, const char *text_key) {
    return (struct cw_remark){get_place(reader, json), need_text(reader, json, text_key)};
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

static void get_triple(struct reader *reader, const json_t *json, const char *key, uint32_t out[3]) {
    const json_t *list = json_object_get(json, key);
    for (size_t i = 0; i < 3; i++)
        out[i] = to_u32(reader, json_integer_value(json_array_get(list, i)));
}

static uint32_t get_lanes(const json_t *json, const char *key) {
    uint32_t lanes = 0;
    size_t i;
    json_t *item;
    json_array_foreach(json_object_get(json, key), i, item)
        lanes |= UINT32_C(1) << (json_integer_value(item) & 31);
    return lanes;
}

static void get_rows_and_facts(struct reader *reader, const json_t *json, struct cw_witness *witness) {
    size_t i;
    json_t *item;
    json_array_foreach(json_object_get(json, "rows"), i, item) {
        witness->rows_are_warps |= json_object_get(item, "warps") != NULL;
        struct cw_lane_row row = {need_text(reader, item, "label"), get_lanes(item, "lanes"),
                                  get_text(reader, item, "meaning"), get_lanes(item, "warps")};
        cw_vec_push(reader->arena, &witness->rows, row);
    }
    json_array_foreach(json_object_get(json, "facts"), i, item) {
        struct cw_witness_fact fact = {need_text(reader, item, "name"), need_text(reader, item, "value")};
        cw_vec_push(reader->arena, &witness->facts, fact);
    }
}

static void get_witness(struct reader *reader, const json_t *json, struct cw_witness *witness) {
    witness->warp = -1;
    witness->iteration = -1;
    witness->present = json_is_object(json);
    if (!witness->present)
        return;
    const json_t *launch = json_object_get(json, "launch");
    get_triple(reader, launch, "block", witness->block);
    get_triple(reader, launch, "grid", witness->grid);
    witness->launch_source = get_text(reader, launch, "source");
    witness->warp = (int32_t)get_int(reader, json, "warp", -1);
    witness->iteration = get_int(reader, json, "iteration", -1);
    witness->address = get_text(reader, json, "address");
    const char *mask = get_text(reader, json, "mask");
    witness->has_mask = mask != NULL;
    witness->mask = mask ? (uint32_t)strtoul(mask, NULL, 16) : 0;
    GET_NUMBERS(reader, json, "lanes", &witness->lanes);
    GET_NUMBERS(reader, json, "threads", &witness->threads);
    get_rows_and_facts(reader, json, witness);
}

static struct cw_fix get_fix(struct reader *reader, const json_t *json) {
    struct cw_fix fix = {.message = need_text(reader, json, "message"), .safe = get_bool(json, "safe")};
    size_t i;
    json_t *item;
    json_array_foreach(json_object_get(json, "edits"), i, item) {
        struct cw_edit edit = {get_place(reader, item), need_text(reader, item, "replacement")};
        cw_vec_push(reader->arena, &fix.edits, edit);
    }
    return fix;
}

static void get_finding_lists(struct reader *reader, const json_t *json, struct cw_finding *finding) {
    size_t i;
    json_t *item;
    GET_REMARKS(reader, json, "inlined_at", "function", &finding->inlined_at);
    GET_REMARKS(reader, json, "labels", "message", &finding->labels);
    GET_REMARKS(reader, json, "notes", "message", &finding->notes);
    json_array_foreach(json_object_get(json, "fixes"), i, item)
        cw_vec_push(reader->arena, &finding->fixes, get_fix(reader, item));
    json_array_foreach(json_object_get(json, "also_in"), i, item) {
        reader->bad |= !json_is_string(item);
        cw_vec_push(reader->arena, &finding->also_in,
                    (const char *)cw_arena_strdup(reader->arena, json_is_string(item) ? json_string_value(item) : ""));
    }
}

static const char *get_kernel(struct reader *reader, const json_t *json) {
    const char *name = get_text(reader, json, "kernel");
    return name && *name ? name : NULL;
}

static struct cw_suppression get_suppression(struct reader *reader, const json_t *json) {
    if (!json_is_object(json))
        return (struct cw_suppression){0};
    return (struct cw_suppression){need_text(reader, json, "kind"), get_text(reader, json, "reason"),
                                   get_place(reader, json)};
}

bool cw_finding_from_json(struct cw_arena *a, const json_t *json, struct cw_finding *finding) {
    struct reader r = {a, !json_is_object(json)};
    *finding = (struct cw_finding){.rule = need_text(&r, json, "rule"),
                             .message = need_text(&r, json, "message"),
                             .place = get_place(&r, json),
                             .kernel = get_kernel(&r, json),
                             .help = get_text(&r, json, "help"),
                             .fingerprint = get_text(&r, json, "fingerprint"),
                             .macro = get_text(&r, json, "macro"),
                             .rests_on = get_text(&r, json, "rests_on"),
                             .suppression = get_suppression(&r, json_object_get(json, "suppression"))};
    r.bad |= !cw_severity_parse(need_text(&r, json, "severity"), &finding->severity);
    const char *confidence = need_text(&r, json, "confidence");
    r.bad |= strcmp(confidence, "definite") && strcmp(confidence, "possible");
    finding->confidence = strcmp(confidence, "definite") ? CW_POSSIBLE : CW_DEFINITE;
    get_finding_lists(&r, json, finding);
    finding->nsteps = get_u32(&r, json, "steps");
    finding->orders = (enum cw_orders)get_u32(&r, json, "orders");
    r.bad |= finding->orders > CW_ORDERS_MORE;
    r.bad |= finding->nsteps > finding->notes.n;
    get_witness(&r, json_object_get(json, "witness"), &finding->witness);
    return !r.bad;
}

static struct cw_partial get_partial(struct reader *reader, const json_t *json) {
    struct cw_partial p = {.kernel = need_text(reader, json, "kernel"), .place = get_place(reader, json)};
    size_t i;
    json_t *item;
    json_array_foreach(json_object_get(json, "reasons"), i, item) {
        struct cw_part_reason why = {need_text(reader, item, "analysis"), need_text(reader, item, "reason"),
                                     get_text(reader, item, "option"), get_u32(reader, item, "count")};
        cw_vec_push(reader->arena, &p.reasons, why);
    }
    return p;
}

static void get_result_lists(struct reader *reader, const json_t *json, struct cw_file_result *out) {
    size_t i;
    json_t *item;
    json_array_foreach(json_object_get(json, "skipped"), i, item) {
        struct cw_skipped s = {need_text(reader, item, "kernel"), get_place(reader, item),
                               need_text(reader, item, "reason")};
        cw_vec_push(reader->arena, &out->skipped, s);
    }
    json_array_foreach(json_object_get(json, "basis"), i, item) {
        struct cw_basis b = {need_text(reader, item, "kernel"), get_place(reader, item),
                             get_u32(reader, item, "flags")};
        cw_vec_push(reader->arena, &out->basis, b);
    }
    json_array_foreach(json_object_get(json, "partial"), i, item)
        cw_vec_push(reader->arena, &out->partial, get_partial(reader, item));
    json_array_foreach(json_object_get(json, "included"), i, item)
        cw_vec_push(reader->arena, &out->included, get_partial(reader, item));
    json_array_foreach(json_object_get(json, "findings"), i, item) {
        struct cw_finding f;
        reader->bad |= !cw_finding_from_json(reader->arena, item, &f);
        cw_vec_push(reader->arena, &out->findings, f);
    }
    json_array_foreach(json_object_get(json, "bails"), i, item) {
        struct cw_bail_count b = {need_text(reader, item, "reason"), get_u32(reader, item, "count")};
        cw_vec_push(reader->arena, &out->bails, b);
    }
    GET_REMARKS(reader, json, "notes", "message", &out->parse_notes);
    json_array_foreach(json_object_get(json, "warnings"), i, item) if (json_is_string(item)) cw_vec_push(
        reader->arena, &out->warnings, (const char *)cw_arena_strdup(reader->arena, json_string_value(item)));
}

bool cw_result_from_json(struct cw_arena *a, const json_t *json, struct cw_file_result *out) {
    struct reader r = {a, !json_is_object(json)};
    *out = (struct cw_file_result){.path = need_text(&r, json, "path"),
                                   .failed = get_bool(json, "failed"),
                                   .failure = get_text(&r, json, "failure"),
                                   .has_device_code = get_bool(json, "has_device_code"),
                                   .is_hip = get_bool(json, "is_hip"),
                                   .has_directives = get_bool(json, "has_directives"),
                                   .embedded = get_u32(&r, json, "embedded"),
                                   .kernels = get_u32(&r, json, "kernels"),
                                   .analysed = get_u32(&r, json, "analysed"),
                                   .degraded = get_u32(&r, json, "degraded"),
                                   .possible_hidden = get_u32(&r, json, "possible_hidden"),
                                   .seconds_scan = json_number_value(json_object_get(json, "seconds_scan")),
                                   .seconds_parse = json_number_value(json_object_get(json, "seconds_parse")),
                                   .seconds_lower = json_number_value(json_object_get(json, "seconds_lower")),
                                   .seconds_analyse = json_number_value(json_object_get(json, "seconds_analyse")),
                                   .peak_bytes = (uint64_t)get_int(&r, json, "peak_bytes", 0),
                                   .cells_evaluated = (uint64_t)get_int(&r, json, "cells_evaluated", 0),
                                   .cells_reused = (uint64_t)get_int(&r, json, "cells_reused", 0)};
    get_result_lists(&r, json, out);
    return !r.bad;
}
