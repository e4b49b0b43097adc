#pragma once
#include <sys/types.h>
#define PROT_READ 1
#define PROT_WRITE 2
#define MAP_SHARED 1
#define MAP_PRIVATE 2
#define MAP_ANONYMOUS 32
#define MAP_FAILED ((void *)-1)
extern "C" {
void *mmap(void *at, size_t n, int prot, int flags, int fd, off_t offset);
int munmap(void *p, size_t n), shm_open(const char *name, int flags, mode_t mode), shm_unlink(const char *name),
    mlock(const void *p, size_t n);
}
