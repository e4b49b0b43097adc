/* Loops. The header block (the one a back edge returns to) carries the unroll pragma. */
#include "front/clang/lower.h"

#include <string.h>

static void push_loop(struct cw_body *body, struct cw_loop *loop, uint32_t break_to, uint32_t continue_to) {
    *loop = (struct cw_loop){.outer = body->loop, .break_to = break_to, .continue_to = continue_to};
    body->loop = loop;
}

static int32_t take_unroll(struct cw_body *body) {
    int32_t n = body->unroll;
    body->unroll = -1;
    return n;
}

/* Where a `;` of `for (a; b; c)` stands between children: the missing parts are absent from the list. */
struct for_parts {
    CXCursor init, cond, step, body, variable;
    bool has_init, has_cond, has_step, has_variable, is_broken;
};

static bool is_condition_type(struct cw_body *body, CXCursor cursor) {
    return clang_isExpression(clang_getCursorKind(cursor)) && cw_clang_type_of(body->u, cursor)->kind.type == CW_I1;
}

/* Number of `;` at the top level of the text [from, to), comments and literals skipped. */
static uint32_t count_semicolons(const struct cw_file_text *file_text, uint32_t from, uint32_t to) {
    uint32_t n = 0;
    for (uint32_t i = from; i < to && i < file_text->size; i++) {
        const char *at = file_text->text + i;
        size_t left = file_text->size - i;
        if (left > 1 && at[0] == '/' && at[1] == '/')
            while (i < to && file_text->text[i] != '\n')
                i++;
        else if (left > 1 && at[0] == '/' && at[1] == '*')
            for (i += 2; i + 1 < to && !(file_text->text[i] == '*' && file_text->text[i + 1] == '/');)
                i++;
        else if (*at == ';')
            n++;
    }
    return n;
}

/* The position of each child among the three parts, from the `;` before it. */
static bool part_by_text(struct cw_body *body, CXCursor cursor, CXCursor child, uint32_t *part) {
    uint32_t from, to;
    struct cw_file_text *f = cw_clang_spelling(body->u, clang_getRangeStart(clang_getCursorExtent(cursor)), &from);
    struct cw_file_text *g = cw_clang_spelling(body->u, clang_getRangeStart(clang_getCursorExtent(child)), &to);
    if (f != g || !f->text || to <= from)
        return false;
    *part = count_semicolons(f, from, to);
    return *part <= 2;
}

static void assign_part(struct for_parts *for_parts, CXCursor cursor, uint32_t part) {
    if (part == 0)
        for_parts->init = cursor, for_parts->has_init = true;
    else if (part == 1)
        for_parts->cond = cursor, for_parts->has_cond = true;
    else
        for_parts->step = cursor, for_parts->has_step = true;
}

static struct for_parts parts_of(struct cw_body *body, CXCursor cursor, const struct cw_kids *kids) {
    struct for_parts p = {0};
    CXCursor rest[4];
    uint32_t n = 0;
    p.body = kids->at[kids->n - 1];
    p.is_broken = cw_clang_is_broken_before(body, cursor, p.body);
    for (uint32_t i = 0; i + 1 < kids->n && n < 4; i++)
        if (clang_getCursorKind(kids->at[i]) == CXCursor_VarDecl)
            p.variable = kids->at[i], p.has_variable = true;
        else
            rest[n++] = kids->at[i];
    for (uint32_t i = 0; i < n; i++) {
        uint32_t part;
        if (n == 3)
            part = i;
        else if (clang_getCursorKind(rest[i]) == CXCursor_DeclStmt)
            part = 0;
        else if (!part_by_text(body, cursor, rest[i], &part))
            part = is_condition_type(body, rest[i]) ? 1 : i == 0 && !p.has_cond && !p.has_init ? 0 : 2;
        assign_part(&p, rest[i], part);
    }
    return p;
}

static void lower_condition(struct cw_body *other, const struct for_parts *for_parts, uint32_t body, uint32_t done) {
    if (for_parts->has_variable)
        cw_clang_declare(other, for_parts->variable);
    if (for_parts->has_cond)
        cw_clang_cond(other, for_parts->cond, body, done, CW_FROM_FOR);
    else if (for_parts->is_broken) /* it may have had one */
        cw_fn_branch(other->fn, other->at.block, cw_emit_opaque(other->at, CW_I1, CW_BAIL_BROKEN_CODE, NULL, 0), body,
                     done, 0, CW_FROM_FOR);
    else
        cw_at_go(other->at, body, 0, CW_FROM_NONE);
}

void cw_clang_for(struct cw_body *b, CXCursor cursor) {
    struct cw_kids kids = cw_clang_kids(b->u, cursor);
    if (!kids.n)
        return;
    struct for_parts p = parts_of(b, cursor, &kids);
    struct cw_loop loop;
    int32_t unroll = take_unroll(b);
    uint32_t head = cw_fn_add_block(b->fn), body = cw_fn_add_block(b->fn), step = cw_fn_add_block(b->fn),
             done = cw_fn_add_block(b->fn);
    if (p.has_init)
        cw_clang_stmt(b, p.init);
    cw_at_enter(&b->at, head);
    b->fn->blocks.at[head].unroll = unroll;
    lower_condition(b, &p, body, done);
    push_loop(b, &loop, done, step);
    b->at.block = body;
    cw_clang_stmt(b, p.body);
    cw_at_enter(&b->at, step);
    if (p.has_step)
        cw_clang_effect(b, p.step);
    else if (p.is_broken)
        cw_clang_lost_between(b, cursor, NULL, &p.body);
    cw_at_go(b->at, head, 0, CW_FROM_NONE);
    b->loop = loop.outer;
    b->at.block = done;
}

/* Children: [condition variable], condition, body. */
void cw_clang_while(struct cw_body *b, CXCursor cursor) {
    struct cw_kids kids = cw_clang_kids(b->u, cursor);
    if (kids.n < 2) {
        cw_clang_lost(b, cursor);
        return;
    }
    struct cw_loop loop;
    int32_t unroll = take_unroll(b);
    uint32_t head = cw_fn_add_block(b->fn), body = cw_fn_add_block(b->fn), done = cw_fn_add_block(b->fn);
    cw_at_enter(&b->at, head);
    b->fn->blocks.at[head].unroll = unroll;
    for (uint32_t i = 0; i + 2 < kids.n; i++)
        if (clang_getCursorKind(kids.at[i]) == CXCursor_VarDecl)
            cw_clang_declare(b, kids.at[i]);
    cw_clang_cond(b, kids.at[kids.n - 2], body, done, CW_FROM_WHILE);
    push_loop(b, &loop, done, head);
    b->at.block = body;
    cw_clang_stmt(b, kids.at[kids.n - 1]);
    cw_at_go(b->at, head, 0, CW_FROM_NONE);
    b->loop = loop.outer;
    b->at.block = done;
}

void cw_clang_do(struct cw_body *b, CXCursor cursor) {
    struct cw_kids kids = cw_clang_kids(b->u, cursor);
    if (kids.n < 2)
        return;
    struct cw_loop loop;
    int32_t unroll = take_unroll(b);
    uint32_t body = cw_fn_add_block(b->fn), test = cw_fn_add_block(b->fn), done = cw_fn_add_block(b->fn);
    cw_at_enter(&b->at, body);
    b->fn->blocks.at[body].unroll = unroll;
    push_loop(b, &loop, done, test);
    cw_clang_stmt(b, kids.at[0]);
    b->loop = loop.outer;
    cw_at_enter(&b->at, test);
    cw_clang_cond(b, kids.at[1], body, done, CW_FROM_DO);
    b->at.block = done;
}

struct range {
    CXCursor variable, init, over, body;
    bool has_init;
    CXType element;
    cw_ref begin, end, at; /* at: the object that holds the running pointer */
    CXType pointer;
};

static void range_body(struct cw_body *body, const struct range *range, cw_ref current) {
    CXType type = cw_clang_cursor_type(body->u, range->variable);
    const struct cw_ctype *t = cw_clang_type(body->u, type);
    if (t->is_reference) {
        cw_clang_bind(body, range->variable, current, clang_getPointeeType(t->canonical));
    } else {
        cw_ref copy = cw_clang_temp(body, type, cw_clang_text(body->u, clang_getCursorSpelling(range->variable)));
        if (t->shape == CW_SHAPE_OBJECT)
            cw_clang_copy(body, copy, current, range->element);
        else
            cw_clang_store(body,
                           cw_clang_convert(body, cw_clang_load(body, current, range->element), range->element, type),
                           copy, type);
        cw_clang_bind(body, range->variable, copy, type);
    }
    cw_clang_stmt(body, range->body);
}

static void lower_range_for(struct cw_body *b, struct range *range, uint64_t size, int32_t unroll, uint32_t loc) {
    struct cw_loop loop;
    struct cw_at *at = &b->at;
    uint32_t head = cw_fn_add_block(b->fn), body = cw_fn_add_block(b->fn), step = cw_fn_add_block(b->fn),
             done = cw_fn_add_block(b->fn);
    cw_emit2(*at, CW_OP_STORE, CW_VOID, 8, range->begin, range->at);
    cw_at_enter(&b->at, head);
    b->fn->blocks.at[head].unroll = unroll;
    cw_ref current = cw_emit1(*at, CW_OP_LOAD, CW_PTR, 8, range->at);
    cw_ref more = cw_emit2(*at, CW_OP_NE, CW_I1, 0, current, range->end);
    cw_fn_branch(b->fn, at->block, more, body, done, loc, CW_FROM_RANGE_FOR);
    push_loop(b, &loop, done, step);
    at->block = body;
    range_body(b, range, cw_emit1(*at, CW_OP_LOAD, CW_PTR, 8, range->at));
    cw_at_enter(&b->at, step);
    cw_ref next = cw_at_offset(b->at, cw_emit1(*at, CW_OP_LOAD, CW_PTR, 8, range->at), size);
    cw_emit2(*at, CW_OP_STORE, CW_VOID, 8, next, range->at);
    cw_at_go(b->at, head, 0, CW_FROM_NONE);
    b->loop = loop.outer;
    at->block = done;
}

/* Iterators of class type: the loop is kept, its trip count and elements are unknown. */
static void walk_unknown(struct cw_body *b, struct range *range, int32_t unroll, uint32_t loc) {
    struct cw_loop loop;
    uint32_t head = cw_fn_add_block(b->fn), body = cw_fn_add_block(b->fn), done = cw_fn_add_block(b->fn);
    cw_at_enter(&b->at, head);
    b->fn->blocks.at[head].unroll = unroll;
    cw_ref more = cw_emit_opaque(b->at, CW_I1, CW_BAIL_UNSUPPORTED_STMT, &range->begin, 1);
    cw_fn_branch(b->fn, b->at.block, more, body, done, loc, CW_FROM_RANGE_FOR);
    push_loop(b, &loop, done, head);
    b->at.block = body;
    range_body(b, range, cw_emit_opaque(b->at, CW_PTR, CW_BAIL_UNSUPPORTED_STMT, &range->begin, 1));
    cw_at_go(b->at, head, 0, CW_FROM_NONE);
    b->loop = loop.outer;
    b->at.block = done;
}

/* ---- ranges of class type ---- */

/* The members of a range and of its iterator, which the tree does not show. Those of templates' instances cannot be
 * listed: such ranges are walked as unknown ones. */
struct members {
    CXType iterator;
    struct cw_callee *begin, *end, *differs, *element, *step;
};

static struct cw_callee *find_member(struct cw_unit *unit, CXType class, const char *name, uint32_t nparam) {
    struct cw_kids kids = cw_clang_kids(unit, clang_getTypeDeclaration(class));
    for (uint32_t i = 0; i < kids.n; i++) {
        if (clang_getCursorKind(kids.at[i]) != CXCursor_CXXMethod ||
            strcmp(cw_clang_text(unit, clang_getCursorSpelling(kids.at[i])), name) != 0)
            continue;
        struct cw_callee *c = cw_clang_callee(unit, kids.at[i]);
        if (c->nparam == nparam && c->is_method && c->kind == CW_CALLEE_BODY)
            return c;
    }
    return NULL;
}

static bool find_members(struct cw_unit *unit, CXType class, struct members *out) {
    class = clang_getUnqualifiedType(clang_getCanonicalType(class));
    if (class.kind != CXType_Record)
        return false;
    *out = (struct members){.begin = find_member(unit, class, "begin", 0), .end = find_member(unit, class, "end", 0)};
    if (!out->begin || !out->end)
        return false;
    out->iterator = clang_getUnqualifiedType(clang_getCanonicalType(out->begin->result));
    if (out->iterator.kind != CXType_Record || !cw_clang_same_type(out->iterator, out->end->result))
        return false;
    out->differs = find_member(unit, out->iterator, "operator!=", 1);
    out->element = find_member(unit, out->iterator, "operator*", 0);
    out->step = find_member(unit, out->iterator, "operator++", 0);
    return out->differs && out->element && out->step &&
           cw_clang_type(unit, out->differs->result)->kind.type == CW_I1;
}

/* A result of class type goes to `dest`. */
static cw_ref call_member(struct cw_body *body, struct cw_callee *callee, cw_ref dest, cw_ref self, cw_ref argument) {
    struct cw_refs args = {0};
    if (cw_clang_type(body->u, callee->result)->shape == CW_SHAPE_OBJECT)
        cw_vec_push(&body->u->scratch, &args,
                    dest.tag == CW_REF_NONE ? cw_clang_temp(body, callee->result, "result") : dest);
    cw_vec_push(&body->u->scratch, &args, self);
    if (argument.tag != CW_REF_NONE)
        cw_vec_push(&body->u->scratch, &args, argument);
    return cw_clang_emit_call(body, callee, &args);
}

/* Where the iterator's element is: what a reference refers to, or a copy of the value. */
static cw_ref find_element(struct cw_body *body, const struct members *members, cw_ref iterator, CXType *type) {
    const struct cw_ctype *t = cw_clang_type(body->u, members->element->result);
    *type = t->is_reference ? clang_getPointeeType(t->canonical) : members->element->result;
    if (t->is_reference)
        return call_member(body, members->element, CW_NONE, iterator, CW_NONE);
    cw_ref copy = cw_clang_temp(body, *type, "element");
    cw_ref value = call_member(body, members->element, copy, iterator, CW_NONE);
    if (value.tag != CW_REF_NONE)
        cw_clang_store(body, value, copy, *type);
    return copy;
}

static void walk_class(struct cw_body *b, struct range *range, const struct members *members, int32_t unroll,
                       uint32_t loc) {
    struct cw_loop loop;
    uint32_t head = cw_fn_add_block(b->fn), body = cw_fn_add_block(b->fn), step = cw_fn_add_block(b->fn),
             done = cw_fn_add_block(b->fn);
    cw_ref iterator = cw_clang_temp(b, members->iterator, "iterator"), end = cw_clang_temp(b, members->iterator, "end");
    (void)call_member(b, members->begin, iterator, range->begin, CW_NONE);
    (void)call_member(b, members->end, end, range->begin, CW_NONE);
    cw_at_enter(&b->at, head);
    b->fn->blocks.at[head].unroll = unroll;
    cw_ref more = call_member(b, members->differs, CW_NONE, iterator, end);
    cw_fn_branch(b->fn, b->at.block, more, body, done, loc, CW_FROM_RANGE_FOR);
    push_loop(b, &loop, done, step);
    b->at.block = body;
    cw_ref element = find_element(b, members, iterator, &range->element);
    range_body(b, range, element);
    cw_at_enter(&b->at, step);
    (void)call_member(b, members->step, CW_NONE, iterator, CW_NONE);
    cw_at_go(b->at, head, 0, CW_FROM_NONE);
    b->loop = loop.outer;
    b->at.block = done;
}

/* Children: [init], loop variable, range, body. Arrays are walked, and classes whose members are seen; see
 * walk_unknown. */
void cw_clang_range_for(struct cw_body *body, CXCursor cursor) {
    struct cw_kids kids = cw_clang_kids(body->u, cursor);
    uint32_t v = 0;
    while (v < kids.n && clang_getCursorKind(kids.at[v]) != CXCursor_VarDecl)
        cw_clang_stmt(body, kids.at[v++]);
    if (v + 3 > kids.n) {
        cw_clang_broken_stmt(body);
        return;
    }
    struct range r = {.variable = kids.at[v], .over = kids.at[v + 1], .body = kids.at[v + 2]};
    int32_t unroll = take_unroll(body);
    uint32_t loc = cw_clang_loc(body, r.over);
    const struct cw_ctype *t = cw_clang_type_of(body->u, r.over);
    uint64_t size = t->is_array ? t->size : 0;
    CXCursor list;
    if (t->is_array) {
        r.element = clang_getArrayElementType(t->canonical);
        r.begin = cw_clang_addr(body, r.over);
    } else if (cw_clang_initializer_list(body, r.over, &list, &r.element)) {
        uint32_t n;
        r.begin = cw_clang_backing_array(body, list, r.element, &n);
        size = n * cw_clang_type(body->u, r.element)->size;
    } else {
        r.begin = cw_clang_addr(body, r.over);
    }
    struct members members;
    if (!size && find_members(body->u, t->canonical, &members)) {
        walk_class(body, &r, &members, unroll, loc);
        return;
    }
    if (!size) {
        r.element = clang_getPointeeType(clang_getCanonicalType(cw_clang_cursor_type(body->u, r.variable)));
        if (r.element.kind == CXType_Invalid)
            r.element = cw_clang_cursor_type(body->u, r.variable);
        walk_unknown(body, &r, unroll, loc);
        return;
    }
    r.end = cw_at_offset(body->at, r.begin, size);
    r.at = cw_fn_add_object(body->fn, (struct cw_object){.name = "range",
                                                         .space = CW_SPACE_LOCAL,
                                                         .size = 8,
                                                         .align = 8,
                                                         .element = 8,
                                                         .loc = loc,
                                                         .type_text = "iterator"});
    lower_range_for(body, &r, cw_clang_type(body->u, r.element)->size, unroll, loc);
}
