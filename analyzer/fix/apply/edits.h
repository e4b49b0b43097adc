/* Replacements in a text: collected without overlap, applied, mapped through, composed.
 *
 * Offsets are bytes of the text as a struct cw_source holds it (without a byte order mark), ranges end exclusive. A set
 * is sorted and its ranges neither overlap nor touch, so the order in which edits came does not matter for what they
 * give. */
#ifndef CW_FIX_APPLY_EDITS_H
#define CW_FIX_APPLY_EDITS_H

#include "diag/diag.h"
#include "source/source.h"

struct cw_replacement {
    size_t from, to;
    const char *text; /* lives as long as the set's user says; with the line endings of the file */
};

struct cw_edits {
    CW_VEC(struct cw_replacement) at;
};

/* Adds one. False, and nothing changed, when it overlaps or touches another one that is not the very same. */
bool cw_edits_add(struct cw_arena *a, struct cw_edits *e, struct cw_replacement r);

/* Places of `source` as a replacement: clamped as cw_source_offset does; a "\n" becomes the line ending that the
 * place's line has (else the file's first one). `file` of the place is not looked at. */
struct cw_replacement cw_edit_resolve(struct cw_arena *a, const struct cw_source *source, const struct cw_edit *edit);

/* The edited text. */
void cw_edits_apply(const struct cw_edits *e, const char *text, size_t size, struct cw_buf *out);

/* The range of the edited text in which a byte of the old one may be found again: one offset for bytes outside of the
 * edits, all of the new text (ends included) for what was replaced or where something was inserted. */
struct cw_range {
    size_t from, to;
};
struct cw_range cw_edits_map(const struct cw_edits *e, size_t offset);

/* What `first` and then `second` (of the text that `first` gave) do to the old text, as one set. */
struct cw_edits cw_edits_compose(struct cw_arena *a, const char *text, const struct cw_edits *first,
                                 const struct cw_edits *second);

#endif
