/* What the languages of build files have in common: text that is unknown in part, conditions of three values, and
 * macros among a compiler's options. */
#ifndef CW_COMPDB_BUILD_LANGUAGE_H
#define CW_COMPDB_BUILD_LANGUAGE_H

#include "compdb/options.h"

/* Characters in expanded text: what nobody knows, and a file of the rule, which its automatic variables name. */
enum { CW_BUILD_UNKNOWN = '\001', CW_BUILD_OWN_FILE = '\002' };

enum cw_truth { CW_FALSE, CW_TRUE, CW_UNKNOWN };

enum cw_truth cw_truth_not(enum cw_truth t);
enum cw_truth cw_truth_and(enum cw_truth first, enum cw_truth second);

/* Conditionals that are open, the outermost first. */
enum { CW_BUILD_NESTING = 64 };
struct cw_build_branches {
    struct cw_build_branch {
        enum cw_truth now; /* of the present arm, with those around it */
        enum cw_truth taken; /* was an arm before it taken? */
        enum cw_truth outer;
    } at[CW_BUILD_NESTING];
    uint32_t n, deeper; /* deeper: levels beyond the bound, whose conditions are unknown */
};

/* Are the lines here read? */
enum cw_truth cw_build_here(const struct cw_build_branches *branches);
void cw_build_if(struct cw_build_branches *branches, enum cw_truth condition);
void cw_build_else(struct cw_build_branches *branches, enum cw_truth condition);
void cw_build_endif(struct cw_build_branches *branches);

/* Is the file named in the text, as a word or behind a folder? */
bool cw_build_names_file(const char *text, const char *name);

/* How many bytes of build files are read for one folder, and how many characters come of them by expansion. */
enum { CW_BUILD_BYTES = 1 << 20, CW_BUILD_WORK = 1 << 21 };

/* Takes `n` from what is left; false, and nothing left, when there is less. */
bool cw_build_spend(uint32_t *left, size_t n);

/* The text of a build file; false when it cannot be read, or is longer than *left, which shrinks by its size. */
bool cw_build_read(struct cw_arena *a, struct cw_reader reader, const char *path, uint32_t *left, cw_str *text);

/* Appends "-DNAME" or "-DNAME=VALUE" for each "-D" of the options that says all: a plain name, and a value without
 * what is unknown and without commas, which nvcc takes for a list. Of a name that `out` has already the first value
 * counts. Left out are names of the compiler (__X), switches for GPUs of other makers, and NDEBUG: what is asserted
 * holds, whether it is checked or not. */
void cw_build_definitions(struct cw_arena *a, const char *options, struct cw_words *out);

/* The same for one "NAME" or "NAME=VALUE". */
void cw_build_add_definition(struct cw_arena *a, const char *definition, struct cw_words *out);

#endif
