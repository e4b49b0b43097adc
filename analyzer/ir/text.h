/* What printer and parser of the text form agree on; not for other layers. Grammar: docs/internals/ir.md. */
#ifndef CW_IR_TEXT_H
#define CW_IR_TEXT_H

#include "ir/ir.h"

/* The result type an operation has when the text names none. */
enum cw_type cw_text_result_type(enum cw_op op);
/* The type a literal or `undef` has in operand k when the text names none. */
enum cw_type cw_text_operand_type(enum cw_op op, enum cw_type result, uint32_t k);
/* The origin a jump has when the text names none. */
enum cw_origin cw_text_origin(enum cw_jump_kind kind);
/* Is the operand a lane mask, to be written in hexadecimal? */
bool cw_text_is_mask(enum cw_op op, uint32_t k);
/* The bit names of cw_ins.flags, NULL past the last. */
const char *cw_text_flag(unsigned bit);
/* Can the text stand as a symbol without quotes? */
bool cw_text_is_plain(const char *text);
/* The key an object has when the text gives none. */
const char *cw_text_default_key(enum cw_space space, const char *name);

#endif
