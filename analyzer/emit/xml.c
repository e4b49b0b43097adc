#include "emit/xml.h"

#include "source/source.h"

/* Production [2] Char of XML 1.0, less U+007F-U+009F, which it discourages. */
static bool is_allowed(uint32_t code) {
    if (code < 0x20)
        return code == '\t' || code == '\n' || code == '\r';
    return (code < 0x7f || code > 0x9f) && (code & 0xfffe) != 0xfffe && !(code >= 0xd800 && code <= 0xdfff);
}

static const char *reference_of(uint32_t code) {
    switch (code) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    case '\'':
        return "&#39;";
    case '\t':
        return "&#9;";
    case '\n':
        return "&#10;";
    case '\r':
        return "&#13;";
    default:
        return NULL;
    }
}

void cw_xml_add(struct cw_buf *out, cw_str text) {
    uint32_t code, n;
    for (cw_str s = text; (n = cw_utf8_decode(s, &code)); s = (cw_str){s.at + n, s.n - n}) {
        const char *escaped = reference_of(code);
        if (escaped)
            cw_buf_puts(out, escaped);
        else if (code == 0xfffd || !is_allowed(code))
            cw_buf_puts(out, "\xef\xbf\xbd");
        else
            cw_buf_add(out, s.at, n);
    }
}

void cw_xml_puts(struct cw_buf *out, const char *text) {
    cw_xml_add(out, cw_str_of(text));
}

void cw_xml_attribute(struct cw_buf *out, const char *name, const char *text) {
    cw_buf_printf(out, " %s=\"", name);
    cw_xml_puts(out, text);
    cw_buf_putc(out, '"');
}

void cw_xml_number(struct cw_buf *out, const char *name, unsigned value) {
    cw_buf_printf(out, " %s=\"%u\"", name, value);
}
