/* Host functions and macros that launch kernels, by their names: who calls one of them launches too.
 *
 * requires: the unit's macros (macros.c). computes: whether a function's text launches, or calls what does. A text is
 * read word by word, once for each time that a name was added since, and once for all instances of a template. Which
 * macros use a name is indexed once. Cost: the texts' length, whatever the number of names. */
#include "front/clang/lower.h"

#include "base/hash.h"

#include <string.h>

enum { MAX_NESTED = 8, LAUNCHES = 1, CHECKED = 2 };

static bool is_plain_name(const char *name) {
    while (cw_clang_is_name(*name))
        name++;
    return !*name;
}

void cw_clang_note_launcher(struct cw_unit *unit, const char *name) {
    struct cw_launchers *l = &unit->launchers;
    cw_vec_push(&unit->scratch, &l->names, name);
    if (!is_plain_name(name))
        cw_vec_push(&unit->scratch, &l->others, name);
    else if (*name)
        cw_map_put(&l->words, (uint64_t)(uintptr_t)name, 1);
}

/* ---- macros that use a name ---- */

/* The next word of the text from *at on; false: there is none. */
static bool next_word(cw_str text, size_t *at, cw_str *word) {
    while (*at < text.n && !cw_clang_is_name(text.at[*at]))
        ++*at;
    size_t from = *at;
    while (*at < text.n && cw_clang_is_name(text.at[*at]))
        ++*at;
    *word = (cw_str){text.at + from, *at - from};
    return word->n > 0;
}

static struct cw_vec_u32 *users_of(struct cw_unit *unit, const char *name) {
    uint64_t found;
    return cw_map_get(&unit->launchers.users, (uint64_t)(uintptr_t)name, &found) ? (struct cw_vec_u32 *)(uintptr_t)found
                                                                              : NULL;
}

static void index_macro(struct cw_unit *unit, uint32_t macro) {
    cw_str word;
    for (size_t at = 0; next_word(unit->macros.at[macro].text, &at, &word);) {
        const char *name = cw_intern_n(&unit->module->names, word.at, word.n);
        struct cw_vec_u32 *users = users_of(unit, name);
        if (!users) {
            users = CW_NEW(&unit->scratch, struct cw_vec_u32);
            cw_map_put(&unit->launchers.users, (uint64_t)(uintptr_t)name, (uint64_t)(uintptr_t)users);
        }
        if (!users->n || cw_vec_last(users) != macro)
            cw_vec_push(&unit->scratch, users, macro);
    }
}

static void index_macros(struct cw_unit *unit) {
    for (uint32_t i = unit->launchers.nindexed; i < unit->macros.n; i++)
        index_macro(unit, i);
    unit->launchers.nindexed = unit->macros.n;
}

static void add_macro(struct cw_unit *u, uint32_t macro, uint32_t depth);

static void add_users(struct cw_unit *unit, const char *name, uint32_t depth) {
    const struct cw_vec_u32 *users = users_of(unit, name);
    if (is_plain_name(name)) {
        for (uint32_t i = 0; users && i < users->n; i++)
            add_macro(unit, users->at[i], depth);
        return;
    }
    for (uint32_t i = 0; i < unit->macros.n; i++)
        if (cw_clang_mentions(unit->macros.at[i].text, name, true))
            add_macro(unit, i, depth);
}

static void add_macro(struct cw_unit *unit, uint32_t macro, uint32_t depth) {
    struct cw_macro_text *m = &unit->macros.at[macro];
    if (!m->text.n)
        return;
    m->text = (cw_str){0}; /* known now */
    cw_clang_note_launcher(unit, m->name);
    if (depth < MAX_NESTED)
        add_users(unit, m->name, depth + 1);
}

void cw_clang_add_launcher(struct cw_unit *unit, const char *name) {
    index_macros(unit);
    cw_clang_note_launcher(unit, name);
    add_users(unit, name, 0);
}

/* ---- texts ---- */

static bool names_launcher(struct cw_unit *unit, cw_str text) {
    cw_str word;
    for (size_t at = 0; next_word(text, &at, &word);) {
        const char *name = cw_intern_find_n(&unit->module->names, word.at, word.n);
        if (name && cw_map_get(&unit->launchers.words, (uint64_t)(uintptr_t)name, NULL))
            return true;
    }
    for (uint32_t i = 0; i < unit->launchers.others.n; i++)
        if (cw_clang_mentions(text, unit->launchers.others.at[i], true))
            return true;
    return false;
}

static bool text_launches(struct cw_unit *unit, cw_str text) {
    uint64_t key = cw_hash(&text.at, sizeof text.at, text.n), known = 0, now = CHECKED + unit->launchers.names.n;
    if (cw_map_get(&unit->launchers.texts, key, &known) && (known == LAUNCHES || known == now))
        return known == LAUNCHES;
    bool shows_it = !known && (cw_clang_mentions(text, "<<<", false) || cw_clang_mentions(text, "cudaLaunch", false));
    bool launches = shows_it || names_launcher(unit, text);
    cw_map_put(&unit->launchers.texts, key, launches ? LAUNCHES : now);
    return launches;
}

bool cw_clang_launches(struct cw_unit *unit, struct cw_callee *callee) {
    return callee->kind == CW_CALLEE_BODY && text_launches(unit, cw_clang_source(unit, callee->definition));
}
