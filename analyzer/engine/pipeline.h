/* One file through the whole pipeline: scan, parse, inline, analyse, rules. */
#ifndef CW_ENGINE_PIPELINE_H
#define CW_ENGINE_PIPELINE_H

#include "base/hash.h"
#include "compdb/includes.h"
#include "engine/budget.h"
#include "engine/select.h"
#include "engine/sources.h"
#include "kernel/dump.h"

struct cw_buf;
struct cw_target;
struct cw_preludes;


enum { CW_MAX_ARCHS = 8 };

/* Another file that tells of this one, and how it is parsed. */
struct cw_other_unit {
    const char *path; /* as the run names it */
    const struct cw_unit_options *options;
};

/* How every file of a run is looked at. */
struct cw_unit_options {
    struct cw_selection selection;
    const char *const *args; /* for the parser: -I, -D, -std, what stood after -- */
    uint32_t nargs;
    uint32_t archs[CW_MAX_ARCHS], narchs; /* ascending; each is parsed for on its own */
    bool adds_archs; /* nobody said which: later ones that some kernel's code is written for are looked at as well */
    uint32_t specific;       /* bit i: archs[i] is meant with its own features, as sm_90a */
    bool embedded;           /* look into string literals too, see embedded/embedded.h */
    bool instances;          /* look at what the file makes of its headers' templates, although it has no code itself */
    const char *const
        *stands_for; /* headers whose kernels are counted with it, for nobody else looks at them; absolute */
    uint32_t nstands_for;
    const struct cw_other_unit *launchers; /* see launch_index.h */
    uint32_t nlaunchers;
    const struct cw_other_unit *includers; /* files that include it, see includer_index.h */
    uint32_t nincluders;
    bool includers_name;     /* they only name instances of its templates: it is not read as a part of them */
    struct cw_made_headers made; /* headers that it is given, of their templates; see compdb/made_header.h */
    const char *commands;    /* the compile_commands.json that says how it is compiled, as it is shown; NULL: none */
    bool is_cuda;            /* the build compiles it as CUDA, whatever it looks like */
    bool is_in_hip_folder;   /* its name, or a folder of its project, says that it is for another maker */
    const struct cw_target *targets; /* what the build makes of it, see compdb/options.h; none: not known */
    uint32_t ntargets;
    struct cw_hash128 contents; /* of all files that the unit may read, see compdb/includes.h */
    bool is_open;               /* there may be more of them */
    const char *const *files;   /* absolute */
    uint32_t nfiles;
    const char *cuda_path;
    const struct cw_preludes *preludes; /* precompiled, for the units that can use them; NULL: none */
    bool is_device_only; /* all but device functions is left out: with the rest the parser was lost */
    enum cw_semantics semantics;
    enum cw_effort effort;
    struct cw_launch_options launch;
    enum cw_dump dump;
};

/* Fills in everything but `path`. Findings are unsorted and of every confidence. `dump` gets the text of --dump. */
void cw_pipeline(const struct cw_unit_options *o, struct cw_sources *sources, struct cw_file_result *result,
                 struct cw_arena *a, struct cw_buf *dump);
/* The same for a file that needs no parser: true. False: it has device code, and what the result holds is of no use. */
bool cw_pipeline_scan(const struct cw_unit_options *o, struct cw_sources *sources, struct cw_file_result *result,
                      struct cw_arena *a);


#endif
