/* cuwarp-lint explain: a rule's own documentation. */
#include "base/str.h"
#include "base/suggest.h"
#include "cli/cli.h"
#include "cli/explain_gpu.h"
#include "diag/diag_json.h"
#include "engine/select.h"
#include "rules/registry.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *unknown_term(const char *name, bool with_rules, struct cw_arena *a) {
    const char *names[2 * CW_MAX_RULES] = {NULL};
    uint32_t n = 0;
    for (uint32_t i = 0; i < cw_nrules; i++) {
        if (with_rules)
            names[n++] = cw_rules[i].name;
        names[n++] = cw_rules[i].category;
    }
    const char *near = cw_suggest(name, names, n), *what = with_rules ? "rule or category" : "category";
    if (near)
        return cw_arena_printf(a, "unknown %s '%s'; did you mean '%s'?", what, name, near);
    return cw_arena_printf(a, "unknown %s '%s'; 'cuwarp-lint rules' lists them", what, name);
}

static const char *state_of(const struct cw_rule *rule) {
    return rule->preview ? "preview" : rule->off_by_default ? "off by default" : "on by default";
}

/* ---- JSON: the documentation with its examples taken apart, for tools and for the test that runs them ---- */

/* One block: "bad" or "good", the arguments after it, and the code. */
static json_t *example_json(cw_str head, cw_str code) {
    cw_str kind = head;
    const char *blank = memchr(head.at, ' ', head.n);
    if (blank)
        kind.n = (size_t)(blank - head.at);
    cw_str args = cw_str_trim((cw_str){head.at + kind.n, head.n - kind.n});
    json_t *o = json_object();
    json_object_set_new(o, "kind", json_stringn(kind.at, kind.n));
    json_object_set_new(o, "arguments", json_stringn(args.at, args.n));
    json_object_set_new(o, "code", json_stringn(code.at, code.n));
    return o;
}

static json_t *examples_json(const char *doc) {
    static const char fence[] = "```cuda ";
    json_t *list = json_array();
    for (const char *at = doc; (at = strstr(at, fence));) {
        const char *head = at + sizeof fence - 1, *code = strchr(head, '\n');
        const char *end = code ? strstr(code, "\n```") : NULL;
        if (!end)
            break;
        json_array_append_new(list, example_json((cw_str){head, (size_t)(code - head)},
                                                 (cw_str){code + 1, (size_t)(end - code)}));
        at = end + 4;
    }
    return list;
}

static json_t *rule_json(const struct cw_rule *rule, bool with_doc) {
    json_t *o = json_object();
    json_object_set_new(o, "rule", json_string(rule->name));
    json_object_set_new(o, "category", json_string(rule->category));
    json_object_set_new(o, "severity", json_string(cw_severity_text(rule->severity)));
    json_object_set_new(o, "preview", json_boolean(rule->preview));
    json_object_set_new(o, "default", json_boolean(!rule->preview && !rule->off_by_default));
    json_object_set_new(o, "summary", cw_json_text(cw_rule_summary(rule)));
    if (with_doc) {
        json_object_set_new(o, "doc", cw_json_text(cw_rule_doc(rule)));
        json_object_set_new(o, "examples", examples_json(cw_rule_doc(rule)));
        json_object_set_new(o, "gpu", cw_explain_gpu_json(rule->name));
    }
    return o;
}

static void put_json(json_t *json, struct cw_buf *out) {
    char *text = json_dumps(json, JSON_INDENT(2) | JSON_PRESERVE_ORDER);
    cw_buf_puts(out, text ? text : "null");
    cw_buf_putc(out, '\n');
    free(text);
    json_decref(json);
}

enum form { FORM_TEXT, FORM_JSON, FORM_MARKDOWN };

static const char *output_form(const struct cw_command_line *command, enum form *form, struct cw_arena *a) {
    static const char *const names[] = {[FORM_TEXT] = "text", [FORM_JSON] = "json", [FORM_MARKDOWN] = "markdown"};
    const char *value = cw_option_value(command, CW_OPT_OUTPUT);
    *form = FORM_TEXT;
    for (int i = FORM_TEXT; i <= FORM_MARKDOWN && value; i++)
        if (!strcmp(value, names[i])) {
            *form = (enum form)i;
            return NULL;
        }
    return value ? cw_arena_printf(a, "--output: '%s' is not text, json or markdown", value) : NULL;
}

static void explain_rule(const struct cw_rule *rule, enum form form, struct cw_buf *out) {
    const char *severity = cw_severity_text(rule->severity);
    if (form == FORM_MARKDOWN)
        cw_buf_printf(out, "# %s\n\n%s\n\n| Severity | Category | State |\n| --- | --- | --- |\n| %s | %s | %s |\n\n",
                      rule->name, cw_rule_summary(rule), severity, rule->category, state_of(rule));
    else
        cw_buf_printf(out, "# %s\n\n%s (%s, %s, %s)\n\n", rule->name, cw_rule_summary(rule), severity, rule->category,
                      state_of(rule));
    cw_buf_puts(out, cw_rule_doc(rule));
    cw_explain_gpu(rule->name, form == FORM_MARKDOWN, out);
}

/* Takes the list, and drops what `out` holds in its favour, when JSON is wanted. */
static void choose_form(enum form form, json_t *list, struct cw_buf *out) {
    if (form == FORM_JSON) {
        out->n = 0;
        put_json(list, out);
    } else {
        json_decref(list);
    }
}

static int write_text(struct cw_buf *out) {
    int failed = cw_cli_write(out, NULL);
    cw_buf_free(out);
    return failed ? CW_EXIT_USAGE : CW_EXIT_CLEAN;
}

/* On a terminal, Markdown is drawn and long texts go through the pager; elsewhere it stays as it is. */
static int finish_text(const struct cw_command_line *command, struct cw_buf *out) {
    struct cw_buf drawn = {0};
    const char *term = getenv("TERM");
    if (!isatty(STDOUT_FILENO) || (term && !strcmp(term, "dumb")))
        return write_text(out);
    cw_cli_draw_markdown((cw_str){out->at, out->n}, cw_cli_color(NULL, STDOUT_FILENO), &drawn);
    cw_buf_free(out);
    if (!cw_option_given(command, CW_OPT_NO_PAGER) && cw_cli_page(&drawn)) {
        cw_buf_free(&drawn);
        return CW_EXIT_CLEAN;
    }
    return write_text(&drawn);
}

/* Rules by name, category or pattern, all of them for "all". */
static const char *collect_rules(const struct cw_command_line *command, struct cw_arena *a, bool with_rules,
                                 bool chosen[CW_MAX_RULES]) {
    for (uint32_t i = 0; i < command->operands.n; i++) {
        const char *name = command->operands.at[i];
        bool any = false;
        for (uint32_t r = 0; r < cw_nrules; r++)
            if (cw_select_term_matches(name, &cw_rules[r]) && (with_rules || strcmp(name, cw_rules[r].name) != 0)) {
                any = true;
                chosen[r] = true;
            }
        if (!any)
            return unknown_term(name, with_rules, a);
    }
    return NULL;
}

int cw_command_explain(const struct cw_command_line *command, struct cw_arena *a) {
    bool chosen[CW_MAX_RULES] = {false};
    enum form form;
    struct cw_buf out = {0};
    const char *error = output_form(command, &form, a);
    if (!error && !command->operands.n)
        error = "explain needs the name of a rule or a category, or 'all'";
    if (!error)
        error = collect_rules(command, a, true, chosen);
    if (error)
        return cw_cli_usage(error);
    json_t *list = json_array();
    for (uint32_t i = 0; i < cw_nrules; i++) {
        if (!chosen[i])
            continue;
        json_array_append_new(list, rule_json(&cw_rules[i], true));
        if (out.n)
            cw_buf_putc(&out, '\n');
        explain_rule(&cw_rules[i], form, &out);
    }
    choose_form(form, list, &out);
    return form == FORM_TEXT ? finish_text(command, &out) : write_text(&out);
}

static int longest_name(bool is_category) {
    size_t longest = 0;
    for (uint32_t i = 0; i < cw_nrules; i++) {
        size_t n = strlen(is_category ? cw_rules[i].category : cw_rules[i].name);
        longest = n > longest ? n : longest;
    }
    return (int)longest;
}

static void list_rule(const struct cw_rule *rule, enum form form, struct cw_buf *out) {
    const char *severity = cw_severity_text(rule->severity);
    if (form == FORM_MARKDOWN)
        cw_buf_printf(out, "| `%s` | %s | %s | %s | %s |\n", rule->name, rule->category, severity, state_of(rule),
                      cw_rule_summary(rule));
    else
        cw_buf_printf(out, "%-*s %-*s %-8s %-15s %s\n", longest_name(false), rule->name, longest_name(true),
                      rule->category, severity, state_of(rule), cw_rule_summary(rule));
}

int cw_command_rules(const struct cw_command_line *command, struct cw_arena *a) {
    bool chosen[CW_MAX_RULES] = {false};
    enum form form;
    struct cw_buf out = {0};
    const char *error = output_form(command, &form, a);
    if (!error && command->operands.n == 1 && cw_rule_find(command->operands.at[0]))
        error = cw_arena_printf(a, "rules takes categories; see 'cuwarp-lint explain %s'", command->operands.at[0]);
    if (!error)
        error = collect_rules(command, a, false, chosen);
    if (error)
        return cw_cli_usage(error);
    json_t *list = json_array();
    if (form == FORM_MARKDOWN)
        cw_buf_puts(&out, "| Rule | Category | Severity | State | Reports |\n| --- | --- | --- | --- | --- |\n");
    for (uint32_t i = 0; i < cw_nrules; i++) {
        if (command->operands.n && !chosen[i])
            continue;
        json_array_append_new(list, rule_json(&cw_rules[i], false));
        list_rule(&cw_rules[i], form, &out);
    }
    choose_form(form, list, &out);
    return write_text(&out);
}
