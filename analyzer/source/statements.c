#include "source/statements.h"

uint32_t cw_statements_find(const struct cw_statements *statements, size_t from, size_t to) {
    uint32_t found = CW_NO_STATEMENT;
    for (uint32_t i = 0; i < statements->at.n && statements->at.at[i].from <= from; i++) /* an inner one comes later */
        if (to <= statements->at.at[i].to)
            found = i;
    return found;
}
