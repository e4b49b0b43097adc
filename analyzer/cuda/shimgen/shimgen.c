/* Makes the embedded shim: hand-written headers with the declarations of intrinsics.def and models/collectives.def put
 * in, as one C file.
 *
 *     shimgen TABLE ROOT FOLDER OUT.c HEADER…         (paths below FOLDER; ROOT: where they are below the shim's root)
 *
 * In a header, the line
 *     //@ section | prefix | suffix
 * becomes one declaration per row (and per type) of that section: prefix result name(params) suffix. A section that no
 * header places, or two do, and a header that asks for an unknown section, end the build: the shim and the table of
 * meanings cannot drift apart. The line `//@ collectives` becomes the class templates of collectives.def. */
#include "cuda/intrinsics.h"

#include "base/str.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct row {
    const char *section; /* set for a CW_SECTION line, whose other members are empty */
    const char *name, *result, *params, *types, *body;
    unsigned flags;
};

static const struct row rows[] = {
#define CW_SECTION(id) {.section = id},
#define CW_BODY(name_, result_, params_, types_, body_)                                                                \
    {.name = name_, .result = result_, .params = params_, .types = types_, .body = body_},
#define CW_INTRINSIC(name_, result_, params_, types_, op, aux, roles, min, max, order, scope, flags_, replacement)     \
    {.name = name_, .result = result_, .params = params_, .types = types_, .flags = flags_},
#include "cuda/intrinsics.def"
};
enum { ROWS = sizeof rows / sizeof rows[0] };

static unsigned placed[ROWS]; /* for a section line: how many headers ask for it */

_Noreturn static void fail_with(const char *what, cw_str detail) {
    fprintf(stderr, "shimgen: %s: %.*s\n", what, (int)detail.n, detail.at);
    exit(1);
}

/* ---- declarations ---- */

static bool is_word(char c) {
    return isalnum((unsigned char)c) || c == '_';
}

/* `text` with the word T replaced by `type`. */
static void put_typed(struct cw_buf *out, const char *text, cw_str type) {
    for (const char *at = text; *at; at++) {
        bool is_marker = *at == 'T' && type.n && (at == text || !is_word(at[-1])) && !is_word(at[1]);
        if (is_marker)
            cw_buf_add(out, type.at, type.n);
        else
            cw_buf_putc(out, *at);
    }
}

static const char *last_name(const char *qualified) {
    const char *last = qualified;
    for (const char *at = qualified; (at = strstr(at, "::")) != NULL;)
        last = at += 2;
    return last;
}

static bool is_template(const struct row *row) {
    return row->types[0] == '<' || row->types[0] == '*';
}

/* A template needs some body: without one, clang refuses arguments of types that have no linkage, such as lambdas.
 * "=" as suffix leaves it out (and saves the time) where no such type can come. */
static const char *body_of(const struct row *row, cw_str suffix) {
    if (row->body)
        return row->body;
    if (row->flags & CW_INTR_TILE_SIZE)
        return "return N;";
    return is_template(row) && !cw_str_is(suffix, "=") ? "__builtin_unreachable();" : NULL;
}

/* Before the result: linkage, prefix, result type. */
static void put_head(struct cw_buf *out, const struct row *row, cw_str type, cw_str prefix) {
    if (row->flags & CW_INTR_C)
        cw_buf_puts(out, "extern \"C\" __host__ ");
    cw_buf_add(out, prefix.at, prefix.n);
    cw_buf_putc(out, ' ');
    if (row->body && !strchr(row->name, ':'))
        cw_buf_puts(out, "inline ");
    put_typed(out, row->result, type);
    cw_buf_putc(out, ' ');
}

static void put_declarator(struct cw_buf *out, const struct row *row, cw_str type) {
    cw_buf_printf(out, "%s(", last_name(row->name));
    put_typed(out, row->params, type);
    cw_buf_putc(out, ')');
}

static void put_declaration(struct cw_buf *out, const struct row *row, cw_str prefix, cw_str suffix) {
    put_head(out, row, CW_STR(""), prefix);
    put_declarator(out, row, CW_STR(""));
    if (suffix.n && !cw_str_is(suffix, "=") && strncmp(row->result, "static", 6) != 0)
        cw_buf_printf(out, " %.*s", (int)suffix.n, suffix.at);
    const char *body = body_of(row, suffix);
    if (body)
        cw_buf_printf(out, " { %s }\n", body);
    else
        cw_buf_puts(out, ";\n");
}

/* Declarations of one section, those with the same head gathered into one: a declarator costs clang less than a
 * declaration does. */
static struct heads {
    struct cw_buf head, list;
} heads[64];
static uint32_t nheads;

static struct heads *heads_of(const char *head) {
    for (uint32_t i = 0; i < nheads; i++)
        if (strcmp(heads[i].head.at, head) == 0)
            return &heads[i];
    if (nheads == sizeof heads / sizeof heads[0])
        fail_with("too many result types in one section", cw_str_of(head));
    cw_buf_puts(&heads[nheads].head, head);
    return &heads[nheads++];
}

static void gather_declarator(const struct row *row, cw_str type, cw_str prefix) {
    struct cw_buf head = {0};
    put_head(&head, row, type, prefix);
    struct heads *h = heads_of(head.at);
    /* A pointer in the head belongs to the first declarator only, so such a declaration stands alone. */
    bool alone = strpbrk(head.at, "*&") != NULL;
    cw_buf_puts(&h->list, !h->list.n ? head.at : alone ? ";\n" : ", ");
    if (alone && strchr(h->list.at, '\n'))
        cw_buf_puts(&h->list, head.at);
    put_declarator(&h->list, row, type);
    cw_buf_free(&head);
}

static void put_gathered(struct cw_buf *out) {
    for (uint32_t i = 0; i < nheads; i++) {
        cw_buf_printf(out, "%s;\n", heads[i].list.at);
        cw_buf_free(&heads[i].head);
        cw_buf_free(&heads[i].list);
    }
    nheads = 0;
}

static void put_row(struct cw_buf *out, const struct row *row, cw_str prefix, cw_str suffix) {
    if (is_template(row))
        cw_buf_printf(out, "template %s ", row->types[0] == '*' ? "<typename T>" : row->types);
    if (is_template(row) || suffix.n || row->body) {
        put_declaration(out, row, prefix, suffix);
        return;
    }
    const char *at = row->types;
    do {
        size_t n = strcspn(at, "|");
        gather_declarator(row, (cw_str){at, n}, prefix);
        at += n + (at[n] == '|');
    } while (*at);
}

static void put_section(struct cw_buf *out, cw_str id, cw_str prefix, cw_str suffix) {
    bool found = false;
    for (uint32_t i = 0; i < ROWS; i++) {
        if (!rows[i].section || !cw_str_is(id, rows[i].section))
            continue;
        found = true;
        placed[i]++;
        for (uint32_t k = i + 1; k < ROWS && !rows[k].section; k++)
            put_row(out, &rows[k], prefix, suffix);
        put_gathered(out);
    }
    if (!found)
        fail_with("no such section in intrinsics.def", id);
}

/* ---- collectives ---- */

struct collective_class {
    const char *name, *header, *scope;
};

static const struct collective_class collective_classes[] = {
#define CW_COLLECTIVE_CLASS(name, scope, header, x, y, z, algorithm) {#name, header, #scope},
#include "cuda/models/collectives.def"
};

static const struct {
    const char *of, *member, *result;
} collectives[] = {
#define CW_COLLECTIVE(class, member, result, roles, valid, storage, alone, warps) {#class, #member, result},
#include "cuda/models/collectives.def"
};

/* The bodies are never lowered: the front end knows what the members do. A first argument in braces is a T. */
static void put_collective_member(struct cw_buf *out, const char *result, const char *member) {
    bool is_value = strcmp(result, "T") == 0;
    cw_buf_printf(out, "template <%stypename... A> __device__ %s %s(%sA &&...a) { __builtin_unreachable(); }\n",
                  is_value ? "typename B = T, " : "", result, member, is_value ? "B &&b, " : "");
}

static void put_collective_class(struct cw_buf *out, const struct collective_class *class) {
    bool is_block = strcmp(class->scope, "BLOCK") == 0;
    cw_buf_printf(out, "template <%s> struct %s {\nCUWARP_STORED(%s, %s)\n", class->header, class->name, class->name,
                  is_block ? "X * Y * Z" : "N");
    for (size_t k = 0; k < sizeof collectives / sizeof *collectives; k++)
        if (strcmp(collectives[k].of, class->name) == 0)
            put_collective_member(out, collectives[k].result, collectives[k].member);
    cw_buf_puts(out, "};\n");
}

static void put_collectives(struct cw_buf *out) {
    for (size_t k = 0; k < sizeof collective_classes / sizeof *collective_classes; k++)
        put_collective_class(out, &collective_classes[k]);
}

/* ---- headers ---- */

static cw_str cut_at_bar(cw_str *rest) {
    const char *bar = rest->n ? memchr(rest->at, '|', rest->n) : NULL;
    size_t n = bar ? (size_t)(bar - rest->at) : rest->n;
    cw_str head = cw_str_trim((cw_str){rest->at, n});
    size_t skip = n + (bar != NULL);
    *rest = (cw_str){rest->at + skip, rest->n - skip};
    return head;
}

/* One line of a hand-written header. Indentation and whole-line comments are left out: they only cost time to lex. */
static void put_line(struct cw_buf *out, cw_str line) {
    line = cw_str_trim(line);
    if (cw_str_starts(line, "//@")) {
        cw_str rest = {line.at + 3, line.n - 3};
        cw_str id = cut_at_bar(&rest), prefix = cut_at_bar(&rest), suffix = cut_at_bar(&rest);
        if (cw_str_is(id, "collectives"))
            put_collectives(out);
        else
            put_section(out, id, prefix, suffix);
    } else if (line.n && !cw_str_starts(line, "//")) {
        cw_buf_add(out, line.at, line.n);
        cw_buf_putc(out, '\n');
    }
}

static void expand_source(struct cw_buf *out, const struct cw_buf *source) {
    for (size_t at = 0; at < source->n;) {
        const char *end = memchr(source->at + at, '\n', source->n - at);
        size_t n = end ? (size_t)(end - source->at) - at : source->n - at;
        put_line(out, (cw_str){source->at + at, n});
        at += n + 1;
    }
}

static void read_file(struct cw_buf *out, const char *path) {
    FILE *file = fopen(path, "rb");
    if (!file)
        fail_with("cannot open", cw_str_of(path));
    char chunk[4096];
    for (size_t n; (n = fread(chunk, 1, sizeof chunk, file)) > 0;)
        cw_buf_add(out, chunk, n);
    fclose(file);
}

/* ---- names ---- */

/* Where a comment or literal that begins at `at` ends; `at` when none does. */
static size_t behind_literal(const char *text, size_t n, size_t at) {
    char c = text[at], next = at + 1 < n ? text[at + 1] : '\0';
    const char *end = NULL;
    if (c == '/' && next == '/')
        end = memchr(text + at, '\n', n - at);
    else if (c == '/' && next == '*')
        end = memmem(text + at + 2, n - at - 2, "*/", 2);
    else if (c != '"' && c != '\'')
        return at;
    else
        for (size_t i = at + 1; i < n && !end; i += text[i] == '\\' ? 2 : 1)
            end = text[i] == c ? text + i : NULL;
    return end ? (size_t)(end - text) + 1 : n;
}

/* `-DN=64` and `#define T float` are common, and the standard leaves such names to users: a name of one capital letter,
 * as templates here have them, gets the two underscores that are left to us. */
static void reserve_names(struct cw_buf *out, const struct cw_buf *text) {
    for (size_t i = 0; i < text->n;) {
        size_t end = behind_literal(text->at, text->n, i);
        bool is_whole = end == i && is_word(text->at[i]);
        while (is_whole && end < text->n && is_word(text->at[end]))
            end++;
        bool is_suffix =
            i > 1 && text->at[i - 1] == '#' && text->at[i - 2] == '#'; /* UINT32_C pastes one to a number */
        if (is_whole && end == i + 1 && text->at[i] >= 'A' && text->at[i] <= 'Z' && !is_suffix)
            cw_buf_puts(out, "__");
        end += end == i;
        cw_buf_add(out, text->at + i, end - i);
        i = end;
    }
}

/* ---- the C file ---- */

static void put_literal(FILE *out, const struct cw_buf *text) {
    fputs("     \"", out);
    for (size_t i = 0; i < text->n; i++) {
        char c = text->at[i];
        if (c == '\n')
            fputs(i + 1 < text->n ? "\\n\"\n     \"" : "\\n", out);
        else if (c == '"' || c == '\\' || c == '?')
            fprintf(out, "\\%c", c);
        else
            fputc(c, out);
    }
    fputc('"', out);
}

static void embed_header(FILE *out, const char *root, const char *folder, const char *header) {
    struct cw_buf path = {0}, source = {0}, expanded = {0}, text = {0};
    cw_buf_printf(&path, "%s/%s", folder, header);
    read_file(&source, path.at);
    expand_source(&expanded, &source);
    reserve_names(&text, &expanded);
    fprintf(out, "    {CW_SHIM_ROOT \"%s/%s\",\n", root, header);
    put_literal(out, &text);
    fprintf(out, ",\n     %zu},\n", text.n);
    cw_buf_free(&path);
    cw_buf_free(&source);
    cw_buf_free(&expanded);
    cw_buf_free(&text);
}

static void check_placed(void) {
    for (uint32_t i = 0; i < ROWS; i++)
        if (rows[i].section && rows[i].section[0] && placed[i] != 1)
            fail_with(placed[i] ? "section placed twice" : "section placed in no header", cw_str_of(rows[i].section));
}

static bool places_any(void) {
    for (uint32_t i = 0; i < ROWS; i++)
        if (placed[i])
            return true;
    return false;
}

int main(int argc, char **argv) {
    if (argc < 6) {
        fputs("usage: shimgen TABLE ROOT FOLDER OUT.c HEADER...\n", stderr);
        return 2;
    }
    FILE *out = fopen(argv[4], "wb");
    if (!out)
        fail_with("cannot write", cw_str_of(argv[4]));
    fprintf(out, "/* Made by shimgen. */\n#include \"front/shim/shim.h\"\n\nconst struct cw_shim_file %s[] = {\n",
            argv[1]);
    for (int i = 5; i < argc; i++)
        embed_header(out, argv[2], argv[3], argv[i]);
    fprintf(out, "};\nconst uint32_t %s_size = %d;\n", argv[1], argc - 5);
    if (!*argv[2] || places_any()) /* headers of other libraries declare nothing of the device API */
        check_placed();
    return fclose(out) ? 1 : 0;
}
