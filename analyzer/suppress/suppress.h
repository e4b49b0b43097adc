/* The directives of a file, and what each of them covers.
 *
 *     ignore[…]        behind code: its line, and the lines of the statement before it; else the statement that
 * follows, with its block and the comments before it; above or inside a #define: whatever the macro expands to
 *     ignore-file[…]   the file
 *     off[…] … on[…]   the lines between, or to the end of the file; likewise NOLINTBEGIN … NOLINTEND
 *     NOLINT(…)        its line; NOLINTNEXTLINE(…): the next one
 *
 * A statement is found by its tokens: to the `;` outside of brackets, or to the bracket that closes its block, with
 * `else`. */
#ifndef CW_SUPPRESS_SUPPRESS_H
#define CW_SUPPRESS_SUPPRESS_H

#include "source/source.h"
#include "suppress/directive.h"

/* A name in a directive, and the lines for which it stands there; last 0: none. */
struct cw_silence {
    cw_str name;
    uint32_t first, last;
    bool is_used;  /* for the one who matches findings */
    bool is_wrong; /* ends what was never begun */
};

struct cw_comment {
    struct cw_directive directive;
    cw_str text;    /* the comment with its marks, a slice of the source */
    cw_str code;    /* the statement that follows the directive, or empty: what it was written for */
    bool is_alone;  /* nothing else on its lines */
    bool is_behind; /* behind code, on the line that it begins in */
    cw_str macro;   /* the macro whose definition it is in or above, or empty */
    uint32_t first, last; /* the lines that it is about; last 0: none */
    CW_VEC(struct cw_silence) silences; /* one per name of a suppression, in order */
};

struct cw_macro {
    cw_str name;
    CW_VEC(cw_str) mentions; /* names in its replacement */
};

struct cw_comments {
    const struct cw_source *source;
    CW_VEC(struct cw_comment) list;
    bool has_macros; /* some are in or above a macro's definition */
};

struct cw_macros { struct cw_macro *at; uint32_t n, cap; };

/* Never fails. Slices point into the source, which must stay. */
struct cw_comments *cw_comments_read(struct cw_arena *a, const struct cw_source *source);

/* The macros that the file defines, for the way from one to another. */
struct cw_macros cw_macros_read(struct cw_arena *a, const struct cw_source *source);

/* Does the name stand for the rule: its name, its category, or (NOLINT) the beginning of one before a star? */
bool cw_silence_names(cw_str name, const char *rule, const char *category);

/* Place of a slice of the source. */
void cw_comments_place(const struct cw_comments *c, cw_str slice, uint32_t *line, uint32_t *col, uint32_t *end_line,
                       uint32_t *end_col);

#endif
