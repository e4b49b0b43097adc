/* The device API table and its index by name. */
#include "cuda/intrinsics.h"

#include "base/hash.h"
#include "base/str.h"

#include <ctype.h>
#include <pthread.h>
#include <string.h>

static const struct cw_intrinsic rows[] = {
#define CW_INTRINSIC(name, result, params, types, op, aux, roles, min, max, order, scope, flags, replacement)          \
    {name,  CW_OP_##op,  (uint32_t)(aux), roles,  min,  max, CW_ORDER_##order, CW_SCOPE_##scope,                       \
     flags, replacement, result,          params, types},
#include "cuda/intrinsics.def"
};

enum { ROWS = sizeof rows / sizeof rows[0], CELLS = 1 << 13, LONGEST_NAME = 160 };
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

/* The toolkit's own headers put names into versioned inline namespaces ("cooperative_groups::__v1::sync",
 * "cuda::__4::barrier::wait") and methods into base classes. */
static bool is_version(cw_str part) {
    if (cw_str_starts(part, "CUB_") || cw_str_starts(part, "THRUST_") || cw_str_is(part, "details"))
        return true;
    return part.n > 2 && cw_str_starts(part, "__") && isdigit((unsigned char)part.at[part.n - 1]);
}

static cw_str public_class(cw_str part) {
    static const char *const bases[][2] = {
        {"__static_size_thread_block_tile_base", "thread_block_tile"},
        {"__static_size_tile_base", "thread_block_tile"},
        {"__single_warp_thread_block_tile", "thread_block_tile"},
        {"thread_block_tile_base", "thread_block_tile"},
        {"thread_group_base", "thread_group"},
        {"__barrier_base", "barrier"},
    };
    for (size_t i = 0; i < sizeof bases / sizeof bases[0]; i++)
        if (cw_str_is(part, bases[i][0]))
            return cw_str_of(bases[i][1]);
    return part;
}

/* Writes the public form of a qualified name; false when it does not fit. */
static bool public_name(const char *name, char *out, size_t size) {
    size_t n = 0;
    for (const char *at = name; *at;) {
        const char *end = strstr(at, "::");
        cw_str part = {at, end ? (size_t)(end - at) : strlen(at)};
        at += part.n + (end ? 2 : 0);
        if (end && is_version(part))
            continue;
        part = public_class(part);
        if (n + part.n + 3 > size)
            return false;
        memcpy(out + n, part.at, part.n);
        n += part.n;
        if (end)
            out[n++] = ':', out[n++] = ':';
    }
    out[n] = '\0';
    return true;
}

const struct cw_intrinsic *cw_intrinsic_find(const char *name) {
    const struct cw_intrinsic *row = find_exact(cw_str_of(name));
    char plain[LONGEST_NAME];
    if (row || !strstr(name, "::") || !public_name(name, plain, sizeof plain))
        return row;
    return find_exact(cw_str_of(plain));
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
