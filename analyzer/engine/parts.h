/* A file that another one includes, read as the part of it that it is: "kernel.cu", whose arrays and constants main.cu
 * declares before the #include. */
#ifndef CW_ENGINE_PARTS_H
#define CW_ENGINE_PARTS_H

#include "base/str.h"
#include "engine/kernel.h"

/* How well a module tells of the functions of one of its files. */
struct cw_part_reading {
    uint32_t errors;     /* of the parser in the file, other than headers that are missing */
    uint32_t kernels;    /* that it defines */
    uint32_t unlaunched; /* of these, the ones that no host code of the module launches */
    uint32_t patterns;   /* of these, the ones that have no instance */
};

/* requires: cw_launch_prepare_hosts of the module. `file`: an index of its files. */
struct cw_part_reading cw_part_reading_of(const struct cw_module *m, uint32_t file);
/* Is there anything that an includer could tell? */
bool cw_part_is_lacking(const struct cw_part_reading *alone);
/* Names a text some kernel of the main file that no host code of the module launches? `is_own`: it is the text of that
 * file, in which the definition is one mention. A name that does not stand there counts: a macro may make it. */
bool cw_part_names_unlaunched(const struct cw_module *m, cw_str text, bool is_own);
/* Is the file read better with its includer? */
bool cw_part_is_better(const struct cw_part_reading *with, const struct cw_part_reading *alone);

/* The file of the module that is `path`; 0: none but the main file may be. */
uint32_t cw_part_file(const struct cw_module *m, const char *path);
/* Makes that file the main one, by the name `path`. */
void cw_part_make_main(struct cw_module *m, uint32_t file, const char *path);

/* Is the function written in the main file, or does it call one that is? */
bool cw_part_concerns(const struct cw_module *m, const struct cw_fn *fn, struct cw_arena *a);
/* Leaves out what the result says of other files than its own. */
void cw_part_finish(struct cw_file_result *result);

#endif
