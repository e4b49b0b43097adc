#include "base/printable.h"

#include <ctype.h>
#include <string.h>

uint32_t cw_utf8_decode(cw_str text, uint32_t *code) {
    static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
    if (text.n == 0)
        return 0;
    unsigned char lead = (unsigned char)text.at[0];
    uint32_t n = lead < 0x80 ? 1 : lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
    *code = 0xFFFD;
    if ((lead >= 0x80 && lead < 0xC2) || lead > 0xF4 || n > text.n)
        return 1;
    uint32_t value = n == 1 ? lead : lead & (0x7Fu >> n);
    for (uint32_t i = 1; i < n; i++) {
        unsigned char next = (unsigned char)text.at[i];
        if ((next & 0xC0) != 0x80)
            return 1;
        value = value << 6 | (next & 0x3Fu);
    }
    if (value < smallest[n] || value > 0x10FFFF || (value >= 0xD800 && value <= 0xDFFF))
        return 1;
    *code = value;
    return n;
}

struct code_pair {
    uint32_t first, last;
};

bool cw_is_unprintable(uint32_t code) {
    /* C0, DEL and C1; soft hyphen; zero width, marks of direction, separators, joiners; embeddings; isolates; byte
     * order mark and interlinear marks; what is not UTF-8; tags */
    static const struct code_pair pairs[] = {{0, 0x1f},          {0x7f, 0x9f},     {0xad, 0xad},     {0x61c, 0x61c},
                                             {0x200b, 0x200f},   {0x2028, 0x202e}, {0x2060, 0x206f}, {0xfeff, 0xfeff},
                                             {0xfff9, 0xfffd},   {0xe0000, 0xe007f}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        if (code >= pairs[i].first && code <= pairs[i].last)
            return true;
    return false;
}

bool cw_is_command_mark(char before, cw_str text) {
    size_t at = 1;
    if (before != '#' || !text.n || *text.at != '#')
        return false;
    while (at < text.n && isalpha((unsigned char)text.at[at]))
        at++;
    return at < text.n && text.at[at] == '[';
}

static void put_code(struct cw_buf *out, cw_str character, uint32_t code) {
    if (code == '\n' || code == '\t' || code == '\r')
        cw_buf_puts(out, code == '\n' ? "\\n" : code == '\t' ? "\\t" : "\\r");
    else if (character.n > 1)
        cw_buf_printf(out, "\\u%04x", (unsigned)code);
    else
        cw_buf_printf(out, "\\x%02x", (unsigned)(unsigned char)*character.at);
}

static void put_printable(struct cw_buf *out, cw_str text, const char *kept) {
    uint32_t code, n;
    char before = 0;
    for (cw_str s = text; (n = cw_utf8_decode(s, &code)); s = (cw_str){s.at + n, s.n - n}) {
        bool stays = !cw_is_unprintable(code) || (code && code < 0x80 && strchr(kept, (int)code));
        if (!stays || cw_is_command_mark(before, s))
            put_code(out, (cw_str){s.at, n}, code);
        else
            cw_buf_add(out, s.at, n);
        before = *s.at;
    }
}

void cw_put_printable(struct cw_buf *out, cw_str text) {
    put_printable(out, text, "");
}

void cw_puts_printable(struct cw_buf *out, const char *text) {
    put_printable(out, cw_str_of(text), "");
}

void cw_put_printable_lines(struct cw_buf *out, cw_str text) {
    while (text.n) {
        const char *end = memchr(text.at, '\n', text.n);
        size_t n = end ? (size_t)(end - text.at) + 1 : text.n, blank = 0;
        while (blank < n && (text.at[blank] == ' ' || text.at[blank] == '\t'))
            blank++;
        put_printable(out, (cw_str){text.at, blank}, "\t");
        if (n - blank >= 2 && text.at[blank] == ':' && text.at[blank + 1] == ':') {
            cw_buf_puts(out, "\\x3a");
            blank++;
        }
        put_printable(out, (cw_str){text.at + blank, n - blank}, "\n\t");
        text = (cw_str){text.at + n, text.n - n};
    }
}

void cw_put_path(struct cw_buf *out, const char *path) {
    char first = *path;
    if (first != '/' && first != '.' && first != '_' && !isalnum((unsigned char)first) && strstr(path, "::"))
        cw_buf_puts(out, "./");
    put_printable(out, cw_str_of(path), "");
}

void cw_put_field(struct cw_buf *out, const char *text) {
    for (const char *c = text; *c; c++)
        if (*c == '\t' || *c == '\n' || *c == '\\')
            cw_buf_printf(out, "\\%c", *c == '\t' ? 't' : *c == '\n' ? 'n' : '\\');
        else
            cw_buf_putc(out, *c);
}

char *cw_field_text(char *field) {
    char *to = field;
    for (const char *c = field; *c; c++) {
        bool is_escape = *c == '\\' && c[1];
        c += is_escape;
        *to++ = !is_escape ? *c : *c == 't' ? '\t' : *c == 'n' ? '\n' : *c;
    }
    *to = '\0';
    return field;
}
