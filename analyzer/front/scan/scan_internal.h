/* Shared by the parts of the scan: tokens of one text with their brackets matched, and the two readings of a
 * declaration, by tokens (scan_declaration.c) and by the syntax tree (scan_tree.c). */
#ifndef CW_FRONT_SCAN_SCAN_INTERNAL_H
#define CW_FRONT_SCAN_SCAN_INTERNAL_H

#include "base/map.h"
#include "front/front.h"
#include "source/lexer.h"
#include "source/source.h"

#define SCAN_NONE UINT32_MAX

/* What a name means to the scan; bits. */
enum scan_word {
    SCAN_KERNEL = 1 << 0,     /* __global__, or a macro of this text that expands to it */
    SCAN_DEVICE = 1 << 1,     /* __device__, likewise */
    SCAN_SPECIFIER = 1 << 2,  /* may stand in a declaration before or after the type: static, const, __host__ … */
    SCAN_CALL_LIKE = 1 << 3,  /* a specifier that takes arguments: __launch_bounds__(…), alignas(…) */
    SCAN_TYPE = 1 << 4,       /* built-in type or auto */
    SCAN_STATEMENT = 1 << 5,  /* cannot occur in a function's declaration: return, if, typedef … */
    SCAN_BUILTIN = 1 << 6,    /* a name of the device API, for has_device_code */
    SCAN_DEFINED = 1 << 7,    /* a macro that this text defines */
};

struct scan_token {
    uint32_t at, n;
    uint32_t word; /* enum scan_word bits */
    uint8_t kind;  /* enum cw_token_kind */
};

/* Code tokens of a text. Comments are gone, a preprocessor line is only its DIRECTIVE token, and what stands in
 * `#if 0` is gone altogether. */
struct scan_text {
    struct cw_arena *arena;
    const struct cw_source *source;
    const char *text;
    struct cw_map words; /* hash of a name -> enum scan_word bits */
    CW_VEC(struct scan_token) tokens; /* ends with an END token */
    uint32_t *match;  /* of a bracket: its partner, else SCAN_NONE */
    uint32_t *parent; /* innermost bracket open at the token, or SCAN_NONE */
    CW_VEC(uint32_t) anchors;  /* tokens that mark device code: SCAN_KERNEL or SCAN_DEVICE */
    CW_VEC(uint32_t) launches; /* "<<<" tokens */
    bool has_builtin;
    bool has_launch_macro; /* a #define holds "<<<" */
};

/* Reads all tokens; includes and directive comments go to `out` at once. */
struct scan_text *scan_read(struct cw_arena *a, const struct cw_source *source, struct cw_scan *out);

cw_str scan_token_text(const struct scan_text *t, uint32_t i);
bool scan_is(const struct scan_text *t, uint32_t i, const char *text);
struct cw_span scan_span(const struct scan_text *t, uint32_t from_offset, uint32_t to_offset);
uint32_t scan_token_end(const struct scan_text *t, uint32_t i);

enum scan_declaration_kind { SCAN_NOT_FUNCTION, SCAN_DECLARED, SCAN_DEFINED_HERE };

struct scan_declaration {
    enum scan_declaration_kind kind;
    bool is_kernel, is_template;
    uint32_t start;                 /* first token */
    uint32_t name_first, name_last; /* tokens of the last component of the name */
    uint32_t body_open, body_close; /* braces; body_close is SCAN_NONE in cut-off text */
    uint32_t macro;                 /* unknown attribute-like macro, or SCAN_NONE */
    uint32_t stop;                  /* first token not looked at */
};

/* The declaration that the anchor token belongs to, not reaching back before token `floor`. */
struct scan_declaration scan_declaration_at(const struct scan_text *t, uint32_t anchor, uint32_t floor);

/* Adds the kernels that an unknown macro hides; requires the launches of the text. */
void scan_hidden(const struct scan_text *t, struct cw_scan *out);

/* A function definition of the syntax tree; offsets in bytes. */
struct scan_tree_function {
    uint32_t start, end, name_start, name_end, body_start;
    bool is_template;
};

struct scan_tree {
    bool complete; /* false: the parser gave up */
    CW_VEC(struct scan_tree_function) functions; /* those with an error in their head are left out */
};

/* Parses the text with bodies that hold no anchor, and the macros in `masked` token pairs (first, last), blanked out.
 */
struct scan_tree *scan_tree_parse(const struct scan_text *t, const struct cw_vec_u32 *masked);

#endif
