/* Clang's parser and our lowering recurse on nesting. Clang limits brackets, but not operators: a million minus signs
 * take it beyond any stack. libclang would parse on a thread with 8 MB; here it gets far more, and the overflow that
 * remains is told apart from a crash by where the fault happened. */
#include "engine/stack.h"

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { ALTERNATE_BYTES = 64 * 1024 };
static const size_t stack_bytes = (size_t)256 << 20, guard_bytes = (size_t)1 << 20;

static char *guard; /* the lowest part of the mapping, never accessible */
static struct sigaction earlier;

struct job {
    void (*fn)(void *);
    void *arg;
};

size_t cw_large_stack_bytes(void) {
    return stack_bytes + guard_bytes;
}

/* A fault in the guard is an overflow; any other goes to whoever wanted it before (a sanitizer), or ends the process.
 */
static void on_fault(int number, siginfo_t *info, void *context) {
    uintptr_t at = (uintptr_t)info->si_addr, low = (uintptr_t)guard;
    if (at >= low && at < low + guard_bytes)
        _exit(CW_STACK_OVERFLOW_STATUS);
    if (earlier.sa_flags & SA_SIGINFO) {
        earlier.sa_sigaction(number, info, context);
        return;
    }
    signal(number, SIG_DFL); /* the faulting instruction runs again */
}

static void *run_job(void *data) {
    struct job *job = data;
    static _Alignas(16) char alternate[ALTERNATE_BYTES];
    stack_t handlers = {.ss_sp = alternate, .ss_size = sizeof alternate};
    struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    stack_t before; /* a sanitizer's own, which it takes down when the thread ends */
    sigaltstack(&handlers, &before);
    sigaction(SIGSEGV, &action, &earlier);
    job->fn(job->arg);
    sigaltstack(&before, NULL);
    return NULL;
}

void cw_on_large_stack(void (*fn)(void *), void *arg) {
    struct job job = {fn, arg};
    /* libclang's own recovery from crashes would take the signal; the process is there to be lost. */
    setenv("LIBCLANG_NOTHREADS", "1", 1);
    setenv("LIBCLANG_DISABLE_CRASH_RECOVERY", "1", 1);
    void *memory = mmap(NULL, stack_bytes + guard_bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    pthread_attr_t attributes;
    pthread_t thread;
    bool made = memory != MAP_FAILED && mprotect(memory, guard_bytes, PROT_NONE) == 0 &&
                pthread_attr_init(&attributes) == 0;
    guard = memory;
    made = made && pthread_attr_setstack(&attributes, guard + guard_bytes, stack_bytes) == 0 &&
           pthread_create(&thread, &attributes, run_job, &job) == 0;
    if (made)
        pthread_join(thread, NULL);
    else
        fn(arg); /* no room for it: the ordinary stack serves ordinary code */
}
