/* Instances of templates that nothing in the unit instantiates: text that makes the parser instantiate them, and what
 * became of them. See docs/internals/instances.md. */
#ifndef CW_FRONT_CLANG_ASSUME_H
#define CW_FRONT_CLANG_ASSUME_H

#include "front/clang/lower.h"

/* How the body of a template uses a type parameter, or one of its integers. */
enum cw_use {
    CW_USE_ANY,      /* a scalar will do */
    CW_USE_INTEGRAL, /* an index, or an operand of % and the like */
    CW_USE_POINTER,  /* indexed or dereferenced */
    CW_USE_CLASS,    /* called, or has members */
    CW_USE_BLOCK,    /* of integers: a bound of the launch, or the extent of a shared array */
    CW_USE_TILE,     /* one of several extents of a shared array */
    CW_USE_SMALL
};

/* What kind of member; a later kind overrules an earlier one. */
enum cw_asks { CW_ASKS_TYPE, CW_ASKS_VALUE, CW_ASKS_FIELD, CW_ASKS_CALL, CW_ASKS_STATIC_CALL };

/* A member that the body asks of a class parameter. */
struct cw_asked_member {
    cw_str name;
    enum cw_asks kind;
    bool has_effect; /* called as a statement: what it does is not to compute a value */
};

struct cw_parameter_use {
    enum cw_use use;
    CW_VEC(struct cw_asked_member) members;
    bool is_called;  /* p(…) */
    bool has_effect; /* p(…); as a statement */
    bool is_passed;  /* handed on to another function, which may call it */
    bool is_element; /* there are pointers to it */
};

/* How `text`, a whole template, uses its type parameter. `members` lives in `a`. Cost: one pass over the tokens. */
struct cw_parameter_use cw_clang_type_use(struct cw_arena *a, cw_str text, const char *parameter);
/* The same of an integer parameter: BLOCK, TILE or SMALL. */
enum cw_use cw_clang_integer_use(cw_str text, const char *parameter);

/* Arguments with which the text names instances of the template where it launches them or hands them on, as they are
 * to be written. Cost: one pass over the text, and one back to its beginning for each name in the arguments. */
enum { CW_NAMED_MAX = 4 };
struct cw_named_instances {
    const char *at[CW_NAMED_MAX];
    uint32_t n;
};
struct cw_named_instances cw_clang_named_instances(struct cw_arena *a, cw_str text, const char *name);
/* The same of a host template, where the text calls it. */
struct cw_named_instances cw_clang_called_instances(struct cw_arena *a, cw_str text, const char *name);

/* Of instances of other kernels of the template's folder that have a class for a parameter of the same name, the first
 * and the last; NULL: none. Cost: instances times parameters. */
struct cw_callees { struct cw_callee **at; uint32_t n, cap; };
struct cw_like {
    const struct cw_callee *first, *last;
};
struct cw_like cw_clang_like(struct cw_unit *u, const struct cw_callee *pattern, const struct cw_callees *kernels);
/* What the instance has for the parameter of this name and kind, as it is to be written: a class or a number; NULL. */
const char *cw_clang_like_argument(struct cw_unit *u, const struct cw_callee *instance, const char *name,
                                   enum CXCursorKind kind);

/* Text to be appended to the main file: instances of these templates, a line each; NULL when none can be written down.
 * Those that the file itself names come first, and are no assumption.
 * `kernels`: those of the unit, whose instances are examples.
 * `round`: 0 for the first choice of arguments, 1 for others when those did not compile. `kept`: lines of an earlier
 * round to be repeated, or NULL. *makes_many: a host template among them makes more instances of a kernel than are
 * lowered. */
const char *cw_clang_assume_text(struct cw_unit *u, const struct cw_callees *templates,
                                 const struct cw_callees *kernels, uint32_t round, const char *kept,
                                 bool *makes_many);

/* ---- how many kernels a host template instantiates ---- */

struct cw_reach_template {
    const char *name;
    cw_str text; /* the whole template, borrowed */
    bool is_kernel;
    const char *const *types; /* names of its type parameters; NULL where it has another parameter */
    uint32_t nparameters;
    uint32_t classes;         /* parameters that need a class, as a mask */
};
struct cw_reach;
/* What each of the templates names of the others. Lives in `a`, with the texts. Cost: linear in the texts. */
struct cw_reach *cw_clang_reach(struct cw_arena *a, const struct cw_reach_template *templates, uint32_t n);
/* Of the kernel that one instance of the host template makes least instances of: how many; 0: it reaches none. A kernel
 * that is none of the templates counts once. */
uint32_t cw_clang_least_instances(const struct cw_reach *reach, uint32_t host);
/* The same of the kernel that it makes most instances of. */
uint32_t cw_clang_most_instances(const struct cw_reach *reach, uint32_t host);
/* Does another host template name this one with classes of its own for all parameters that need one, or hand on what
 * it is given so itself? */
bool cw_clang_is_given_classes(const struct cw_reach *reach, uint32_t i);
/* Names the set of kernels that the host template reaches; 0: none. */
uint64_t cw_clang_reached_kernels(const struct cw_reach *reach, uint32_t host);

/* ---- the parse with such text ---- */

/* Notes an error that an assumed instance is the reason of. True when it lies in what only that instance has, and is
 * no error of the user's code. */
bool cw_clang_assumed_error(struct cw_unit *u, CXDiagnostic d);
/* If the variable is one of the appended text: what it instantiates is assumed, or did not compile. */
bool cw_clang_assumed_variable(struct cw_unit *u, CXCursor variable, struct cw_callee **member);
/* Is it an instance that the file names? */
bool cw_clang_is_named(const struct cw_unit *u, const struct cw_callee *c);
/* Is it an instance that did not compile? It is not lowered. */
bool cw_clang_assumed_failed(struct cw_unit *u, const struct cw_callee *c);
/* Is the template one that only assumed instances exist of? */
bool cw_clang_is_assumed_pattern(const struct cw_unit *u, const char *key);
bool cw_clang_is_appended(struct cw_unit *u, CXCursor c);
/* Lines of the appended text whose instances compiled; arena text. */
const char *cw_clang_assumed_kept(struct cw_unit *u);
/* "T = float, N = 256": of the parameters without a default. */
const char *cw_clang_arguments_text(struct cw_unit *u, const struct cw_callee *c);

#endif
