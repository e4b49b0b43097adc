/* Random kernels that share memory, as small programs: made from a seed, printed as CUDA for people, lowered to IR.
 *
 * A program is a list of statements, so that a failing one can be made smaller: a statement may be dropped, or replaced
 * by its body. Barriers stand only where all threads that have not returned come, __syncwarp(mask) only where exactly
 * the lanes of the mask do. */
#ifndef CW_TESTS_SUPPORT_RACE_KERNELS_H
#define CW_TESTS_SUPPORT_RACE_KERNELS_H

#include "support/kernel_builder.h"

enum { RACE_ARRAYS = 3, RACE_STATEMENTS = 64, RACE_LOOPS = 3, RACE_NONE = -1 };

/* Which memory: an array s or t in shared memory, out[] in global memory, or what p or q points to at present. */
enum race_place { RACE_S, RACE_T, RACE_OUT, RACE_P, RACE_Q };

enum race_source { RACE_CONST, RACE_TID, RACE_LANE, RACE_WARP, RACE_LOOP, RACE_OUTER_LOOP, RACE_DATUM };

/* Element a * x + b * y + c, with bits of m turned over, and only those of `keep` kept (0: all). */
struct race_index {
    enum race_source x, y;
    int32_t a, b, c, flip, keep;
};

enum race_condition_kind {
    RACE_IF_TID_BELOW, RACE_IF_TID_FROM, RACE_IF_TID_BITS, RACE_IF_TID_BELOW_LOOP, RACE_IF_TID_MULTIPLE_LOOP,
    RACE_IF_LANE_BELOW, RACE_IF_LANE_IS, RACE_IF_WARP_IS, RACE_IF_WARP_FROM, RACE_IF_LOOP_ODD, RACE_IF_PARAM,
    RACE_IF_TID_BELOW_PARAM, RACE_IF_DATA, RACE_IF_DATA_UNIFORM,
    RACE_IF_DATA_BLOCK, /* what the data say of the block */
    RACE_IF_SHARED, /* what an element of s says, which other threads may write meanwhile */
    RACE_IF_CHOICE  /* one or two comparisons of elements of in[], which hold RACE_CHOICES different numbers */
};

/* Compared are 1 and 2, so that 0 to 3 tell all that can be told apart: each number, those below and those above. */
enum { RACE_CHOICES = 4 };

/* in[which] is one element for all threads; in[tid ^ flip] is one for each. */
enum race_element { RACE_ONE, RACE_OWN_ONE };

enum race_comparison { RACE_ABOVE, RACE_AT_MOST, RACE_EQUAL, RACE_UNEQUAL };

struct race_choice_part {
    enum race_element element;
    int32_t which; /* the number of the element, or the flip */
    enum race_comparison comparison;
    int32_t k;
};

enum race_join { RACE_ALONE, RACE_AND, RACE_OR };

struct race_condition {
    enum race_condition_kind kind;
    int32_t k, flip; /* flip: element tid ^ flip of s, below 0: element 0 */
    enum race_join join;
    struct race_choice_part part[2]; /* of RACE_IF_CHOICE; the second where they are joined */
};

enum race_value { RACE_SAME, RACE_OWN, RACE_INPUT, RACE_MADE };

enum race_loop { RACE_HALVE, RACE_DOUBLE, RACE_COUNT, RACE_STRIDE, RACE_BY_PARAM, RACE_BY_DATA, RACE_BY_BLOCK,
                 RACE_ROUNDS /* n of them, in which the variable doubles */ };

enum race_kind {
    RACE_READ, RACE_WRITE, RACE_UPDATE, RACE_ATOMIC, RACE_SYNCTHREADS, RACE_SYNCWARP, RACE_SHUFFLE, RACE_VOTE,
    RACE_ACTIVE, RACE_FENCE, RACE_SYNC_TILE, RACE_COPY, RACE_WAIT, RACE_IF, RACE_FOR, RACE_RETURN, RACE_SWAP, RACE_TWICE
};

struct race_statement {
    enum race_kind kind;
    enum race_place place, from;
    struct race_index index, other; /* other: of what an update reads too */
    uint32_t bytes;                 /* of an access: a power of two up to 16 */
    enum race_value value;
    int32_t number;                 /* constant value; mask; trips */
    struct race_condition condition;
    enum race_loop loop;
    int body, otherwise, next;      /* statements, or RACE_NONE */
    bool kept;                      /* what an update makes goes on to out[], whatever becomes of the array */
    bool dropped, flat;             /* while a program is made smaller */
};

struct race_program {
    uint32_t element;  /* bytes of one element of every array */
    uint32_t block[3], grid[3];
    bool initialised;  /* s and t are filled first, and all threads wait */
    bool uses_pointers, uses_param, uses_data;
    bool guessed;      /* the shape of the block is not known: it is one of several that are tried */
    bool forgets;      /* some value may be of no use */
    bool by_block;     /* data say of each block whether it takes part, and how often */
    bool by_data;      /* shared memory holds input data and nothing else, and conditions look at it */
    bool by_choice;    /* several conditions look at a few elements of in[]: again at one, or at another */
    bool by_array;     /* indices go through an array of the thread's own, some by an earlier store, some by a branch */
    bool by_size;      /* a single block; n is a number of rounds, or bounds threads */
    bool by_length;    /* n and m are what two neighbours of an array of sizes say of the block */
    bool by_trap;      /* checks in which data decide stop the whole grid; they never do */
    struct race_statement at[RACE_STATEMENTS];
    uint32_t n;
    int first;
    struct race_choice_part last; /* what the last such condition compared */
};

/* The element of in[] that a thread looks at. */
int32_t race_choice_element(const struct race_choice_part *part, uint32_t thread);

void race_program_make(struct race_program *p, uint64_t seed);

/* The kernel in SSA: kernel(ptr in, ptr data, ptr out, i32 n, ptr sizes). in[] holds small numbers that indexes and
 * conditions may use, data[] any. NULL when it is malformed. */
struct cw_fn *race_program_lower(const struct race_program *p, struct cw_module *m);

struct cw_buf;
void race_program_print(const struct race_program *p, struct cw_buf *out);

#endif
