#include "lsp/settings.h"

#include "base/log.h"
#include "diag/diag_json.h"
#include "fix/prove/ignores.h"

#include <stdlib.h>
#include <string.h>

/* Keys that are the server's own, in addition to those of the configuration. */
static const char reason_key[] = "suppress-reason";

static const json_t *section_of(const json_t *settings) {
    static const char *const names[] = {"cuwarp-lint", "cuwarpLint"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const json_t *section = json_object_get(settings, names[i]);
        if (json_is_object(section))
            return section;
    }
    return settings;
}

/* JSON is YAML, which is what a pair's value is read as. */
static void add_pair(json_t *list, const char *key, const json_t *value) {
    char *text = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT);
    json_t *pair = text ? json_sprintf("%s=%s", key, text) : NULL;
    if (pair)
        json_array_append_new(list, pair);
    free(text);
}

static void take_reason(struct cw_lsp_server *server, const char *reason) {
    const char *wrong = reason && *reason ? cw_ignore_reason_check(reason) : NULL;
    if (!reason || !*reason)
        return;
    if (wrong) {
        cw_lsp_show_error(server, wrong);
        return;
    }
    char *copy = strdup(reason);
    if (!copy)
        cw_die("out of memory");
    free(server->reason);
    server->reason = copy;
}

/* Clients send what their own extension is set to, too: the server's program and its arguments. */
static bool is_for_server(const char *key, const json_t *value) {
    static const char *const others[] = {"path", "args", "trace", "enable"};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (!strcmp(key, others[i]))
            return false;
    return !json_is_null(value);
}

bool cw_lsp_settings_take(struct cw_lsp_server *server, const json_t *settings) {
    const json_t *section = section_of(settings);
    const char *key;
    json_t *value, *list = json_array();
    if (!json_is_object(section)) {
        json_decref(list);
        return false;
    }
    json_object_foreach((json_t *)(uintptr_t)section, key, value) {
        if (!strcmp(key, reason_key))
            take_reason(server, json_string_value(value));
        else if (is_for_server(key, value))
            add_pair(list, key, value);
    }
    bool is_new = !json_equal(list, server->settings);
    json_decref(server->settings);
    server->settings = list;
    return is_new;
}
