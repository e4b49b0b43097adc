/* Source lines with marks under them, the way compilers draw them. */
#ifndef CW_EMIT_EXCERPT_H
#define CW_EMIT_EXCERPT_H

#include "emit/emit.h"

struct cw_mark {
    uint32_t line, col, end_line, end_col; /* as in struct cw_place */
    bool is_main;                          /* drawn with ^, others with ~ */
    const char *label;                     /* or NULL */
};

struct cw_marks {
    CW_VEC(struct cw_mark) list;
};

/* Prints every line of `file` that a mark begins on, in order, once. False when the text is not at hand. */
bool cw_excerpt(struct cw_emit *e, const char *file, struct cw_marks *marks);

enum cw_style { CW_STYLE_NONE, CW_STYLE_STRONG, CW_STYLE_DIM, CW_STYLE_ERROR, CW_STYLE_WARNING, CW_STYLE_INFO,
                CW_STYLE_MARK, CW_STYLE_HELP };
/* Opens a style, or ends all of them with CW_STYLE_NONE; nothing without colours. */
void cw_emit_style(struct cw_emit *e, enum cw_style style);

#endif
