/* Like places, spelt as letters: small ones are names, capital ones are fixed, '|' and '!' are two marks, and a
 * statement ends behind each capital letter. */
#include "check.h"

#include "source/siblings.h"

#include <ctype.h>
#include <string.h>

static struct cw_arena arena;

static struct cw_symbols spell(const char *text) {
    struct cw_symbols s = {0};
    for (; *text; text++) {
        bool mark = *text == '|' || *text == '!';
        struct cw_symbol symbol = {(uint64_t)(unsigned char)*text,
                                   mark                            ? CW_SYMBOL_MARK
                                   : islower((unsigned char)*text) ? CW_SYMBOL_NAME
                                                                   : CW_SYMBOL_FIXED,
                                   mark || isupper((unsigned char)*text)};
        cw_vec_push(&arena, &s, symbol);
    }
    return s;
}

/* "function:symbol n" of each place that lacks a mark. */
static const char *deviants(const char *const *functions, uint32_t n, uint32_t least) {
    struct cw_symbols all[8];
    const char *text = "";
    for (uint32_t i = 0; i < n; i++)
        all[i] = spell(functions[i]);
    struct cw_siblings found = cw_siblings_of(&arena, all, n, least);
    for (uint32_t i = 0; i < found.n; i++)
        text = cw_arena_printf(&arena, "%s%s%u:%u %u", text, i ? ", " : "", found.at[i].lacks.function,
                               found.at[i].lacks.symbol, found.at[i].n);
    return text;
}

#define WITH(before, mark, behind) "P" before mark behind "Q"
#define ONE "abAbcBcdCdeDaaEabF"
#define TWO "xyAyzBzuCuvDxxExyF" /* the same code with other names */
#define OTHER "xyAyzBzuCuvDxxExxF" /* a name is another one's here */

static void check(const char *expected, uint32_t n, uint32_t least, const char *const *functions) {
    CHECK_STR(deviants(functions, n, least), expected);
}

int main(void) {
    cw_arena_init(&arena);
    check("2:19 2", 3, 2, (const char *[]){WITH(ONE, "|", ONE), WITH(TWO, "|", TWO), WITH(ONE, "", ONE)});
    check("0:19 2", 3, 2, (const char *[]){WITH(TWO, "", TWO), WITH(TWO, "|", TWO), WITH(ONE, "|", ONE)});
    check("", 3, 3, (const char *[]){WITH(ONE, "|", ONE), WITH(TWO, "|", TWO), WITH(ONE, "", ONE)});
    check("", 3, 2, (const char *[]){WITH(ONE, "|", ONE), WITH(TWO, "|", TWO), WITH(OTHER, "", OTHER)});
    check("", 3, 2, (const char *[]){WITH(ONE, "|", ONE), WITH(TWO, "!", TWO), WITH(ONE, "", ONE)});
    check("", 4, 2, (const char *[]){WITH(ONE, "|", ONE), WITH(TWO, "|", TWO), WITH(ONE, "", ONE), WITH(TWO, "", TWO)});
    check("", 3, 2, (const char *[]){"PaA|bBQ", "PaA|bBQ", "PaAbBQ"}); /* too short to tell */
    check("", 3, 2, (const char *[]){"", "|", "|A"});
    /* a mark elsewhere is part of the surroundings */
    check("", 3, 2, (const char *[]){WITH(ONE, "|", ONE), WITH(TWO, "|", TWO), "P" ONE "xyA|yzBzuCuvDxxExyFQ"});
    cw_arena_free(&arena);
    return check_report();
}
