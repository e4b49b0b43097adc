/* The parts of the HTML report. Everything that comes from a source file or a finding goes through cw_html_text() or
 * cw_xml_puts(). */
#ifndef CW_EMIT_HTML_PARTS_H
#define CW_EMIT_HTML_PARTS_H

#include "emit/emit.h"

/* Text of a file for the page: escaped; characters that reorder or hide text are shown by their numbers. */
void cw_html_text(struct cw_buf *out, cw_str text);

/* The colours of a file's bytes, one letter each: 'c'omment, 's'tring, 'n'umber, 'k'eyword, 'g'pu, 'p'reprocessor, or
 * 0. */
struct cw_paint {
    struct cw_arena *arena;
    const struct cw_source *source; /* of the file painted last */
    const char *letters;
};
const char *cw_paint_of(struct cw_paint *p, const struct cw_source *s);

/* One thing to point at in the source. */
struct cw_pin {
    struct cw_place place;
    const char *kind; /* class: "main", "step", "label", "note" */
    uint32_t number;  /* of the step, or 0 */
    const char *text; /* or NULL */
};
struct cw_pins {
    CW_VEC(struct cw_pin) list;
};

/* One panel per file the pins are in, in the order they come. */
void cw_html_panels(struct cw_emit *e, struct cw_paint *paint, struct cw_pins *pins);
/* The lines a fix changes, before and after. */
void cw_html_fix(struct cw_emit *e, const struct cw_fix *fix);
/* The lanes of a warp, a row per group. */
void cw_html_lanes(struct cw_emit *e, const struct cw_witness *w);
/* A rule's documentation: the Markdown that head comments use (headings, paragraphs, lists, code, emphasis). */
void cw_html_inline(struct cw_buf *out, cw_str text); /* `code` alone */
void cw_html_markdown(struct cw_buf *out, const char *text);

#endif
