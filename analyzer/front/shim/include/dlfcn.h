#pragma once
#define RTLD_LAZY 1
#define RTLD_NOW 2
extern "C" {
void *dlopen(const char *path, int flags), *dlsym(void *h, const char *name);
int dlclose(void *h);
char *dlerror();
}
