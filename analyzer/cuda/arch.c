#include "cuda/arch.h"

#include <ctype.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

static const struct cw_arch archs[] = {
#define CW_ARCH(sm, name, first_ptx, dropped, flags) {sm, name, first_ptx, dropped, flags},
#include "cuda/arch.def"
};
enum { ARCHS = sizeof archs / sizeof archs[0], LOWEST = 10, HIGHEST = 999 };

static const char *skip_prefix(const char *text) {
    static const char *const prefixes[] = {"sm_", "compute_", "lto_"};
    for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0]; i++)
        if (strncmp(text, prefixes[i], strlen(prefixes[i])) == 0)
            return text + strlen(prefixes[i]);
    return text;
}

/* "7.5": the minor version is one digit. */
static bool take_minor(const char **at, uint32_t *n) {
    if (**at != '.')
        return true;
    if (!isdigit((unsigned char)(*at)[1]))
        return false;
    *n = *n * 10 + (uint32_t)((*at)[1] - '0');
    *at += 2;
    return true;
}

uint32_t cw_arch_parse(const char *text) {
    const char *digits = skip_prefix(text), *at = digits;
    uint32_t n = 0;
    while (isdigit((unsigned char)*at) && n <= HIGHEST)
        n = n * 10 + (uint32_t)(*at++ - '0');
    if (at == digits || !take_minor(&at, &n))
        return 0;
    if (*at == 'a' || *at == 'f') /* architecture- and family-specific targets */
        at++;
    return *at == '\0' && n >= LOWEST && n <= HIGHEST ? n : 0;
}

const struct cw_arch *cw_arch_find(uint32_t sm) {
    for (size_t i = 0; i < ARCHS; i++)
        if (archs[i].sm == sm)
            return &archs[i];
    return NULL;
}

const struct cw_arch *cw_arch_at(uint32_t index) {
    return index < ARCHS ? &archs[index] : NULL;
}

const struct cw_arch *cw_arch_latest(void) {
    return &archs[ARCHS - 1];
}

unsigned cw_arch_flags(uint32_t sm) {
    unsigned flags = 0;
    for (size_t i = 0; i < ARCHS && archs[i].sm <= sm; i++)
        flags = archs[i].flags;
    return flags;
}
