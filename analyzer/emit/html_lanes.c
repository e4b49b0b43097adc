/* The lanes of a warp as pictures: a row of cells per group, one scale for all of them. */
#include "emit/html_parts.h"

#include "emit/xml.h"

enum { CELL = 14, GAP = 2, GROUP = 8, GROUP_GAP = 6, HEIGHT = 18, SCALE_HEIGHT = 14 };

static uint32_t x_of(uint32_t lane) {
    return lane * (CELL + GAP) + lane / GROUP * GROUP_GAP;
}

/* "0-3, 8" for people who do not see the picture. */
static void put_ranges(struct cw_buf *out, uint32_t lanes) {
    bool any = false;
    for (uint32_t lane = 0; lane < 32; lane++) {
        uint32_t from = lane;
        if (!(lanes >> lane & 1))
            continue;
        while (lane < 31 && lanes >> (lane + 1) & 1)
            lane++;
        cw_buf_printf(out, from == lane ? "%s%u" : "%s%u-%u", any ? ", " : "", from, lane);
        any = true;
    }
    cw_buf_puts(out, any ? "" : "none");
}

static void put_row(struct cw_buf *out, const struct cw_witness *witness, const char *cell, uint32_t number) {
    const struct cw_lane_row *row = &witness->rows.at[number];
    uint32_t cells = cw_witness_row(witness, number), nlanes = cw_witness_cells(witness);
    cw_buf_puts(out, "<tr><th scope=\"row\">");
    cw_html_text(out, cw_str_of(row->label));
    cw_buf_printf(out, "</th><td><svg class=\"lanes row%u\" viewBox=\"0 0 %u %d\" role=\"img\" aria-label=\"%ss ",
                  number % 4, x_of(31) + CELL, HEIGHT, cell);
    put_ranges(out, cells);
    cw_buf_puts(out, "\">");
    for (uint32_t lane = 0; lane < nlanes; lane++)
        cw_buf_printf(out, "<rect x=\"%u\" y=\"1\" width=\"%d\" height=\"%d\" rx=\"3\"%s><title>%s %u</title></rect>",
                      x_of(lane), CELL, HEIGHT - 2, cells >> lane & 1 ? " class=\"on\"" : "", cell, lane);
    cw_buf_puts(out, "</svg>");
    if (row->meaning) {
        cw_buf_puts(out, "<small>");
        cw_html_text(out, cw_str_of(row->meaning));
        cw_buf_puts(out, "</small>");
    }
    cw_buf_puts(out, "</td></tr>");
}

static void put_scale(struct cw_buf *out, const char *cell, uint32_t nlanes) {
    cw_buf_printf(out, "<tr aria-hidden=\"true\"><th>%s</th><td><svg class=\"scale\" viewBox=\"0 0 %u %d\">", cell,
                  x_of(31) + CELL, SCALE_HEIGHT);
    for (uint32_t lane = 0; lane < nlanes; lane++)
        if (lane % GROUP == 0 || lane + 1 == nlanes)
            cw_buf_printf(out, "<text x=\"%u\" y=\"%d\">%u</text>", x_of(lane) + CELL / 2, SCALE_HEIGHT - 3, lane);
    cw_buf_puts(out, "</svg></td></tr>");
}

void cw_html_lanes(struct cw_emit *emit, const struct cw_witness *witness) {
    if (!witness->rows.n)
        return;
    const char *cell = witness->rows_are_warps ? "warp" : "lane";
    cw_buf_printf(emit->out, "<div class=\"warp\" tabindex=\"0\" role=\"group\" aria-label=\"%s\"><table>",
                  witness->rows_are_warps ? "warps of the block" : "lanes of the warp");
    put_scale(emit->out, cell, cw_witness_cells(witness));
    for (uint32_t i = 0; i < witness->rows.n; i++)
        put_row(emit->out, witness, cell, i);
    cw_buf_puts(emit->out, "</table></div>");
}
