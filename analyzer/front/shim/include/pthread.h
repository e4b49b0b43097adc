#pragma once
#include "cuwarp/types.h"
typedef unsigned long pthread_t;
struct pthread_attr_t;
struct pthread_mutex_t {
    long data[5];
};
struct pthread_cond_t {
    long data[6];
};
struct pthread_barrier_t {
    long data[4];
};
#define PTHREAD_MUTEX_INITIALIZER                                                                                      \
    {}
extern "C" int pthread_create(pthread_t *t, const pthread_attr_t *a, void *(*f)(void *), void *p),
    pthread_join(pthread_t t, void **r), pthread_mutex_init(pthread_mutex_t *m, const void *a),
    pthread_mutex_lock(pthread_mutex_t *m), pthread_mutex_unlock(pthread_mutex_t *m),
    pthread_mutex_destroy(pthread_mutex_t *m), pthread_cond_wait(pthread_cond_t *c, pthread_mutex_t *m),
    pthread_cond_signal(pthread_cond_t *c), pthread_cond_broadcast(pthread_cond_t *c);
