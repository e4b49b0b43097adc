/* requires: see launch.h. computes: facts in order of strength, or hypotheses. preserves: everything. */
#include "launch/launch.h"

#include "base/hash.h"
#include "launch/launch_internal.h"
#include "uniformity/uniformity.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { LINES_ABOVE = 3, BLOCK_Z_MAX = 64, GENERIC_GRID = 8 };

uint32_t cw_launch_threads(const struct cw_launch *launch) {
    return launch->block[0] * launch->block[1] * launch->block[2];
}

bool cw_launch_is_possible(const uint32_t block[3]) {
    uint64_t threads = (uint64_t)block[0] * block[1];
    return block[0] && block[1] && block[2] && threads <= CW_THREADS_MAX && block[2] <= BLOCK_Z_MAX &&
           threads * block[2] <= CW_THREADS_MAX;
}

static bool same_args(const struct cw_launch *launch, const struct cw_launch *other) {
    if (launch->nargs != other->nargs)
        return false;
    for (uint32_t k = 0; k < launch->nargs; k++)
        if (launch->args[k].known != other->args[k].known || launch->args[k].likely != other->args[k].likely ||
            launch->args[k].divisor != other->args[k].divisor || launch->args[k].least != other->args[k].least ||
            launch->args[k].most != other->args[k].most || launch->args[k].same_as != other->args[k].same_as ||
            ((launch->args[k].known || launch->args[k].likely) && launch->args[k].value != other->args[k].value))
            return false;
    return true;
}

static bool same_launch(const struct cw_launch *launch, const struct cw_launch *other) {
    return memcmp(launch->block, other->block, sizeof launch->block) == 0 &&
           memcmp(launch->grid, other->grid, sizeof launch->grid) == 0 && launch->grid_known == other->grid_known &&
           launch->grid_single == other->grid_single &&
           launch->dynamic_known == other->dynamic_known && launch->dynamic_shared == other->dynamic_shared &&
           launch->cooperative == other->cooperative && launch->cluster == other->cluster &&
           launch->exact_cover_param == other->exact_cover_param &&
           launch->grid_param == other->grid_param && launch->grid_add == other->grid_add &&
           launch->grid_by == other->grid_by && same_args(launch, other);
}

void cw_launch_add(struct cw_launch_list *list, const struct cw_launch *launch) {
    struct cw_launch copy = *launch;
    if (!copy.grid_known) {
        copy.grid[0] = GENERIC_GRID;
        copy.grid[1] = copy.grid[2] = 1;
    }
    if (!cw_launch_is_possible(copy.block) || list->at.n == CW_LAUNCHES_MAX)
        return;
    for (uint32_t k = 0; k < list->at.n; k++)
        if (same_launch(&list->at.at[k], &copy))
            return;
    cw_vec_push(list->arena, &list->at, copy);
}

static void copy_shape(uint32_t to[3], const uint32_t from[3]) {
    memcpy(to, from, sizeof(uint32_t[3]));
}

/* ---- comments ---- */

static bool read_shape(const char **at, uint32_t shape[3]) {
    shape[0] = shape[1] = shape[2] = 1;
    for (uint32_t d = 0; d < 3; d++) {
        char *end;
        unsigned long value = strtoul(*at, &end, 10);
        if (end == *at || value == 0 || value > UINT32_MAX)
            return false;
        shape[d] = (uint32_t)value;
        *at = end;
        if (*end != 'x' && *end != ',')
            return true;
        *at = end + 1;
    }
    return false;
}

static bool read_word(const char **at, struct cw_launch_comment *out) {
    if (strncmp(*at, "block=", 6) == 0) {
        *at += 6;
        return read_shape(at, out->block);
    }
    if (strncmp(*at, "grid=", 5) == 0) {
        *at += 5;
        return read_shape(at, out->grid);
    }
    if (strncmp(*at, "smem=", 5) == 0) {
        char *end;
        out->dynamic_shared = strtoull(*at + 5, &end, 10);
        out->dynamic_known = end != *at + 5;
        *at = end;
        return out->dynamic_known;
    }
    return false;
}

static const char *after_blanks(const char *at) {
    return at + strspn(at, " \t");
}

static bool skip_word(const char **at, const char *word) {
    size_t n = strlen(word);
    *at = after_blanks(*at);
    if (strncmp(*at, word, n) != 0)
        return false;
    *at += n;
    return true;
}

bool cw_launch_comment_parse(const char *text, struct cw_launch_comment *out) {
    struct cw_span span = out->span;
    *out = (struct cw_launch_comment){.span = span};
    if (!skip_word(&text, "cuwarp:") || !skip_word(&text, "launch") || (*text != ' ' && *text != '\t'))
        return false;
    for (text = after_blanks(text); strncmp(text, "block=", 6) == 0 || strncmp(text, "grid=", 5) == 0 ||
                                    strncmp(text, "smem=", 5) == 0; text = after_blanks(text))
        if (!read_word(&text, out))
            return false;
    return out->block[0] && cw_launch_is_possible(out->block);
}

static bool is_near(const struct cw_launch_comment *comment, const struct cw_fn *kernel) {
    return comment->span.file == kernel->span.file && comment->span.line + LINES_ABOVE >= kernel->span.line &&
           comment->span.line <= kernel->span.end_line;
}

static void add_comments(struct cw_launch_list *list, const struct cw_fn *kernel,
                         const struct cw_launch_options *options, const struct cw_module *m, bool near) {
    for (uint32_t k = 0; k < options->ncomments; k++) {
        const struct cw_launch_comment *c = &options->comments[k];
        bool is_elsewhere = true;
        for (uint32_t f = 0; f < m->fns.n; f++)
            is_elsewhere &= m->fns.at[f]->kind != CW_FN_KERNEL || !is_near(c, m->fns.at[f]);
        if (near ? !is_near(c, kernel) : !is_elsewhere)
            continue;
        struct cw_launch l = {.source = CW_LAUNCH_COMMENT, .span = c->span, .grid_known = c->grid[0] != 0,
                              .dynamic_known = c->dynamic_known, .dynamic_shared = c->dynamic_shared};
        copy_shape(l.block, c->block);
        copy_shape(l.grid, c->grid);
        cw_launch_add(list, &l);
    }
}

/* ---- all together ---- */

static void add_attribute(struct cw_launch_list *list, const struct cw_fn *kernel) {
    struct cw_launch l = {.source = CW_LAUNCH_BOUNDS, .span = kernel->name_span};
    for (uint32_t d = 0; d < 3; d++)
        l.block[d] = kernel->reqd_block[d] ? kernel->reqd_block[d] : 1;
    if (kernel->reqd_block[0])
        cw_launch_add(list, &l);
}

/* What the launches say of the arguments holds for ordinary shapes too. Where an argument is the block's extent,
 * whatever that is, `threadIdx.x < n` holds in all threads. */
static void bind_arguments(struct cw_launch_list *list, const struct cw_launch *common, uint32_t extent) {
    uint32_t n = common->nargs > extent ? common->nargs : extent;
    for (uint32_t k = 0; n && k < list->at.n; k++) {
        struct cw_launch *l = &list->at.at[k];
        l->nargs = n;
        l->args = cw_arena_alloc(list->arena, sizeof *l->args * n);
        for (uint32_t j = 0; j < n; j++)
            l->args[j] = j < common->nargs ? common->args[j] : cw_launch_arg_unknown;
        if (extent)
            l->args[extent - 1] = (struct cw_launch_arg){true, l->block[0], 1, INT64_MIN, INT64_MAX, false, 0};
    }
}

/* `threads = n == 1 ? 1 : threads_for(n)`: of the launches whose shape is not known, the block of a single thread,
 * which nothing can go wrong in, tells nothing. */
static void drop_single_threads(struct cw_launch_list *list) {
    for (uint32_t k = 0; k < list->at.n; k++)
        if (cw_launch_threads(&list->at.at[k]) > 1)
            return;
    list->at.n = 0;
}

/* What the kernel itself requires holds for every launch of it. */
static void require_cluster(struct cw_launch_list *list, const struct cw_fn *kernel) {
    const uint32_t *size = kernel->reqd_cluster;
    for (uint32_t k = 0; k < list->at.n && (size[0] || kernel->has_unread_cluster); k++)
        list->at.at[k].cluster = size[0] * size[1] * size[2];
}

struct cw_launches cw_launches_of(const struct cw_module *m, const struct cw_fn *kernel,
                                 const struct cw_launch_options *options, cw_launch_fits_fn *fits,
                                 struct cw_arena *a) {
    struct cw_launch_list list = {.arena = a, .fits = fits};
    cw_map_init(&list.tried, a);
    if (options && options->block[0]) {
        struct cw_launch l = {.source = CW_LAUNCH_OPTION};
        copy_shape(l.block, options->block);
        cw_launch_add(&list, &l);
    }
    if (options && !list.at.n)
        add_comments(&list, kernel, options, m, true);
    if (!list.at.n)
        cw_launch_add_sites(&list, m, kernel);
    if (list.incomplete)
        drop_single_threads(&list);
    if (!list.at.n)
        add_attribute(&list, kernel);
    if (options && !list.at.n)
        add_comments(&list, kernel, options, m, false);
    bool from_facts = list.at.n > 0;
    list.any_block = options && options->any_block;
    if (!from_facts)
        cw_launch_add_chosen(&list, m, kernel);
    if (!list.at.n) {
        struct cw_launch common = {0};
        cw_launch_add_shapes(&list, kernel, cw_launch_dimensions(m, kernel));
        cw_launch_common_args(m, kernel, a, &common);
        bind_arguments(&list, &common, cw_launch_extent_param(m, kernel));
    }
    require_cluster(&list, kernel);
    cw_launch_narrow(list.at.at, list.at.n, kernel, a);
    bool any_block = !from_facts && list.any_block && list.at.at[0].source == CW_LAUNCH_HYPOTHESIS;
    return (struct cw_launches){list.at.at, list.at.n, from_facts, list.incomplete, any_block, list.fits_none,
                                !from_facts && options && options->is_launched, false};
}

/* Field by field: between fields of a struct lie bytes of any value. */
static uint64_t launch_hash(const struct cw_launch *launch, uint64_t seed) {
    uint64_t shape[] = {launch->block[0],
                        launch->block[1],
                        launch->block[2],
                        launch->grid[0],
                        launch->grid[1],
                        launch->grid[2],
                        launch->grid_known,
                        launch->dynamic_known ? launch->dynamic_shared : UINT64_MAX,
                        launch->cooperative,
                        launch->cluster,
                        (uint64_t)launch->source,
                        launch->exact_cover_param,
                        launch->grid_param,
                        (uint64_t)launch->grid_add,
                        (uint64_t)launch->grid_by};
    uint64_t hash = cw_hash(shape, sizeof shape, seed);
    for (uint32_t k = 0; k < launch->nargs; k++) {
        const struct cw_launch_arg *arg = &launch->args[k];
        int64_t fields[] = {arg->known, arg->value, arg->divisor, arg->least, arg->most, arg->likely, arg->same_as};
        hash = cw_hash(fields, sizeof fields, hash);
    }
    return launch->chosen ? cw_hash(launch->chosen, strlen(launch->chosen), hash) : hash;
}

uint64_t cw_launches_hash(const struct cw_launches *launches) {
    uint64_t flags[] = {launches->n, launches->from_facts, launches->incomplete, launches->any_block,
                        launches->fits_none, launches->is_unread, launches->lacks_caller};
    uint64_t hash = cw_hash(flags, sizeof flags, 0);
    for (uint32_t k = 0; k < launches->n; k++)
        hash = launch_hash(&launches->at[k], hash);
    return hash;
}

static const char *source_text(const struct cw_launch *launch, struct cw_arena *a) {
    switch (launch->source) {
    case CW_LAUNCH_OPTION:
        return "given by --block";
    case CW_LAUNCH_COMMENT:
        return cw_arena_printf(a, "from the comment at line %" PRIu32, launch->span.line);
    case CW_LAUNCH_SITE:
        return cw_arena_printf(a, "from the launch at line %" PRIu32, launch->span.line);
    case CW_LAUNCH_CHOSEN:
        return cw_arena_printf(a, "from the launch at line %" PRIu32 " with %s", launch->span.line, launch->chosen);
    case CW_LAUNCH_BOUNDS:
        return "required by the kernel's attribute";
    default:
        return "assumed: no launch found";
    }
}

const char *cw_launch_text(const struct cw_launch *launch, struct cw_arena *a) {
    return cw_arena_printf(a, "block (%" PRIu32 ",%" PRIu32 ",%" PRIu32 "), %s", launch->block[0], launch->block[1],
                           launch->block[2], source_text(launch, a));
}

struct cw_shape_facts cw_shape_facts_of(const struct cw_launches *launches) {
    struct cw_shape_facts f = {0};
    if (!launches->n)
        return f;
    f = (struct cw_shape_facts){.x_multiple_of_32 = true, .one_dimensional = true, .two_dimensional = true};
    copy_shape(f.block, launches->at[0].block);
    for (uint32_t k = 0; k < launches->n; k++) {
        const uint32_t *block = launches->at[k].block;
        f.x_multiple_of_32 &= block[0] % 32 == 0;
        f.one_dimensional &= block[1] == 1 && block[2] == 1;
        f.two_dimensional &= block[2] == 1;
        for (uint32_t d = 0; d < 3; d++)
            f.block[d] = f.block[d] == block[d] ? f.block[d] : 0;
    }
    return f;
}
