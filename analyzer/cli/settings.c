/* From options as given to options of a run: every value is checked here. */
#include "base/log.h"
#include "base/str.h"
#include "cli/cli.h"
#include "cuda/arch.h"
#include "engine/archs.h"
#include "engine/cache.h"
#include "engine/flags.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { DEFAULT_ARCH = 75, DEFAULT_SECONDS = 60, DEFAULT_MEGABYTES = 2048, MAX_JOBS = 256, MAX_THREADS = 1024 };

/* A decimal number in [low, high] at *text; moves behind it. */
static bool read_number(const char **text, long low, long high, uint32_t *out) {
    char *end;
    errno = 0;
    if (**text < '0' || **text > '9')
        return false;
    long value = strtol(*text, &end, 10);
    if (errno || value < low || value > high)
        return false;
    *text = end;
    *out = (uint32_t)value;
    return true;
}

static const char *number_option(const struct cw_command_line *command, enum cw_option_id id, const char *name,
                                 long low, long high, uint32_t missing, uint32_t *out, struct cw_arena *arena) {
    const char *value = cw_option_value(command, id), *at = value;
    *out = missing;
    if (!value || (read_number(&at, low, high, out) && !*at))
        return NULL;
    return cw_arena_printf(arena, "--%s: '%s' is not a number from %ld to %ld", name, value, low, high);
}

bool cw_cli_is_url(const char *text) {
    size_t scheme = !strncmp(text, "https://", 8) ? 8 : !strncmp(text, "http://", 7) ? 7 : 0;
    for (const char *at = text; *at; at++)
        if ((unsigned char)*at <= ' ' || (unsigned char)*at >= 127 || strchr("\"<>\\^`{|}", *at))
            return false;
    return scheme && text[scheme] && text[scheme] != '/';
}

/* ---- how the code is read ---- */

static void add_arch(struct cw_unit_options *out, uint32_t arch) {
    uint32_t at = 0;
    while (at < out->narchs && out->archs[at] < arch)
        at++;
    if (at < out->narchs && out->archs[at] == arch)
        return;
    memmove(&out->archs[at + 1], &out->archs[at], (out->narchs - at) * sizeof out->archs[0]);
    out->archs[at] = arch;
    out->narchs++;
}

static const char *unknown_arch(uint32_t sm, struct cw_arena *arena) {
    const char *list = "";
    const struct cw_arch *known;
    for (uint32_t i = 0; (known = cw_arch_at(i)); i++)
        list = cw_arena_printf(arena, "%s%ssm_%u", list, i ? ", " : "", known->sm);
    return cw_arena_printf(arena, "--arch: there is no sm_%u; known are %s", sm, list);
}

/* sm_75, compute_80, sm_90a, 86; native alone */
static const char *parse_archs(const char *value, struct cw_unit_options *out, struct cw_arena *arena) {
    const char *at = strcmp(value, "native") ? value : cw_cli_native_archs();
    if (!at)
        return "--arch: native: neither nvidia-smi nor nvcc tells of a GPU here; name the architecture, as in sm_90";
    while (out->narchs < CW_MAX_ARCHS) {
        uint32_t arch;
        at += !strncmp(at, "sm_", 3) ? 3 : !strncmp(at, "compute_", 8) ? 8 : 0;
        if (!read_number(&at, 20, 999, &arch))
            break;
        if (!cw_arch_find(arch))
            return unknown_arch(arch, arena);
        add_arch(out, arch);
        at += *at == 'a' || *at == 'f';
        if (!*at)
            return NULL;
        if (*at++ != ',')
            break;
    }
    if (out->narchs == CW_MAX_ARCHS)
        return cw_arena_printf(arena, "--arch: at most %d architectures", CW_MAX_ARCHS);
    return cw_arena_printf(arena, "--arch: '%s' is not a list such as sm_75,sm_90, nor native", value);
}

static const char *parse_block(const char *value, uint32_t block[3], struct cw_arena *arena) {
    const char *at = value;
    for (int i = 0; i < 3; i++) {
        if (!read_number(&at, 1, i == 2 ? 64 : MAX_THREADS, &block[i]))
            break;
        if (!*at) {
            for (int rest = i + 1; rest < 3; rest++)
                block[rest] = 1;
            if (block[0] * block[1] * block[2] <= MAX_THREADS)
                return NULL;
            return cw_arena_printf(arena, "--block: '%s' has more than %d threads", value, MAX_THREADS);
        }
        if (*at++ != ',')
            break;
    }
    return cw_arena_printf(arena, "--block: '%s' is not a block shape such as 256 or 32,8", value);
}

static const char *parse_semantics(const char *value, enum cw_semantics *out, struct cw_arena *arena) {
    static const char *const names[] = {[CW_SEMANTICS_CUDA13] = "cuda13", [CW_SEMANTICS_CUDA12] = "cuda12",
                                        [CW_SEMANTICS_PORTABLE] = "portable"};
    for (int i = CW_SEMANTICS_CUDA13; i <= CW_SEMANTICS_PORTABLE; i++)
        if (!strcmp(value, names[i])) {
            *out = (enum cw_semantics)i;
            return NULL;
        }
    return cw_arena_printf(arena, "--semantics: '%s' is not cuda13, cuda12 or portable", value);
}

static const char *parse_effort(const char *value, enum cw_effort *out, struct cw_arena *arena) {
    for (int i = 0; i < CW_NEFFORTS; i++)
        if (!strcmp(value, cw_effort_names[i])) {
            *out = (enum cw_effort)i;
            return NULL;
        }
    return cw_arena_printf(arena, "--effort: '%s' is not quick, normal or thorough", value);
}

static void push_word(struct cw_arena *arena, struct cw_words *words, const char *text) {
    cw_vec_push(arena, words, text);
}

/* What stands behind -- is a compiler's command line, with the compiler or without. */
static void add_rest(const struct cw_command_line *command, struct cw_words *args, struct cw_arena *arena,
                     struct cw_unit_options *out) {
    struct cw_words words = {0};
    struct cw_compile compile;
    if (!command->rest.n)
        return;
    if (command->rest.at[0][0] == '-')
        push_word(arena, &words, "nvcc");
    for (uint32_t i = 0; i < command->rest.n; i++)
        push_word(arena, &words, command->rest.at[i]);
    cw_compile_read(arena, &words, "", cw_reader_of_disk(), &compile);
    cw_flags_add_compile(arena, &compile, args);
    out->is_cuda = compile.is_cuda;
    out->targets = compile.targets.at;
    out->ntargets = compile.targets.n;
    if (!cw_option_given(command, CW_OPT_ARCH))
        cw_archs_of_targets(out, compile.targets.at, compile.targets.n);
}

static uint32_t layers_of(const struct cw_command_line *command) {
    return command->options.n ? cw_vec_last(&command->options).layer + 1 : 0;
}

/* The last word is searched first. */
static void add_includes(const struct cw_command_line *command, struct cw_arena *arena, struct cw_words *args) {
    for (uint32_t layer = layers_of(command); layer-- > 0;)
        for (uint32_t i = 0; i < command->options.n; i++) {
            const struct cw_given *g = &command->options.at[i];
            if (g->id == CW_OPT_INCLUDE && g->layer == layer && *g->value)
                push_word(arena, args, cw_arena_printf(arena, "-I%s", g->value));
        }
}

static void collect_args(const struct cw_command_line *command, struct cw_arena *arena, struct cw_unit_options *out) {
    struct cw_words args = {0};
    add_includes(command, arena, &args);
    for (uint32_t i = 0; i < command->options.n; i++) {
        const struct cw_given *g = &command->options.at[i];
        if (!g->value || !*g->value)
            continue;
        if (g->id == CW_OPT_DEFINE)
            push_word(arena, &args, cw_arena_printf(arena, "-D%s", g->value));
        else if (g->id == CW_OPT_STD)
            push_word(arena, &args, cw_arena_printf(arena, "-std=%s", g->value));
    }
    add_rest(command, &args, arena, out);
    out->args = args.at;
    out->nargs = args.n;
}

static const char *unknown_dump(const char *dump, struct cw_arena *arena) {
    struct cw_buf names = {0};
    cw_dump_names(", ", &names);
    const char *error = cw_arena_printf(arena, "--dump: '%s' is none of %s", dump, names.at);
    cw_buf_free(&names);
    return error;
}

static const char *code_options(const struct cw_command_line *command, struct cw_arena *arena,
                                struct cw_unit_options *out) {
    const char *arch = cw_option_value(command, CW_OPT_ARCH), *block = cw_option_value(command, CW_OPT_BLOCK);
    const char *semantics = cw_option_value(command, CW_OPT_SEMANTICS), *dump = cw_option_value(command, CW_OPT_DUMP);
    const char *error = arch ? parse_archs(arch, out, arena) : NULL;
    if (!arch)
        add_arch(out, DEFAULT_ARCH);
    if (!error && block)
        error = parse_block(block, out->launch.block, arena);
    if (!error && semantics)
        error = parse_semantics(semantics, &out->semantics, arena);
    if (!error && cw_option_value(command, CW_OPT_EFFORT))
        error = parse_effort(cw_option_value(command, CW_OPT_EFFORT), &out->effort, arena);
    if (!error && dump && !cw_dump_parse(dump, &out->dump))
        error = unknown_dump(dump, arena);
    out->cuda_path = cw_option_value(command, CW_OPT_CUDA_PATH);
    out->embedded = !cw_option_denied(command, CW_OPT_EMBEDDED) && !cw_option_given(command, CW_OPT_NO_EMBEDDED);
    out->instances = cw_option_given(command, CW_OPT_INSTANCES);
    collect_args(command, arena, out);
    return error;
}

/* ---- which rules ---- */

/* Lists given several times in one layer add up. */
static const char *join_lists(const struct cw_command_line *command, enum cw_option_id id, uint32_t layer,
                              struct cw_arena *arena) {
    const char *list = NULL;
    for (uint32_t i = 0; i < command->options.n; i++)
        if (command->options.at[i].id == id && command->options.at[i].layer == layer)
            list = list ? cw_arena_printf(arena, "%s,%s", list, command->options.at[i].value)
                        : command->options.at[i].value;
    return list;
}

static const char *selection_of_layer(const struct cw_command_line *command, uint32_t layer, struct cw_arena *arena,
                                      struct cw_selection *out) {
    struct cw_selection_options o = {.select = join_lists(command, CW_OPT_SELECT, layer, arena),
                                     .extend_select = join_lists(command, CW_OPT_EXTEND_SELECT, layer, arena),
                                     .ignore = join_lists(command, CW_OPT_IGNORE, layer, arena),
                                     .preview = cw_option_given(command, CW_OPT_PREVIEW)};
    return cw_select_more(out, &o, arena);
}

/* What is said of a rule counts for more than what is said of its category, in whatever order it is said. */
static const char *severities_of_layer(const struct cw_command_line *command, uint32_t layer, bool of_rules,
                                       struct cw_arena *arena, struct cw_selection *out) {
    const char *error = NULL;
    for (uint32_t i = 0; i < command->options.n && !error; i++) {
        const struct cw_given *g = &command->options.at[i];
        if (g->id == CW_OPT_SEVERITY && g->layer == layer && cw_select_names_rule(g->value) == of_rules)
            error = cw_select_severity(out, g->value, arena);
    }
    return error;
}

static const char *rule_options(const struct cw_command_line *command, struct cw_arena *arena,
                                struct cw_selection *out) {
    const char *error = NULL;
    cw_select_defaults(out, cw_option_given(command, CW_OPT_PREVIEW));
    for (uint32_t layer = 0; layer < layers_of(command) && !error; layer++) {
        error = selection_of_layer(command, layer, arena, out);
        if (!error)
            error = severities_of_layer(command, layer, false, arena, out);
        if (!error)
            error = severities_of_layer(command, layer, true, arena, out);
    }
    return error;
}

const char *cw_cli_unit_options(const struct cw_command_line *command, struct cw_arena *arena,
                                struct cw_unit_options *out) {
    *out = (struct cw_unit_options){.semantics = CW_SEMANTICS_CUDA13, .effort = CW_EFFORT_NORMAL};
    const char *error = code_options(command, arena, out);
    return error ? error : rule_options(command, arena, &out->selection);
}

const char *cw_cli_run_options(const struct cw_command_line *command, struct cw_arena *arena,
                               struct cw_run_options *out) {
    uint32_t megabytes = 0;
    *out = (struct cw_run_options){.possible = cw_option_given(command, CW_OPT_POSSIBLE),
                                   .build = cw_option_value(command, CW_OPT_BUILD),
                                   /* a command line after "--" stands for all databases */
                                   .no_compile_commands =
                                       cw_option_given(command, CW_OPT_NO_COMPILE_COMMANDS) || command->rest.n,
                                   .archs_given = cw_option_given(command, CW_OPT_ARCH),
                                   .no_inference = cw_option_given(command, CW_OPT_NO_INFERENCE),
                                   .third_party = cw_option_given(command, CW_OPT_THIRD_PARTY),
                                   .no_ignore = cw_option_given(command, CW_OPT_NO_IGNORE),
                                   .force_exclude = cw_option_given(command, CW_OPT_FORCE_EXCLUDE)};
    const char *error = cw_cli_unit_options(command, arena, &out->unit);
    if (!error)
        error =
            number_option(command, CW_OPT_JOBS, "jobs", 1, MAX_JOBS, (uint32_t)cw_cli_processors(), &out->jobs, arena);
    if (!error)
        error =
            number_option(command, CW_OPT_TIME_LIMIT, "time-limit", 1, 86400, DEFAULT_SECONDS, &out->time_limit, arena);
    if (!error)
        error = number_option(command, CW_OPT_MEMORY_LIMIT, "memory-limit", 16, 1 << 20, DEFAULT_MEGABYTES, &megabytes,
                              arena);
    if (!error)
        error = number_option(command, CW_OPT_MAX_RESULTS, "max-results", 1, INT32_MAX, 0, &out->max_results, arena);
    out->memory_limit = (uint64_t)megabytes << 20;
    const char *folder = cw_option_value(command, CW_OPT_CACHE_DIR);
    if (!cw_option_given(command, CW_OPT_NO_CACHE))
        out->cache = folder ? folder : cw_cache_default_folder(arena);
    return error;
}
