/* A compiler's command line as what an analysis needs of it: how the text reads, and for which architectures.
 *
 * Works on words only. Nothing is run, and of the options only those on the allow-list of nvcc_flags.def come out,
 * written anew: no word of the command line reaches the parser as it is. */
#ifndef CW_COMPDB_OPTIONS_H
#define CW_COMPDB_OPTIONS_H

#include "compdb/words.h"

/* Where response files come from; tests and fuzzers bring their own. False: it cannot be read. */
struct cw_reader {
    bool (*read)(void *ctx, const char *path, struct cw_arena *a, cw_str *text);
    void *ctx;
};

/* Reads files of up to 16 MB from the disk, regular ones only: a pipe would make the run wait. */
struct cw_reader cw_reader_of_disk(void);

/* One target of the build: code of architecture `real` (0: left to the driver, or not said) compiled as `virtual_sm`,
 * which is what __CUDA_ARCH__ says. compute_60 for sm_70 is how code opts out of independent thread scheduling. */
struct cw_target {
    uint16_t virtual_sm, real_sm;
    char suffix; /* 'a' of sm_90a, 'f', or 0 */
};

struct cw_compile {
    struct cw_words args;   /* for the parser; paths are absolute when `directory` was */
    struct cw_words inputs; /* the operands that may be source files, joined to the directory */
    CW_VEC(struct cw_target) targets; /* in the order given, each once; none: not said */
    bool is_nvcc;
    bool is_cuda;     /* -x cu: whatever the file is called */
    bool is_compile;  /* compiles its inputs, and not only links or preprocesses */
    uint32_t unread;  /* response files that could not be read */
};

/* `words`: the command line from the compiler's name on; what stands before it (ccache, this program's own launcher) is
 * skipped. Relative paths and response files are seen from `directory`. Never fails. */
void cw_compile_read(struct cw_arena *a, const struct cw_words *words, const char *directory, struct cw_reader reader,
                     struct cw_compile *out);

/* `path` seen from `directory`, without "./" and doubled slashes. ".." stays: behind a link it means another place. */
const char *cw_compile_path(struct cw_arena *a, const char *directory, const char *path);

#endif
