/* The device API table and its index by name. */
#include "cuda/intrinsics.h"

#include "base/hash.h"
#include "base/str.h"

#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <string.h>

static const struct cw_intrinsic rows[] = {
#define CW_INTRINSIC(name, result, params, types, op, aux, roles, min, max, order, scope, flags, replacement)          \
    {name, CW_OP_##op, (uint32_t)(aux), roles, min, max, CW_ORDER_##order, CW_SCOPE_##scope, flags, replacement},
#include "cuda/intrinsics.def"
};

enum { ROWS = sizeof rows / sizeof rows[0], CELLS = 1 << 13 };
_Static_assert(ROWS * 3 < CELLS * 2, "the index would be too full");

/* Open addressing; a cell holds the row's index + 1. Overloads share the cell of the first. */
static uint16_t cells[CELLS];
static pthread_once_t index_once = PTHREAD_ONCE_INIT;

static uint16_t *cell_of(cw_str name) {
    uint32_t at = (uint32_t)cw_hash(name.at, name.n, 0) & (CELLS - 1);
    while (cells[at] && !cw_str_is(name, rows[cells[at] - 1].name))
        at = (at + 1) & (CELLS - 1);
    return &cells[at];
}

static void build_index(void) {
    for (uint32_t i = 0; i < ROWS; i++) {
        uint16_t *cell = cell_of(cw_str_of(rows[i].name));
        if (!*cell)
            *cell = (uint16_t)(i + 1);
    }
}

static const struct cw_intrinsic *find_exact(cw_str name) {
    pthread_once(&index_once, build_index);
    uint16_t cell = *cell_of(name);
    return cell ? &rows[cell - 1] : NULL;
}

const struct cw_intrinsic *cw_intrinsic_find(const char *name) {
    return find_exact(cw_str_of(name));
}

const struct cw_intrinsic *cw_intrinsic_at(uint32_t id) {
    return id && id <= ROWS ? &rows[id - 1] : NULL;
}

uint32_t cw_intrinsic_id(const struct cw_intrinsic *row) {
    return row ? (uint32_t)(row - rows) + 1 : 0;
}

uint32_t cw_intrinsic_count(void) {
    return ROWS;
}

enum cw_redux cw_intrinsic_redux(const char *class_name) {
    static const struct {
        const char *name;
        enum cw_redux redux;
    } functors[] = {
        {"plus", CW_REDUX_ADD},   {"less", CW_REDUX_MIN},  {"greater", CW_REDUX_MAX},
        {"bit_and", CW_REDUX_AND}, {"bit_or", CW_REDUX_OR}, {"bit_xor", CW_REDUX_XOR},
    };
    const char *last = class_name;
    for (const char *at = class_name; (at = strstr(at, "::")) != NULL;)
        last = at += 2;
    size_t n = strcspn(last, "<");
    for (size_t i = 0; i < sizeof functors / sizeof functors[0]; i++)
        if (strlen(functors[i].name) == n && memcmp(functors[i].name, last, n) == 0)
            return functors[i].redux;
    return CW_REDUX_OTHER;
}
