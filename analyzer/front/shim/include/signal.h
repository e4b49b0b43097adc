#pragma once
#define SIGINT 2
#define SIGABRT 6
#define SIGSEGV 11
#define SIGTERM 15
extern "C" {
void (*signal(int n, void (*f)(int)))(int);
int raise(int n), kill(int pid, int n);
}
