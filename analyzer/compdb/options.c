#include "compdb/options.h"

#include "base/io.h"

#include "cuda/arch.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Response files may name response files, and a hostile one itself. */
enum { MAX_NESTING = 8, MAX_RESPONSE_FILES = 256, MAX_FILE_BYTES = 16 << 20, MAX_ALL_BYTES = 32 << 20 };
enum { MAX_TARGETS = 64, MAX_DIRECTORIES = 2048 };

enum compiler { N = 1, G = 2, B = 3 };
enum form { FLAG, VALUE, JOINED };
enum action {
    DROP, INCLUDE_PATH, SYSTEM_PATH, QUOTE_PATH, AFTER_PATH, DEFINE, UNDEFINE, PRE_INCLUDE, STANDARD, LANGUAGE,
    OPTIONS_FILE, ARCH, ARCH_CODE, GENERATE_CODE, RELOCATABLE, DEVICE_C, RELAXED_CONSTEXPR, EXTENDED_LAMBDA,
    DEVICE_DEBUG, OPENMP, HOST_OPTIONS, PREPROCESS, LINK
};

struct flag {
    const char *name;
    enum compiler compilers;
    enum form form;
    enum action action;
};

static const struct flag flags[] = {
#define CW_FLAG(name, compilers, form, action) {name, compilers, form, action},
#include "compdb/nvcc_flags.def"
};

struct reading {
    struct cw_arena *arena;
    struct cw_compile *out;
    const char *directory;
    enum compiler compiler;
    struct cw_words host;  /* what nvcc passes to the host compiler */
    const char *arch;      /* the last -arch, and what -code said */
    struct cw_words codes;
    struct cw_reader reader;
    uint32_t directories;  /* taken so far: each costs a look for every #include */
    bool links, preprocesses;
};

/* ---- reading files ---- */

static bool read_file(void *ctx, const char *path, struct cw_arena *a, cw_str *text) {
    (void)ctx;
    struct stat st;
    int fd = cw_open_regular(path, 0);
    if (fd < 0)
        return false;
    bool good = !fstat(fd, &st) && st.st_size <= MAX_FILE_BYTES;
    size_t size = good ? (size_t)st.st_size : 0, n = 0;
    char *at = cw_arena_alloc(a, size + 1);
    for (ssize_t got; n < size && (got = read(fd, at + n, size - n)) > 0;)
        n += (size_t)got;
    close(fd);
    *text = (cw_str){at, n};
    return good;
}

struct cw_reader cw_reader_of_disk(void) {
    return (struct cw_reader){read_file, NULL};
}

/* ---- words ---- */

static const char *skip_dots(const char *path) {
    while (path[0] == '.' && (path[1] == '/' || !path[1]))
        path += path[1] ? 1 + strspn(path + 1, "/") : 1;
    return path;
}

const char *cw_compile_path(struct cw_arena *a, const char *directory, const char *path) {
    const char *rest = path[0] == '/' ? path : skip_dots(path);
    if (path[0] == '/' || !directory || !*directory)
        return *rest ? rest : ".";
    size_t n = strlen(directory);
    while (n > 1 && directory[n - 1] == '/')
        n--;
    if (!*rest)
        return cw_arena_strndup(a, directory, n);
    return cw_arena_printf(a, "%.*s%s%s", (int)n, directory, directory[n - 1] == '/' ? "" : "/", rest);
}

struct expansion {
    struct cw_arena *arena;
    const char *directory;
    struct cw_reader reader;
    struct cw_words *out;
    uint32_t files, unread;
    size_t bytes;
};

static void expand_files(struct expansion *e, const struct cw_words *words, uint32_t from, int depth);

static void expand_file(struct expansion *expansion, const char *name, int depth) {
    cw_str text;
    struct cw_words inner = {0};
    if (depth >= MAX_NESTING || expansion->files++ >= MAX_RESPONSE_FILES || expansion->bytes > MAX_ALL_BYTES ||
        !expansion->reader.read(expansion->reader.ctx, cw_compile_path(expansion->arena, expansion->directory, name),
                                expansion->arena, &text)) {
        expansion->unread++;
        return;
    }
    expansion->bytes += text.n;
    cw_words_split(expansion->arena, text, CW_QUOTING_RESPONSE, &inner);
    expand_files(expansion, &inner, 0, depth + 1);
}

/* The value of --options-file in one of its spellings; *next tells that it is the following word. */
static const char *options_file_of(const char *word, bool *next) {
    static const char *const names[] = {"options-file", "optf"};
    *next = false;
    if (word[0] != '-')
        return NULL;
    word += word[1] == '-' ? 2 : 1;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        size_t n = strlen(names[i]);
        if (strncmp(word, names[i], n) != 0)
            continue;
        *next = !word[n];
        if (word[n] == '=' || !word[n])
            return word[n] ? word + n + 1 : word;
    }
    return NULL;
}

static void expand_files(struct expansion *expansion, const struct cw_words *words, uint32_t from, int depth) {
    for (uint32_t i = from; i < words->n && expansion->out->n < CW_MAX_WORDS; i++) {
        bool next;
        const char *word = words->at[i], *list = options_file_of(word, &next);
        struct cw_words files = {0};
        if (next && ++i < words->n)
            list = words->at[i];
        if (list && i < words->n)
            cw_words_split_list(expansion->arena, list, &files);
        for (uint32_t k = 0; k < files.n; k++)
            expand_file(expansion, files.at[k], depth);
        if (!list && word[0] == '@' && word[1])
            expand_file(expansion, word + 1, depth);
        else if (!list)
            cw_vec_push(expansion->arena, expansion->out, word);
    }
}

/* ---- which compiler ---- */

static const char *base_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static bool is_wrapper(const char *word) {
    static const char *const names[] = {"ccache", "sccache", "distcc", "icecc", "buildcache", "env", "time", "nice"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (!strcmp(base_name(word), names[i]))
            return true;
    return false;
}

/* Behind launchers: "ccache nvcc …", "env A=1 nvcc …", "cuwarp-lint launch --fail-on error -- nvcc …". */
static uint32_t compiler_at(const struct cw_words *words) {
    uint32_t at = 0;
    if (words->n > 2 && !strncmp(base_name(words->at[0]), "cuwarp-lint", 11) && !strcmp(words->at[1], "launch"))
        while (at < words->n && strcmp(words->at[at++], "--") != 0)
            continue;
    if (at >= words->n)
        return 0;
    while (at + 1 < words->n && is_wrapper(words->at[at])) {
        at++;
        while (at + 1 < words->n && (strchr(words->at[at], '=') || words->at[at][0] == '-'))
            at++;
    }
    return at;
}

static bool is_nvcc(const char *compiler) {
    return strstr(base_name(compiler), "nvcc") != NULL;
}

/* ---- one option ---- */

static const char *without_dashes(const char *word, bool *is_long) {
    *is_long = word[1] == '-';
    return word + (*is_long ? 2 : 1);
}

/* The row of a word, exact names before letters with something attached; *value is what is attached, or NULL. */
static const struct flag *find_flag(enum compiler compiler, const char *word, const char **value) {
    bool is_long;
    const char *name = without_dashes(word, &is_long);
    const struct flag *best = NULL;
    size_t longest = 0;
    for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++) {
        const struct flag *f = &flags[i];
        size_t n = strlen(f->name);
        if (!(f->compilers & compiler) || strncmp(name, f->name, n) != 0)
            continue;
        if (!name[n] || (name[n] == '=' && (f->form != JOINED || compiler == N || is_long))) {
            *value = name[n] ? name + n + 1 : NULL;
            return f;
        }
        if (f->form == JOINED && !is_long && n > longest) {
            best = f;
            longest = n;
        }
    }
    *value = best ? name + longest : NULL;
    return best;
}

static void add_argument(struct reading *reading, const char *arg) {
    cw_vec_push(reading->arena, &reading->out->args, arg);
}

static void add_directory(struct reading *reading, const char *option, const char *path) {
    if (!*path || reading->directories++ >= MAX_DIRECTORIES)
        return;
    const char *full = cw_compile_path(reading->arena, reading->directory, path);
    bool attached = !strcmp(option, "-I");
    add_argument(reading, attached ? cw_arena_printf(reading->arena, "-I%s", full) : option);
    if (!attached)
        add_argument(reading, full);
}

/* A macro's name must begin like one: whatever else stands there is nothing that a compiler would have taken. */
static void add_macro(struct reading *reading, const char *option, const char *macro) {
    if (isalpha((unsigned char)macro[0]) || macro[0] == '_' || (unsigned char)macro[0] >= 0x80)
        add_argument(reading, cw_arena_printf(reading->arena, "%s%s", option, macro));
}

/* CUDA is C++, and the built-in headers need C++14 of it. */
static void add_standard(struct reading *reading, const char *value) {
    static const struct { const char *given, *used; } names[] = {
        {"03", "14"}, {"98", "14"}, {"11", "14"}, {"0x", "14"}, {"14", "14"}, {"1y", "14"}, {"17", "17"}, {"1z", "17"},
        {"20", "20"}, {"2a", "20"}, {"23", "23"}, {"2b", "23"}, {"26", "26"}, {"2c", "26"}};
    bool is_gnu = !strncmp(value, "gnu++", 5);
    if (!is_gnu && strncmp(value, "c++", 3) != 0)
        return;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (!strcmp(value + (is_gnu ? 5 : 3), names[i].given))
            add_argument(reading, cw_arena_printf(reading->arena, "-std=%s++%s", is_gnu ? "gnu" : "c", names[i].used));
}

/* "-include config.h" means the one in the directory, or else whichever an #include would find. A name that stands
 * for nothing goes on to the parser, which says so; what is there and no file is left out: a device would be read
 * for ever. */
static void add_include(struct reading *reading, const char *value) {
    const char *path = cw_compile_path(reading->arena, reading->directory, value);
    cw_str text;
    bool is_file = reading->reader.read(reading->reader.ctx, path, reading->arena, &text);
    struct stat st;
    bool is_path = strchr(value, '/') != NULL;
    if (!*value || (!is_file && is_path && (!stat(path, &st) || errno != ENOENT)))
        return;
    add_argument(reading, "-include");
    add_argument(reading, is_file || is_path ? path : value);
}

static void add_value(struct reading *reading, enum action action, const char *value) {
    switch (action) {
    case INCLUDE_PATH: add_directory(reading, "-I", value); break;
    case SYSTEM_PATH: add_directory(reading, "-isystem", value); break;
    case QUOTE_PATH: add_directory(reading, "-iquote", value); break;
    case AFTER_PATH: add_directory(reading, "-idirafter", value); break;
    case DEFINE: add_macro(reading, "-D", value); break;
    case UNDEFINE: add_macro(reading, "-U", value); break;
    case PRE_INCLUDE: add_include(reading, value); break;
    case HOST_OPTIONS: cw_vec_push(reading->arena, &reading->host, value); break;
    case ARCH_CODE: cw_vec_push(reading->arena, &reading->codes, value); break;
    default: break;
    }
}

/* ---- architectures ---- */

static char suffix_of(const char *name) {
    size_t n = strlen(name);
    char last = n ? name[n - 1] : '\0';
    return last == 'a' || last == 'f' ? last : '\0';
}

static void add_target(struct reading *reading, const char *virtual_name, const char *real_name) {
    struct cw_target t = {.virtual_sm = (uint16_t)cw_arch_parse(virtual_name), .suffix = suffix_of(virtual_name)};
    bool is_real = real_name && strncmp(real_name, "compute_", 8) != 0;
    t.real_sm = is_real ? (uint16_t)cw_arch_parse(real_name) : 0;
    if (!t.virtual_sm || reading->out->targets.n >= MAX_TARGETS)
        return;
    for (uint32_t i = 0; i < reading->out->targets.n; i++) {
        const struct cw_target *o = &reading->out->targets.at[i];
        if (o->virtual_sm == t.virtual_sm && o->real_sm == t.real_sm && o->suffix == t.suffix)
            return;
    }
    cw_vec_push(reading->arena, &reading->out->targets, t);
}

/* "all" and "all-major": one per generation that toolkits of today compile for. */
static void add_all_targets(struct reading *reading) {
    uint32_t before = 0;
    const struct cw_arch *a;
    for (uint32_t i = 0; (a = cw_arch_at(i)); i++) {
        if (a->dropped_by_cuda || a->sm / 10u == before)
            continue;
        before = a->sm / 10u;
        add_target(reading, cw_arena_printf(reading->arena, "%u", a->sm), cw_arena_printf(reading->arena, "%u", a->sm));
    }
}

/* "[sm_75,sm_80]", "sm_75", "sm_75,compute_75", with quotes or without. */
static struct cw_words codes_of(struct reading *reading, const char *text) {
    struct cw_words out = {0};
    size_t n = strlen(text);
    char *plain = cw_arena_alloc(reading->arena, n + 1), *to = plain;
    for (size_t i = 0; i < n; i++)
        if (!strchr("[]\"' ", text[i]))
            *to++ = text[i];
    cw_words_split_list(reading->arena, plain, &out);
    return out;
}

static void add_targets(struct reading *reading, const char *virtual_name, const char *codes) {
    struct cw_words list = codes_of(reading, codes);
    for (uint32_t i = 0; i < list.n; i++)
        add_target(reading, virtual_name, list.at[i]);
    if (!list.n)
        add_target(reading, virtual_name, NULL);
}

/* "arch=compute_75,code=[sm_75,compute_75]" */
static void generate_code(struct reading *reading, const char *value) {
    const char *arch = strstr(value, "arch="), *code = strstr(value, "code=");
    if (!arch)
        return;
    size_t n = strcspn(arch + 5, ", \"'");
    add_targets(reading, cw_arena_strndup(reading->arena, arch + 5, n), code ? code + 5 : "");
}

/* nvcc's -arch and -code go together: "-arch=sm_70" alone is compute_70 for sm_70. clang's may be repeated. */
static void finish_targets(struct reading *reading) {
    const char *arch = reading->arch;
    if (!arch)
        return;
    if (!strcmp(arch, "all") || !strcmp(arch, "all-major")) {
        add_all_targets(reading);
        return;
    }
    for (uint32_t i = 0; i < reading->codes.n; i++)
        add_targets(reading, arch, reading->codes.at[i]);
    if (!reading->codes.n)
        add_target(reading, arch, arch);
}

static void take_arch(struct reading *reading, const char *value) {
    if (reading->compiler == N) {
        reading->arch = value;
        return;
    }
    struct cw_words list = codes_of(reading, value);
    for (uint32_t i = 0; i < list.n; i++)
        add_target(reading, list.at[i], list.at[i]);
}

/* ---- a line ---- */

static void take_language(struct reading *reading, const char *value) {
    reading->out->is_cuda = !strcmp(value, "cu") || !strcmp(value, "cuda");
}

/* Options that stand for a macro: nvcc says so with --dryrun. */
static void take_plain(struct reading *reading, enum action action) {
    switch (action) {
    case DEVICE_C: add_argument(reading, "-D__CUDACC_RDC__"); break;
    case RELAXED_CONSTEXPR: add_argument(reading, "-D__CUDACC_RELAXED_CONSTEXPR__"); break;
    case EXTENDED_LAMBDA: add_argument(reading, "-D__CUDACC_EXTENDED_LAMBDA__"); break;
    case DEVICE_DEBUG: add_argument(reading, "-D__CUDACC_DEBUG__"); break;
    case OPENMP: add_argument(reading, "-D_OPENMP=201511"); break;
    case PREPROCESS: reading->preprocesses = true; break;
    case LINK: reading->links = true; break;
    default: break;
    }
}

static bool is_list(enum action action) {
    return action == INCLUDE_PATH || action == SYSTEM_PATH || action == DEFINE || action == UNDEFINE ||
           action == PRE_INCLUDE || action == HOST_OPTIONS || action == ARCH_CODE;
}

static void take_value(struct reading *reading, enum action action, const char *value) {
    struct cw_words list = {0};
    switch (action) {
    case STANDARD: add_standard(reading, value); return;
    case LANGUAGE: take_language(reading, value); return;
    case ARCH: take_arch(reading, value); return;
    case GENERATE_CODE: generate_code(reading, value); return;
    case RELOCATABLE:
        if (!strcmp(value, "true"))
            add_argument(reading, "-D__CUDACC_RDC__");
        return;
    default: break;
    }
    if (reading->compiler == N && is_list(action) && action != ARCH_CODE)
        cw_words_split_list(reading->arena, value, &list);
    else
        cw_vec_push(reading->arena, &list, value);
    for (uint32_t i = 0; i < list.n; i++)
        add_value(reading, action, list.at[i]);
}

static void take_operand(struct reading *reading, const char *word) {
    if (*word)
        cw_vec_push(reading->arena, &reading->out->inputs, cw_compile_path(reading->arena, reading->directory, word));
}

static void take_words(struct reading *reading, const struct cw_words *words) {
    for (uint32_t i = 0; i < words->n; i++) {
        const char *word = words->at[i], *value = NULL;
        if (word[0] != '-' || !word[1]) {
            take_operand(reading, word);
            continue;
        }
        const struct flag *f = find_flag(reading->compiler, word, &value);
        if (!f)
            continue;
        if (f->form == FLAG)
            take_plain(reading, f->action);
        else if (value || i + 1 < words->n)
            take_value(reading, f->action, value ? value : words->at[++i]);
    }
}

/* What nvcc hands on: gcc's options, of which the operands are none of ours. */
static void take_host(struct reading *reading) {
    struct cw_words operands = reading->out->inputs, host = reading->host;
    bool is_cuda = reading->out->is_cuda;
    reading->compiler = G;
    take_words(reading, &host);
    reading->out->inputs = operands;
    reading->out->is_cuda = is_cuda;
}

void cw_compile_read(struct cw_arena *a, const struct cw_words *words, const char *directory, struct cw_reader reader,
                     struct cw_compile *out) {
    *out = (struct cw_compile){0};
    if (!words->n)
        return;
    struct cw_words expanded = {0};
    uint32_t at = compiler_at(words);
    struct expansion e = {.arena = a, .directory = directory, .reader = reader, .out = &expanded};
    expand_files(&e, words, at + 1, 0);
    out->unread = e.unread;
    out->is_nvcc = is_nvcc(words->at[at]);
    struct reading r = {.arena = a, .out = out, .directory = directory, .reader = reader};
    r.compiler = out->is_nvcc ? N : G;
    take_words(&r, &expanded);
    if (out->is_nvcc)
        finish_targets(&r);
    if (r.host.n)
        take_host(&r);
    out->is_compile = !r.links && !r.preprocesses;
}
