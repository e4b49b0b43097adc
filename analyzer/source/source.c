#include "source/source.h"

#include "base/io.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static struct cw_source *fail_open(struct cw_arena *arena, const char **error, int code) {
    *error = cw_arena_strdup(arena, cw_open_error(code));
    return NULL;
}

static struct cw_source *too_large(struct cw_arena *arena, const char **error) {
    *error = cw_arena_printf(arena, "larger than %d MB", CW_SOURCE_MAX_BYTES / (1024 * 1024));
    return NULL;
}

struct cw_vec_u32 cw_line_starts(struct cw_arena *arena, const char *text, size_t size) {
    struct cw_vec_u32 starts = {0};
    bool has_returns = memchr(text, '\r', size) != NULL;
    cw_vec_push(arena, &starts, 0);
    for (const char *p = text, *end = text + size; !has_returns && (p = memchr(p, '\n', (size_t)(end - p))); p++)
        cw_vec_push(arena, &starts, (uint32_t)(p + 1 - text));
    for (size_t i = 0; has_returns && i < size; i++) {
        bool carriage_return = text[i] == '\r' && !(i + 1 < size && text[i + 1] == '\n');
        if (text[i] == '\n' || carriage_return)
            cw_vec_push(arena, &starts, (uint32_t)(i + 1));
    }
    return starts;
}

uint32_t cw_line_at(const struct cw_vec_u32 *starts, size_t offset) {
    uint32_t low = 0, high = starts->n;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (starts->at[middle] <= offset)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* ---- encodings ---- */

/* One code unit of UTF-16 at `at`. */
static uint32_t unit_of(const unsigned char *at, bool is_big) {
    return is_big ? (uint32_t)at[0] << 8 | at[1] : (uint32_t)at[1] << 8 | at[0];
}

static size_t put_utf8(char *to, uint32_t code) {
    static const unsigned char leads[] = {0, 0, 0xC0, 0xE0, 0xF0};
    size_t n = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    for (size_t i = n; i-- > 1; code >>= 6)
        to[i] = (char)(0x80 | (code & 0x3F));
    to[0] = (char)(leads[n] | code);
    return n;
}

/* UTF-16 behind its byte order mark as UTF-8, in arena memory with a NUL behind its end. Lone surrogates become
 * U+FFFD. */
static char *from_utf16(struct cw_arena *arena, const char *text, size_t *size) {
    const unsigned char *from = (const unsigned char *)text + 2, *end = from + (*size - 2) / 2 * 2;
    bool is_big = (unsigned char)text[0] == 0xFE;
    char *out = cw_arena_alloc(arena, *size / 2 * 3 + 1);
    size_t n = 0;
    while (from < end) {
        uint32_t code = unit_of(from, is_big), low = end - from > 3 ? unit_of(from + 2, is_big) : 0;
        bool is_pair = code >> 10 == 0xD800 >> 10 && low >> 10 == 0xDC00 >> 10;
        from += is_pair ? 4 : 2;
        if (is_pair)
            code = 0x10000 + ((code & 0x3FF) << 10 | (low & 0x3FF));
        else if (code >> 11 == 0xD800 >> 11)
            code = 0xFFFD;
        n += put_utf8(out + n, code);
    }
    out[n] = '\0';
    *size = n;
    return out;
}

/* More than one byte in MOST_CONTROLS is a control character that no text has. */
static bool is_mostly_text(const char *text, size_t size) {
    enum { MOST_CONTROLS = 16 };
    size_t controls = 0;
    for (size_t i = 0; i < size; i++)
        controls += (unsigned char)text[i] < '\t' || ((unsigned char)text[i] > '\r' && (unsigned char)text[i] < ' ');
    return controls * MOST_CONTROLS <= size;
}

/* Blanks in the place of NULs keep all positions. */
static char *without_nuls(struct cw_arena *arena, const char *text, size_t size) {
    char *out = cw_arena_alloc(arena, size + 1);
    for (size_t i = 0; i < size; i++)
        out[i] = text[i] ? text[i] : ' ';
    out[size] = '\0';
    return out;
}

/* Takes over `text`, which is arena memory with a NUL behind its end. */
static struct cw_source *new_source(struct cw_arena *arena, const char *path, const char *text, size_t size) {
    struct cw_source *s = CW_NEW(arena, struct cw_source);
    s->path = cw_arena_strdup(arena, path);
    s->is_converted = size >= 2 && (!memcmp(text, "\xFF\xFE", 2) || !memcmp(text, "\xFE\xFF", 2));
    if (s->is_converted)
        text = from_utf16(arena, text, &size);
    s->has_bom = size >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0;
    s->text = s->has_bom ? text + 3 : text;
    s->size = s->has_bom ? size - 3 : size;
    if (memchr(s->text, '\0', s->size)) {
        s->is_binary = !is_mostly_text(s->text, s->size);
        s->is_converted |= !s->is_binary;
        s->text = s->is_binary ? s->text : without_nuls(arena, s->text, s->size);
    }
    s->line_start = cw_line_starts(arena, s->text, s->size);
    return s;
}

struct cw_source *cw_source_of_text(struct cw_arena *arena, const char *path, const char *text, size_t size) {
    return new_source(arena, path, cw_arena_strndup(arena, text, size), size);
}

struct cw_source *cw_source_load_fd(struct cw_arena *arena, int fd, const char *path, const char **error) {
    struct stat st;
    if (fstat(fd, &st) != 0)
        return fail_open(arena, error, errno);
    if (S_ISDIR(st.st_mode))
        return fail_open(arena, error, EISDIR);
    if (st.st_size > CW_SOURCE_MAX_BYTES)
        return too_large(arena, error);
    /* Pipes have no size and files may grow: the buffer starts at the size known and follows what is read. */
    size_t cap = st.st_size > 0 ? (size_t)st.st_size : 4096, size = 0;
    char *text = cw_arena_alloc(arena, cap + 1);
    for (;;) {
        ssize_t n = read(fd, text + size, cap + 1 - size);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return fail_open(arena, error, errno);
        if (n == 0)
            break;
        size += (size_t)n;
        if (size > CW_SOURCE_MAX_BYTES)
            return too_large(arena, error);
        if (size > cap) {
            char *more = cw_arena_alloc(arena, cap * 2 + 1);
            memcpy(more, text, size);
            text = more;
            cap *= 2;
        }
    }
    return new_source(arena, path, text, size);
}

struct cw_source *cw_source_load(struct cw_arena *arena, const char *path, const char **error) {
    int fd = cw_open_regular(path, 0);
    if (fd < 0)
        return fail_open(arena, error, errno);
    struct cw_source *s = cw_source_load_fd(arena, fd, path, error);
    close(fd);
    return s;
}

void cw_source_place(const struct cw_source *source, size_t offset, uint32_t *line, uint32_t *col) {
    if (offset > source->size)
        offset = source->size;
    uint32_t index = cw_line_at(&source->line_start, offset);
    *line = index + 1;
    *col = (uint32_t)offset - source->line_start.at[index] + 1;
}

uint32_t cw_source_lines(const struct cw_source *source) {
    return source->line_start.n;
}

cw_str cw_source_line(const struct cw_source *source, uint32_t line) {
    if (line == 0 || line > source->line_start.n)
        return (cw_str){"", 0};
    size_t start = source->line_start.at[line - 1];
    size_t end = line < source->line_start.n ? source->line_start.at[line] : source->size;
    if (end > start && source->text[end - 1] == '\n')
        end--;
    if (end > start && source->text[end - 1] == '\r')
        end--;
    return (cw_str){source->text + start, end - start};
}

size_t cw_source_offset(const struct cw_source *source, uint32_t line, uint32_t col) {
    if (line == 0)
        return 0;
    if (line > source->line_start.n)
        return source->size;
    size_t length = cw_source_line(source, line).n;
    size_t within = col == 0 ? 0 : col - 1;
    return source->line_start.at[line - 1] + (within < length ? within : length);
}

cw_str cw_source_range(const struct cw_source *source, uint32_t line, uint32_t col, uint32_t end_line,
                       uint32_t end_col) {
    size_t from = cw_source_offset(source, line, col), to = cw_source_offset(source, end_line, end_col);
    return (cw_str){source->text + from, to > from ? to - from : 0};
}
