/* Where the statements of a file begin and end, for edits that put something between them. */
#ifndef CW_SOURCE_STATEMENTS_H
#define CW_SOURCE_STATEMENTS_H

#include "source/source.h"

#include <stdbool.h>

#define CW_NO_STATEMENT UINT32_MAX

enum cw_statement_kind {
    CW_STATEMENT_PLAIN,    /* an expression, a declaration, a jump */
    CW_STATEMENT_COMPOUND, /* { … } */
    CW_STATEMENT_IF,
    CW_STATEMENT_LOOP,
    CW_STATEMENT_SWITCH,
};

/* Offsets are bytes of the file's text, ends exclusive; {0, 0}: there is none. */
struct cw_extent {
    uint32_t from, to;
};

struct cw_statement {
    uint32_t from, to;
    uint32_t head;        /* before the pragmas and attributes that belong to it; else equal to `from` */
    uint32_t parent;      /* the statement around it, which comes earlier in the list; CW_NO_STATEMENT */
    uint32_t header_end;  /* bare ones: end of the `)`, `else` or `do` that it follows */
    enum cw_statement_kind kind;
    struct cw_extent condition; /* of an if or loop, without its parentheses */
    struct cw_extent update;    /* of a for loop */
    struct cw_extent then;      /* of an if: what runs when the condition holds */
    struct cw_extent left, op, right; /* of an assignment that is all of the statement */
    bool has_else;
    bool is_bare;         /* the body of an if, else or loop without braces */
    bool is_broken;       /* the grammar did not understand all of it */
    bool is_labelled;     /* what a label or case stands before; nothing can go between the two */
};

/* In the order of their beginnings, a statement before those in it. */
struct cw_statements {
    CW_VEC(struct cw_statement) at;
};

/* The innermost statement that holds all of [from, to), or CW_NO_STATEMENT. */
uint32_t cw_statements_find(const struct cw_statements *s, size_t from, size_t to);

#endif
