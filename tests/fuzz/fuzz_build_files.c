/* Build files take any bytes, and only definitions come out of them. A text is read as a Makefile and as a
 * CMakeLists.txt, and includes itself where it includes anything. */
#include "compdb/build_files.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool read_text(void *ctx, const char *path, struct cw_arena *a, cw_str *text) {
    (void)path, (void)a;
    *text = *(const cw_str *)ctx;
    return true;
}

static bool read_lists(void *ctx, const char *path, struct cw_arena *a, cw_str *text) {
    return !strstr(path, "akefile") && read_text(ctx, path, a, text);
}

static void check_macros(const struct cw_build_macros *macros) {
    for (uint32_t i = 0; i < macros->definitions.n; i++) {
        const char *definition = macros->definitions.at[i];
        if (strncmp(definition, "-D", 2) != 0 || strpbrk(definition, "\001\002,\n"))
            abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    cw_str text = {(const char *)data, size};
    bool (*const readers[])(void *, const char *, struct cw_arena *, cw_str *) = {read_text, read_lists};
    for (size_t i = 0; i < sizeof readers / sizeof *readers; i++) {
        struct cw_arena arena;
        cw_arena_init(&arena);
        struct cw_build_files *b = cw_build_files_new(&arena, (struct cw_reader){readers[i], &text});
        struct cw_build_macros macros = cw_build_files_macros(b, "/p", "/p/x", "a.cu");
        check_macros(&macros);
        cw_arena_free(&arena);
    }
    return 0;
}
