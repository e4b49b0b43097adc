/* The table of the device API is complete and agrees with itself and with the operations it names. */
#include "cuda/intrinsics.h"

#include "check.h"

#include <ctype.h>

struct text {
    const char *name, *result, *params, *types;
};

/* The shim's side of the rows, in the same order as cw_intrinsic_at. */
static const struct text texts[] = {
#define CW_INTRINSIC(name, result, params, types, op, aux, roles, min, max, order, scope, flags, replacement)          \
    {name, result, params, types},
#include "cuda/intrinsics.def"
};
enum { ROWS = sizeof texts / sizeof texts[0] };

static int row_failed(const struct cw_intrinsic *r, const char *what) {
    fprintf(stderr, "row %s: %s\n", r->name, what);
    return 0;
}

#define CHECK_ROW(row, condition) CHECK((condition) || row_failed((row), #condition))

static int count_params(const char *params) {
    int n = *params ? 1 : 0, depth = 0;
    for (const char *at = params; *at; at++) {
        depth += strchr("<([{", *at) != NULL;
        depth -= strchr(">)]}", *at) != NULL;
        n += *at == ',' && depth == 0;
    }
    return n;
}

static bool is_default(const char *params, int index) {
    int depth = 0;
    for (const char *at = params; *at; at++) {
        depth += strchr("<([{", *at) != NULL;
        depth -= strchr(">)]}", *at) != NULL;
        index -= *at == ',' && depth == 0;
        if (index == 0 && *at == '=' && depth == 0)
            return true;
        if (index < 0)
            return false;
    }
    return false;
}

static int count_roles(const char *roles) {
    int n = 0;
    for (; *roles; roles++)
        n += *roles != '?';
    return n;
}

static int count_required(const char *roles) {
    int n = 0;
    for (; *roles; roles++)
        n += *roles != '?' && roles[1] != '?';
    return n;
}

static bool is_method(const struct cw_intrinsic *r, const struct text *t) {
    return r->flags & CW_INTR_METHOD && strncmp(t->result, "static", 6) != 0;
}

/* An overload may have fewer parameters than the roles, which then end in optional ones. */
static void roles_fit_the_parameters(const struct cw_intrinsic *r, const struct text *t) {
    if (strcmp(r->roles, "*") == 0)
        return;
    CHECK_ROW(r, strspn(r->roles, "mvlwcpqingx-orf?") == strlen(r->roles));
    int params = count_params(t->params), self = is_method(r, t) || r->flags & CW_INTR_TILE_SIZE;
    bool is_open = strstr(t->params, "...");
    if (is_open)
        params = count_required(r->roles) - self;
    CHECK_ROW(r, params + self <= count_roles(r->roles));
    CHECK_ROW(r, params + self >= count_required(r->roles));
}

/* A parameter with a default value has an optional role. */
static void defaults_are_optional(const struct cw_intrinsic *r, const struct text *t) {
    if (strcmp(r->roles, "*") == 0)
        return;
    int index = is_method(r, t) ? -1 : 0;
    for (const char *at = r->roles; *at; at++) {
        if (*at == '?')
            continue;
        if (index >= 0 && is_default(t->params, index))
            CHECK_ROW(r, at[1] == '?');
        index++;
    }
}

/* What an operation needs to be built: all of `all`, and one of `any` (an alternative, or nothing for legacy forms). */
static const struct need {
    enum cw_op op;
    const char *all, *any;
} needs[] = {
    {CW_OP_SYNCWARP, "", "mg"},       {CW_OP_SHFL, "vl", "mg"},         {CW_OP_VOTE, "c", "mg"},
    {CW_OP_MATCH, "v", "mg"},         {CW_OP_REDUX, "v", "mg"},         {CW_OP_SCAN, "v", "g"},
    {CW_OP_ELECT, "", "mg"},          {CW_OP_ATOMIC, "p", NULL},        {CW_OP_LOAD, "p", NULL},
    {CW_OP_STORE, "pv", NULL},        {CW_OP_MEMCOPY, "pqn", NULL},     {CW_OP_MEMSET, "pvn", NULL},
    {CW_OP_ASYNCCOPY, "pqn", NULL},   {CW_OP_ASYNCWAIT, "n", NULL},     {CW_OP_FRAGLOAD, "pn", NULL},
    {CW_OP_FRAGSTORE, "pn", NULL},    {CW_OP_MBARINIT, "pn", NULL},     {CW_OP_MBARARRIVE, "", "pgr"},
    {CW_OP_MBARWAIT, "", "pgr"},      {CW_OP_GROUPRANK, "g", NULL},     {CW_OP_GROUPSIZE, "g", NULL},
    {CW_OP_GROUPMETARANK, "g", NULL}, {CW_OP_GROUPMETASIZE, "g", NULL}, {CW_OP_SMIN, "vx", NULL},
    {CW_OP_SMAX, "vx", NULL},         {CW_OP_UMIN, "vx", NULL},         {CW_OP_UMAX, "vx", NULL},
    {CW_OP_ABS, "v", NULL},           {CW_OP_POPC, "v", NULL},          {CW_OP_FFS, "v", NULL},
    {CW_OP_CLZ, "v", NULL},           {CW_OP_BREV, "v", NULL},          {CW_OP_CVTA, "v", NULL},
    {CW_OP_INTTOPTR, "v", NULL},      {CW_OP_ASSUME, "c", NULL},
};

static void operands_are_there(const struct cw_intrinsic *r) {
    for (size_t i = 0; i < sizeof needs / sizeof needs[0]; i++) {
        if (needs[i].op != r->op)
            continue;
        for (const char *role = needs[i].all; *role; role++)
            CHECK_ROW(r, strchr(r->roles, *role) != NULL);
        if (needs[i].any && !(r->flags & CW_INTR_LEGACY))
            CHECK_ROW(r, strpbrk(r->roles, needs[i].any) != NULL);
    }
    if (r->op == CW_OP_BARRIER && r->aux >= CW_BARRIER_COUNT)
        CHECK_ROW(r, strchr(r->roles, 'c') != NULL);
    if (r->op == CW_OP_COPY && !(r->flags & (CW_INTR_SREG | CW_INTR_SREG3)))
        CHECK_ROW(r, strpbrk(r->roles, "vr") != NULL);
    if (r->op == CW_OP_GROUP && (r->aux == CW_GROUP_TILE || r->aux == CW_GROUP_LABELED || r->aux == CW_GROUP_BINARY))
        CHECK_ROW(r, strchr(r->roles, 'g') != NULL);
}

static void flags_make_sense(const struct cw_intrinsic *r) {
    if (r->flags & CW_INTR_LEGACY) {
        CHECK_ROW(r, r->replacement && cw_intrinsic_find(r->replacement));
        CHECK_ROW(r, r->max_arch && r->max_arch < 70);
        const struct cw_intrinsic *now = cw_intrinsic_find(r->replacement);
        CHECK_ROW(r, now && now->op == r->op && now->aux == r->aux && strchr(now->roles, 'm'));
    } else if (r->flags & CW_INTR_BY_COUNT) {
        CHECK_ROW(r, r->replacement && cw_intrinsic_find(r->replacement));
    } else if (r->flags & CW_INTR_FORWARD) {
        CHECK_ROW(r, r->replacement != NULL && r->roles[0] == 'g');
    } else {
        CHECK_ROW(r, r->replacement == NULL && r->max_arch == 0);
    }
    CHECK_ROW(r, !(r->flags & CW_INTR_RETURNS_P) || strchr(r->roles, 'p'));
    CHECK_ROW(r, !(r->flags & CW_INTR_SREG) || r->aux < CW_NSREGS);
    CHECK_ROW(r, !(r->flags & CW_INTR_SREG3) || (r->aux <= CW_NCTAID_X && r->aux % 3 == 0));
    CHECK_ROW(r, !(r->flags & CW_INTR_BY_SIGN) || r->op == CW_OP_SMIN || r->op == CW_OP_SMAX || r->op == CW_OP_ABS);
    CHECK_ROW(r, !(r->flags & CW_INTR_METHOD) || strstr(r->name, "::"));
}

/* A row's order and scope say the same as its operation's flags. */
static void order_and_scope_fit_the_operation(const struct cw_intrinsic *r) {
    unsigned op = cw_op_flags(r->op);
    if (op & CW_OP_C)
        CHECK_ROW(r, r->scope == CW_SCOPE_WARP);
    if (op & CW_OP_B)
        CHECK_ROW(r, r->scope >= CW_SCOPE_BLOCK);
    if (!(op & (CW_OP_S | CW_OP_B)) && r->op != CW_OP_FENCE)
        CHECK_ROW(r, r->order == CW_ORDER_NONE);
    if (r->op == CW_OP_FENCE)
        CHECK_ROW(r, r->order == CW_ORDER_SELF);
    if (r->op == CW_OP_SYNCWARP)
        CHECK_ROW(r, r->order == CW_ORDER_WARP);
    if (r->op == CW_OP_BARRIER)
        CHECK_ROW(r, r->order == CW_ORDER_BLOCK);
}

static void overloads_agree(const struct cw_intrinsic *r) {
    const struct cw_intrinsic *first = cw_intrinsic_find(r->name);
    CHECK_ROW(r, first != NULL);
    if (!first || first == r)
        return;
    CHECK_ROW(r, first < r && strcmp(first->name, r->name) == 0);
    unsigned differ = first->flags ^ r->flags; /* one overload may have a body, as the integer __hadd */
    CHECK_ROW(r, first->op == r->op && first->aux == r->aux && !(differ & ~(unsigned)CW_INTR_BODY));
    CHECK_ROW(r, first->scope == r->scope && first->order == r->order);
    CHECK_ROW(r, strcmp(first->roles, r->roles) == 0);
}

static void ids_lead_back(void) {
    CHECK(cw_intrinsic_at(0) == NULL);
    CHECK(cw_intrinsic_at(cw_intrinsic_count() + 1) == NULL);
    CHECK_INT(cw_intrinsic_id(NULL), 0);
    for (uint32_t id = 1; id <= cw_intrinsic_count(); id++)
        CHECK_INT(cw_intrinsic_id(cw_intrinsic_at(id)), id);
}

/* Each operation that involves other threads can be reached from the device API. */
static void synchronising_operations_have_rows(void) {
    for (int op = CW_OP_HOLE + 1; op < CW_NOPS; op++) {
        if (!(cw_op_flags((enum cw_op)op) & (CW_OP_C | CW_OP_B | CW_OP_S)))
            continue;
        bool found = false;
        for (uint32_t id = 1; id <= cw_intrinsic_count(); id++)
            found = found || cw_intrinsic_at(id)->op == (enum cw_op)op;
        if (!found)
            fprintf(stderr, "no row makes %s\n", cw_op_text((enum cw_op)op));
        CHECK(found);
    }
}

static void finds_by_name(void) {
    CHECK(cw_intrinsic_find("__shfl_down_sync")->aux == CW_SHFL_DOWN);
    CHECK(cw_intrinsic_find("__syncthreads_or")->aux == CW_BARRIER_OR);
    CHECK_INT(cw_intrinsic_find("atomicMin_block")->aux, CW_ATOMIC_MIN | CW_SCOPE_BLOCK << 8);
    CHECK(cw_intrinsic_find("cooperative_groups::thread_block_tile::shfl_xor")->op == CW_OP_SHFL);
    CHECK(cw_intrinsic_find("") == NULL);
    CHECK(cw_intrinsic_find("__shfl_down_syn") == NULL);
    CHECK(cw_intrinsic_find("mine::__syncthreads") == NULL);
    CHECK(cw_intrinsic_find("sync") == NULL);
}

/* Names as the toolkit's own headers spell them. */
static void sees_through_the_toolkits_namespaces(void) {
    const char *const same[][2] = {
        {"cooperative_groups::__v1::sync", "cooperative_groups::sync"},
        {"cooperative_groups::__v1::thread_block::sync", "cooperative_groups::thread_block::sync"},
        {"cooperative_groups::__v1::__static_size_thread_block_tile_base::shfl_down",
         "cooperative_groups::thread_block_tile::shfl_down"},
        {"cooperative_groups::__v1::__static_size_tile_base::num_threads",
         "cooperative_groups::thread_block_tile::num_threads"},
        {"cuda::__4::barrier::wait", "cuda::barrier::wait"},
        {"cuda::__4::pipeline::consumer_wait", "cuda::pipeline::consumer_wait"},
    };
    for (size_t i = 0; i < sizeof same / sizeof same[0]; i++) {
        CHECK(cw_intrinsic_find(same[i][0]) != NULL);
        CHECK(cw_intrinsic_find(same[i][0]) == cw_intrinsic_find(same[i][1]));
    }
    char endless[4000] = "a::";
    memset(endless + 3, 'x', sizeof endless - 4);
    CHECK(cw_intrinsic_find(endless) == NULL);
}

static void knows_function_objects(void) {
    CHECK_INT(cw_intrinsic_redux("cooperative_groups::plus"), CW_REDUX_ADD);
    CHECK_INT(cw_intrinsic_redux("cooperative_groups::__v1::greater<int>"), CW_REDUX_MAX);
    CHECK_INT(cw_intrinsic_redux("bit_xor"), CW_REDUX_XOR);
    CHECK_INT(cw_intrinsic_redux("mine::plusish"), CW_REDUX_OTHER);
    CHECK_INT(cw_intrinsic_redux(""), CW_REDUX_OTHER);
}

int main(void) {
    CHECK_INT(cw_intrinsic_count(), ROWS);
    for (uint32_t i = 0; i < ROWS; i++) {
        const struct cw_intrinsic *r = cw_intrinsic_at(i + 1);
        CHECK_STR(r->name, texts[i].name);
        roles_fit_the_parameters(r, &texts[i]);
        defaults_are_optional(r, &texts[i]);
        operands_are_there(r);
        flags_make_sense(r);
        order_and_scope_fit_the_operation(r);
        overloads_agree(r);
    }
    ids_lead_back();
    synchronising_operations_have_rows();
    finds_by_name();
    sees_through_the_toolkits_namespaces();
    knows_function_objects();
    return check_report();
}
