#pragma once
#include "time.h"
#define _POSIX_SEM_VALUE_MAX 32767
#define SEM_VALUE_MAX 2147483647
#define SEM_FAILED ((sem_t *)0)
union sem_t {
    char bytes[32];
};
extern "C" int sem_init(sem_t *s, int shared, unsigned n), sem_destroy(sem_t *s), sem_wait(sem_t *s),
    sem_trywait(sem_t *s), sem_timedwait(sem_t *s, const timespec *t), sem_post(sem_t *s),
    sem_getvalue(sem_t *s, int *n), sem_close(sem_t *s), sem_unlink(const char *name);
extern "C" sem_t *sem_open(const char *name, int flags, ...);
