#include "source/source.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static struct cw_source *fail(struct cw_arena *a, const char **error, int code) {
    *error = cw_arena_strdup(a, strerror(code));
    return NULL;
}

static struct cw_source *too_large(struct cw_arena *a, const char **error) {
    *error = cw_arena_printf(a, "larger than %d MB", CW_SOURCE_MAX_BYTES / (1024 * 1024));
    return NULL;
}

struct cw_vec_u32 cw_line_starts(struct cw_arena *a, const char *text, size_t size) {
    struct cw_vec_u32 starts = {0};
    bool has_returns = memchr(text, '\r', size) != NULL;
    cw_vec_push(a, &starts, 0);
    for (const char *p = text, *end = text + size; !has_returns && (p = memchr(p, '\n', (size_t)(end - p))); p++)
        cw_vec_push(a, &starts, (uint32_t)(p + 1 - text));
    for (size_t i = 0; has_returns && i < size; i++) {
        bool carriage_return = text[i] == '\r' && !(i + 1 < size && text[i + 1] == '\n');
        if (text[i] == '\n' || carriage_return)
            cw_vec_push(a, &starts, (uint32_t)(i + 1));
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

/* Takes over `text`, which is arena memory with a NUL behind its end. */
static struct cw_source *new_source(struct cw_arena *a, const char *path, const char *text, size_t size) {
    struct cw_source *s = CW_NEW(a, struct cw_source);
    s->path = cw_arena_strdup(a, path);
    s->has_bom = size >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0;
    s->text = s->has_bom ? text + 3 : text;
    s->size = s->has_bom ? size - 3 : size;
    s->is_binary = memchr(s->text, '\0', s->size) != NULL;
    s->line_start = cw_line_starts(a, s->text, s->size);
    return s;
}

struct cw_source *cw_source_of_text(struct cw_arena *a, const char *path, const char *text, size_t size) {
    return new_source(a, path, cw_arena_strndup(a, text, size), size);
}

struct cw_source *cw_source_load_fd(struct cw_arena *a, int fd, const char *path, const char **error) {
    struct stat st;
    if (fstat(fd, &st) != 0)
        return fail(a, error, errno);
    if (S_ISDIR(st.st_mode))
        return fail(a, error, EISDIR);
    if (st.st_size > CW_SOURCE_MAX_BYTES)
        return too_large(a, error);
    /* Pipes have no size and files may grow: the buffer starts at the size known and follows what is read. */
    size_t cap = st.st_size > 0 ? (size_t)st.st_size : 4096, size = 0;
    char *text = cw_arena_alloc(a, cap + 1);
    for (;;) {
        ssize_t n = read(fd, text + size, cap + 1 - size);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return fail(a, error, errno);
        if (n == 0)
            break;
        size += (size_t)n;
        if (size > CW_SOURCE_MAX_BYTES)
            return too_large(a, error);
        if (size > cap) {
            char *more = cw_arena_alloc(a, cap * 2 + 1);
            memcpy(more, text, size);
            text = more;
            cap *= 2;
        }
    }
    return new_source(a, path, text, size);
}

struct cw_source *cw_source_load(struct cw_arena *a, const char *path, const char **error) {
    /* Without O_NONBLOCK, opening a FIFO that nobody writes to would wait for ever. */
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return fail(a, error, errno);
    struct cw_source *s = cw_source_load_fd(a, fd, path, error);
    close(fd);
    return s;
}

void cw_source_place(const struct cw_source *s, size_t offset, uint32_t *line, uint32_t *col) {
    if (offset > s->size)
        offset = s->size;
    uint32_t index = cw_line_at(&s->line_start, offset);
    *line = index + 1;
    *col = (uint32_t)offset - s->line_start.at[index] + 1;
}

uint32_t cw_source_lines(const struct cw_source *s) {
    return s->line_start.n;
}

cw_str cw_source_line(const struct cw_source *s, uint32_t line) {
    if (line == 0 || line > s->line_start.n)
        return (cw_str){"", 0};
    size_t start = s->line_start.at[line - 1];
    size_t end = line < s->line_start.n ? s->line_start.at[line] : s->size;
    if (end > start && s->text[end - 1] == '\n')
        end--;
    if (end > start && s->text[end - 1] == '\r')
        end--;
    return (cw_str){s->text + start, end - start};
}

size_t cw_source_offset(const struct cw_source *s, uint32_t line, uint32_t col) {
    if (line == 0)
        return 0;
    if (line > s->line_start.n)
        return s->size;
    size_t length = cw_source_line(s, line).n;
    size_t within = col == 0 ? 0 : col - 1;
    return s->line_start.at[line - 1] + (within < length ? within : length);
}

cw_str cw_source_range(const struct cw_source *s, uint32_t line, uint32_t col, uint32_t end_line, uint32_t end_col) {
    size_t from = cw_source_offset(s, line, col), to = cw_source_offset(s, end_line, end_col);
    return (cw_str){s->text + from, to > from ? to - from : 0};
}
