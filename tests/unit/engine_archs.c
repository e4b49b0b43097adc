/* Which architectures are parsed for. */
#include "engine/archs.h"

#include "check.h"

static struct cw_arena arena;

static const char *shown(const struct cw_unit_options *o) {
    const char *text = "";
    for (uint32_t i = 0; i < o->narchs; i++)
        text = cw_arena_printf(&arena, "%s%s%u%s", text, i ? " " : "", o->archs[i], o->specific >> i & 1 ? "a" : "");
    return text;
}

static struct cw_unit_options of_targets(const struct cw_target *t, uint32_t n) {
    struct cw_unit_options o = {.archs = {75}, .narchs = 1};
    cw_archs_of_targets(&o, t, n);
    return o;
}

static const struct cw_target many[] = {{90, 90, 'a'}, {60, 70, 0}, {80, 80, 0}, {80, 86, 0}, {90, 90, 0},
                                        {70, 70, 0},   {86, 0, 0},  {100, 100, 'f'}};
enum { MANY = sizeof many / sizeof many[0] };

static struct cw_unit_options reduced(bool names, bool computes, const uint32_t *numbers, uint32_t n) {
    struct cw_unit_options o = of_targets(many, MANY);
    struct cw_include_result unit = {.names_arch = names, .computes_arch = computes};
    for (uint32_t i = 0; i < n; i++)
        cw_vec_push(&arena, &unit.arch_numbers, numbers[i]);
    cw_archs_reduce(&o, &unit);
    return o;
}

static const char *opt_out(const struct cw_target *t, uint32_t n) {
    struct cw_unit_options o = {.targets = t, .ntargets = n};
    struct cw_opt_out out = cw_archs_opt_out(&o);
    return cw_arena_printf(&arena, "%u %u", out.virtual_sm, out.real_sm);
}

/* Code of an architecture without independent thread scheduling on one that has it, and nothing else for that one. */
static void test_opt_out(void) {
    static const struct cw_target pascal[] = {{60, 60, 0}, {60, 61, 0}}, ptx[] = {{60, 0, 0}},
                                  volta[] = {{60, 60, 0}, {60, 70, 0}}, twice[] = {{60, 70, 0}, {70, 70, 0}},
                                  second[] = {{50, 70, 0}, {70, 70, 0}, {61, 75, 0}}, newer[] = {{70, 80, 0}};
    CHECK_STR(opt_out(NULL, 0), "0 0");
    CHECK_STR(opt_out(pascal, 2), "0 0");
    CHECK_STR(opt_out(ptx, 1), "0 0");
    CHECK_STR(opt_out(newer, 1), "0 0");
    CHECK_STR(opt_out(volta, 2), "60 70");
    CHECK_STR(opt_out(twice, 2), "0 0");
    CHECK_STR(opt_out(second, 3), "61 75");
}

int main(void) {
    static const uint32_t volta[] = {700}, exact[] = {800, 900, 12345};
    cw_arena_init(&arena);
    struct cw_unit_options o = of_targets(many, MANY);
    CHECK_STR(shown(&o), "60 70 80 86 90 90a 100");
    o = of_targets(many, 0);
    CHECK_STR(shown(&o), "75");
    o = reduced(false, false, NULL, 0);
    CHECK_STR(shown(&o), "60");
    o = reduced(true, true, NULL, 0);
    CHECK_STR(shown(&o), "60 70 80 86 90 90a 100");
    /* below, at ("== 700") and above; the 'a' has a macro of its own */
    o = reduced(true, false, volta, 1);
    CHECK_STR(shown(&o), "60 70 80 90a");
    o = reduced(true, false, exact, 3);
    CHECK_STR(shown(&o), "60 80 86 90 90a 100");
    struct cw_target all[40];
    for (uint16_t i = 0; i < 40; i++)
        all[i] = (struct cw_target){(uint16_t)(20 + i), 0, 0};
    o = of_targets(all, 40);
    CHECK_INT(o.narchs, CW_MAX_ARCHS);
    CHECK_INT(o.archs[0], 20);
    test_opt_out();
    cw_arena_free(&arena);
    return check_report();
}
