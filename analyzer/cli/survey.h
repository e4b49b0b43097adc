/* What `init` sees of a project: its compile databases, the architectures its build files name, other people's code. */
#ifndef CW_CLI_SURVEY_H
#define CW_CLI_SURVEY_H

#include "base/arena.h"
#include "base/vec.h"

#include <stdbool.h>
#include <stdint.h>

enum { CW_SURVEY_MAX_ARCHS = 32 };

struct cw_survey_paths {
    CW_VEC(const char *) list;
};

struct cw_survey {
    struct cw_survey_paths databases; /* folders that hold a compile_commands.json, the nearest first */
    struct cw_survey_paths foreign;   /* folders of other projects that hold CUDA sources */
    struct cw_survey_paths other_gpu; /* folders for another maker's GPUs: hip, rocm, … */
    uint32_t archs[CW_SURVEY_MAX_ARCHS], narchs; /* ascending */
    const char *arch_file;            /* the first file that names one, or NULL */
    uint32_t sources;                 /* .cu and .cuh files of the project itself */
    bool is_incomplete;               /* the tree is larger than what is looked at */
};

/* Looks at the tree below the working directory. Requires nothing; unreadable folders are passed over. Paths are
 * relative to the working directory (arena text). Cost: one visit of each folder, at most MAX_ENTRIES entries, and one
 * reading of each build file. */
void cw_survey_project(struct cw_arena *a, struct cw_survey *out);

#endif
