/* computes: the hash of a function's code, by content: tables of names, texts, constants and files are followed, as
 * their indices depend on the module. requires: nothing but a function. Cost: one pass; words are gathered and hashed
 * in batches. */
#include "ir/code_hash.h"

#include "base/bitset.h"
#include "base/hash.h"

#include <string.h>

enum { BATCH = 512 };

struct hasher {
    const struct cw_fn *fn;
    struct cw_bitset used; /* objects that instructions mention */
    const uint64_t *files; /* hash of each file's name */
    uint64_t hash;
    uint32_t n;
    uint64_t words[BATCH];
};

static void flush_words(struct hasher *hasher) {
    hasher->hash = cw_hash(hasher->words, hasher->n * sizeof *hasher->words, hasher->hash);
    hasher->n = 0;
}

static void add_word(struct hasher *hasher, uint64_t word) {
    if (hasher->n == BATCH)
        flush_words(hasher);
    hasher->words[hasher->n++] = word;
}

static void add_pair(struct hasher *hasher, uint32_t high, uint32_t low) {
    add_word(hasher, (uint64_t)high << 32 | low);
}

static void add_text(struct hasher *hasher, const char *text) {
    add_word(hasher, text ? cw_hash(text, strlen(text), 1) : 0);
}

/* ---- places ---- */

static void add_span(struct hasher *hasher, const struct cw_span *span) {
    add_word(hasher, hasher->files[span->file]);
    add_pair(hasher, span->line, span->col);
    add_pair(hasher, span->end_line, span->end_col);
}

static void add_loc(struct hasher *hasher, uint32_t index) {
    const struct cw_loc *loc = &hasher->fn->locs.at[index];
    if (!index) {
        add_word(hasher, 0);
        return;
    }
    add_span(hasher, &loc->span);
    add_word(hasher, loc->site);
    add_text(hasher, loc->macro);
}

static void add_sites(struct hasher *hasher) {
    for (uint32_t i = 1; i < hasher->fn->sites.n; i++) {
        add_text(hasher, hasher->fn->sites.at[i].callee);
        add_loc(hasher, hasher->fn->sites.at[i].loc);
    }
}

/* ---- variables ---- */

static void add_params(struct hasher *hasher, const struct cw_param *at, uint32_t n) {
    add_word(hasher, n);
    for (uint32_t i = 0; i < n; i++) {
        add_text(hasher, at[i].name);
        add_pair(hasher, at[i].type, (uint32_t)at[i].is_restrict << 1 | at[i].points_to_const);
        add_word(hasher, at[i].pointee_bytes);
        add_pair(hasher, at[i].part_of << 1 | at[i].is_element, at[i].part_at);
        add_loc(hasher, at[i].loc);
    }
}

static void add_object(struct hasher *hasher, uint32_t index, bool types) {
    const struct cw_object *object = &hasher->fn->objects.at[index];
    add_text(hasher, object->name);
    add_text(hasher, object->key);
    add_pair(hasher, object->space, object->is_volatile);
    add_word(hasher, object->size);
    add_pair(hasher, object->align, object->element);
    add_word(hasher, object->row);
    add_loc(hasher, object->loc);
    if (object->space != CW_SPACE_LOCAL || (types && cw_bitset_has(&hasher->used, index)))
        add_text(hasher, object->type_text);
}

static void note_use(struct hasher *hasher, cw_ref ref) {
    if (ref.tag == CW_REF_OBJECT)
        cw_bitset_add(&hasher->used, ref.index);
}

static void find_used_objects(struct hasher *hasher) {
    const struct cw_fn *fn = hasher->fn;
    for (uint32_t b = 0; b < fn->blocks.n; b++) {
        for (uint32_t i = 0; i < fn->blocks.at[b].ins.n; i++) {
            const struct cw_ins *ins = &fn->ins.at[fn->blocks.at[b].ins.at[i]];
            for (uint32_t k = 0; k < ins->narg; k++)
                note_use(hasher, cw_arg(fn, ins, k));
        }
        note_use(hasher, fn->blocks.at[b].jump.value);
    }
}

/* ---- code ---- */

static void add_operand(struct hasher *hasher, cw_ref ref) {
    if (ref.tag != CW_REF_CONST) {
        add_pair(hasher, ref.tag, ref.index);
        return;
    }
    const struct cw_const *value = &hasher->fn->consts.at[ref.index];
    add_pair(hasher, ref.tag, value->type);
    add_word(hasher, (uint64_t)value->value);
}

static void add_aux(struct hasher *hasher, const struct cw_ins *ins) {
    switch ((enum cw_op)ins->op) {
    case CW_OP_CALL:
    case CW_OP_LAUNCH: add_text(hasher, hasher->fn->callees.at[ins->aux]); break;
    case CW_OP_PURE:
    case CW_OP_ASM: add_text(hasher, hasher->fn->texts.at[ins->aux]); break;
    default: add_word(hasher, ins->aux); break;
    }
}

static void add_instruction(struct hasher *hasher, uint32_t index) {
    const struct cw_ins *ins = &hasher->fn->ins.at[index];
    add_pair(hasher, index, (uint32_t)ins->op << 24 | (uint32_t)ins->type << 16 | ins->flags);
    add_pair(hasher, ins->narg, ins->intrinsic);
    add_aux(hasher, ins);
    for (uint32_t k = 0; k < ins->narg; k++)
        add_operand(hasher, cw_arg(hasher->fn, ins, k));
    add_text(hasher, ins->name);
    add_loc(hasher, ins->loc);
}

static void add_jump(struct hasher *hasher, const struct cw_jump *jump) {
    add_pair(hasher, jump->kind, jump->origin);
    add_operand(hasher, jump->value);
    add_word(hasher, jump->nsucc);
    for (uint32_t i = 0; i < jump->nsucc; i++)
        add_word(hasher, jump->succ[i]);
    for (uint32_t i = 0; jump->kind == CW_JUMP_SWITCH && i + 1 < jump->nsucc; i++)
        add_word(hasher, (uint64_t)jump->cases[i]);
    add_loc(hasher, jump->loc);
}

static void add_block(struct hasher *hasher, const struct cw_block *block) {
    add_pair(hasher, block->ins.n, block->pred.n);
    for (uint32_t i = 0; i < block->pred.n; i++)
        add_word(hasher, block->pred.at[i]);
    for (uint32_t i = 0; i < block->ins.n; i++)
        add_instruction(hasher, block->ins.at[i]);
    add_word(hasher, (uint64_t)(int64_t)block->unroll);
    add_loc(hasher, block->always);
    add_jump(hasher, &block->jump);
}

/* ---- the whole ---- */

static void add_head(struct hasher *hasher) {
    const struct cw_fn *fn = hasher->fn;
    add_text(hasher, fn->name);
    add_text(hasher, fn->key);
    add_text(hasher, fn->pattern_key);
    add_text(hasher, fn->assumed);
    add_span(hasher, &fn->span);
    add_span(hasher, &fn->name_span);
    add_pair(hasher, fn->kind, fn->result);
    add_pair(hasher, fn->bounds_max_threads, fn->has_unread_bounds);
    add_pair(hasher, fn->reqd_block[0], fn->reqd_block[1]);
    add_word(hasher, fn->reqd_block[2]);
    add_word(hasher, (uint64_t)fn->is_model | (uint64_t)fn->is_pattern << 1 | (uint64_t)fn->is_static_scope << 2 |
                         (uint64_t)fn->is_degraded << 3 | (uint64_t)fn->is_ssa << 4);
    for (uint32_t b = 0; b < CW_NBAILS; b++)
        add_word(hasher, fn->bails[b]);
}

static const uint64_t *hash_file_names(const struct cw_module *m, struct cw_arena *a) {
    uint64_t *hashes = CW_NEW_ARRAY(a, uint64_t, m->files.n + 1);
    for (uint32_t i = 0; i < m->files.n; i++)
        hashes[i] = cw_hash(m->files.at[i], strlen(m->files.at[i]), 0);
    return hashes;
}

uint64_t cw_fn_code_hash(const struct cw_fn *fn, bool types, uint64_t seed) {
    struct cw_arena scratch;
    struct hasher h = {.fn = fn, .hash = seed};
    cw_arena_init(&scratch);
    h.used = cw_bitset_new(&scratch, fn->objects.n);
    h.files = hash_file_names(fn->module, &scratch);
    if (types)
        find_used_objects(&h);
    add_head(&h);
    add_params(&h, fn->tparams.at, fn->tparams.n);
    add_params(&h, fn->params.at, fn->params.n);
    add_sites(&h);
    for (uint32_t i = 0; i < fn->objects.n; i++)
        add_object(&h, i, types);
    for (uint32_t b = 0; b < fn->blocks.n; b++)
        add_block(&h, &fn->blocks.at[b]);
    flush_words(&h);
    cw_arena_free(&scratch);
    return h.hash;
}
