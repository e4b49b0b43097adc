#include "front/shim/foreign.h"

#include <string.h>

extern const struct cw_shim_file cw_foreign_table[];
extern const uint32_t cw_foreign_table_size;

/* A header that is included by many names is one file, and each name a line that includes it. */
struct row {
    const char *library, *name, *path, *text;
    size_t size;
};

static const struct row rows[] = {
#define CW_FOREIGN(library, name, file)                                                                                \
    {library, name, CW_FOREIGN_ROOT "/" library "/" name, "#include <cuwarp_foreign/" file ">\n",                      \
     sizeof "#include <cuwarp_foreign/" file ">\n" - 1},
#include "front/shim/foreign.def"
};
enum { ROWS = sizeof rows / sizeof rows[0] };

static const struct cw_foreign_name names[] = {
#define CW_FOREIGN(library, name, file) {name, CW_FOREIGN_ROOT "/" library, NULL},
#define CW_FOREIGN_OVER(library, name, file, under) {name, CW_FOREIGN_ROOT "/" library, under},
#include "front/shim/foreign.def"
};

const struct cw_foreign_name *cw_foreign_names(uint32_t *n) {
    *n = ROWS;
    return names;
}

uint32_t cw_foreign_count(void) {
    return ROWS + cw_foreign_table_size;
}

static bool is_wanted(const char *const *args, uint32_t nargs, const char *path) {
    for (uint32_t i = 0; i < nargs; i++) {
        size_t n = strlen(args[i]);
        if (!strncmp(args[i], CW_FOREIGN_ROOT "/", sizeof CW_FOREIGN_ROOT) && !strncmp(path, args[i], n) &&
            path[n] == '/')
            return true;
    }
    return false;
}

uint32_t cw_foreign_files(const char *const *args, uint32_t nargs, struct cw_shim_file *out) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < ROWS; i++)
        if (is_wanted(args, nargs, rows[i].path))
            out[n++] = (struct cw_shim_file){rows[i].path, rows[i].text, rows[i].size};
    for (uint32_t i = 0; i < cw_foreign_table_size; i++)
        if (is_wanted(args, nargs, cw_foreign_table[i].path))
            out[n++] = cw_foreign_table[i];
    return n;
}
