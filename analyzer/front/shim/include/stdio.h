#pragma once
#include "stdarg.h"
#include "cuwarp/types.h"
typedef struct cuwarp_file FILE;
typedef long fpos_t;
#define EOF (-1)
#define BUFSIZ 8192
#define SEEK_SET 0
#define SEEK_CUR 1
#define SEEK_END 2
#define FILENAME_MAX 4096
#define stdin cuwarp_stdin
#define stdout cuwarp_stdout
#define stderr cuwarp_stderr
extern "C" {
extern FILE *cuwarp_stdin, *cuwarp_stdout, *cuwarp_stderr;
FILE *fopen(const char *path, const char *mode), *fdopen(int fd, const char *mode),
    *freopen(const char *path, const char *mode, FILE *f), *popen(const char *s, const char *mode), *tmpfile();
int fclose(FILE *f), pclose(FILE *f), fflush(FILE *f), fprintf(FILE *f, const char *format, ...),
    sprintf(char *s, const char *format, ...), snprintf(char *s, size_t n, const char *format, ...),
    scanf(const char *format, ...), fscanf(FILE *f, const char *format, ...),
    sscanf(const char *s, const char *format, ...), vfprintf(FILE *f, const char *format, va_list ap),
    vsprintf(char *s, const char *format, va_list ap), vsnprintf(char *s, size_t n, const char *format, va_list ap),
    getchar(), putchar(int c), puts(const char *s), fputs(const char *s, FILE *f), fgetc(FILE *f), getc(FILE *f),
    fputc(int c, FILE *f), putc(int c, FILE *f), ungetc(int c, FILE *f), fseek(FILE *f, long at, int from),
    fseeko(FILE *f, long at, int from), feof(FILE *f), ferror(FILE *f), remove(const char *path),
    rename(const char *from, const char *to), fileno(FILE *f), setvbuf(FILE *f, char *p, int mode, size_t n),
    asprintf(char **s, const char *format, ...);
size_t fread(void *p, size_t size, size_t n, FILE *f), fwrite(const void *p, size_t size, size_t n, FILE *f);
long ftell(FILE *f), ftello(FILE *f), getline(char **s, size_t *n, FILE *f);
void rewind(FILE *f), perror(const char *s), clearerr(FILE *f), setbuf(FILE *f, char *p);
char *fgets(char *s, int n, FILE *f), *gets(char *s), *tmpnam(char *s);
}
