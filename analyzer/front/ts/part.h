/* Text as the grammar sees it: the preprocessor's tokens written out, with what the grammar does not know blanked.
 *
 * `text` and `raw` have the same length, so a node's offsets find what was blanked, too. */
#ifndef CW_FRONT_TS_PART_H
#define CW_FRONT_TS_PART_H

#include "front/ts/preproc.h"

#include <tree_sitter/api.h>

struct ts_part {
    struct cw_arena *arena;
    const struct ts_preproc *preproc;
    struct ts_tokens tokens;
    uint32_t *start; /* offset of each token in the text */
    char *text, *raw;
    uint32_t size;
    TSTree *tree;    /* NULL when the parser gave up */
    CW_VEC(TSTree *) pieces; /* definitions that were parsed once more, on their own */
};

/* Marks the tokens that the grammar should not see. */
void ts_mask(struct ts_tokens *tokens);
/* Writes the tokens out and parses them. */
struct ts_part *ts_part_make(struct cw_arena *a, const struct ts_preproc *p, const struct ts_tokens *tokens);
/* Parses only the tokens [first, last]; the tree is kept in `pieces`. NULL when the parser gave up. */
TSTree *ts_part_piece(struct ts_part *part, uint32_t first, uint32_t last);
void ts_part_free(struct ts_part *part);

/* The token that holds the offset, or the next one; tokens.n at the end. */
uint32_t ts_part_token(const struct ts_part *part, uint32_t offset);

#endif
