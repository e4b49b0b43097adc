/* What the files of this folder share: from libclang's tree to the IR. See docs/internals/front-end.md.
 *
 * An expression is lowered in one of four ways, chosen by who needs it:
 *     cw_clang_value   a scalar's value                  cw_clang_into    a class or array object, built in place
 *     cw_clang_addr    where a glvalue lives             cw_clang_cond    a branch
 * and cw_clang_effect when nobody needs the result. Implicit conversions are unnamed cursors (UnexposedExpr); what they
 * convert follows from the types on both sides. */
#ifndef CW_FRONT_CLANG_LOWER_H
#define CW_FRONT_CLANG_LOWER_H

#include "cuda/intrinsics.h"
#include "cuda/models.h"
#include "front/emit.h"
#include "front/front.h"

#include "base/str.h"

#include "front/clang/libclang.h"

/* ---- cursors ---- */

struct cw_kids {
    CXCursor *at;
    uint32_t n;
};

/* ---- types ---- */

enum cw_shape {
    CW_SHAPE_VOID,
    CW_SHAPE_SCALAR, /* a value of `type`; also references, as pointers */
    CW_SHAPE_OBJECT, /* classes, unions, arrays: lives in memory */
    CW_SHAPE_UNKNOWN /* dependent, 128-bit, vector: a value nobody computes, in memory with `size` when known */
};

struct cw_ctype {
    enum cw_shape shape;
    struct cw_kind kind;
    bool is_volatile, is_const, is_reference, is_array, is_dependent, is_function;
    bool is_made_up; /* clang could not lay the class out, or one in it: its size is not known */
    uint64_t size;  /* 0 unknown */
    uint64_t room;  /* made up: bytes that its members are given */
    uint32_t align; /* 0 unknown */
    CXType canonical;
};

/* A scalar inside an object. */
struct cw_leaf {
    uint64_t offset;
    struct cw_kind kind;
    uint32_t size;
    bool in_array;
    const char *name; /* of the field; NULL: it has none */
    CXType type;
};

struct cw_leaves {
    struct cw_leaf *at;
    uint32_t n;
    bool is_split; /* false: bit-fields, unions, unknown parts or too many scalars */
};

/* ---- functions and variables ---- */

enum cw_callee_kind {
    CW_CALLEE_UNKNOWN, /* no body here */
    CW_CALLEE_INTRINSIC,
    CW_CALLEE_BODY
};

enum {
    CW_MAX_INSTANCES = 16,
    CW_MAX_SPREAD_INSTANCES = 8 /* further ones, whose arguments are unlike those of the others */
};

struct cw_callee {
    CXCursor definition, decl;
    enum cw_callee_kind kind;
    const struct cw_intrinsic *intrinsic;
    const struct cw_collective *collective; /* a member of a class of CUB: its body is not looked at */
    CXCursor collective_class; /* the one that has the row: its template arguments are read */
    const char *key, *name;
    const char *pattern; /* key of the template it was made from, or NULL */
    bool is_kernel, is_device, is_method, is_static, is_constructor, is_defaulted, is_virtual, is_variadic;
    bool is_pattern;
    bool is_inherited; /* a constructor that `using base::base` made */
    bool is_device_by_use; /* host or unmarked, but called from device code (lambdas, constexpr functions) */
    bool is_queued;
    uint32_t launch_text; /* its number, from 1 on; 0: not looked at yet (launchers.c) */
    uint32_t nparam;
    CXType result;
};

struct cw_var {
    cw_ref addr;
    CXType type; /* without the reference */
};

/* A lambda's captured variable and the closure's field that holds it. */
struct cw_capture {
    uint64_t decl; /* identity of the variable; CW_CAPTURED_THIS for `this` */
    CXCursor field;
    CXCursor variable;
};
enum { CW_CAPTURED_THIS = 1 };

struct cw_closure {
    CXType this_type; /* of the captured `this` */
    struct cw_capture *at;
    uint32_t n;
};

struct cw_file_text {
    const char *text;
    size_t size;
    uint32_t index; /* in module->files */
    CXFile file;
    bool is_main;
    struct cw_vec_u32 lines; /* where they begin; only of files that were placed */
    const struct cw_file_words *words; /* of broken.c; NULL: not asked for yet */
};

/* One time that a file was read: libclang's number for its first byte. */
struct cw_placed {
    uint32_t base;
    struct cw_file_text *file;
};

/* What libclang's number for a place means. */
struct cw_where {
    struct cw_file_text *file, *use_file; /* the outermost macro's use; NULL: not asked yet */
    uint32_t raw, line, col, offset, use_line, use_col, use_offset;
    bool is_plain;      /* in no macro; use_line and use_col may be unset */
    bool is_macro_text; /* in what a macro says, not in its arguments */
};

/* What libclang was asked about an expression: the same questions come again while it and its parts are lowered. */
struct cw_known_expr {
    uint64_t id; /* 0 none */
    bool has_range, has_kids, has_type;
    CXSourceRange range;
    CXType type; /* as libclang tells it */
    struct cw_kids kids;
};

/* The few that were asked for last. */
enum { CW_WHERE_KEPT = 2048, CW_EXPRS_KEPT = 512 };

struct cw_last_range {
    unsigned begin, end;
    uint32_t loc; /* 0 none */
};

/* Where the parser found an error, as an offset in a file. */
struct cw_error_place {
    CXFile file;
    unsigned offset;
    bool is_device_launch; /* a kernel is named in device code: clang has no dynamic parallelism */
};

struct cw_names {
    const char **at;
    uint32_t n, cap;
};

struct cw_cursors {
    CXCursor *at;
    uint32_t n, cap;
};

/* A function's text: does it launch? */
struct cw_launch_text {
    cw_str text;
    bool launches;
    uint32_t others; /* names of more than one word that were looked for */
};

/* Host functions and macros that launch kernels (launchers.c). */
struct cw_launchers {
    struct cw_names names, others; /* all; those that are not one word, as "operator()" */
    struct cw_map words;           /* hashes of the names that are one word */
    struct cw_map users;           /* interned word -> struct cw_vec_u32 *, the macros whose text has it */
    uint32_t nindexed;             /* macros that `users` knows */
    struct cw_map numbers;         /* a function's text -> its number among `texts` */
    CW_VEC(struct cw_launch_text) texts;
    struct cw_map text_users;      /* hash of a word -> struct cw_vec_u32 *, the texts that have it */
};

/* A macro's name, interned, and what it stands for. */
struct cw_macro_text {
    const char *name;
    cw_str text;
};

/* One translation unit. */
struct cw_unit {
    struct cw_arena *arena;  /* the module's */
    struct cw_arena scratch; /* children lists and the like, until the unit is done */
    struct cw_module *module;
    const struct cw_front_options *options;
    CXTranslationUnit tu;
    struct cw_map types;    /* CXType -> struct cw_ctype* */
    struct cw_map leaves;   /* canonical type -> struct cw_leaves* */
    struct cw_map members;  /* the same, see cw_clang_member_parameters */
    struct cw_map callees;  /* decl -> struct cw_callee* */
    struct cw_map closures; /* closure class -> struct cw_closure* */
    struct cw_map closure_numbers; /* closure class, or interned place of one -> number among those of the place */
    struct cw_map files;    /* CXFile -> struct cw_file_text* */
    CW_VEC(struct cw_placed) placed;
    CW_VEC(CXCursor) collected; /* while children are visited */
    struct cw_where *where;     /* places in macros, by libclang's number */
    bool asked_numbers, upper_is_macro;
    struct cw_known_expr *exprs; /* by identity */
    struct cw_map decayed;     /* parameter written as an array -> CXType* of the pointer it is */
    struct cw_map destructors; /* canonical class type -> 1 + whether a destructor does something */
    struct cw_map instances; /* template's key -> how many instances it has; not all of a kernel are lowered */
    CW_VEC(struct cw_callee *) spare; /* instances of kernels beyond CW_MAX_INSTANCES */
    struct cw_map arguments; /* template's key, positions and numbers -> some instance that is lowered has them */
    struct cw_map left_out;  /* template's key -> how many instances are not lowered */
    struct cw_map places;      /* raw place of a definition that is in module->seen */
    struct cw_map globals;  /* decl -> struct cw_global* */
    struct cw_map names;    /* interned name -> CXCursor* of a constant, for arguments of pragmas and attributes */
    struct cw_map shared_names; /* the same of precompiled headers, see shared.c */
    struct cw_cursors shared_hosts; /* their functions that launch */
    CW_VEC(struct cw_callee *) queue;
    uint32_t next; /* in the queue */
    CW_VEC(struct cw_error_place) errors;
    bool is_cut;                  /* there are more functions than are lowered */
    struct cw_map failed_lines;   /* of the appended text, see assume.h: what they instantiate does not compile */
    struct cw_map assumed;        /* interned key of an instance that a line asks for -> 1, 2 when it failed */
    struct cw_vec_u32 kept_lines; /* of the appended text, that compiled */
    uint32_t own_lines;           /* of the main file without that text; 0: not counted yet */
    struct cw_launchers launchers;
    CW_VEC(struct cw_macro_text) macros; /* of the users' files, those that call something; not in launchers */
    struct cw_names kernel_words; /* __global__, and macros that stand for it */
    struct cw_names device_words;
    struct cw_file_text *main_file;
    CW_VEC(struct cw_callee *) taken, virtuals; /* see targets.c */
    struct cw_map virtual_names; /* interned key of a virtual method -> the name of its calls */
};

/* A case whose value is not one of few constants: a wide GNU range, or unknown. */
struct cw_case {
    uint32_t block;
    bool is_range;
    int64_t from, to;
};

struct cw_switch {
    enum cw_type type;
    uint32_t default_to;
    CW_VEC(int64_t) values;
    CW_VEC(uint32_t) blocks;
    CW_VEC(struct cw_case) others;
};

struct cw_loop {
    struct cw_loop *outer;
    uint32_t break_to, continue_to; /* CW_NO_BLOCK: none (a switch has no continue) */
    struct cw_switch *sw;
};
#define CW_NO_BLOCK UINT32_MAX

/* The function that is being lowered. */
struct cw_body {
    struct cw_unit *u;
    struct cw_fn *fn;
    struct cw_callee *self;
    struct cw_at at; /* the next instruction's place */
    struct cw_map vars; /* decl -> struct cw_var* */
    /* Those in scope, in order, for broken.c; `hidden`: index plus 1 of the one of the same name that it hides. */
    CW_VEC(struct cw_named { const char *name; const struct cw_var *var; uint32_t hidden; uint32_t lost; }) named;
    struct cw_map by_name; /* interned name -> index in `named` of the innermost plus 1 */
    uint32_t losses;       /* texts lost so far; the last that named it is the `lost` of a variable */
    struct cw_map labels;
    struct cw_loop *loop;
    const struct cw_closure *closure; /* the body of a lambda */
    CW_VEC(struct cw_object_parameter { uint32_t object; CXType type; }) objects; /* parameters of class type */
    cw_ref this_ptr, sret;
    CXType this_type; /* inside a lambda, the enclosing method's class */
    CXType result;
    uint32_t depth;
    int32_t unroll; /* of the loop that comes next */
    struct cw_last_range last;
    bool is_degraded;
    bool is_lambda;
    uint32_t lambda_end; /* where a lambda in a pattern returns to, 0: none is around */
    bool declares_on_use; /* libclang hides the init statement of a switch: its variable appears in the condition */
};

/* cursors.c */
struct cw_kids cw_clang_kids(struct cw_unit *unit, CXCursor cursor);
/* A function's own, or a template's: the requires-expressions behind it have some, too. */
bool cw_clang_is_parameter(CXCursor cursor);
CXCursor cw_clang_peel(struct cw_unit *unit, CXCursor e); /* through parentheses and implicit nodes of one child */
uint64_t cw_clang_id(CXCursor decl);
uint64_t cw_clang_stmt_id(CXCursor stmt);
const char *cw_clang_text(struct cw_unit *unit, CXString s); /* interned; disposes s */
bool cw_clang_evaluate(CXCursor e, int64_t *value);
bool cw_clang_has_attr(struct cw_unit *unit, CXCursor decl, enum CXCursorKind kind);
/* The entry of an expression, which may have to be filled; NULL for other cursors. Good until the next one is asked
 * for. */
struct cw_known_expr *cw_clang_known(struct cw_unit *unit, CXCursor cursor);

/* names.c */
const char *cw_clang_qualified(struct cw_unit *unit, CXCursor decl);
const char *cw_clang_key(struct cw_unit *unit, CXCursor decl);
const char *cw_clang_display(struct cw_unit *unit, CXCursor decl);
const char *cw_clang_argument(struct cw_unit *unit, CXCursor decl, unsigned index); /* of an instance, for people */
/* Can the call whose callee is written so mean this template of functions? See deducible.c. */
bool cw_clang_can_mean(struct cw_unit *unit, const struct cw_callee *c, CXCursor written);
/* The argument of a template's list, `128, pair<int, 2>`, that begins at *at, and where the next one does. False: there
 * is none. */
bool cw_clang_next_argument(cw_str list, size_t *at, cw_str *argument);
uint32_t cw_clang_count_arguments(cw_str list);
/* ---- targets.c: what a call may run whose function only the run decides ---- */

bool cw_clang_points_to_function(CXType type);
/* While declarations are visited. */
void cw_clang_see_initialiser(struct cw_unit *unit, CXCursor variable);
void cw_clang_see_virtual(struct cw_unit *unit, struct cw_callee *method);
void cw_clang_queue_taken(struct cw_unit *unit);
/* The name that calls of the virtual method get; what overrides it is queued, and listed for the name. */
const char *cw_clang_virtual_targets(struct cw_unit *unit, struct cw_callee *method);

bool cw_clang_is_in_main_file(struct cw_unit *unit, CXCursor cursor);
struct cw_callee *cw_clang_callee(struct cw_unit *unit, CXCursor decl);
void cw_clang_queue(struct cw_unit *unit, struct cw_callee *c);
/* Queues some of the kernels that were left out, behind all others, and counts the rest. */
void cw_clang_queue_spare(struct cw_unit *unit);

/* where.c */
struct cw_file_text *cw_clang_file(struct cw_unit *unit, CXFile f);
struct cw_span cw_clang_span(struct cw_unit *unit, CXCursor cursor);
struct cw_span cw_clang_range_span(struct cw_unit *unit, CXSourceRange r);
bool cw_clang_same_range(struct cw_unit *unit, CXCursor a, CXCursor b);
uint32_t cw_clang_loc(struct cw_body *body, CXCursor cursor);
/* Text of the file from the start of the cursor to its end, as written (spelling); "" when unknown. */
cw_str cw_clang_source(struct cw_unit *unit, CXCursor cursor);
struct cw_file_text *cw_clang_spelling(struct cw_unit *unit, CXSourceLocation l, uint32_t *offset);

/* types.c */
const struct cw_ctype *cw_clang_type(struct cw_unit *unit, CXType t);
CXType cw_clang_cursor_type(struct cw_unit *unit, CXCursor cursor);
const struct cw_ctype *cw_clang_type_of(struct cw_unit *unit, CXCursor e);
bool cw_clang_same_type(CXType a, CXType b); /* ignoring const and volatile */
int64_t cw_clang_pointee_size(struct cw_unit *unit, CXType pointer); /* -1 unknown; 1 for void */
bool cw_clang_is_group(struct cw_unit *unit, CXType t);

/* layout.c */
struct cw_made_layout {
    uint64_t size, offset; /* bytes; the offset is that of the field asked about */
    uint32_t align;
    bool has_field;
};
struct cw_made_layout cw_clang_made_layout(struct cw_unit *unit, CXType record);
/* Is a part of the class, or the class itself, of a type that clang could not lay out? */
bool cw_clang_needs_made_layout(struct cw_unit *unit, CXType record);
const struct cw_leaves *cw_clang_leaves(struct cw_unit *unit, CXType t);
/* The integers and pointers in an object that a kernel takes by value; they are parameters of the kernel's own (struct
 * cw_param). What cannot be split (unions, bit-fields, long arrays) has none. `is_split` says nothing. */
const struct cw_leaves *cw_clang_member_parameters(struct cw_unit *unit, CXType t);
bool cw_clang_base_offset(struct cw_unit *unit, CXType derived, CXType base, uint64_t *offset);
/* The address of a member that depends on a template argument; CW_NONE when `e` is no such. *is_volatile: whether its
 * object is. */
cw_ref cw_clang_dependent_member(struct cw_body *body, CXCursor e, bool *is_volatile);
/* Byte offset of a field from the start of an object of type `record`, also for fields of base classes and of anonymous
 * structs and unions. False when the layout is not known. */
bool cw_clang_field_offset(struct cw_unit *unit, CXType record, CXCursor field, uint64_t *offset);
struct cw_kids cw_clang_fields(struct cw_unit *unit, CXType record);
struct cw_kids cw_clang_bases(struct cw_unit *unit, CXType record);

/* alias.c */
cw_ref cw_clang_load(struct cw_body *body, cw_ref addr, CXType t);
void cw_clang_store(struct cw_body *body, cw_ref value, cw_ref addr, CXType t);
void cw_clang_copy(struct cw_body *body, cw_ref to, cw_ref from, CXType t);
void cw_clang_zero(struct cw_body *body, cw_ref to, CXType t);
cw_ref cw_clang_temp(struct cw_body *body, CXType t, const char *name);
cw_ref cw_clang_spill(struct cw_body *body, cw_ref value, CXType t); /* a temporary that holds the value */
cw_ref cw_clang_unknown(struct cw_body *body, CXType t, enum cw_bail why, const cw_ref *args, uint32_t n);
void cw_clang_forget(struct cw_body *body, cw_ref addr, CXType type, enum cw_bail why, const cw_ref *args, uint32_t n);
void cw_clang_bail(struct cw_body *body, enum cw_bail why);

/* blocks (body.c) */
void cw_clang_lower(struct cw_unit *unit, struct cw_callee *c);

/* vars.c */
cw_ref cw_clang_constant(struct cw_body *body, CXCursor var, cw_ref at);
void cw_clang_declare(struct cw_body *body, CXCursor var);
void cw_clang_bind(struct cw_body *body, CXCursor decl, cw_ref addr, CXType type);
/* The variable's address; CW_NONE when it has none (constants, unknown names). */
cw_ref cw_clang_var_addr(struct cw_body *body, CXCursor decl);
bool cw_clang_var_const(struct cw_body *body, CXCursor decl, cw_ref *value);
bool cw_clang_sreg(struct cw_body *body, CXCursor e, cw_ref *value);

/* bindings.c */
void cw_clang_binding(struct cw_body *body, CXCursor decl);
void cw_clang_note_destructor(struct cw_body *body, CXType t);

/* expr.c, lvalue.c, assign.c, init.c, list.c */
cw_ref cw_clang_value(struct cw_body *body, CXCursor e);
cw_ref cw_clang_value_as(struct cw_body *body, CXCursor e, CXType t); /* converted when the types differ */
cw_ref cw_clang_addr(struct cw_body *body, CXCursor e);
cw_ref cw_clang_operand(struct cw_body *body, CXCursor e);
cw_ref cw_clang_as_pointer(struct cw_body *body, cw_ref v);
cw_ref cw_clang_bool_temp(struct cw_body *body);
cw_ref cw_clang_binary(struct cw_body *body, enum CXBinaryOperatorKind op, cw_ref x, cw_ref y, CXType tx, CXType ty,
                       CXType result);
cw_ref cw_clang_advance(struct cw_body *body, cw_ref pointer, CXType pointer_type, cw_ref n, struct cw_kind k,
                        bool back);
bool cw_clang_is_glvalue(struct cw_body *body, CXCursor e);
void cw_clang_effect(struct cw_body *body, CXCursor e);
void cw_clang_cond(struct cw_body *body, CXCursor e, uint32_t yes, uint32_t no, enum cw_origin origin);
void cw_clang_into(struct cw_body *body, CXCursor e, cw_ref dest);
void cw_clang_init(struct cw_body *body, CXCursor e, cw_ref dest, CXType t); /* scalar or object */
void cw_clang_list(struct cw_body *body, CXCursor e, cw_ref dest, CXType type);
void cw_clang_list_element(struct cw_body *body, CXCursor e, cw_ref dest, CXType type);
bool cw_clang_initializer_list(struct cw_body *body, CXCursor e, CXCursor *list, CXType *element);
cw_ref cw_clang_backing_array(struct cw_body *body, CXCursor list, CXType element, uint32_t *n);
/* A member's default initialiser. */
bool cw_clang_field_init(struct cw_unit *unit, CXCursor field, CXCursor *init);
void cw_clang_default_init(struct cw_body *body, cw_ref dest, CXType t);
cw_ref cw_clang_object_of(struct cw_body *body, CXCursor member, CXType *record);
cw_ref cw_clang_conditional(struct cw_body *body, CXCursor e, bool as_addr);
cw_ref cw_clang_broken(struct cw_body *body, CXCursor e, const struct cw_kids *kids);
cw_ref cw_clang_assign(struct cw_body *body, CXCursor e, bool want_addr);
cw_ref cw_clang_incdec(struct cw_body *body, CXCursor e, bool want_addr);
bool cw_clang_casts_to_reference(struct cw_body *body, CXCursor e);
cw_ref cw_clang_convert(struct cw_body *body, cw_ref v, CXType from, CXType to);
cw_ref cw_clang_this(struct cw_body *body);
cw_ref cw_clang_group_value(struct cw_body *body, CXCursor e);
cw_ref cw_clang_lambda_capture(struct cw_body *body, uint64_t decl);
void cw_clang_lambda(struct cw_body *body, CXCursor e, cw_ref dest);
bool cw_clang_is_lambda(struct cw_unit *unit, const struct cw_callee *callee);
/* What the fields of a lambda's class hold, from where the lambda is written; NULL: that was not lowered yet, or the
 * class is none of a lambda. */
const struct cw_closure *cw_clang_closure_of(const struct cw_unit *unit, CXCursor class);

/* call.c, intrinsic.c, collective.c, construct.c, launch.c, asm.c */
cw_ref cw_clang_call(struct cw_body *body, CXCursor e, cw_ref dest);
bool cw_clang_looks_like_call(struct cw_body *body, CXCursor e);
bool cw_clang_returns_reference(struct cw_unit *unit, CXCursor call);
void cw_clang_construct(struct cw_body *body, CXCursor e, struct cw_callee *c, cw_ref dest);
void cw_clang_member_inits(struct cw_body *body, const struct cw_kids *kids);
struct cw_refs {
    cw_ref *at;
    uint32_t n, cap;
};
void cw_clang_arguments(struct cw_body *body, CXCursor call, struct cw_callee *c, uint32_t from, struct cw_refs *out);
CXType cw_clang_param_type(struct cw_unit *unit, const struct cw_callee *c, uint32_t i);
bool cw_clang_may_enter(struct cw_body *body, struct cw_callee *c);
cw_ref cw_clang_emit_call(struct cw_body *body, struct cw_callee *c, const struct cw_refs *args);
cw_ref cw_clang_unwritten_argument(struct cw_body *body, CXType param);
/* Calls the lambdas among the arguments that launch; the arguments that are left to a function that nobody sees. */
struct cw_refs cw_clang_call_handed(struct cw_body *body, const struct cw_callee *callee, const struct cw_refs *args);
/* In the pattern of a host template: the body of a lambda that launches. */
void cw_clang_lambda_in_pattern(struct cw_body *body, CXCursor cursor);
CXCursor cw_clang_written_argument(CXCursor call, struct cw_callee *c, uint32_t i, uint32_t from); /* null: none */
cw_ref cw_clang_intrinsic(struct cw_body *body, CXCursor e, struct cw_callee *c, cw_ref dest);
cw_ref cw_clang_collective(struct cw_body *body, CXCursor e, struct cw_callee *c, cw_ref dest);
/* The address of the object that a method is called on; *from: the first argument that is a parameter's. */
cw_ref cw_clang_object_of_call(struct cw_body *body, CXCursor e, struct cw_callee *c, uint32_t *from);
/* A call that only its name is known of. False when the name is none of the device API's. */
bool cw_clang_named_call(struct cw_body *body, CXCursor e, const char *name, const struct cw_kids *args,
                         cw_ref *result);
/* Of `kernel<<<…>>>(…)` the call that takes the configuration; null: it is no launch. */
CXCursor cw_clang_configuration(struct cw_unit *unit, CXCursor call);
bool cw_clang_launch(struct cw_body *body, CXCursor e, struct cw_callee *c);
/* In the pattern of a host template, whose kernel clang does not resolve: of all its instances, with no argument known.
 * False: it is no launch of a kernel that can be told. */
bool cw_clang_launch_in_pattern(struct cw_body *body, CXCursor e);
bool cw_clang_launch_variable(struct cw_body *body, CXCursor e, CXCursor variable);
/* Where the struct at `object` has the field; CW_NONE: it has none of this name. */
cw_ref cw_clang_struct_field(struct cw_body *body, cw_ref object, const struct cw_kids *fields, const char *name);
/* driver_launch.c: launches and kernels' names of the driver's interface. False: the call is any other. */
bool cw_clang_driver_launch(struct cw_body *body, CXCursor cursor, const char *name);
bool cw_clang_runtime_launch(struct cw_body *body, CXCursor e, struct cw_callee *c);
void cw_clang_asm(struct cw_body *body, CXCursor s);

/* stmt.c, loop.c, switch.c */
void cw_clang_stmt(struct cw_body *body, CXCursor s);
void cw_clang_broken_stmt(struct cw_body *body);
void cw_clang_for(struct cw_body *body, CXCursor s);
void cw_clang_while(struct cw_body *body, CXCursor s);
void cw_clang_do(struct cw_body *body, CXCursor s);
void cw_clang_range_for(struct cw_body *body, CXCursor s);
void cw_clang_switch(struct cw_body *body, CXCursor s);
void cw_clang_case(struct cw_body *body, CXCursor s);
void cw_clang_default(struct cw_body *body, CXCursor s);

/* unit.c: is the file no header of ours? NULL: no file. */
bool cw_clang_is_users(const char *path);

/* shared.c: what a unit has to know of the headers that it shares, written where they are precompiled. */
bool cw_clang_write_shared(struct cw_unit *unit, struct cw_buf *out); /* false: they cannot be shared */
void cw_clang_read_shared(struct cw_unit *unit, const char *path);
/* Is the file among those headers? It would be read twice. */
bool cw_clang_shared_holds(const char *notes, const char *path);
bool cw_clang_shared_name(struct cw_unit *unit, const char *name, CXCursor *decl);

/* unit.c: a unit without a tree. */
void cw_clang_unit_init(struct cw_unit *unit, struct cw_arena *a, const struct cw_front_options *o);
void cw_clang_unit_free(struct cw_unit *unit);
bool cw_clang_has_errors(struct cw_unit *unit); /* in files of the user's */

/* macros.c */
void cw_clang_read_macros(struct cw_unit *unit);
/* May it be part of a name or number? */
static inline bool cw_clang_is_name(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

bool cw_clang_mentions(cw_str text, const char *word, bool as_name); /* as_name: not as a part of a longer name */
bool cw_clang_shows_launch(cw_str text);
bool cw_clang_template_is_kernel(struct cw_unit *unit, CXCursor function_template);
bool cw_clang_template_is_device(struct cw_unit *unit, CXCursor function_template);

/* launchers.c; names are interned. */
void cw_clang_note_launcher(struct cw_unit *unit, const char *name);
/* A function of this name launches: macros that call it launch too, and so on. */
void cw_clang_add_launcher(struct cw_unit *unit, const char *name);
bool cw_clang_launches(struct cw_unit *unit, struct cw_callee *c);

/* broken.c */
void cw_clang_name(struct cw_body *body, const char *name, const struct cw_var *v); /* a variable comes into scope */
void cw_clang_leave_scope(struct cw_body *body, uint32_t outer);                    /* but the first `outer` ones */
void cw_clang_note_error(struct cw_unit *unit, CXDiagnostic d);
void cw_clang_sort_errors(struct cw_unit *unit); /* once, before anything is lowered */
/* If an error lies between two neighbouring children (NULL: the parent's start or end), what stood there is lost. */
void cw_clang_lost_between(struct cw_body *body, CXCursor parent, const CXCursor *before, const CXCursor *after);
void cw_clang_lost(struct cw_body *body, CXCursor whole);
bool cw_clang_is_broken_before(struct cw_body *body, CXCursor whole,
                               CXCursor part); /* an error in whole, before part */
bool cw_clang_lost_initialiser(struct cw_body *body, CXCursor var);
/* To clang, a variable or parameter of an unknown type is an int: such a function is read in part. */
void cw_clang_check_type(struct cw_body *body, CXCursor variable);

/* missing_names.c: does the function name, or have a value of, what was declared as no header gives it? Cost: a visit
 * of its tree where the unit has such declarations. */
bool cw_clang_names_missing(const struct cw_unit *unit, CXCursor function);
/* Is it one of these declarations? Cost: one name of a file. */
bool cw_clang_is_made_up(CXCursor declaration);
/* Does the expression's value rest on one: itself, its size, a field's, or what a constant is initialised with? Cost: a
 * visit of these where the unit has such declarations. */
bool cw_clang_rests_on_made_up(CXCursor expression);

/* collect.c, attrs.c */
void cw_clang_collect(struct cw_unit *unit);
/* Of headers that units are to share: the words that mean kernels and launches, all variables and enumerators, and
 * the host functions that launch. False when there are kernels: each unit lowers those of its headers. */
bool cw_clang_survey(struct cw_unit *unit, struct cw_cursors *names, struct cw_cursors *hosts);
bool cw_clang_int_text(struct cw_unit *unit, CXCursor decl, cw_str text, int64_t *value);
void cw_clang_bounds(struct cw_body *body, CXCursor decl);
void cw_clang_cluster(struct cw_body *body, CXCursor decl);
int32_t cw_clang_unroll(struct cw_body *body, CXCursor s);

/* Nested deeper than this, an expression or statement becomes opaque: the stack must hold. */
enum { CW_MAX_DEPTH = 400 };

#endif
