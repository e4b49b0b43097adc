/* The Markdown of the rules' documentation: `#` headings, paragraphs, `-` lists, fenced and inline code. Anything else
 * is plain text. */
#include "emit/html_parts.h"

#include "emit/xml.h"

#include <string.h>

struct writer {
    struct cw_buf *out;
    const char *open; /* the element that is open, or NULL */
};

/* Text with `code` in it. A lone backtick is itself. */
void cw_html_inline(struct cw_buf *out, cw_str text) {
    while (text.n) {
        const char *tick = memchr(text.at, '`', text.n);
        const char *end = tick ? memchr(tick + 1, '`', text.n - (size_t)(tick + 1 - text.at)) : NULL;
        size_t before = end ? (size_t)(tick - text.at) : text.n;
        cw_xml_add(out, (cw_str){text.at, before});
        if (!end)
            return;
        cw_buf_puts(out, "<code>");
        cw_xml_add(out, (cw_str){tick + 1, (size_t)(end - tick - 1)});
        cw_buf_puts(out, "</code>");
        text = (cw_str){end + 1, text.n - (size_t)(end + 1 - text.at)};
    }
}

static void close_block(struct writer *writer) {
    if (writer->open)
        cw_buf_puts(writer->out, !strcmp(writer->open, "ul") ? "</li></ul>" : "</p>");
    writer->open = NULL;
}

static void put_heading(struct writer *writer, cw_str line) {
    unsigned level = 0;
    while (level < line.n && line.at[level] == '#')
        level++;
    close_block(writer);
    unsigned shown = level + 2 < 6 ? level + 2 : 6; /* the rule's name stands above, as h3 */
    cw_buf_printf(writer->out, "<h%u>", shown);
    cw_html_inline(writer->out, cw_str_trim((cw_str){line.at + level, line.n - level}));
    cw_buf_printf(writer->out, "</h%u>", shown);
}

static void put_item(struct writer *writer, cw_str line) {
    bool goes_on = writer->open && !strcmp(writer->open, "ul");
    if (!goes_on)
        close_block(writer);
    cw_buf_puts(writer->out, goes_on ? "</li><li>" : "<ul><li>");
    writer->open = "ul";
    cw_html_inline(writer->out, (cw_str){line.at + 2, line.n - 2});
}

static void put_words(struct writer *writer, cw_str line) {
    if (!writer->open) {
        cw_buf_puts(writer->out, "<p>");
        writer->open = "p";
    } else {
        cw_buf_putc(writer->out, ' ');
    }
    cw_html_inline(writer->out, cw_str_trim(line));
}

static cw_str take_line(cw_str *rest) {
    const char *end = memchr(rest->at, '\n', rest->n);
    cw_str line = {rest->at, end ? (size_t)(end - rest->at) : rest->n};
    size_t used = line.n + (end != NULL);
    *rest = (cw_str){rest->at + used, rest->n - used};
    return line;
}

/* "```cuda bad": the second word becomes a class. */
static void put_fence(struct writer *writer, cw_str head, cw_str *rest) {
    bool bad = cw_str_starts(head, "```cuda bad"), good = cw_str_starts(head, "```cuda good");
    close_block(writer);
    cw_buf_printf(writer->out, "<pre tabindex=\"0\" class=\"%s\"><code>", bad ? "bad" : good ? "good" : "plain");
    while (rest->n) {
        cw_str line = take_line(rest);
        if (cw_str_starts(line, "```"))
            break;
        cw_xml_add(writer->out, line);
        cw_buf_putc(writer->out, '\n');
    }
    cw_buf_puts(writer->out, "</code></pre>");
}

void cw_html_markdown(struct cw_buf *out, const char *text) {
    struct writer w = {.out = out};
    cw_str rest = cw_str_of(text);
    while (rest.n) {
        cw_str line = take_line(&rest);
        if (cw_str_starts(line, "```"))
            put_fence(&w, line, &rest);
        else if (cw_str_starts(line, "#"))
            put_heading(&w, line);
        else if (cw_str_starts(line, "- "))
            put_item(&w, line);
        else if (cw_str_trim(line).n)
            put_words(&w, line);
        else
            close_block(&w);
    }
    close_block(&w);
}
