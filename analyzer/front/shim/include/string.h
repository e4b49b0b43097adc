#pragma once
#include "cuwarp/types.h"
extern "C" {
int memcmp(const void *a, const void *b, size_t n), strcmp(const char *a, const char *b),
    strncmp(const char *a, const char *b, size_t n), strcasecmp(const char *a, const char *b),
    strncasecmp(const char *a, const char *b, size_t n), strcoll(const char *a, const char *b);
size_t strlen(const char *s), strnlen(const char *s, size_t n), strspn(const char *s, const char *set),
    strcspn(const char *s, const char *set);
void *memchr(const void *p, int c, size_t n);
char *strcpy(char *to, const char *from), *strncpy(char *to, const char *from, size_t n),
    *strcat(char *to, const char *from), *strncat(char *to, const char *from, size_t n), *strchr(const char *s, int c),
    *strrchr(const char *s, int c), *strstr(const char *s, const char *t), *strtok(char *s, const char *set),
    *strtok_r(char *s, const char *set, char **rest), *strdup(const char *s), *strndup(const char *s, size_t n),
    *strpbrk(const char *s, const char *set), *strerror(int e), *strsep(char **s, const char *set);
void bzero(void *p, size_t n), bcopy(const void *from, void *to, size_t n);
}
