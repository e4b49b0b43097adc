/* What is known at a place: the findings there, who takes part in a collective, how uniform a variable is. */
#include "lsp/actions.h"
#include "lsp/analysis.h"

#include "base/str.h"
#include "diag/diag_json.h"
#include "lsp/publish.h"

#include <string.h>

enum { MAX_PARTS = 6 };

/* ---- in the job ---- */

static json_t *facts_of(struct cw_lsp_session *session, json_t *all, const char *file) {
    const char *path = file ? cw_lsp_real_of(session, file) : NULL;
    if (!path || !cw_lsp_document_at(&session->server->documents, path))
        return NULL;
    json_t *o = json_object_get(all, path);
    if (!o) {
        o = json_pack("{s:[], s:[]}", "collectives", "variables");
        json_object_set_new(all, path, o);
    }
    return o;
}

static void add_collective(struct cw_lsp_session *session, json_t *all, const char *kernel, json_t *fact) {
    json_t *o = facts_of(session, all, json_string_value(json_object_get(fact, "file")));
    if (!o)
        return;
    json_object_set_new(fact, "range", cw_lsp_range_of_json(session, fact));
    json_object_set_new(fact, "kernel", cw_json_text(kernel));
    json_array_append(json_object_get(o, "collectives"), fact);
}

static void add_variable(struct cw_lsp_session *session, json_t *all, const char *kernel, json_t *fact) {
    json_t *o = facts_of(session, all, json_string_value(json_object_get(fact, "file")));
    if (!o)
        return;
    json_object_set_new(fact, "kernel", cw_json_text(kernel));
    json_array_append(json_object_get(o, "variables"), fact);
}

json_t *cw_lsp_facts_json(struct cw_lsp_session *session, const struct cw_buf *facts) {
    json_t *all = json_object(), *list = cw_lsp_read_facts(facts), *kernel, *fact;
    size_t i, k;
    json_array_foreach(list, i, kernel) {
        const char *name = json_string_value(json_object_get(kernel, "kernel"));
        json_array_foreach(json_object_get(kernel, "collectives"), k, fact)
            add_collective(session, all, name, fact);
        json_array_foreach(json_object_get(kernel, "variables"), k, fact)
            add_variable(session, all, name, fact);
    }
    json_decref(list);
    return all;
}

/* ---- in the server ---- */

static bool is_of_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* The name at an offset; empty for none, and for a member: `a.x` is no variable of the name x. */
static cw_str name_at(const struct cw_lsp_document *document, size_t at) {
    const char *text = document->text.at;
    size_t from = at, to = at;
    while (from > 0 && is_of_word(text[from - 1]))
        from--;
    while (to < document->text.n && is_of_word(text[to]))
        to++;
    bool is_member =
        from > 0 && (text[from - 1] == '.' || (from > 1 && text[from - 2] == '-' && text[from - 1] == '>'));
    bool is_name = to > from && !(text[from] >= '0' && text[from] <= '9');
    return is_name && !is_member ? (cw_str){text + from, to - from} : (cw_str){0};
}

struct card {
    struct cw_buf text;
    unsigned parts;
};

static void begin_part(struct card *card) {
    cw_buf_puts(&card->text, card->parts++ ? "\n\n---\n\n" : "");
}

static void add_findings(struct cw_lsp_server *server, const struct cw_lsp_document *document, const json_t *position,
                         struct card *card, json_t **range) {
    json_t *items = cw_lsp_items_of(server, document->real), *item;
    size_t i;
    json_array_foreach(items, i, item) {
        const json_t *diagnostic = json_object_get(item, "diagnostic");
        const char *rule = json_string_value(json_object_get(diagnostic, "code"));
        if (!cw_lsp_range_holds(json_object_get(diagnostic, "range"), position) || card->parts >= MAX_PARTS)
            continue;
        begin_part(card);
        cw_buf_printf(&card->text, "**%s**: %s\n\n", rule, json_string_value(json_object_get(diagnostic, "message")));
        cw_lsp_put_rule(&card->text, rule);
        *range = *range ? *range : json_deep_copy(json_object_get(diagnostic, "range"));
    }
    json_decref(items);
}

static bool says_same(const json_t *fact, const json_t *other, const char *const *keys, size_t nkeys) {
    for (size_t i = 0; i < nkeys; i++)
        if (!json_equal(json_object_get(fact, keys[i]), json_object_get(other, keys[i])))
            return false;
    return true;
}

/* Of how many kernels this is said: instances of a template, callers. 0: an earlier fact stands for it. */
static size_t count_same(const json_t *list, size_t at, const char *const *keys, size_t nkeys) {
    const json_t *fact = json_array_get(list, at);
    json_t *other, *names = json_object();
    size_t i, n;
    bool is_first = true;
    json_array_foreach(list, i, other) {
        if (!says_same(fact, other, keys, nkeys))
            continue;
        is_first &= i >= at;
        json_object_set_new(names, json_string_value(json_object_get(other, "kernel")), json_true());
    }
    n = is_first ? json_object_size(names) : 0;
    json_decref(names);
    return n;
}

static void put_kernel(struct cw_buf *out, const json_t *fact, size_t same) {
    cw_buf_printf(out, "`%s`", json_string_value(json_object_get(fact, "kernel")));
    if (same > 1)
        cw_buf_printf(out, " and %zu more", same - 1);
}

static void add_collectives(const json_t *facts, const json_t *position, struct card *card, json_t **range) {
    static const char *const keys[] = {"range", "text"};
    size_t i, same;
    json_t *list = json_object_get(facts, "collectives"), *fact;
    json_array_foreach(list, i, fact) {
        if (!cw_lsp_range_holds(json_object_get(fact, "range"), position) || card->parts >= MAX_PARTS ||
            !(same = count_same(list, i, keys, sizeof keys / sizeof keys[0])))
            continue;
        begin_part(card);
        cw_buf_puts(&card->text, "Threads of kernel ");
        put_kernel(&card->text, fact, same);
        cw_buf_printf(&card->text, " here:\n\n%s", json_string_value(json_object_get(fact, "text")));
        *range = *range ? *range : json_deep_copy(json_object_get(fact, "range"));
    }
}

/* Of a device function's variable only what the weakest kernel makes of it is told. */
static bool is_weakest(const json_t *list, const json_t *fact) {
    static const char *const keys[] = {"line", "end_line", "name", "function"};
    json_t *other;
    size_t i;
    json_array_foreach(list, i, other) {
        if (says_same(fact, other, keys, sizeof keys / sizeof keys[0]) &&
            json_integer_value(json_object_get(other, "level")) > json_integer_value(json_object_get(fact, "level")))
            return false;
    }
    return true;
}

static void add_variables(const json_t *facts, cw_str name, json_int_t line, struct card *card) {
    static const char *const keys[] = {"line", "end_line", "name", "text"};
    size_t i, same;
    json_t *list = json_object_get(facts, "variables"), *fact;
    json_array_foreach(list, i, fact) {
        bool is_here = json_integer_value(json_object_get(fact, "line")) <= line &&
                       line <= json_integer_value(json_object_get(fact, "end_line"));
        if (!is_here || !cw_str_is(name, json_string_value(json_object_get(fact, "name"))) ||
            card->parts >= MAX_PARTS || !(same = count_same(list, i, keys, sizeof keys / sizeof keys[0])))
            continue;
        const char *function = json_string_value(json_object_get(fact, "function"));
        if (function && !is_weakest(list, fact))
            continue;
        begin_part(card);
        cw_buf_printf(&card->text, "`%.*s` in ", (int)name.n, name.at);
        if (function)
            cw_buf_printf(&card->text, "`%s`, called from ", function);
        put_kernel(&card->text, fact, same);
        cw_buf_printf(&card->text, ": %s", json_string_value(json_object_get(fact, "text")));
    }
}

enum cw_lsp_outcome cw_lsp_hover(struct cw_lsp_server *server, struct cw_lsp_request *request, json_t **result) {
    struct cw_lsp_document *d = cw_lsp_document_of(server, request);
    const json_t *position = json_object_get(request->params, "position");
    json_int_t line = json_integer_value(json_object_get(position, "line"));
    json_int_t unit = json_integer_value(json_object_get(position, "character"));
    if (!d || line < 0 || unit < 0 || line > INT32_MAX || unit > INT32_MAX)
        return cw_lsp_fail(request, CW_LSP_INVALID_PARAMS, "the document is not open, or the position is not one");
    if (!cw_lsp_is_current(server, d))
        return CW_LSP_WAITS;
    struct card card = {.parts = 0};
    json_t *range = NULL;
    const json_t *facts = json_object_get(json_object_get(d->result, "facts"), d->real);
    size_t at = cw_lsp_offset((cw_str){d->text.at, d->text.n}, (uint32_t)line, (uint32_t)unit, server->encoding);
    cw_str name = name_at(d, at);
    if (name.n)
        add_variables(facts, name, line + 1, &card);
    add_collectives(facts, position, &card, &range);
    add_findings(server, d, position, &card, &range);
    *result = card.text.n ? json_pack("{s:{s:s, s:o}}", "contents", "kind",
                                      server->client.has_markdown ? "markdown" : "plaintext", "value",
                                      cw_json_text(card.text.at))
                          : json_null();
    if (range && card.text.n)
        json_object_set(*result, "range", range);
    json_decref(range);
    cw_buf_free(&card.text);
    return CW_LSP_ANSWERED;
}
