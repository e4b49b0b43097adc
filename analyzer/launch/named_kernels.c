#include "launch/named_kernels.h"

#include "base/str.h"

#include <string.h>

/* ---- a name's kernel ---- */

static cw_str written_name(const char *string_key) {
    cw_str text = cw_str_of(string_key + sizeof CW_STRING_KEY - 1);
    if (text.n >= 2 && text.at[0] == '"')
        text = (cw_str){text.at + 1, text.n - 2};
    while (text.n && (text.at[0] == '&' || text.at[0] == ' ' || text.at[0] == '('))
        text = (cw_str){text.at + 1, text.n - 1};
    return text;
}

/* Without template arguments and scopes. */
static cw_str base_name(cw_str name) {
    const char *angle = name.n ? memchr(name.at, '<', name.n) : NULL;
    if (angle)
        name.n = (size_t)(angle - name.at);
    for (size_t i = name.n; i > 0; i--)
        if (name.at[i - 1] == ':')
            return (cw_str){name.at + i, name.n - i};
    return name;
}

/* `_Z6kernelPfi`, `_ZN2ns6kernelE…`: is the function's own name the last of the names? */
static bool is_mangled_of(cw_str mangled, cw_str base) {
    size_t at = 2;
    cw_str last = {0};
    if (at < mangled.n && mangled.at[at] == 'N')
        at++;
    while (at < mangled.n && mangled.at[at] >= '1' && mangled.at[at] <= '9') {
        size_t n = 0;
        for (; at < mangled.n && mangled.at[at] >= '0' && mangled.at[at] <= '9' && n < mangled.n; at++)
            n = n * 10 + (size_t)(mangled.at[at] - '0');
        if (n > mangled.n - at)
            return false;
        last = (cw_str){mangled.at + at, n};
        at += n;
        if (mangled.at[2] != 'N')
            break;
    }
    return cw_str_eq(last, base);
}

static bool is_named(const struct cw_fn *fn, cw_str name) {
    cw_str base = base_name(cw_str_of(fn->name));
    bool is_mangled = name.n > 2 && name.at[0] == '_' && name.at[1] == 'Z';
    return base.n && (is_mangled ? is_mangled_of(name, base) : cw_str_eq(base_name(name), base));
}

bool cw_kernel_by_name(const struct cw_module *m, const char *string_key, struct cw_named_kernel *out) {
    cw_str name = written_name(string_key);
    bool is_found = false;
    for (uint32_t i = 0; i < m->fns.n; i++) {
        const struct cw_fn *fn = m->fns.at[i];
        if (fn->kind != CW_FN_KERNEL || !is_named(fn, name))
            continue;
        const char *callee = fn->pattern_key ? fn->pattern_key : fn->key;
        if (is_found && callee != out->callee)
            return false;
        *out = (struct cw_named_kernel){callee, fn->pattern_key};
        is_found = true;
    }
    return is_found;
}

/* ---- names that variables keep ---- */

/* The string at the operand of a CW_KERNEL_BY_NAME; NULL: not known. */
static const char *string_of(const struct cw_fn *fn, const struct cw_ins *by_name) {
    cw_ref name = cw_arg(fn, by_name, 0);
    const char *key = name.tag == CW_REF_OBJECT ? fn->objects.at[name.index].key : NULL;
    return cw_is_string_key(key) ? key : NULL;
}

bool cw_is_kernel_by_name(const struct cw_fn *fn, const struct cw_ins *ins) {
    return ins->op == CW_OP_PURE && ins->narg == 1 && strcmp(fn->texts.at[ins->aux], CW_KERNEL_BY_NAME) == 0;
}

/* The key of the variable of the file at the address; NULL: another place. */
static const char *variable_at(const struct cw_fn *fn, cw_ref address) {
    return address.tag == CW_REF_OBJECT ? fn->objects.at[address.index].key : NULL;
}

/* The only name of several uses; NULL where there are several names, or one is not known. */
struct names { const char *only; bool is_open; };

struct cw_kernel_names {
    struct names all;        /* that the unit asks for */
    struct cw_map variables; /* variable's key -> struct names* that are stored to it */
};

static void add_name(struct names *names, const char *key) {
    names->is_open |= !key || (names->only && names->only != key);
    names->only = key;
}

static const char *only_name(const struct names *names) {
    return names->is_open ? NULL : names->only;
}

static void add_stored_name(struct cw_module *m, const struct cw_fn *fn, const struct cw_ins *store) {
    const char *variable = variable_at(fn, cw_arg(fn, store, 1));
    cw_ref value = cw_arg(fn, store, 0);
    const struct cw_ins *stored = cw_ins_of(fn, value);
    int64_t constant;
    uint64_t at;
    if (!variable || cw_ref_const(fn, value, &constant))
        return;
    if (!cw_map_get(&m->kernel_names->variables, (uint64_t)(uintptr_t)variable, &at)) {
        at = (uint64_t)(uintptr_t)CW_NEW(m->arena, struct names);
        cw_map_put(&m->kernel_names->variables, (uint64_t)(uintptr_t)variable, at);
    }
    add_name((struct names *)(uintptr_t)at, stored && cw_is_kernel_by_name(fn, stored) ? string_of(fn, stored) : NULL);
}

/* Calls `see` for each instruction of host code. */
typedef void see_ins_fn(struct cw_module *m, const struct cw_fn *fn, const struct cw_ins *ins);
static void each_host_ins(struct cw_module *m, see_ins_fn *see) {
    for (uint32_t f = 0; f < m->fns.n; f++)
        for (uint32_t i = 0; m->fns.at[f]->kind == CW_FN_HOST && i < m->fns.at[f]->ins.n; i++)
            see(m, m->fns.at[f], &m->fns.at[f]->ins.at[i]);
}

static void see_name(struct cw_module *m, const struct cw_fn *fn, const struct cw_ins *ins) {
    if (cw_is_kernel_by_name(fn, ins))
        add_name(&m->kernel_names->all, string_of(fn, ins));
}

static void see_store(struct cw_module *m, const struct cw_fn *fn, const struct cw_ins *ins) {
    if (ins->op == CW_OP_STORE)
        add_stored_name(m, fn, ins);
}

void cw_launch_read_names(struct cw_module *m) {
    m->kernel_names = CW_NEW(m->arena, struct cw_kernel_names);
    cw_map_init(&m->kernel_names->variables, m->arena);
    each_host_ins(m, see_name);
    if (m->kernel_names->all.only || m->kernel_names->all.is_open)
        each_host_ins(m, see_store);
}

const char *cw_kernel_name_stored(const struct cw_module *m, const struct cw_fn *host, cw_ref address) {
    const struct cw_ins *load = cw_ins_of(host, address);
    const char *variable = load && load->op == CW_OP_LOAD ? variable_at(host, cw_arg(host, load, 0)) : NULL;
    uint64_t stored = 0;
    if (variable)
        cw_map_get(&m->kernel_names->variables, (uint64_t)(uintptr_t)variable, &stored);
    const char *name = stored ? only_name((const struct names *)(uintptr_t)stored) : NULL;
    return name ? name : only_name(&m->kernel_names->all);
}
