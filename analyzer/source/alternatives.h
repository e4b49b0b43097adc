/* Whether code is a version switch: the other side of an #if, or another definition of a macro, says the same in a form
 * that the caller recognises. */
#ifndef CW_SOURCE_ALTERNATIVES_H
#define CW_SOURCE_ALTERNATIVES_H

#include "source/branches.h"

/* Recognises one token; `kind` is an enum cw_token_kind. */
typedef bool cw_token_test(cw_str token, uint8_t kind);

/* Does a sibling of `branch` (as cw_branch_at gives it), or of a branch around it, hold such a token? The text is the
 * one that the branches were read from. Cost: one pass over the siblings. */
bool cw_branches_sibling_holds(const struct cw_branches *b, const char *text, uint32_t branch, cw_token_test *is);

/* Is there a definition of macro `name` in the text whose body, or whose sibling branch, holds such a token? */
bool cw_macro_alternative_holds(struct cw_arena *a, const char *text, size_t size, const char *name,
                                cw_token_test *is);

/* Is the macro defined anywhere in the text, in whatever branch? */
bool cw_macro_is_defined(const char *text, size_t size, const char *name);
/* The same of definitions as that number. */
bool cw_macro_is_defined_as(const char *text, size_t size, const char *name, int64_t value);
/* The name that stands for it where each definition is one name and nothing else (of the last one); else empty. */
cw_str cw_macro_other_name(const char *text, size_t size, const char *name);

/* The names in the bodies of all definitions of the macro, appended to *out; for following macros through each other.
 * */
struct cw_name_list {
    const char **at;
    uint32_t n, cap;
};
void cw_macro_body_names(struct cw_arena *a, const char *text, size_t size, const char *name,
                         struct cw_name_list *out);

#endif
