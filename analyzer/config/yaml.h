/* The part of YAML that a configuration needs: scalars, lists and mappings, each with its place.
 *
 * Read from libyaml's events, so that nothing is expanded or built that was not written: aliases, tags and further
 * documents are refused, and depth, size and number of nodes are bounded. */
#ifndef CW_CONFIG_YAML_H
#define CW_CONFIG_YAML_H

#include "base/str.h"
#include "base/vec.h"

#include <stdint.h>

enum { CW_YAML_MAX_BYTES = 1 << 20, CW_YAML_MAX_DEPTH = 8, CW_YAML_MAX_NODES = 20000, CW_YAML_MAX_SCALAR = 4096 };

enum cw_yaml_kind { CW_YAML_SCALAR, CW_YAML_LIST, CW_YAML_MAPPING };

struct cw_yaml {
    enum cw_yaml_kind kind;
    const char *text; /* of a scalar: without control characters */
    bool is_plain;    /* not quoted */
    uint32_t line, col; /* from 1; columns in characters */
    CW_VEC(struct cw_yaml *) items; /* of a mapping: key, value, key, value, …; keys are scalars, each once */
};

struct cw_yaml_error {
    const char *message; /* NULL: none */
    uint32_t line, col;
};

/* The one document of the text; NULL when it is empty or malformed, the error then tells which. */
struct cw_yaml *cw_yaml_parse(struct cw_arena *a, cw_str text, struct cw_yaml_error *error);

/* "a list", for messages. */
const char *cw_yaml_kind_text(const struct cw_yaml *y);

#endif
