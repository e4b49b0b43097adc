/* The front end: source text in, a module of lowered functions out.
 *
 * libclang parses, and front/clang lowers every local variable to an object with loads and stores (see ir/ir.h), with
 * front/intrinsic_lower.c for the device API. tree-sitter gives the first look at a text (front/scan). */
#ifndef CW_FRONT_FRONT_H
#define CW_FRONT_FRONT_H

#include "base/str.h"
#include "ir/ir.h"

/* Instances of a device function's template that are analysed when no kernel reaches them. */
enum { CW_MAX_INSTANCES_ALONE = 4 };

struct cw_front_file {
    const char *path, *text;
    size_t size;
};

/* Files as they are parsed where that differs from their text, each place being where it was. */
struct cw_remade_file {
    const char *path, *original;
    char *text;
    size_t size;
};

/* Bytes of a remade file that were changed although no error was there. */
struct cw_remade_place {
    uint32_t file, at, n;
    bool is_template; /* the word was put before a name */
};

struct cw_remade {
    CW_VEC(struct cw_remade_file) files;
    CW_VEC(const char *) macros; /* arguments that define what stands in them */
    CW_VEC(struct cw_remade_place) alike; /* spelled like places with errors */
    bool is_foreseen;            /* the texts were looked through before the first parse */
    bool is_literal;             /* one of those was an error: nothing more is changed without one */
};

/* Which instances host templates make, of texts that were asked about: the same for the next architecture. */
struct cw_survey {
    const char *path;
    struct cw_assumed before, after; /* what was asked about, and with what is not lowered of it */
};
struct cw_surveys { struct cw_survey *at; uint32_t n, cap; };

struct cw_missing; /* front/repair/missing.h */

struct cw_front_options {
    const char *path;           /* as the user named it; also module->files[0] */
    const char *text;           /* content, borrowed; it is read, not the disk */
    size_t size;
    const char *const *args;    /* extra compiler arguments (-I, -D, -std=…), already allow-listed */
    uint32_t nargs;
    uint32_t arch;              /* 75 for sm_75: __CUDA_ARCH__ is arch*10 */
    const char *cuda_path;      /* real toolkit instead of the shim, or NULL */
    const struct cw_front_file *files; /* read in place of what the disk has; borrowed */
    uint32_t nfiles;
    const char *precompiled;    /* file of cw_front_clang_precompile, or NULL; one that does not fit is ignored */
    const char *const *shared;  /* absolute paths of the headers that the unit begins with and others do too */
    uint32_t nshared;
    const char *shared_notes;   /* what was written of them, when they are in `precompiled` */
    const char *const *headers; /* files that the unit may read, absolute paths; borrowed */
    uint32_t nheaders;
    const struct cw_front_file *includers; /* files that include it: they name instances of its templates; borrowed */
    uint32_t nincluders;
    const struct cw_assumed *assumed; /* of an earlier parse of the same unit, or NULL */
    struct cw_remade *remade;   /* added to by each parse of the unit, for the later ones; NULL: there are none */
    const char *const *launchers; /* names of host functions that launch what they are handed and have no body */
    uint32_t nlaunchers;
    struct cw_missing **missing; /* names that earlier parses of the text lacked, made and added to; NULL: not kept */
    struct cw_surveys *surveys; /* of the run's earlier parses, added to; or NULL */
    bool is_survey;             /* nothing is lowered: which instances the assumed text makes, less assumed->bodies */
    bool is_last;               /* no further parse with other instances follows, if it asks for one */
    /* Called before and after each run of libclang's parser, for who limits its time; may be NULL. */
    void (*limit_parser)(void *ctx, bool begins);
    /* Is there time for one more parse, that could only add to what is known? May be NULL: there is. */
    bool (*may_parse_again)(void *ctx);
    void *limit_ctx;
};

/* Parses and lowers. Functions with device code: kernels, __device__ functions reachable from kernels of this unit or
 * defined in the main file, and host functions that contain a launch. NULL and *error (arena text) when the unit cannot
 * be parsed at all. Diagnostics of the parse become module->notes. */
struct cw_module *cw_front_clang(struct cw_arena *a, const struct cw_front_options *options, const char **error);

/* Parses what every unit reads first and saves it at `path`, for units of the same architecture and with the same
 * arguments but for -D, -U, -I, -isystem, -iquote and -include. False when that was not possible; nothing is lost then.
 */
bool cw_front_clang_precompile(const struct cw_front_options *options, const char *path);
/* The same with the headers of o->shared, for units with the same arguments that begin with them; what their units have
 * to know of them is written to `notes`. False also when the headers hold kernels or code that launches, or errors:
 * then each unit must read them for itself, and *refused tells that it will always be so. */
bool cw_front_clang_precompile_shared(const struct cw_front_options *options, const char *path, const char *notes,
                                      bool *refused);
/* Text that two units have in common when they can share a prelude; NULL for one that can share none. */
const char *cw_front_clang_prelude_key(struct cw_arena *a, const struct cw_front_options *options);

/* Is a helper, none of the toolkit, named so that it launches what it is handed: GpuLaunchKernel, launch_on_stream? */
bool cw_names_launcher(const char *name);

/* The unit's file in which names are declared that no header gives (front/repair/missing.h). */
#define CW_MISSING_PATH "/cuwarp-shim/missing.h"

struct cw_scan;
struct cw_scan_function;

/* A name that stands where only an attribute can, and that neither the text nor a header that was found defines. */
struct cw_unknown_macro {
    const char *name;
    bool is_call; /* it has arguments */
    bool is_marked; /* beside __global__ or __device__, or among parameters: it means nothing to the parser */
};
struct cw_unknown_macros {
    struct cw_unknown_macro *at;
    uint32_t n, cap;
};
struct cw_unknown_macros cw_repair_unknown_macros(struct cw_arena *a, const struct cw_front_options *options);
/* Whether such a name, known or not, stands at one of these lines where clang saw an error. Reads no
 * header. */
struct cw_source;
bool cw_repair_suspects_macro(struct cw_arena *a, const struct cw_source *s, const uint32_t *lines, uint32_t n);

/* What the scan calls a function of that name: "ns::reduce<256>" is "reduce". Part of `name`. */
cw_str cw_scan_base_name(const char *name);
/* Whether a function that the front end delivered is the one that the scan saw. */
bool cw_scan_is_same(const struct cw_scan_function *f, const char *name, struct cw_span span);

/* The front end with what repairs a unit of which it lost something (front/repair/repair.c). */
struct cw_module *cw_front_read(struct cw_arena *a, const struct cw_front_options *options, const struct cw_scan *scan,
                                const char **error);
/* Parses the unit of these options again, as often as its module asks for instances of its own templates; the last
 * module that could be made. `m` is of cw_front_clang() with the same options. */
struct cw_module *cw_front_assume(struct cw_arena *a, const struct cw_front_options *options, struct cw_module *m);

/* Loads libclang; done at the first parse in any case, but what a process loads before it forks its children share.
 * False and *error (static text, tells what to do) when there is none that can be used. */
bool cw_front_clang_load(const char **error);
/* Why it could not be loaded (static text); NULL when it could, or nobody has tried. */
const char *cw_front_clang_problem(void);
/* The file that is or would be loaded (static text), or NULL. Cheap: reads nothing of it. */
const char *cw_front_clang_library(void);
/* For `doctor`: libclang's version and the library's file, NULL and *error as above; the CUDA grammar's version of
 * tree-sitter's ABI. */
const char *cw_front_clang_version(struct cw_arena *a, const char **error);
const char *cw_scan_grammar_version(struct cw_arena *a);

/* Where the statements of a text begin and end (source/statements.h); none when the grammar gives up on it. */
struct cw_statements;
struct cw_statements *cw_statements_of(struct cw_arena *a, const struct cw_source *source);

/* ---- scan (front/scan/scan.c): the fast first look ---- */
/* How a macro that the text does not define hides a kernel: MACRO void k(), MACRO(256) void k(), MACRO(k)(). */
enum cw_hidden { CW_HIDDEN_NOT, CW_HIDDEN_BY_NAME, CW_HIDDEN_BY_CALL, CW_HIDDEN_HEAD };

struct cw_scan_function {
    const char *name;
    struct cw_span span, name_span; /* file is 0 */
    bool is_kernel, is_template;
    const char *attribute_macro; /* unknown identifier before the declaration, or NULL */
    enum cw_hidden hidden;       /* nothing but attribute_macro can make it a kernel */
    bool is_sure;                /* of a hidden one: launched in the text, or the macro is named so */
};
struct cw_scan_include { const char *path; bool angled; uint32_t line; };
struct cw_scan_launch { const char *callee; struct cw_span span; };
struct cw_scan_comment { struct cw_span span; const char *text; /* without the comment marks */ };

struct cw_scan {
    bool has_device_code; /* any device function, launch, or CUDA built-in */
    bool is_binary;       /* NUL bytes: not source text */
    bool is_truncated;    /* more tokens than the scan looks at: the lists are those of the beginning */
    CW_VEC(struct cw_scan_function) functions;
    CW_VEC(struct cw_scan_include) includes;
    CW_VEC(struct cw_scan_launch) launches;
    CW_VEC(struct cw_scan_comment) directives; /* comments that start with "cuwarp:" or contain NOLINT */
};

/* Never fails: broken text gives what can be found. */
struct cw_scan *cw_scan_text(struct cw_arena *a, const char *text, size_t size);

/* The text with blanks for all but the functions that the scan saw and preprocessor lines other than #include: every
 * place stays where it was. Of the same size. */
char *cw_scan_device_text(struct cw_arena *a, const struct cw_scan *scan, const char *text, size_t size);

/* Written for HIP and not for CUDA? A file that asks for CUDA's compiler is CUDA. Else one that needs AMD's compiler,
 * since its code names AMD's built-ins under no condition, is HIP; then one that includes a toolkit header is CUDA.
 * Else its name and folder decide; a .cu file that includes a hip/ header under no condition is HIP; any other file
 * by its includes and macros. */
enum cw_name_says { CW_NAME_SAYS_NOTHING, CW_NAME_SAYS_CUDA, CW_NAME_SAYS_HIP };
bool cw_scan_is_hip(struct cw_arena *a, const struct cw_scan *scan, const char *text, size_t size,
                    enum cw_name_says name);

#endif
