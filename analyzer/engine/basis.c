/* computes: for each kernel of the text the flags that hold in all of its instances, and under all names that macros
 * give one text; for a run, those that hold in all files that read the kernel. Cost: linear in the kernels. */
#include "engine/basis.h"

#include "base/hash.h"
#include "base/str.h"
#include "engine/partial.h"
#include "front/front.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

static bool lacks_headers(const struct cw_unit *unit, const struct cw_fn *fn) {
    uint64_t found = 0;
    if (!cw_map_get(&unit->partial, (uint64_t)(uintptr_t)fn, &found))
        return false;
    const struct cw_part_reasons *why = (const struct cw_part_reasons *)(uintptr_t)found;
    for (uint32_t i = 0; i < why->n; i++)
        if (cw_str_starts(cw_str_of(why->at[i].reason), CW_MISSING_HEADER))
            return true;
    return false;
}

static uint32_t known_launches(const struct cw_kernel *kernel) {
    const struct cw_launches *launches = cw_kernel_launches(kernel);
    return launches->from_facts || (launches->n && launches->at[0].source == CW_LAUNCH_CHOSEN);
}

/* OptiX runs a program for a ray: it has no block that anything of it depends on, neither barriers nor shared memory.
 * The name says what it is. */
static bool is_ray_program(const struct cw_fn *fn) {
    static const char *const begins[] = {"__raygen__", "__miss__", "__closesthit__", "__anyhit__",
                                         "__intersection__", "__exception__", "__direct_callable__",
                                         "__continuation_callable__"};
    for (size_t i = 0; i < sizeof begins / sizeof *begins; i++)
        if (cw_str_starts(cw_scan_base_name(fn->name), begins[i]))
            return true;
    return false;
}

void cw_basis_note(struct cw_unit *unit, const struct cw_fn *lowered, const struct cw_kernel *kernel) {
    if (lowered->kind != CW_FN_KERNEL)
        return;
    struct cw_launch_walk walk = {.module = unit->module, .kernel = lowered};
    uint64_t guessed = CW_BASIS_GUESSED | (cw_launch_next(&walk) ? 0 : CW_BASIS_NO_LAUNCH);
    bool is_known = known_launches(kernel) || is_ray_program(lowered);
    uint64_t flags = (lowered->is_pattern ? CW_BASIS_PATTERN : 0) | (is_known ? 0 : guessed) |
                     (lacks_headers(unit, lowered) ? CW_BASIS_NO_HEADERS : 0);
    cw_map_put(&unit->basis, (uint64_t)(uintptr_t)lowered, flags + 1);
}

static struct cw_basis *find_listed(struct cw_file_result *result, const struct cw_basis *basis) {
    for (uint32_t i = 0; i < result->basis.n; i++) {
        struct cw_basis *other = &result->basis.at[i];
        if (other->place.line == basis->place.line && other->place.col == basis->place.col &&
            !strcmp(other->place.file, basis->place.file))
            return other;
    }
    return NULL;
}

void cw_basis_list(struct cw_unit *unit) {
    for (uint32_t i = 0; i < unit->module->fns.n; i++) {
        const struct cw_fn *fn = unit->module->fns.at[i];
        uint64_t flags = 0;
        if (!cw_map_get(&unit->basis, (uint64_t)(uintptr_t)fn, &flags) || fn->span.file >= unit->module->files.n)
            continue;
        cw_str name = cw_scan_base_name(fn->name);
        struct cw_span at = fn->name_span;
        struct cw_basis b = {.kernel = cw_arena_strndup(unit->arena, name.at, name.n),
                             .place = {unit->module->files.at[fn->span.file], at.line, at.col, at.end_line, at.end_col},
                             .flags = (uint32_t)flags - 1};
        struct cw_basis *known = find_listed(unit->result, &b);
        if (known)
            known->flags &= b.flags;
        else
            cw_vec_push(unit->arena, &unit->result->basis, b);
    }
}

static uint64_t key_of(const struct cw_basis *basis) {
    char real[PATH_MAX];
    const char *full = realpath(basis->place.file, real) ? real : basis->place.file;
    return cw_hash(full, strlen(full), (uint64_t)basis->place.line << 32 | basis->place.col);
}

struct cw_basis_counts cw_basis_count(const struct cw_file_result *results, uint32_t n, struct cw_arena *a) {
    struct cw_basis_counts counts = {0};
    struct cw_map indices;
    CW_VEC(struct cw_basis) all = {0};
    cw_map_init(&indices, a);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < results[i].basis.n; k++) {
            const struct cw_basis *b = &results[i].basis.at[k];
            uint64_t key = key_of(b), index = all.n;
            if (cw_map_get(&indices, key, &index)) {
                all.at[index].flags &= b->flags;
                continue;
            }
            cw_map_put(&indices, key, index);
            cw_vec_push(a, &all, *b);
        }
    for (uint32_t i = 0; i < all.n; i++) {
        uint32_t flags = all.at[i].flags;
        counts.patterns += (flags & CW_BASIS_PATTERN) != 0;
        counts.guessed += (flags & CW_BASIS_GUESSED) != 0;
        counts.no_headers += (flags & CW_BASIS_NO_HEADERS) != 0;
        if (flags)
            cw_vec_push(a, &counts.kernels, all.at[i]);
    }
    return counts;
}
