/* CUDA that stands in string literals of another program: what NVRTC, CuPy and PyCUDA are given to compile.
 *
 * A literal counts when its value defines a device function; adjacent literals are one, as the language joins them.
 * Values that only exist when the program runs (fields of f-strings, format(), templates) are listed with the reason
 * why they cannot be read, so that their kernels are counted. */
#ifndef CW_EMBEDDED_EMBEDDED_H
#define CW_EMBEDDED_EMBEDDED_H

#include "base/str.h"
#include "base/vec.h"

#include <stdbool.h>
#include <stdint.h>

enum cw_embedded_language { CW_EMBEDDED_NONE, CW_EMBEDDED_CPP, CW_EMBEDDED_PYTHON };

/* n bytes of the value at `at` are written as outer_n bytes of the file at `outer`; n == outer_n: byte by byte. */
struct cw_embedded_piece {
    uint32_t at, n;
    uint32_t outer, outer_n;
};

/* The value of one literal, or of several that are joined. */
struct cw_embedded {
    const char *text; /* NUL behind it */
    uint32_t size;
    CW_VEC(struct cw_embedded_piece) pieces; /* ascending in both; together they are the whole value */
    bool is_rtc;          /* compiled at run time by NVRTC, not by nvcc */
    bool takes_edits;     /* every byte stands in the file as it is, and text put there would as well */
    const char *obstacle; /* why the value cannot be read here, or NULL */
};

struct cw_embedded_list {
    struct cw_embedded *at;
    uint32_t n, cap;
};

/* By the name's ending; CW_EMBEDDED_CPP for everything that is not Python. */
enum cw_embedded_language cw_embedded_language_of(const char *path);

/* The values that hold the words of device code; whether they define functions is for the scan to say. Never fails:
 * text that is not of the language gives what can be found. In arena memory. */
struct cw_embedded_list cw_embedded_find(struct cw_arena *a, enum cw_embedded_language language, const char *text,
                                         size_t size);

/* Where byte `at` of the value begins in the file. */
uint32_t cw_embedded_begin(const struct cw_embedded *e, uint32_t at);
/* Where the byte before `at` ends in the file: for the exclusive end of a range. */
uint32_t cw_embedded_end(const struct cw_embedded *e, uint32_t at);

#endif
