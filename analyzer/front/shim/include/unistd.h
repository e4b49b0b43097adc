#pragma once
#include <sys/types.h>
extern "C" {
int close(int fd), usleep(unsigned us), getopt(int argc, char *const argv[], const char *options),
    access(const char *path, int mode), unlink(const char *path), getpagesize(), ftruncate(int fd, off_t n),
    isatty(int fd), dup2(int a, int b), chdir(const char *path), gethostname(char *s, size_t n), pipe(int *fds),
    execvp(const char *file, char *const argv[]);
unsigned sleep(unsigned s);
ssize_t read(int fd, void *p, size_t n), write(int fd, const void *p, size_t n);
pid_t getpid(), fork(), getppid();
long sysconf(int name), lseek(int fd, off_t at, int from);
char *getcwd(char *s, size_t n);
extern char *optarg;
extern int optind, opterr, optopt;
}
#define R_OK 4
#define _SC_PAGESIZE 30
#define _SC_NPROCESSORS_ONLN 84
