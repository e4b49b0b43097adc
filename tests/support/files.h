/* Reading and writing whole files in tests. */
#ifndef CW_TESTS_FILES_H
#define CW_TESTS_FILES_H

#include <stdio.h>
#include <stdlib.h>

/* The content, NUL-terminated, from malloc; exits when there is none. */
static inline char *read_whole(const char *path, size_t *size) {
    FILE *f = fopen(path, "rb");
    if (!f || fseek(f, 0, SEEK_END) != 0) {
        perror(path);
        exit(1);
    }
    size_t n = (size_t)ftell(f);
    rewind(f);
    char *text = malloc(n + 1);
    if (!text || fread(text, 1, n, f) != n) {
        perror(path);
        exit(1);
    }
    fclose(f);
    text[n] = '\0';
    if (size)
        *size = n;
    return text;
}

/* Exits when that is not possible. */
static inline void write_whole(const char *path, const char *text) {
    FILE *f = fopen(path, "wb");
    if (!f || fputs(text, f) < 0 || fclose(f) != 0) {
        perror(path);
        exit(1);
    }
}

#endif
