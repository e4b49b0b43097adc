/* An asm statement as written; the front ends bring the operands' values. */
#ifndef CW_FRONT_ASM_TEXT_H
#define CW_FRONT_ASM_TEXT_H

#include "base/intern.h"
#include "base/str.h"

enum { CW_ASM_OPERANDS = 64 };

struct cw_asm_text {
    struct cw_buf text; /* the template, string literals joined and unescaped; cw_buf_free it */
    const char *name[CW_ASM_OPERANDS], *constraint[CW_ASM_OPERANDS];
    uint32_t n, noutputs;
};

/* asm [volatile] ( template [: outputs [: inputs [: clobbers]]] ). False when it is not understood. */
bool cw_asm_read(struct cw_intern *names, cw_str source, struct cw_asm_text *out);

#endif
