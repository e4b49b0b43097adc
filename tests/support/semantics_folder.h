/* The sources of tests/front/semantics, for the tests that run them through a front end. */
#ifndef CW_TESTS_SEMANTICS_FOLDER_H
#define CW_TESTS_SEMANTICS_FOLDER_H

#include "check.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>

/* Calls `run` with the path of each, or of those whose name contains argv[1]. */
static inline void each_semantics_file(int argc, char **argv, void (*run)(const char *path)) {
    const char *dir = CW_TEST_DIR "/front/semantics";
    char path[1024];
    DIR *d = opendir(dir);
    CHECK(d != NULL);
    for (struct dirent *e; d && (e = readdir(d));) {
        if (!strstr(e->d_name, ".cu") || (argc > 1 && !strstr(e->d_name, argv[1])))
            continue;
        snprintf(path, sizeof path, "%s/%s", dir, e->d_name);
        run(path);
    }
    if (d)
        closedir(d);
}

#endif
