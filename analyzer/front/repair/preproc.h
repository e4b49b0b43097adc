/* A preprocessor that asks which names nobody defines: macros, conditionals and the headers that can be found.
 *
 * Its result is a list of tokens that know where they come from. A token of a macro's replacement lies at the macro's
 * use, a token of an argument where it was written, as people see it (and as clang says). Nothing fails:
 * what cannot be read is left out and noted. */
#ifndef CW_FRONT_REPAIR_PREPROC_H
#define CW_FRONT_REPAIR_PREPROC_H

#include "front/front.h"
#include "source/lexer.h"
#include "source/source.h"

struct pp_token {
    const char *at;
    uint32_t n;
    uint8_t kind; /* enum cw_token_kind; DIRECTIVE: a whole `#pragma` line */
    bool space; /* blanks before it */
    bool line; /* a line end before it */
    bool is_masked; /* not a part of the declaration proper: an attribute, or what may be one */
    bool is_unknown; /* taken for an attribute-like macro that nobody defines: its name */
    bool is_marked; /* … beside a word of CUDA, or among parameters */
    char shown; /* what the grammar sees in its place, 0: the token */
    bool is_painted; /* came out of its own macro: never expanded again */
    uint16_t file; /* in preproc->files */
    uint32_t from, to; /* offsets in that file */
    const char *macro; /* outermost macro whose replacement it belongs to, or NULL */
};

struct pp_tokens {
    struct pp_token *at;
    uint32_t n, cap;
};

struct pp_macro {
    const char *name;
    struct pp_tokens body;
    const char **params; /* interned */
    uint32_t nparams;
    bool is_function, is_variadic, is_defined;
};

struct pp_file {
    const char *path;
    const struct cw_source *source;
    bool is_once, is_shim;
    bool is_read; /* its tokens are kept */
    struct pp_tokens tokens;
};

struct pp_preproc {
    struct cw_arena *arena;
    struct cw_intern *names;
    const struct cw_front_options *options;
    struct cw_map macros; /* interned name -> struct pp_macro* */
    CW_VEC(struct pp_file) files; /* 0: the main file */
    CW_VEC(const char *) dirs; /* -I and the like */
    struct pp_tokens out;
    CW_VEC(struct cw_parse_note) notes; /* span.file: index in `files` */
    uint32_t depth; /* of includes */
    uint64_t work; /* tokens handled so far, with expansion */
    uint64_t made; /* tokens that macros made */
    bool is_cut_off; /* a bound was reached */
};

/* Runs over the main file. Never fails. */
void pp_preprocess(struct pp_preproc *preproc, struct cw_arena *a, struct cw_intern *names,
                   const struct cw_front_options *o);

/* Marks attributes, and names that stand where only one can (mask.c). */
void pp_mask(struct pp_tokens *tokens);

/* ---- between the files of the preprocessor ---- */
bool pp_token_is(const struct pp_token *t, const char *text);
struct pp_macro *pp_macro_find(struct pp_preproc *preproc, cw_str name);
/* `#define` and -D: the tokens behind the word. */
void pp_macro_define(struct pp_preproc *preproc, const struct pp_token *at, uint32_t n);
void pp_macro_undef(struct pp_preproc *preproc, cw_str name);
/* Expands in[from]; what comes out is appended to `out`. The result: how many tokens of `in` it took. */
uint32_t pp_macro_expand(struct pp_preproc *preproc, const struct pp_token *in, uint32_t n, struct pp_tokens *out);
/* The value of an #if line. */
bool pp_condition(struct pp_preproc *preproc, const struct pp_token *at, uint32_t n);
/* The file an #include means, as an index in files; -1 when there is none. */
int pp_include_find(struct pp_preproc *preproc, uint32_t from_file, cw_str name, bool is_angled);

enum { PP_MAX_WORK = 6000000, PP_MAX_INCLUDES = 48, PP_MAX_FILES = 1500, PP_MAX_OUT = 3000000 };

#endif
