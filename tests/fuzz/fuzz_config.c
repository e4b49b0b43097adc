/* Configurations take any bytes: no crash, an error has a place, and what comes out is what the rest may rely on. The
 * patterns that were read are tried on each other. */
#include "config/config.h"
#include "config/glob.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MAX_TRIED = 16 };

static void check_setting(const struct cw_setting *s) {
    if ((unsigned)s->key >= CW_NKEYS || !s->value || !s->origin || strpbrk(s->value, "\n\r\1"))
        abort();
}

static void check_section(const struct cw_section *s, bool is_first) {
    if (strcmp(s->directory, "/d") != 0 || (is_first && s->paths.n))
        abort();
    for (uint32_t i = 0; i < s->settings.n; i++) {
        check_setting(&s->settings.at[i]);
        if (s->paths.n && cw_key_reach(s->settings.at[i].key) != CW_OF_FILE)
            abort();
    }
    for (uint32_t i = 0; i < s->paths.n && i < MAX_TRIED; i++)
        for (uint32_t k = 0; k < s->settings.n && k < MAX_TRIED; k++) {
            cw_glob_matches(s->paths.at[i], s->settings.at[k].value, k % 2);
            cw_section_matches(s, s->settings.at[k].value);
        }
}

static void check_error(const char *error) {
    const char *place = "c.yaml:";
    if (strncmp(error, place, strlen(place)) != 0 || atoi(error + strlen(place)) < 1)
        abort();
}

static void try_pair(struct cw_configs *c, const char *text) {
    struct cw_settings got = {0};
    const char *error = strchr(text, '=') ? cw_config_parse_pair(c, text, "/d", &got) : NULL;
    for (uint32_t i = 0; i < got.n && !error; i++)
        check_setting(&got.at[i]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct cw_arena a;
    struct cw_configs c;
    struct cw_config out;
    struct cw_settings extends = {0};
    cw_arena_init(&a);
    cw_configs_init(&c, &a, NULL, NULL);
    const char *error = cw_config_parse(&c, (cw_str){(const char *)data, size}, "/d/c.yaml", "c.yaml", &out, &extends);
    if (error)
        check_error(error);
    for (uint32_t i = 0; i < out.sections.n; i++)
        check_section(out.sections.at[i], i == 0);
    for (uint32_t i = 0; i < extends.n; i++)
        check_setting(&extends.at[i]);
    if (out.sections.n) {
        const char *path = cw_arena_printf(&a, "/d/%.*s", (int)(size < 200 ? size : 200), (const char *)data);
        cw_config_excludes(out.sections.at, out.sections.n, path, false);
    }
    try_pair(&c, cw_arena_strndup(&a, (const char *)data, size < 4096 ? size : 4096));
    cw_arena_free(&a);
    return 0;
}
