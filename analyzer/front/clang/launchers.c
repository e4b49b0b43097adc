/* Host functions and macros that launch kernels, by their names: who calls one of them launches too.
 *
 * requires: the unit's macros (macros.c). computes: whether a function's text launches, or calls what does. Which words
 * a text has is indexed when it is first asked for, once for all instances of a template; a name that is added marks
 * the texts that have it. So it is with macros. Cost: the texts' length, whatever the number of names. */
#include "front/clang/lower.h"

#include "base/hash.h"
#include "source/lexer.h"

#include <string.h>

enum { MAX_NESTED = 8 };

static bool is_plain_name(const char *name) {
    while (cw_clang_is_name(*name))
        name++;
    return !*name;
}

static struct cw_vec_u32 *find_users(const struct cw_map *map, uint64_t word) {
    uint64_t found;
    return cw_map_get(map, word, &found) ? (struct cw_vec_u32 *)(uintptr_t)found : NULL;
}

/* Users come one after the other, each with all of its words. */
static void add_user(struct cw_unit *unit, struct cw_map *map, uint64_t word, uint32_t user) {
    struct cw_vec_u32 *users = find_users(map, word);
    if (!users) {
        users = CW_NEW(&unit->scratch, struct cw_vec_u32);
        cw_map_put(map, word, (uint64_t)(uintptr_t)users);
    }
    if (!users->n || cw_vec_last(users) != user)
        cw_vec_push(&unit->scratch, users, user);
}

static void mark_texts(struct cw_launchers *launchers, uint64_t word) {
    const struct cw_vec_u32 *users = find_users(&launchers->text_users, word);
    for (uint32_t i = 0; users && i < users->n; i++)
        launchers->texts.at[users->at[i]].launches = true;
}

void cw_clang_note_launcher(struct cw_unit *unit, const char *name) {
    struct cw_launchers *l = &unit->launchers;
    cw_vec_push(&unit->scratch, &l->names, name);
    if (!is_plain_name(name)) {
        cw_vec_push(&unit->scratch, &l->others, name);
    } else if (*name) {
        uint64_t word = cw_hash(name, strlen(name), 0);
        cw_map_put(&l->words, word, 1);
        mark_texts(l, word);
    }
}

/* ---- macros that use a name ---- */

/* The next word of the text, of which comments are no part; false: there is none. */
static bool next_word(struct cw_lexer *lexer, cw_str *word) {
    struct cw_token token;
    do
        token = cw_lexer_next(lexer);
    while (token.kind != CW_TOKEN_NAME && token.kind != CW_TOKEN_END);
    *word = (cw_str){lexer->text + token.at, token.n};
    return token.kind == CW_TOKEN_NAME;
}

static void index_macro(struct cw_unit *unit, uint32_t macro) {
    struct cw_lexer lexer;
    cw_str word;
    cw_lexer_init(&lexer, unit->macros.at[macro].text.at, unit->macros.at[macro].text.n);
    while (next_word(&lexer, &word)) {
        const char *name = cw_intern_n(&unit->module->names, word.at, word.n);
        add_user(unit, &unit->launchers.users, (uint64_t)(uintptr_t)name, macro);
    }
}

static void index_macros(struct cw_unit *unit) {
    for (uint32_t i = unit->launchers.nindexed; i < unit->macros.n; i++)
        index_macro(unit, i);
    unit->launchers.nindexed = unit->macros.n;
}

static void add_macro(struct cw_unit *u, uint32_t macro, uint32_t depth);

static void add_users(struct cw_unit *unit, const char *name, uint32_t depth) {
    const struct cw_vec_u32 *users = find_users(&unit->launchers.users, (uint64_t)(uintptr_t)name);
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

/* Whether one of its words is a launcher's name by now; else they are indexed. */
static bool read_words(struct cw_unit *unit, cw_str text, uint32_t number) {
    struct cw_launchers *l = &unit->launchers;
    struct cw_lexer lexer;
    cw_str word;
    cw_lexer_init(&lexer, text.at, text.n);
    while (next_word(&lexer, &word)) {
        uint64_t hash = cw_hash(word.at, word.n, 0);
        if (cw_map_get(&l->words, hash, NULL))
            return true;
        add_user(unit, &l->text_users, hash, number);
    }
    return false;
}

static uint32_t add_text(struct cw_unit *unit, cw_str text) {
    struct cw_launchers *l = &unit->launchers;
    uint32_t number = l->texts.n;
    cw_vec_push(&unit->scratch, &l->texts, ((struct cw_launch_text){.text = text}));
    bool shows_it = cw_clang_shows_launch(text);
    l->texts.at[number].launches = shows_it || read_words(unit, text, number);
    return number;
}

/* Instances of a template have one text. */
static struct cw_launch_text *text_of(struct cw_unit *unit, struct cw_callee *callee) {
    struct cw_launchers *l = &unit->launchers;
    uint64_t number = callee->launch_text;
    if (!number) {
        cw_str text = cw_clang_source(unit, callee->definition);
        uint64_t key = cw_hash(&text.at, sizeof text.at, text.n);
        if (!cw_map_get(&l->numbers, key, &number)) {
            number = add_text(unit, text) + 1;
            cw_map_put(&l->numbers, key, number);
        }
        callee->launch_text = (uint32_t)number;
    }
    return &l->texts.at[number - 1];
}

bool cw_clang_launches(struct cw_unit *unit, struct cw_callee *callee) {
    const struct cw_names *others = &unit->launchers.others;
    if (callee->kind != CW_CALLEE_BODY)
        return false;
    struct cw_launch_text *asked = text_of(unit, callee);
    for (; !asked->launches && asked->others < others->n; asked->others++)
        asked->launches = cw_clang_mentions(asked->text, others->at[asked->others], true);
    return asked->launches;
}
