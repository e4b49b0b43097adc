#pragma once
#include <sys/types.h>
extern "C" pid_t waitpid(pid_t pid, int *status, int options), wait(int *status);
