#include "base/arena.h"

#include "base/log.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK_BYTES = 64 * 1024, ALIGNMENT = 16 };

struct cw_arena_chunk {
    struct cw_arena_chunk *next;
    size_t used, size;
    _Alignas(ALIGNMENT) unsigned char data[];
};

struct cw_arena_block {
    struct cw_arena_block *next;
};

void cw_arena_init(struct cw_arena *arena) {
    *arena = (struct cw_arena){0};
}

static struct cw_arena_chunk *new_chunk(size_t at_least) {
    size_t size = at_least > CHUNK_BYTES ? at_least : CHUNK_BYTES;
    struct cw_arena_chunk *chunk = calloc(1, sizeof *chunk + size);
    if (!chunk)
        cw_die("out of memory (%zu bytes)", size);
    chunk->size = size;
    return chunk;
}

void *cw_arena_alloc(struct cw_arena *arena, size_t size) {
    if (size > SIZE_MAX / 2)
        cw_die("out of memory (%zu bytes)", size);
    size_t need = (size + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
    if (!arena->head || arena->head->size - arena->head->used < need) {
        struct cw_arena_chunk *chunk = new_chunk(need);
        chunk->next = arena->head;
        arena->head = chunk;
    }
    void *p = arena->head->data + arena->head->used;
    arena->head->used += need;
    arena->total += need;
    return p;
}

/* The class of a power of two that can be kept; CW_ARENA_CLASSES for one that cannot. */
static unsigned class_of(size_t size) {
    unsigned log = (unsigned)__builtin_ctzll(size);
    return size >= ALIGNMENT && log < CW_ARENA_CLASSES ? log : CW_ARENA_CLASSES;
}

void *cw_arena_take(struct cw_arena *arena, size_t size) {
    unsigned class = class_of(size);
    if (class == CW_ARENA_CLASSES || !arena->spare[class])
        return cw_arena_alloc(arena, size);
    struct cw_arena_block *block = arena->spare[class];
    arena->spare[class] = block->next;
    return memset(block, 0, size);
}

void cw_arena_give(struct cw_arena *arena, void *block, size_t size) {
    unsigned class = class_of(size);
    if (class == CW_ARENA_CLASSES)
        return;
    struct cw_arena_block *spare = block;
    spare->next = arena->spare[class];
    arena->spare[class] = spare;
}

char *cw_arena_strndup(struct cw_arena *arena, const char *text, size_t n) {
    char *copy = cw_arena_alloc(arena, n + 1);
    if (n)
        memcpy(copy, text, n);
    return copy;
}

char *cw_arena_strdup(struct cw_arena *arena, const char *text) {
    return cw_arena_strndup(arena, text, strlen(text));
}

char *cw_arena_vprintf(struct cw_arena *arena, const char *format, va_list ap) {
    va_list again;
    va_copy(again, ap);
    int n = vsnprintf(NULL, 0, format, ap);
    char *out = cw_arena_alloc(arena, (size_t)(n < 0 ? 0 : n) + 1);
    if (n > 0)
        vsnprintf(out, (size_t)n + 1, format, again);
    va_end(again);
    return out;
}

char *cw_arena_printf(struct cw_arena *arena, const char *format, ...) {
    va_list ap;
    va_start(ap, format);
    char *out = cw_arena_vprintf(arena, format, ap);
    va_end(ap);
    return out;
}

void cw_arena_free(struct cw_arena *arena) {
    for (struct cw_arena_chunk *c = arena->head; c;) {
        struct cw_arena_chunk *next = c->next;
        free(c);
        c = next;
    }
    cw_arena_init(arena);
}

void cw_arena_reset(struct cw_arena *arena) {
    struct cw_arena_chunk *kept = NULL;
    for (struct cw_arena_chunk *c = arena->head, *next; c; c = next) {
        next = c->next;
        if (!kept && c->size == CHUNK_BYTES)
            kept = c;
        else
            free(c);
    }
    cw_arena_init(arena);
    if (!kept)
        return;
    memset(kept->data, 0, kept->used);
    kept->used = 0;
    kept->next = NULL;
    arena->head = kept;
}
