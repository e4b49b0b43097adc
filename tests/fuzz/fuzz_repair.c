/* What looks for the cause of a loss takes any bytes: what nobody defines is a name, which may be pasted of two, and
 * the text of the device functions alone has every byte where it was, or a blank. */
#include "front/front.h"
#include "source/source.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_macros(const struct cw_unknown_macros *macros) {
    for (uint32_t i = 0; i < macros->n; i++) {
        const char *name = macros->at[i].name;
        if (!*name || strpbrk(name, " \t\n=()#\"'"))
            abort();
    }
}

static void check_device_text(struct cw_arena *a, const struct cw_source *source) {
    const struct cw_scan *scan = cw_scan_text(a, source->text, source->size);
    const char *text = cw_scan_device_text(a, scan, source->text, source->size);
    for (size_t i = 0; i < source->size; i++)
        if (text[i] != source->text[i] && text[i] != ' ')
            abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct cw_arena a;
    cw_arena_init(&a);
    const struct cw_source *source = cw_source_of_text(&a, "", (const char *)data, size);
    struct cw_front_options o = {.path = "fuzz.cu", .text = source->text, .size = source->size, .arch = 75};
    struct cw_unknown_macros macros = cw_repair_unknown_macros(&a, &o);
    check_macros(&macros);
    check_device_text(&a, source);
    cw_arena_free(&a);
    return 0;
}
