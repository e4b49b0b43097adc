#include "lsp/uri.h"

#include "base/str.h"

#include <string.h>
#include <strings.h>

static int hex_digit(char c) {
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

char *cw_lsp_path_of_uri(struct cw_arena *a, const char *uri) {
    static const char local[] = "localhost/";
    if (strncasecmp(uri, "file://", 7) != 0)
        return NULL;
    uri += 7;
    if (!strncasecmp(uri, local, sizeof local - 1))
        uri += sizeof local - 2;
    if (*uri != '/')
        return NULL;
    struct cw_buf out = {0};
    for (; *uri && *uri != '?' && *uri != '#'; uri++) {
        int high = *uri == '%' ? hex_digit(uri[1]) : -1, low = high >= 0 ? hex_digit(uri[2]) : -1;
        if (low >= 0)
            uri += 2;
        cw_buf_putc(&out, low >= 0 ? (char)(high * 16 + low) : *uri);
    }
    bool is_path = strlen(out.at) == out.n; /* no %00 */
    char *path = is_path ? cw_arena_strdup(a, out.at) : NULL;
    cw_buf_free(&out);
    return path;
}

char *cw_lsp_uri_of_path(struct cw_arena *a, const char *path) {
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~/";
    struct cw_buf out = {0};
    cw_buf_puts(&out, "file://");
    for (; *path; path++)
        if (strchr(plain, *path))
            cw_buf_putc(&out, *path);
        else
            cw_buf_printf(&out, "%%%02X", (unsigned)(unsigned char)*path);
    char *uri = cw_arena_strdup(a, out.at);
    cw_buf_free(&out);
    return uri;
}
