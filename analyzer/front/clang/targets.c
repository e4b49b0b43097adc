/* What a call may run whose function only the run decides: functions whose address a variable is initialised with, and
 * the methods that override a virtual one. Of functions whose address is taken in code, see ir/callee_syncs.h. */
#include "front/clang/lower.h"

/* ---- variables ---- */

bool cw_clang_points_to_function(CXType type) {
    type = clang_getCanonicalType(type);
    enum CXTypeKind to = clang_getCanonicalType(clang_getPointeeType(type)).kind;
    return type.kind == CXType_Pointer && (to == CXType_FunctionProto || to == CXType_FunctionNoProto);
}

static enum CXChildVisitResult visit_initialiser(CXCursor cursor, CXCursor parent, CXClientData data) {
    struct cw_unit *unit = data;
    CXCursor to = clang_getCursorReferenced(cursor);
    (void)parent;
    if (clang_getCursorKind(cursor) == CXCursor_DeclRefExpr && clang_getCursorKind(to) == CXCursor_FunctionDecl) {
        struct cw_callee *c = cw_clang_callee(unit, to);
        if (c->kind == CW_CALLEE_BODY && c->is_device && !c->is_kernel)
            cw_vec_push(&unit->scratch, &unit->taken, c);
    }
    return CXChildVisit_Recurse;
}

void cw_clang_see_initialiser(struct cw_unit *unit, CXCursor variable) {
    CXType type = clang_getCanonicalType(clang_getCursorType(variable));
    while (type.kind == CXType_ConstantArray || type.kind == CXType_IncompleteArray)
        type = clang_getCanonicalType(clang_getArrayElementType(type));
    if (cw_clang_points_to_function(type))
        clang_visitChildren(variable, visit_initialiser, unit);
}

void cw_clang_queue_taken(struct cw_unit *unit) {
    for (uint32_t i = 0; i < unit->taken.n; i++) {
        cw_clang_queue(unit, unit->taken.at[i]);
        cw_vec_push(unit->arena, &unit->module->taken_keys, unit->taken.at[i]->key);
    }
}

/* ---- virtual methods ---- */

void cw_clang_see_virtual(struct cw_unit *unit, struct cw_callee *method) {
    if (method->is_virtual && method->kind == CW_CALLEE_BODY && !method->is_pattern)
        cw_vec_push(&unit->scratch, &unit->virtuals, method);
}

static bool overrides(CXCursor method, CXCursor base, uint32_t depth) {
    enum { DEEPEST = 8 };
    CXCursor *above = NULL;
    unsigned n = 0;
    bool is = clang_equalCursors(clang_getCanonicalCursor(method), clang_getCanonicalCursor(base));
    if (is || depth == DEEPEST)
        return is;
    clang_getOverriddenCursors(method, &above, &n);
    for (unsigned i = 0; i < n && !is; i++)
        is = overrides(above[i], base, depth + 1);
    if (above)
        clang_disposeOverriddenCursors(above);
    return is;
}

const char *cw_clang_virtual_targets(struct cw_unit *unit, struct cw_callee *method) {
    uint64_t found = 0, key = (uint64_t)(uintptr_t)method->key;
    if (cw_map_get(&unit->virtual_names, key, &found))
        return (const char *)(uintptr_t)found;
    struct cw_call_targets *targets = CW_NEW(unit->arena, struct cw_call_targets);
    /* Not interned: the name stands for this method, whatever others are called. */
    const char *name = cw_arena_strdup(unit->arena, method->name);
    for (uint32_t i = 0; i < unit->virtuals.n; i++)
        if (overrides(unit->virtuals.at[i]->decl, method->decl, 0)) {
            cw_clang_queue(unit, unit->virtuals.at[i]);
            cw_vec_push(unit->arena, targets, unit->virtuals.at[i]->key);
        }
    cw_map_put(&unit->module->call_targets, (uint64_t)(uintptr_t)name, (uint64_t)(uintptr_t)targets);
    cw_map_put(&unit->virtual_names, key, (uint64_t)(uintptr_t)name);
    return name;
}
