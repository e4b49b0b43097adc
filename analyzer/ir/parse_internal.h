/* Shared by the parts of the parser of the text form (parse*.c); nobody else includes this. */
#ifndef CW_IR_PARSE_INTERNAL_H
#define CW_IR_PARSE_INTERNAL_H

#include "base/map.h"
#include "base/vec.h"
#include "ir/edit.h"
#include "ir/lex.h"
#include "ir/text.h"

/* A PHI operand as written: the value from `block`. */
struct phi_arg {
    uint32_t block;
    cw_ref value;
};

struct phi {
    uint32_t ins, line, first, n; /* range in parser.phi_args */
};

struct parser {
    struct cw_lex lex;
    struct cw_module *module;
    struct cw_fn *fn;
    struct cw_intern labels;
    struct cw_map values;  /* interned label -> tag << 28 | index, of instructions and parameters */
    struct cw_map objects; /* interned label -> index */
    struct cw_map blocks;  /* interned label -> index */
    struct cw_vec_u32 order; /* index of each instruction in order of appearance; filled by the first look */
    uint32_t next;           /* position in `order` */
    uint32_t first_line;     /* of the function */
    CW_VEC(struct phi_arg) phi_args;
    CW_VEC(struct phi) phis;
    struct cw_vec_u32 natural; /* loads and stores that access as many bytes as their value has */
    bool has_bails;
};

/* What one line defines. `label` is NULL for an instruction without a result. */
struct defined {
    const char *label;
    size_t n;
    uint32_t line;
};

/* Notes the first error, which ends everything. */
#define cw_parse_fail(parser, ...) cw_lex_fail(&(parser)->lex, __VA_ARGS__)

/* ---- parse_labels.c ---- */

/* Gives each block and instruction of the body its index. requires: a cursor at its start, where it stays. */
void cw_parse_define_labels(struct parser *parser);
/* The label as a key of the parser's tables. */
uint64_t cw_parse_label_key(struct parser *parser, cw_str raw);
/* Enters the label, which may not be there yet. */
void cw_parse_define_label(struct parser *parser, struct cw_map *map, const struct defined *defined, uint64_t value);
/* The reference as a value of the table `values`. */
uint64_t cw_parse_pack_ref(cw_ref ref);
/* Does a line that starts with the word hold a jump? */
bool cw_parse_starts_jump(cw_str word);

/* ---- parse_operands.c ---- */

/* A type word; not one before ':', which belongs to an operand. */
bool cw_parse_accept_type(struct parser *parser, enum cw_type *type);
/* The source name in a label: without its number, decoded; NULL when the label is a number alone. */
const char *cw_parse_label_name(struct parser *parser, cw_str raw, bool is_param);
/* Reads `@` and a span of the source. */
void cw_parse_span(struct parser *parser, struct cw_span *s);
/* Does a place in the source follow? */
bool cw_parse_is_at_place(struct parser *parser);
/* Reads the place that may follow, and adds it to the function; 0: none. */
uint32_t cw_parse_optional_loc(struct parser *parser);
/* Reads an operand; usual: the type of a number without one. */
cw_ref cw_parse_operand(struct parser *parser, enum cw_type usual);
/* Reads the label of a block. */
uint32_t cw_parse_block(struct parser *parser);

/* ---- parse_code.c ---- */

/* Finds the number that the word stands for behind the operation. */
bool cw_parse_find_aux(enum cw_op op, cw_str word, uint32_t *aux);
/* Reads an instruction of the block, behind its label. */
void cw_parse_instruction(struct parser *parser, uint32_t block, cw_str label, bool has_result);
/* Reads the jump of the block, whose first word has been read. */
void cw_parse_jump(struct parser *parser, uint32_t block, cw_str word);

/* ---- parse_facts.c ---- */

/* Reads a line before the first block. */
void cw_parse_fact_line(struct parser *parser);

#endif
