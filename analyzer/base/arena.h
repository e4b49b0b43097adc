/* Bump allocation for one lifetime (process, translation unit, or a function's scratch).
 *
 * Nothing is freed singly, outgrown tables apart: the arena goes as a whole. Memory is zeroed and 16-byte aligned.
 * Running out of memory ends the process with a message (a worker process, so only one file is lost). */
#ifndef CW_BASE_ARENA_H
#define CW_BASE_ARENA_H

#include <stdarg.h>
#include <stddef.h>

struct cw_arena_chunk;
struct cw_arena_block;

enum { CW_ARENA_CLASSES = 40 };

struct cw_arena {
    struct cw_arena_chunk *head; /* newest chunk first */
    size_t total;                /* bytes handed out since init */
    struct cw_arena_block *spare[CW_ARENA_CLASSES]; /* given back, by the logarithm of their size */
};

void cw_arena_init(struct cw_arena *a);

/* Returns `size` zeroed bytes owned by the arena; never NULL. */
void *cw_arena_alloc(struct cw_arena *a, size_t size);

/* Copies `n` bytes of `text` and appends a NUL. */
char *cw_arena_strndup(struct cw_arena *a, const char *text, size_t n);
char *cw_arena_strdup(struct cw_arena *a, const char *text);

/* printf into the arena. */
char *cw_arena_printf(struct cw_arena *a, const char *format, ...) __attribute__((format(printf, 2, 3)));
char *cw_arena_vprintf(struct cw_arena *a, const char *format, va_list ap);

/* For tables that grow by doubling: what one has outgrown serves the next. `size` is a power of two; zeroed as ever. A
 * block must be given back with the size it was taken with, and nothing may point into it any more. */
void *cw_arena_take(struct cw_arena *a, size_t size);
void cw_arena_give(struct cw_arena *a, void *block, size_t size);

/* Releases everything; the arena is empty and usable again. */
void cw_arena_free(struct cw_arena *a);
/* The same, but keeps a chunk for what comes next: cheap enough to follow every question. */
void cw_arena_reset(struct cw_arena *a);

#define CW_NEW(arena, T) ((T *)cw_arena_alloc((arena), sizeof(T)))
#define CW_NEW_ARRAY(arena, T, n) ((T *)cw_arena_alloc((arena), sizeof(T) * (size_t)(n)))

#endif
