/* Which functions of the unit are lowered, and in which order: host code that launches comes first, because only its
 * launches name the instantiations of kernel templates, and lambdas are described where they are written. */
#include "front/clang/assume.h"
#include "front/clang/instances.h"
#include "front/clang/lower.h"
#include "front/shim/foreign.h"

#include <string.h>

enum { MAX_FUNCTIONS = 5000, MAX_HOSTS = 4000, MAX_SCOPES = 64 };

struct collecting {
    struct cw_unit *u;
    CW_VEC(struct cw_callee *) kernels, kernel_patterns, device, device_patterns, host;
    uint32_t depth;
    const bool *launches; /* of host, those that launch */
    bool is_lowered;      /* the kernels */
    struct cw_cursors *all_names; /* every variable and enumerator, NULL: not asked for */
    CXFile asked;                 /* the system header of the last cursor of one */
    bool asked_launches;          /* it is a stand-in that launches */
    bool is_in_stand_in;
};

bool cw_clang_is_in_main_file(struct cw_unit *unit, CXCursor cursor) {
    CXFile f = NULL;
    clang_getFileLocation(clang_getCursorLocation(cursor), &f, NULL, NULL, NULL);
    return cw_clang_file(unit, f)->is_main;
}

/* A template and its instances are one function in the text. */
static void see_function(struct cw_unit *unit, struct cw_callee *callee) {
    CXSourceLocation at = clang_getCursorLocation(callee->definition);
    uint64_t key = (uint64_t)at.int_data;
    if (cw_map_get(&unit->places, key, NULL))
        return;
    cw_map_put(&unit->places, key, 1);
    cw_vec_push(unit->arena, &unit->module->seen,
                ((struct cw_seen){.name = cw_clang_display(unit, callee->decl),
                                  .span = cw_clang_span(unit, callee->definition),
                                  .is_kernel = callee->is_kernel,
                                  .fate = CW_FATE_LOST,
                                  .reason = callee->key}));
}

static void add_function(struct collecting *to, CXCursor cursor) {
    if (cw_clang_is_appended(to->u, cursor) || !clang_isCursorDefinition(cursor) ||
        clang_CXXMethod_isDefaulted(cursor) || clang_CXXMethod_isDeleted(cursor))
        return;
    struct cw_callee *c = cw_clang_callee(to->u, cursor);
    struct cw_arena *a = &to->u->scratch;
    bool is_main = cw_clang_is_in_main_file(to->u, cursor);
    if (c->kind != CW_CALLEE_BODY)
        return;
    cw_clang_see_virtual(to->u, c);
    if (to->is_in_stand_in) { /* its kernels are lowered where the unit launches them */
        if (!c->is_kernel && !c->is_device)
            cw_vec_push(a, &to->host, c);
        return;
    }
    if (c->is_kernel || (c->is_device && is_main))
        see_function(to->u, c);
    if (c->is_kernel && c->is_pattern)
        cw_vec_push(a, &to->kernel_patterns, c);
    else if (c->is_kernel)
        cw_vec_push(a, &to->kernels, c);
    else if (c->is_device && is_main && c->is_pattern)
        cw_vec_push(a, &to->device_patterns, c);
    else if (c->is_device && is_main)
        cw_vec_push(a, &to->device, c);
    if (!c->is_device || cw_clang_has_attr(to->u, cursor, CXCursor_CUDAHostAttr))
        cw_vec_push(a, &to->host, c);
}

static void remember_name(struct collecting *to, CXCursor cursor) {
    struct cw_unit *u = to->u;
    CXCursor *kept = CW_NEW(&u->scratch, CXCursor);
    *kept = cursor;
    const char *name = cw_clang_text(u, clang_getCursorSpelling(cursor));
    cw_map_put(&u->names, (uint64_t)(uintptr_t)name, (uint64_t)(uintptr_t)kept);
    if (to->all_names)
        cw_vec_push(&u->scratch, to->all_names, cursor);
}

static enum CXChildVisitResult visit_enum(CXCursor cursor, CXCursor parent, CXClientData data) {
    (void)parent;
    if (clang_getCursorKind(cursor) == CXCursor_EnumConstantDecl)
        remember_name(data, cursor);
    return CXChildVisit_Continue;
}

/* A stand-in for another library may launch what it is handed, as the library does. */
static bool is_launching_stand_in(struct collecting *to, CXCursor cursor) {
    CXFile file = NULL;
    clang_getFileLocation(clang_getCursorLocation(cursor), &file, NULL, NULL, NULL);
    if (file != to->asked) {
        size_t size = 0;
        CXString name = clang_getFileName(file);
        const char *path = clang_getCString(name);
        bool is_stand_in = path && !strncmp(path, CW_FOREIGN_ROOT "/", sizeof CW_FOREIGN_ROOT);
        const char *text = is_stand_in ? clang_getFileContents(to->u->tu, file, &size) : NULL;
        to->asked = file;
        to->asked_launches = text && cw_clang_mentions((cw_str){text, size}, "<<<", false);
        clang_disposeString(name);
    }
    return to->asked_launches;
}

/* The members of an assumed class are not among the declarations. */
static void visit_variable(struct collecting *to, CXCursor cursor) {
    struct cw_callee *member = NULL;
    if (!cw_clang_assumed_variable(to->u, cursor, &member)) {
        remember_name(to, cursor);
        cw_clang_see_initialiser(to->u, cursor);
    } else if (member && member->kind == CW_CALLEE_BODY && !member->is_pattern && !member->is_device) {
        cw_vec_push(&to->u->scratch, &to->host, member);
    }
}

static enum CXChildVisitResult visit_cursor(CXCursor cursor, CXCursor parent, CXClientData data) {
    struct collecting *to = data;
    (void)parent;
    enum CXCursorKind k = clang_getCursorKind(cursor);
    if (!to->depth) {
        bool is_of_system = clang_Location_isInSystemHeader(clang_getCursorLocation(cursor));
        to->is_in_stand_in = is_of_system && is_launching_stand_in(to, cursor);
        if (is_of_system && !to->is_in_stand_in)
            return CXChildVisit_Continue;
    }
    switch (k) {
    case CXCursor_Namespace:
    case CXCursor_LinkageSpec:
    case CXCursor_UnexposedDecl:
    case CXCursor_StructDecl:
    case CXCursor_ClassDecl:
    case CXCursor_UnionDecl:
    case CXCursor_ClassTemplate:
    case CXCursor_ClassTemplatePartialSpecialization:
        if (to->depth < MAX_SCOPES) {
            to->depth++;
            clang_visitChildren(cursor, visit_cursor, to);
            to->depth--;
        }
        break;
    case CXCursor_FunctionDecl:
    case CXCursor_CXXMethod:
    case CXCursor_Constructor:
    case CXCursor_ConversionFunction:
    case CXCursor_FunctionTemplate: add_function(to, cursor); break;
    case CXCursor_VarDecl: visit_variable(to, cursor); break;
    case CXCursor_EnumDecl: clang_visitChildren(cursor, visit_enum, to); break;
    default: break;
    }
    return CXChildVisit_Continue;
}

/* ---- host functions that launch ---- */

/* Callers of functions that launch launch too: that is where the block size often comes from. */
static bool *find_launching(struct collecting *to) {
    struct cw_unit *u = to->u;
    bool *is_in = CW_NEW_ARRAY(&u->scratch, bool, to->host.n + 1), again = true;
    for (uint32_t i = 0; i < u->options->nlaunchers; i++)
        cw_clang_add_launcher(u, u->options->launchers[i]);
    for (uint32_t round = 0; again && round < 8; round++) {
        again = false;
        for (uint32_t i = 0; i < to->host.n; i++) {
            if (is_in[i] || !cw_clang_launches(u, to->host.at[i]))
                continue;
            is_in[i] = again = true;
            cw_clang_add_launcher(u, to->host.at[i]->name);
        }
    }
    return is_in;
}

/* Are its captures known, if it has any? They are where a lowered function has the lambda. */
static bool has_known_captures(struct cw_unit *unit, const struct cw_callee *lambda) {
    CXCursor class = clang_getCursorSemanticParent(lambda->decl);
    return cw_clang_closure_of(unit, class) || !cw_clang_fields(unit, clang_getCursorType(class)).n;
}

/* Lambdas come behind the functions that they stand in. Those whose functions are no host code that launches wait until
 * they are called. */
static void queue_hosts(struct collecting *to, bool lambdas) {
    for (uint32_t i = 0; i < to->host.n; i++) {
        struct cw_callee *c = to->host.at[i];
        if (to->launches[i] && !c->is_pattern && cw_clang_is_lambda(to->u, c) == lambdas &&
            (!lambdas || has_known_captures(to->u, c)) && !cw_clang_assumed_failed(to->u, c))
            cw_clang_queue(to->u, c);
    }
}

bool cw_clang_survey(struct cw_unit *unit, struct cw_cursors *names, struct cw_cursors *hosts) {
    struct collecting to = {.u = unit, .all_names = names};
    cw_clang_read_macros(unit);
    clang_visitChildren(clang_getTranslationUnitCursor(unit->tu), visit_cursor, &to);
    const bool *launches = find_launching(&to);
    for (uint32_t i = 0; i < to.host.n; i++)
        if (launches[i] && !to.host.at[i]->is_pattern)
            cw_vec_push(&unit->scratch, hosts, to.host.at[i]->definition);
    return !to.kernels.n && !to.kernel_patterns.n;
}

/* ---- the work list ---- */

static void warn_of_rest(struct cw_unit *unit, const char *what, uint32_t most) {
    struct cw_arena *a = unit->module->arena;
    const char *text = cw_arena_printf(a, "%s: more than %u %s; the rest is skipped",
                                       unit->module->files.at[0], most, what);
    if (!unit->is_cut)
        cw_vec_push(a, &unit->module->warnings, text);
    unit->is_cut = true;
}

static void drain_queue(struct cw_unit *unit) {
    for (; unit->next < unit->queue.n && unit->next < MAX_FUNCTIONS; unit->next++)
        cw_clang_lower(unit, unit->queue.at[unit->next]);
    if (unit->next < unit->queue.n)
        warn_of_rest(unit, "functions", MAX_FUNCTIONS);
}

/* Host functions leave room for kernels: beyond their share they are taken off the queue, and the kernels that they
 * launch stay. */
static void drain_hosts(struct cw_unit *unit) {
    uint32_t kept;
    for (; unit->next < unit->queue.n && unit->next < MAX_HOSTS; unit->next++)
        cw_clang_lower(unit, unit->queue.at[unit->next]);
    if (unit->next == unit->queue.n)
        return;
    warn_of_rest(unit, "host functions", MAX_HOSTS);
    kept = unit->next;
    for (uint32_t i = kept; i < unit->queue.n; i++) {
        struct cw_callee *c = unit->queue.at[i];
        c->is_queued = c->is_kernel;
        if (c->is_kernel)
            unit->queue.at[kept++] = c;
    }
    unit->queue.n = kept;
    drain_queue(unit);
}

static bool has_instance(struct cw_unit *unit, const char *pattern_key) {
    for (uint32_t i = 0; i < unit->module->fns.n; i++) {
        const struct cw_fn *fn = unit->module->fns.at[i];
        if (fn->pattern_key == pattern_key || fn->key == pattern_key)
            return true;
    }
    return false;
}

static void queue_patterns(struct cw_unit *unit, struct cw_callee **at, uint32_t n) {
    for (uint32_t i = 0; i < n; i++)
        if (!has_instance(unit, at[i]->key))
            cw_clang_queue(unit, at[i]);
    drain_queue(unit);
}

/* Keys of kernels that lowered host code launches or hands on. */
static void find_named_kernels(const struct cw_module *m, struct cw_map *named) {
    for (uint32_t i = 0; i < m->fns.n; i++) {
        const struct cw_fn *fn = m->fns.at[i];
        for (uint32_t k = 0; fn->kind == CW_FN_HOST && k < fn->callees.n; k++)
            cw_map_put(named, (uint64_t)(uintptr_t)fn->callees.at[k], 1);
        for (uint32_t k = 0; fn->kind == CW_FN_HOST && k < fn->texts.n; k++)
            cw_map_put(named, (uint64_t)(uintptr_t)fn->texts.at[k], 1);
    }
}

/* Names of the kernels that no lowered host code launches or hands on. */
static void find_unlaunched(const struct collecting *to, struct cw_names *out) {
    struct cw_map named;
    cw_map_init(&named, &to->u->scratch);
    find_named_kernels(to->u->module, &named);
    for (uint32_t i = 0; i < to->u->module->fns.n; i++) {
        const struct cw_fn *fn = to->u->module->fns.at[i];
        if (fn->kind == CW_FN_KERNEL && !cw_map_get(&named, (uint64_t)(uintptr_t)fn->key, NULL) &&
            !(fn->pattern_key && cw_map_get(&named, (uint64_t)(uintptr_t)fn->pattern_key, NULL)))
            cw_vec_push(&to->u->scratch, out,
                        (const char *)cw_arena_strndup(&to->u->scratch, fn->name, strcspn(fn->name, "<")));
    }
}

static bool mentions_one(cw_str text, const struct cw_names *names) {
    for (uint32_t i = 0; i < names->n; i++)
        if (cw_clang_mentions(text, names->at[i], true))
            return true;
    return false;
}

/* Host templates of which no instance has a body: what their launches have in common is what their patterns say. Those
 * of headers where they name a kernel that nothing else launches. */
static void queue_host_patterns(struct collecting *to) {
    struct cw_unit *u = to->u;
    struct cw_names unlaunched = {0};
    find_unlaunched(to, &unlaunched);
    for (uint32_t i = 0; i < to->host.n; i++) {
        const struct cw_callee *c = to->host.at[i];
        if (!to->launches[i] || !c->is_pattern || has_instance(u, c->key))
            continue;
        if (cw_clang_is_in_main_file(u, c->definition) ||
            (unlaunched.n && mentions_one(cw_clang_source(u, c->definition), &unlaunched)))
            cw_clang_queue(u, to->host.at[i]);
    }
    drain_queue(u);
}

/* A lambda's captures are known once the function that wrote it is lowered, and that may be a lambda too. What is
 * made of closures is reached from there; what is left comes last. */
static void queue_all(struct cw_unit *unit, struct cw_callee **at, uint32_t n) {
    for (uint32_t round = 0; round < 2; round++) {
        for (uint32_t i = 0; i < n; i++)
            if (round || !strstr(at[i]->key, "@Sa"))
                cw_clang_queue(unit, at[i]);
        drain_queue(unit);
    }
}

/* Device functions that no kernel calls are analysed alone, of a template the first few instances only: no more of
 * them are lowered for their own sake. Those that are called are lowered with their callers. */
static void queue_devices(struct collecting *to) {
    struct cw_unit *u = to->u;
    struct cw_callees chosen = {0};
    struct cw_map counts;
    cw_map_init(&counts, &u->scratch);
    for (uint32_t i = 0; i < to->device.n; i++) {
        struct cw_callee *c = to->device.at[i];
        uint64_t n = 0, key = (uint64_t)(uintptr_t)c->pattern;
        if (c->pattern && !c->is_queued) {
            cw_map_get(&counts, key, &n);
            cw_map_put(&counts, key, n + 1);
        }
        if (n < CW_MAX_INSTANCES_ALONE)
            cw_vec_push(&u->scratch, &chosen, c);
        else
            u->module->left_out++;
    }
    queue_all(u, chosen.at, chosen.n);
}

/* ---- templates that nothing instantiates ---- */

/* Host templates that launch know how their kernels are meant: what they instantiate comes before what was chosen for
 * the kernel alone. */
static void drop_assumed(struct collecting *to) {
    struct cw_unit *u = to->u;
    struct cw_map launched;
    uint32_t kept = 0;
    cw_map_init(&launched, &u->scratch);
    for (uint32_t i = 0; i < to->kernels.n; i++)
        if (to->kernels.at[i]->is_queued && to->kernels.at[i]->pattern)
            cw_map_put(&launched, (uint64_t)(uintptr_t)to->kernels.at[i]->pattern, 1);
    for (uint32_t i = 0; i < to->kernels.n; i++) {
        struct cw_callee *c = to->kernels.at[i];
        bool is_assumed = cw_map_get(&u->assumed, (uint64_t)(uintptr_t)c->key, NULL);
        bool is_dropped = cw_clang_assumed_failed(u, c) ||
                          (is_assumed && !c->is_queued && cw_map_get(&launched, (uint64_t)(uintptr_t)c->pattern, NULL));
        if (!is_dropped)
            to->kernels.at[kept++] = c;
    }
    to->kernels.n = kept;
}

static bool has_host_instance(const struct collecting *to, const struct cw_callee *pattern) {
    for (uint32_t i = 0; i < to->host.n; i++)
        if (to->host.at[i]->pattern == pattern->key && !cw_clang_assumed_failed(to->u, to->host.at[i]))
            return true;
    return false;
}

/* Has the kernel template an instance that is lowered, or will be? */
static bool has_kernel_instance(const struct collecting *to, const char *pattern_key) {
    if (to->is_lowered)
        return has_instance(to->u, pattern_key);
    for (uint32_t i = 0; i < to->kernels.n; i++)
        if (to->kernels.at[i]->pattern == pattern_key && !cw_clang_assumed_failed(to->u, to->kernels.at[i]))
            return true;
    return false;
}

static struct cw_callees kernels_of(const struct collecting *to) {
    return (struct cw_callees){to->kernels.at, to->kernels.n, to->kernels.cap};
}

/* A kernel of a header that is not used here, beside one that is: the first choice of arguments, or none. */
static bool is_like_another(const struct collecting *to, const struct cw_callee *pattern) {
    struct cw_callees kernels = kernels_of(to);
    return !to->u->options->assumed && cw_clang_like(to->u, pattern, &kernels).first;
}

/* Does the host template name a kernel of a header that has no instance? Its own instance makes one. */
static bool names_kernel_without_instance(const struct collecting *to, struct cw_callee *host) {
    cw_str text = cw_clang_source(to->u, host->definition);
    for (uint32_t i = 0; i < to->kernel_patterns.n; i++)
        if (!has_kernel_instance(to, to->kernel_patterns.at[i]->key) &&
            cw_clang_mentions(text, to->kernel_patterns.at[i]->name, true))
            return true;
    return false;
}

/* Kernel templates of the main file of which no instance is lowered, and the host templates that may launch them. Of
 * headers, those that another kernel of the header is an example for. */
static void find_uninstantiated(const struct collecting *to, struct cw_callees *out) {
    struct cw_unit *u = to->u;
    for (uint32_t i = 0; i < to->kernel_patterns.n; i++) {
        struct cw_callee *c = to->kernel_patterns.at[i];
        if (!has_kernel_instance(to, c->key) && (cw_clang_is_in_main_file(u, c->definition) || is_like_another(to, c)))
            cw_vec_push(&u->scratch, out, c);
    }
    for (uint32_t i = 0, n = out->n; i < to->host.n; i++) {
        struct cw_callee *c = to->host.at[i];
        if (c->is_pattern && to->launches[i] && cw_clang_is_in_main_file(u, c->definition) &&
            !has_host_instance(to, c) && (n || names_kernel_without_instance(to, c)))
            cw_vec_push(&u->scratch, out, c);
    }
}

static void add_pattern(struct cw_unit *unit, struct cw_assumed *next, const struct cw_callee *pattern) {
    for (uint32_t i = 0; i < next->patterns.n; i++)
        if (!strcmp(next->patterns.at[i], pattern->key))
            return;
    cw_vec_push(unit->arena, &next->patterns, (const char *)cw_arena_strdup(unit->arena, pattern->key));
}

static void assume_arguments(const struct collecting *to) {
    enum { MAX_ROUNDS = 2 };
    struct cw_unit *u = to->u;
    const struct cw_assumed *before = u->options->assumed;
    struct cw_assumed *next = &u->module->assumed;
    struct cw_callees templates = {0}, kernels = kernels_of(to);
    *next = (struct cw_assumed){0};
    next->round = before ? before->round + 1 : 0;
    if (next->round >= MAX_ROUNDS)
        return;
    find_uninstantiated(to, &templates);
    for (uint32_t i = 0; before && i < before->patterns.n; i++)
        cw_vec_push(u->arena, &next->patterns, before->patterns.at[i]);
    for (uint32_t i = 0; i < templates.n; i++)
        add_pattern(u, next, templates.at[i]);
    /* A host template that is instantiated launches kernels of headers, too. */
    for (uint32_t i = 0; templates.n && i < to->kernel_patterns.n; i++)
        if (!has_kernel_instance(to, to->kernel_patterns.at[i]->key))
            add_pattern(u, next, to->kernel_patterns.at[i]);
    bool makes_many = false;
    if (templates.n)
        next->text = cw_clang_assume_text(u, &templates, &kernels, next->round,
                                          before ? cw_clang_assumed_kept(u) : NULL, &makes_many);
    for (uint32_t i = 0; makes_many && i < to->kernel_patterns.n; i++)
        cw_clang_find_body(u, to->kernel_patterns.at[i], next);
    if (next->text)
        cw_clang_leave_out(u, next);
}

/* Another parse, with other instances, takes the place of this one, of which nothing is used: most of what is lowered
 * are the host functions that they make. The first parse, without instances, is always used. */
static bool is_superseded(const struct collecting *to) {
    const struct cw_front_options *o = to->u->options;
    if (!o->assumed || o->is_last)
        return false;
    assume_arguments(to);
    struct cw_assumed *next = &to->u->module->assumed;
    next->is_awaited = next->text && (!o->may_parse_again || o->may_parse_again(o->limit_ctx));
    return next->is_awaited;
}

/* What became of each device function: of a template, the worst of its instances. */
static void decide_fates(struct cw_unit *unit) {
    for (uint32_t i = 0; i < unit->module->seen.n; i++) {
        struct cw_seen *s = &unit->module->seen.at[i];
        const char *key = s->reason;
        s->reason = !s->is_kernel ? "not reached from any kernel"
                    : unit->next >= MAX_FUNCTIONS ? "more functions than are lowered" : "not delivered by the parser";
        for (uint32_t k = 0; k < unit->module->fns.n; k++) {
            const struct cw_fn *fn = unit->module->fns.at[k];
            if (fn->key != key && fn->pattern_key != key)
                continue;
            bool is_degraded = fn->is_degraded || s->fate == CW_FATE_DEGRADED;
            s->fate = is_degraded ? CW_FATE_DEGRADED : CW_FATE_ANALYSED;
            s->reason = is_degraded ? "parts are missing or broken" : NULL;
        }
    }
}

/* Those that the parser was told to give no body, and gave none. */
static void add_left_out(struct cw_unit *unit) {
    const struct cw_assumed *assumed = unit->options->assumed;
    for (uint32_t i = 0; assumed && i < assumed->left_out.n; i++) {
        const struct cw_left_out *instance = &assumed->left_out.at[i];
        uint64_t n = 0, key = (uint64_t)(uintptr_t)cw_intern(&unit->module->names, instance->key), found = 0,
                 pattern = (uint64_t)(uintptr_t)cw_intern(&unit->module->names, instance->pattern);
        if (cw_map_get(&unit->callees, key, &found) && ((const struct cw_callee *)(uintptr_t)found)->is_queued)
            continue;
        cw_map_get(&unit->left_out, pattern, &n);
        cw_map_put(&unit->left_out, pattern, n + 1);
    }
}

/* The first instance of a kernel that is lowered answers for those that are not. */
static void count_left_out(struct cw_unit *unit) {
    for (uint32_t i = 0; i < unit->module->fns.n; i++) {
        struct cw_fn *fn = unit->module->fns.at[i];
        uint64_t n = 0;
        if (fn->kind != CW_FN_KERNEL || !cw_map_get(&unit->left_out, (uint64_t)(uintptr_t)fn->pattern_key, &n))
            continue;
        fn->bails[CW_BAIL_INSTANCES] += (uint32_t)n;
        cw_map_put(&unit->left_out, (uint64_t)(uintptr_t)fn->pattern_key, 0);
    }
}

void cw_clang_collect(struct cw_unit *unit) {
    struct collecting to = {.u = unit};
    cw_clang_read_macros(unit);
    for (uint32_t i = 0; i < unit->shared_hosts.n; i++)
        add_function(&to, unit->shared_hosts.at[i]);
    clang_visitChildren(clang_getTranslationUnitCursor(unit->tu), visit_cursor, &to);
    if (unit->options->is_survey) {
        cw_clang_survey_instances(unit, to.kernels.at, to.kernels.n);
        return;
    }
    to.launches = find_launching(&to);
    if (is_superseded(&to))
        return;
    for (uint32_t round = 0; round < 2; round++) {
        queue_hosts(&to, round == 1);
        drain_hosts(unit);
    }
    drop_assumed(&to);
    queue_all(unit, to.kernels.at, to.kernels.n);
    cw_clang_queue_spare(unit);
    drain_queue(unit);
    to.is_lowered = true;
    assume_arguments(&to);
    queue_patterns(unit, to.kernel_patterns.at, to.kernel_patterns.n);
    queue_host_patterns(&to);
    cw_clang_queue_taken(unit);
    queue_devices(&to);
    queue_patterns(unit, to.device_patterns.at, to.device_patterns.n);
    add_left_out(unit);
    count_left_out(unit);
    decide_fates(unit);
}
