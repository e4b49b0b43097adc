/* requires: texts of build files. computes: nothing of their languages, only what these share. */
#include "compdb/build_language.h"

#include "source/makers.h"

#include <ctype.h>
#include <string.h>

/* ---- conditions ---- */

enum cw_truth cw_truth_not(enum cw_truth t) {
    return t == CW_UNKNOWN ? CW_UNKNOWN : t == CW_TRUE ? CW_FALSE : CW_TRUE;
}

enum cw_truth cw_truth_and(enum cw_truth first, enum cw_truth second) {
    if (first == CW_FALSE || second == CW_FALSE)
        return CW_FALSE;
    return first == CW_TRUE && second == CW_TRUE ? CW_TRUE : CW_UNKNOWN;
}

enum cw_truth cw_build_here(const struct cw_build_branches *branches) {
    return branches->deeper ? CW_UNKNOWN : branches->n ? branches->at[branches->n - 1].now : CW_TRUE;
}

void cw_build_if(struct cw_build_branches *branches, enum cw_truth condition) {
    enum cw_truth outer = cw_build_here(branches);
    if (branches->deeper || branches->n == CW_BUILD_NESTING)
        branches->deeper++;
    else
        branches->at[branches->n++] = (struct cw_build_branch){cw_truth_and(outer, condition), condition, outer};
}

void cw_build_else(struct cw_build_branches *branches, enum cw_truth condition) {
    if (branches->deeper || !branches->n)
        return;
    struct cw_build_branch *branch = &branches->at[branches->n - 1];
    branch->now = cw_truth_and(branch->outer, cw_truth_and(cw_truth_not(branch->taken), condition));
    branch->taken = cw_truth_not(cw_truth_and(cw_truth_not(branch->taken), cw_truth_not(condition)));
}

void cw_build_endif(struct cw_build_branches *branches) {
    if (branches->deeper)
        branches->deeper--;
    else if (branches->n)
        branches->n--;
}

/* ---- texts ---- */

bool cw_build_names_file(const char *text, const char *name) {
    size_t n = strlen(name);
    for (const char *at = text; (at = strstr(at, name)); at += n)
        if ((at == text || strchr(" \t/'\"", at[-1])) && (!at[n] || strchr(" \t;'\")", at[n])))
            return true;
    return false;
}

bool cw_build_spend(uint32_t *left, size_t n) {
    bool is_there = n <= *left;
    *left = is_there ? *left - (uint32_t)n : 0;
    return is_there;
}

bool cw_build_read(struct cw_arena *a, struct cw_reader reader, const char *path, uint32_t *left, cw_str *text) {
    return reader.read(reader.ctx, path, a, text) && cw_build_spend(left, text->n);
}

/* ---- macros ---- */

static size_t name_length(const char *definition) {
    size_t n = 0;
    while (isalnum((unsigned char)definition[n]) || definition[n] == '_')
        n++;
    return n && !isdigit((unsigned char)*definition) ? n : 0;
}

static bool is_known_text(const char *text) {
    for (; *text; text++)
        if (iscntrl((unsigned char)*text) || *text == ',')
            return false;
    return true;
}

static bool has_name(const struct cw_words *words, const char *definition, size_t n) {
    for (uint32_t i = 0; i < words->n; i++) {
        const char *other = words->at[i] + strlen("-D");
        if (name_length(other) == n && !strncmp(other, definition, n))
            return true;
    }
    return false;
}

void cw_build_add_definition(struct cw_arena *a, const char *definition, struct cw_words *out) {
    size_t n = name_length(definition);
    bool is_plain = n && (!definition[n] || definition[n] == '=') && is_known_text(definition);
    const char *name = cw_arena_strndup(a, definition, n);
    bool is_left_out = !strncmp(name, "__", 2) || !strcmp(name, "NDEBUG") || cw_is_other_makers_macro(name);
    if (is_plain && !is_left_out && !has_name(out, definition, n))
        cw_vec_push(a, out, cw_arena_printf(a, "-D%s", definition));
}

void cw_build_definitions(struct cw_arena *a, const char *options, struct cw_words *out) {
    struct cw_words words = {0};
    cw_words_split(a, cw_str_of(options), CW_QUOTING_SHELL, &words);
    for (uint32_t i = 0; i < words.n; i++) {
        const char *word = words.at[i];
        if (strncmp(word, "-D", 2) != 0)
            continue;
        if (word[2])
            cw_build_add_definition(a, word + 2, out);
        else if (i + 1 < words.n)
            cw_build_add_definition(a, words.at[++i], out);
    }
}
