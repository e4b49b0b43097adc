#pragma once
extern "C" int backtrace(void **to, int n);
extern "C" char **backtrace_symbols(void *const *from, int n);
extern "C" void backtrace_symbols_fd(void *const *from, int n, int fd);
