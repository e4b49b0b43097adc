/* Host program of the build: head comments of the rules in, rule_docs.c out. A rule whose documentation lacks a section
 * or an example stops the build with a message that names the file and what is missing. */
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum cw_severity { CW_INFO, CW_WARNING, CW_ERROR };

static const struct {
    const char *id, *name, *category;
} rows[] = {
#define CW_RULE(id, name, category, severity, preview, off_by_default) {#id, name, category},
#include "rules/rules.def"
};

static const char *const sections[] = {"What it does",           "Why it is wrong", "Example", "How to fix",
                                       "When it stays silent", "References"};

enum { NROWS = sizeof rows / sizeof rows[0], NSECTIONS = sizeof sections / sizeof sections[0] };

static void fail_with(const char *path, const char *format, ...) __attribute__((format(printf, 2, 3), noreturn));

static void fail_with(const char *path, const char *format, ...) {
    va_list ap;
    va_start(ap, format);
    fprintf(stderr, "%s: ", path);
    vfprintf(stderr, format, ap);
    fputc('\n', stderr);
    va_end(ap);
    exit(1);
}

static char *read_all(const char *path) {
    FILE *f = fopen(path, "rb");
    if (!f)
        fail_with(path, "cannot be read; a line in rules.def needs this file");
    size_t n = 0, cap = 1 << 20;
    char *text = malloc(cap);
    if (!text)
        fail_with(path, "out of memory");
    n = fread(text, 1, cap - 1, f);
    if (n == cap - 1)
        fail_with(path, "larger than any rule may be");
    text[n] = '\0';
    fclose(f);
    return text;
}

/* The comment's text without its marks, each line ended by a newline. In place. */
static char *head_comment(const char *path, char *text) {
    char *end = strstr(text, "*/");
    if (strncmp(text, "/* ", 3) != 0 || !end)
        fail_with(path, "does not begin with its documentation in a /* comment */");
    *end = '\0';
    char *out = text, *to = text;
    for (char *line = text + 3, *next; line; line = next) {
        next = strchr(line, '\n');
        if (next)
            *next++ = '\0';
        size_t n = strlen(line);
        while (n && (line[n - 1] == ' ' || line[n - 1] == '\r'))
            n--;
        memmove(to, line, n);
        to += n;
        *to++ = '\n';
        if (next)
            next += !strncmp(next, " * ", 3) ? 3 : !strncmp(next, " *", 2) ? 2 : 0;
    }
    while (to - out > 1 && to[-1] == '\n' && to[-2] == '\n')
        to--;
    *to = '\0';
    return out;
}

/* The text behind "\n## title\n", or NULL. */
static const char *section_at(const char *doc, const char *title) {
    char heading[64];
    snprintf(heading, sizeof heading, "\n## %s\n", title);
    const char *at = strstr(doc, heading);
    return at ? at + strlen(heading) : NULL;
}

static bool is_empty(const char *at) {
    at += strspn(at, "\n ");
    return *at == '\0' || !strncmp(at, "## ", 3);
}

static void check_sections(const char *path, const char *doc) {
    const char *before = doc;
    for (int i = 0; i < NSECTIONS; i++) {
        const char *at = section_at(doc, sections[i]);
        if (!at)
            fail_with(path, "has no section '## %s'", sections[i]);
        if (at < before)
            fail_with(path, "section '## %s' is out of order", sections[i]);
        if (is_empty(at))
            fail_with(path, "section '## %s' is empty", sections[i]);
        before = at;
    }
}

static void check_examples(const char *path, const char *doc) {
    if (!strstr(doc, "\n```cuda bad"))
        fail_with(path, "has no ```cuda bad example");
    if (!strstr(doc, "\n```cuda good"))
        fail_with(path, "has no ```cuda good example");
    size_t fences = 0;
    for (const char *at = doc; (at = strstr(at, "\n```")); at += 4)
        fences++;
    if (fences % 2)
        fail_with(path, "has a ``` block without an end");
}

static void put_string(FILE *out, const char *text, size_t n) {
    fputs("    \"", out);
    for (size_t i = 0; i < n; i++) {
        unsigned char c = (unsigned char)text[i];
        if (c == '\n')
            fputs(i + 1 < n ? "\\n\"\n    \"" : "\\n", out);
        else if (c == '"' || c == '\\')
            fprintf(out, "\\%c", c);
        else if (c < 0x20 || c >= 0x7f || c == '?')
            fprintf(out, "\\%03o", c);
        else
            fputc(c, out);
    }
    fputs("\"", out);
}

static void write_row(FILE *out, const char *dir, int row) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s/%s.c", dir, rows[row].category, rows[row].id);
    char *text = read_all(path), *doc = head_comment(path, text), *body = strchr(doc, '\n');
    size_t name = strlen(rows[row].name);
    if (strncmp(doc, rows[row].name, name) != 0 || doc[name] != ':' || doc[name + 1] != ' ')
        fail_with(path, "its first line is not '%s: one sentence'", rows[row].name);
    check_sections(path, doc);
    check_examples(path, doc);
    const char *summary = doc + name + 2;
    fputs("    {\n", out);
    put_string(out, summary, (size_t)(body - summary));
    fputs(",\n", out);
    body += strspn(body, "\n");
    put_string(out, body, strlen(body));
    fputs("},\n", out);
    free(text);
}

int main(int argc, char **argv) {
    if (argc != 3) {
        fprintf(stderr, "usage: docgen RULES-DIRECTORY OUTPUT\n");
        return 2;
    }
    FILE *out = fopen(argv[2], "wb");
    if (!out)
        fail_with(argv[2], "cannot be written");
    fputs("/* Made from the head comments of the rules; do not edit. */\n#include \"rules/rule_texts.h\"\n\n"
          "const struct cw_rule_text cw_rule_texts[] = {\n", out);
    for (int i = 0; i < NROWS; i++)
        write_row(out, argv[1], i);
    fputs("};\n", out);
    return fclose(out) ? 1 : 0;
}
