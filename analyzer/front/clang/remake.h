/* Code that nvcc takes and clang does not, written so that clang takes it. */
#ifndef CW_FRONT_CLANG_REMAKE_H
#define CW_FRONT_CLANG_REMAKE_H

#include "front/clang/lower.h"

/* Looks through the errors of a parse for
 *
 *     if constexpr (this->has_payload)    a static member: clang before version 20 (P2280) does not evaluate `this`
 *     using type = typename A::type<T>    without `template`; clang reads `int`
 *     a.operator()<T>(x)                  the same; clang reads comparisons
 *     A::type(x)                          without `typename`
 *     next_slot(x)                        a member of a dependent base, without `this->`
 *
 * and adds the files to `unit->options->remade`. A token there becomes a macro of the same length that stands for what
 * clang wants, so that every place stays where it was. False: there is no such error. Cost: linear in the number of
 * errors, and in the size of the files that have them. */
bool cw_clang_remake(struct cw_unit *unit);

/* The same of the headers of the options before the first parse, for what clang is bound to refuse in a template: `if
 * constexpr` with `this->`, `.operator()<`, and `typename A::type<T>`. Files that hold such are remade; what then is an
 * error there is undone by cw_clang_remake(). Once for a unit's options. Cost: linear in the headers' texts. */
void cw_clang_foresee(struct cw_unit *unit);
/* After a parse: these files get the names that the parser has for them. */
void cw_clang_name_foreseen(struct cw_unit *unit);

/* The text of a file as it is written, of which clang has read `text`. In the module's arena, or `text`. */
const char *cw_clang_original(const struct cw_unit *unit, const char *path, const char *text, size_t size);

#endif
