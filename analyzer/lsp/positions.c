#include "lsp/positions.h"

#include "diag/diag.h"

#include <string.h>

static uint32_t units_of(uint32_t code, uint32_t bytes, enum cw_lsp_encoding encoding) {
    return encoding == CW_LSP_UTF8 ? bytes : code > 0xffff ? 2 : 1;
}

uint32_t cw_lsp_units(cw_str text, enum cw_lsp_encoding encoding) {
    uint32_t units = 0, code, n;
    for (; (n = cw_utf8_decode(text, &code)); text = (cw_str){text.at + n, text.n - n})
        units += units_of(code, n, encoding);
    return units;
}

/* Past the end of the line that begins here. */
static size_t next_line(cw_str text, size_t at) {
    while (at < text.n && text.at[at] != '\n' && text.at[at] != '\r')
        at++;
    if (at + 1 < text.n && text.at[at] == '\r' && text.at[at + 1] == '\n')
        at++;
    return at < text.n ? at + 1 : at;
}

static bool ends_line(char c) {
    return c == '\n' || c == '\r';
}

size_t cw_lsp_offset(cw_str text, uint32_t line, uint32_t unit, enum cw_lsp_encoding encoding) {
    size_t at = 0;
    for (; line; line--) {
        size_t next = next_line(text, at);
        bool is_ended = next > at && ends_line(text.at[next - 1]);
        at = next;
        if (!is_ended)
            return at; /* there is no such line */
    }
    uint32_t code, n, units = 0;
    while (at < text.n && !ends_line(text.at[at]) && (n = cw_utf8_decode((cw_str){text.at + at, text.n - at}, &code))) {
        units += units_of(code, n, encoding);
        if (units > unit)
            break;
        at += n;
    }
    return at;
}

static json_t *position_of(uint32_t line, uint32_t unit) {
    json_t *o = json_object();
    json_object_set_new(o, "line", json_integer(line));
    json_object_set_new(o, "character", json_integer(unit));
    return o;
}

json_t *cw_lsp_position(const struct cw_source *source, size_t offset, enum cw_lsp_encoding encoding) {
    uint32_t line, col;
    cw_source_place(source, offset, &line, &col);
    cw_str text = cw_source_line(source, line);
    size_t n = col - 1 < text.n ? col - 1 : text.n;
    return position_of(line - 1, cw_lsp_units((cw_str){text.at, n}, encoding));
}

json_t *cw_lsp_range(const struct cw_source *source, const struct cw_place *place, enum cw_lsp_encoding encoding) {
    json_t *range = json_object();
    if (!source || !place->line) {
        uint32_t line = place->line ? place->line - 1 : 0;
        json_object_set_new(range, "start", position_of(line, 0));
        json_object_set_new(range, "end", position_of(line, 0));
        return range;
    }
    size_t from = cw_source_offset(source, place->line, place->col);
    size_t to = place->end_line ? cw_source_offset(source, place->end_line, place->end_col) : from;
    json_object_set_new(range, "start", cw_lsp_position(source, from, encoding));
    json_object_set_new(range, "end", cw_lsp_position(source, to < from ? from : to, encoding));
    return range;
}

/* ---- ranges ---- */

static bool is_before(const json_t *json, const json_t *b) {
    json_int_t line = json_integer_value(json_object_get(json, "line")),
               other = json_integer_value(json_object_get(b, "line"));
    if (line != other)
        return line < other;
    return json_integer_value(json_object_get(json, "character")) < json_integer_value(json_object_get(b, "character"));
}

bool cw_lsp_range_holds(const json_t *range, const json_t *position) {
    return !is_before(position, json_object_get(range, "start")) && !is_before(json_object_get(range, "end"), position);
}

bool cw_lsp_ranges_touch(const json_t *json, const json_t *other) {
    return !is_before(json_object_get(json, "end"), json_object_get(other, "start")) &&
           !is_before(json_object_get(other, "end"), json_object_get(json, "start"));
}
