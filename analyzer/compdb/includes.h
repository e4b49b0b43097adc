/* Which files a unit includes, directly and through them, and which directories it needs for that. */
#ifndef CW_COMPDB_INCLUDES_H
#define CW_COMPDB_INCLUDES_H

#include "base/hash.h"
#include "base/intern.h"
#include "compdb/directives.h"
#include "compdb/headers.h"
#include "compdb/options.h"

struct cw_includes;
struct cw_folders;

/* What is known of files without reading them; NULL functions: nothing. `recall` is asked before a file is read. */
struct cw_includes_memory {
    bool (*recall)(void *ctx, const char *path, struct cw_directives *out, struct cw_hash128 *content);
    void (*note)(void *ctx, const char *path, const struct cw_directives *d, struct cw_hash128 content);
    void *ctx;
};

/* What the parser has for a header of another library when there is no real one. */
struct cw_stand_in {
    const char *name;   /* "ATen/ATen.h" */
    const char *folder; /* of the library: all or none of its names are stood in for in a unit */
    const char *under;  /* a name of another library that the stand-in includes, or NULL */
};

/* What the search for headers has at hand. */
struct cw_includes_options {
    struct cw_headers *headers;       /* NULL: nothing is inferred */
    struct cw_reader reader;
    const char *const *builtin;       /* headers that the parser brings itself: "cuda_runtime.h", "vector" */
    uint32_t nbuiltin;
    const struct cw_stand_in *stand_ins; /* for headers that are found nowhere */
    uint32_t nstand_ins;
    struct cw_includes_memory memory;
    struct cw_folders *folders; /* what the file system holds, with a budget of its own; NULL: one unit's budget */
};

/* Shared by the units of a run: each file is read once. */
struct cw_includes *cw_includes_new(struct cw_arena *a, const struct cw_includes_options *o);

/* What the preprocessor lines of a file on the disk say; of one that cannot be read: nothing. Absolute path. */
const struct cw_directives *cw_includes_read(struct cw_includes *in, const char *path);

struct cw_include_unit {
    const char *path;               /* absolute */
    cw_str text;                    /* .at NULL: what the disk has */
    const char *root;               /* of its project, absolute */
    const char *here;               /* the folder that names in `contents` count from, absolute; NULL: from none */
    const struct cw_words *args;    /* -I, -isystem, -iquote … as cw_compile_read gives them; may be NULL */
    bool is_exact;                  /* nothing is inferred: the arguments are all there is */
};

/* A header that a build makes, as it is included, and its template (absolute path; NULL: see cw_made_export_header). */
struct cw_made_name {
    const char *name, *template;
};
struct cw_made_headers { struct cw_made_name *at; uint32_t n, cap; };

/* What became of a unit. */
struct cw_include_result {
    struct cw_words args;    /* "-Idir", "-iquote", "dir" or "-idirafter", "dir": the directories to add, in the order
                              * they were needed; then "--no-system-header-prefix=name" for what those behind all
                              * others hold; then "-idirafter", "folder" for each library that is stood in for */
    struct cw_words files;   /* what the unit reads, itself first; absolute paths */
    struct cw_words missing; /* names that were found nowhere, each once */
    struct cw_made_headers made; /* names that are not missing, as the build makes them of something */
    CW_VEC(uint32_t) arch_numbers; /* see cw_directives, over all files */
    bool names_arch, computes_arch;
    bool has_kernels;        /* or launches, in the file itself */
    const struct cw_directives *own; /* of the file itself */
    bool launches_by_macro;  /* the file names a macro of an included one whose text launches */
    bool calls_launchers;    /* the file has function bodies, and an included one launches: a call may instantiate both
                                the host function and the kernel */
    struct cw_words called;  /* then: names of kernels that the included ones launch, which the file names as well */
    struct cw_words kernels; /* of `files`, those that are included and hold kernels */
    /* Of the names and contents of all `files`, names as the parser is given them: from `here`, if they are below. When
     * nothing `is_open`, two units with the same arguments and contents
     * read the same text, also where a header is missing: one that appears later is among the files then. */
    struct cw_hash128 contents;
    struct cw_hash128 included; /* the same without the file itself */
    bool is_open;
    bool is_cut;                      /* the search stopped early: its budget is exhausted */
};

/* Deterministic: depends on the files, the arguments, and the order of earlier questions as far as the walk's budget
 * goes. */
void cw_includes_of(struct cw_includes *in, const struct cw_include_unit *unit, struct cw_include_result *out);

#endif
