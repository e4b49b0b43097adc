/* Positions as LSP counts them, lines and code units from 0, and bytes of a text.
 *
 * A line ends at LF, CRLF or a lone CR, as in source/source.h. A byte that is not UTF-8 counts as one unit. */
#ifndef CW_LSP_POSITIONS_H
#define CW_LSP_POSITIONS_H

#include "base/str.h"
#include "source/source.h"

#include <jansson.h>

enum cw_lsp_encoding { CW_LSP_UTF16, CW_LSP_UTF8 };

/* Offset of a position; beyond the end of its line or the text: that end. Cost: the text before it. */
size_t cw_lsp_offset(cw_str text, uint32_t line, uint32_t unit, enum cw_lsp_encoding e);
/* Code units of some text of one line. */
uint32_t cw_lsp_units(cw_str text, enum cw_lsp_encoding e);
/* A new {"line", "character"} of an offset of a source; and of a place with line and column from 1. */
json_t *cw_lsp_position(const struct cw_source *s, size_t offset, enum cw_lsp_encoding e);
/* A new range of a place; the whole line 0 for one without a place, or a source that is not there. An empty or reversed
 * range becomes its start. */
struct cw_place;
json_t *cw_lsp_range(const struct cw_source *s, const struct cw_place *place, enum cw_lsp_encoding e);
/* Of the client's ranges and positions: is the position in the range, its ends included; have two ranges a position in
 * common? Missing members count as 0. */
bool cw_lsp_range_holds(const json_t *range, const json_t *position);
bool cw_lsp_ranges_touch(const json_t *a, const json_t *b);

#endif
