/* What is known of how a kernel is launched: block and grid shapes, from facts or as ordinary hypotheses.
 *
 * Facts, strongest first: --block and `// cuwarp: launch block=256`; `<<<grid, block, smem>>>` of the same unit with
 * constants folded in the launching host function; __launch_bounds__ (upper bound) and reqntid.
 * Without facts: ordinary shapes. Hypotheses under which an access surely leaves its shared array are dropped. */
#ifndef CW_LAUNCH_LAUNCH_H
#define CW_LAUNCH_LAUNCH_H

#include "ir/ir.h"
#include "uniformity/uniformity.h"

enum cw_launch_source {
    CW_LAUNCH_OPTION,     /* --block */
    CW_LAUNCH_COMMENT,    /* // cuwarp: launch block=… */
    CW_LAUNCH_SITE,       /* a <<<>>> in this unit with a constant block shape */
    CW_LAUNCH_BOUNDS,     /* __launch_bounds__/__block_size__ shape taken as the shape */
    CW_LAUNCH_CHOSEN,     /* a <<<>>> in this unit whose block follows from values that were chosen, see `chosen` */
    CW_LAUNCH_HYPOTHESIS  /* an ordinary shape; nothing in the source says so */
};

struct cw_launch {
    uint32_t block[3], grid[3];
    bool grid_known;              /* else grid is a small generic one, */
    uint8_t grid_single;          /* but for the dimensions with a bit here, in which the launch has one block */
    uint64_t dynamic_shared;      /* bytes; valid when dynamic_known */
    bool dynamic_known;
    bool cooperative;
    uint32_t cluster;             /* blocks of a cluster; 1: launched without clusters, 0: not known */
    enum cw_launch_source source;
    struct cw_span span;          /* where the fact stands; line 0: nowhere */
    const char *chosen;           /* CW_LAUNCH_CHOSEN: "dim = 256" */
    /* What the launch says of the kernel's integer arguments: their value where it is known, else a number (at least 1)
     * of which a check before the launch makes them a multiple, as in `assert(n % 128 == 0)`, and the range that such
     * checks and the argument's own expression leave, as in `if (n > 8) return;` and `min(n, 8)`. */
    uint32_t nargs;
    struct cw_launch_arg {
        bool known;
        int64_t value, divisor, least, most;
        bool likely; /* not known, but some launch passes `value`: samples are that */
        uint32_t same_as; /* 1 + index of the first argument that is the same value of the host, 0: there is none */
    } *args;
    /* Parameter index + 1 when the grid covers a parameter exactly, as in `f<<<n / 256, 256>>>(…, n)`, else 0. The
     * kernel's `i < n` then holds for every thread. */
    uint32_t exact_cover_param;
    /* Parameter index + 1 when gridDim.x is (the argument + grid_add) / grid_by, as in `k<<<(n + 255) / 256,
     * 256>>>(…, n)`, else 0: the argument lies within a range that the grid's size tells. */
    uint32_t grid_param;
    int64_t grid_add, grid_by;
};

struct cw_launches {
    struct cw_launch *at;
    uint32_t n;
    bool from_facts; /* at least one entry is not a hypothesis; then all entries are facts */
    bool incomplete; /* there are launches whose shape is not known: what holds for all entries may not hold for all
                        launches */
    bool any_block;  /* hypotheses that stand for any block: see struct cw_launch_options */
    bool fits_none;  /* a hypothesis that leaves the shared arrays, as all ordinary shapes do: it proves nothing */
    bool is_unread;  /* hypotheses, though the source has a launch: its sizes go with its block in a way nobody knows */
    bool lacks_caller; /* the launch stands in an instance of a host template whose callers may be lost: what they pass
                          is not known */
};

/* `// cuwarp: launch block=256 grid=8 smem=1024`, inside a kernel or in the lines right above it: holds for that
 * kernel; elsewhere: for every kernel of the file about which nothing else is known. */
struct cw_launch_comment {
    struct cw_span span;
    uint32_t block[3], grid[3]; /* grid[0] == 0: not given */
    bool dynamic_known;
    uint64_t dynamic_shared;
};

/* Reads a directive comment's text ("cuwarp: launch …"); false when it is none or malformed. Shapes: 256, 16x16x1. */
bool cw_launch_comment_parse(const char *text, struct cw_launch_comment *out);

struct cw_launch_options {
    uint32_t block[3]; /* --block; block[0] == 0 when not given */
    const struct cw_launch_comment *comments; /* of the unit's main file */
    uint32_t ncomments;
    bool any_block; /* without facts: shapes of every dimension, of one warp and of more, so that what all of them show
                       holds whichever block there is */
    bool is_launched; /* the source has a launch, which no front end could read */
};

/* What trials of one kernel's ordinary shapes have learnt: how many of them left open who gets to a block. What two
 * shapes leave open is not asked again under larger ones: parameters and data decide it. All zero at first; the array
 * lives in the caller's arena. */
struct cw_launch_trials {
    uint8_t *open; /* by block, NULL: no trial yet */
    bool past_exits; /* asks whether it fits where conditions that are the same for all threads of the block hold:
                        behind `if (blockIdx.x * 8 >= n) return;` */
    struct cw_arena *arena;
};

/* May the value differ between threads of a block, as it is computed from their indices, or from what is not followed?
 */
bool cw_launch_rests_on_thread(const struct cw_fn *fn, cw_ref value);

/* Whether a guessed launch fits the kernel: false when a thread leaves a shared array or traps under it. The lane
 * evaluator answers this (lanes/launch_fit.h). `trials` may be NULL. */
typedef bool cw_launch_fits_fn(const struct cw_fn *kernel, const struct cw_launch *l, struct cw_launch_trials *trials);

/* requires: `kernel` in SSA; host functions of its module inlined and simplified by the caller through
 * cw_launch_prepare_hosts. computes: the launches to evaluate, at most 12, deterministic order. */
struct cw_launches cw_launches_of(const struct cw_module *m, const struct cw_fn *kernel,
                                  const struct cw_launch_options *options, cw_launch_fits_fn *fits,
                                  struct cw_arena *a);

/* Inlines, promotes and folds the module's launching host functions in place of their lowered form; once per module.
 * Helpers stay as they are where their callers have copies of all their launches, and so do functions that launch only
 * instances which are not lowered. `other`: a module that will take launches of its kernels from `m`, or NULL. */
void cw_launch_prepare_hosts(struct cw_module *m, const struct cw_module *other);

/* The operand behind the last argument. */
uint32_t cw_launch_args_end(const struct cw_fn *host, const struct cw_ins *launch);

/* The launches of `kernel` (or, of a pattern, of its instantiations) that the module's host functions may execute:
 *
 *     struct cw_launch_walk w = {.module = m, .kernel = kernel};
 *     for (const struct cw_ins *i; (i = cw_launch_next(&w));)
 *         … w.host …
 *
 * requires: cw_launch_prepare_hosts. A LAUNCH has the grid, the block and the dynamic shared memory as its first
 * operands, the kernel's arguments behind them, and perhaps CW_LAUNCH_ATTRIBUTES operands and the kernel's address. */
struct cw_launch_walk {
    const struct cw_module *module;
    const struct cw_fn *kernel;
    const struct cw_fn *host; /* of the launch returned last */
    const struct cw_address_path *path; /* of that launch, see struct cw_module_launch */
    uint32_t at;              /* where to go on among the module's launches */
};

const struct cw_ins *cw_launch_next(struct cw_launch_walk *w);
/* Is the launch that the walk returned a cooperative one, or can that not be excluded? Cost: evaluates the
 * attributes of the launch's configuration. */
bool cw_launch_may_be_cooperative(const struct cw_launch_walk *walk, const struct cw_ins *launch);

uint32_t cw_launch_threads(const struct cw_launch *l); /* threads of a block */
/* A number that stands for all that the launches say, but not for where they are written: equal launches have equal
 * ones. Cost: linear in launches and arguments. */
uint64_t cw_launches_hash(const struct cw_launches *launches);
/* "block (128,1,1), from the launch at line 40" */
const char *cw_launch_text(const struct cw_launch *l, struct cw_arena *a);

/* The facts that hold in all of the launches; none for an empty list. */
struct cw_shape_facts cw_shape_facts_of(const struct cw_launches *launches);

/* How many dimensions of threadIdx the kernel asks for. */
uint32_t cw_launch_dimensions_read(const struct cw_fn *fn);

#endif
