/* What the files of the tree-sitter front end share: from a syntax tree without meaning to the IR.
 *
 * The tree has no types and no names resolved; both are worked out here as far as the text shows them. What is not
 * known becomes opaque with a counted reason, exactly as in the other front end. See docs/internals/ts-lowering.md. */
#ifndef CW_FRONT_TS_LOWER_H
#define CW_FRONT_TS_LOWER_H

#include "base/str.h"
#include "cuda/intrinsics.h"
#include "front/emit.h"
#include "front/front.h"
#include "front/ts/part.h"

enum ts_kind {
    TS_OTHER,
#define TS_KIND(id, name) TS_##id,
#include "front/ts/node_kinds.def"
    TS_NKINDS
};

/* ---- types ---- */

enum ts_form {
    TS_FORM_UNKNOWN, /* a name nobody defines, a type parameter of a pattern: no size, unless `size` says so */
    TS_FORM_VOID, TS_FORM_SCALAR, TS_FORM_POINTER, TS_FORM_REFERENCE, TS_FORM_ARRAY, TS_FORM_RECORD, TS_FORM_GROUP,
    TS_FORM_FUNCTION, TS_FORM_CLOSURE
};

struct ts_type {
    enum ts_form form;
    struct cw_kind kind;      /* of a value: AGG for records and unknown ones */
    uint64_t size;            /* 0 unknown */
    uint32_t align;
    const struct ts_type *of; /* pointee, element */
    int64_t count;            /* of an array; -1 unknown */
    struct ts_record *record;
    struct ts_closure *closure;
    const char *name;         /* records, groups ("cooperative_groups::thread_block"), scalars */
    int64_t tile;             /* of a group: its static size, -1 unknown */
    bool is_const, is_volatile, is_dependent;
    TSNode function;          /* FUNCTION: the function_declarator */
    struct ts_function *target; /* FUNCTION: the one that is named; it goes with the value, as a lambda's type does */
};

/* ---- template parameters ---- */

struct ts_binding {
    const char *name;
    const struct ts_type *type; /* of a type parameter; of a value parameter, the value's type */
    bool is_type, is_known;     /* is_known: `value` (or the type) was given */
    bool is_pack;               /* its arguments are the elements; is_known: all of them are */
    const struct ts_binding *elements;
    uint32_t nelements;
    int64_t value;
    cw_ref param;               /* of a pattern: the TPARAM; set when its body is lowered */
};

struct ts_env {
    const struct ts_env *outer;
    struct ts_binding *at;
    uint32_t n;
    bool is_pick; /* no template's: what packs stand for in one element of an expansion */
};

/* ---- declarations ---- */

enum ts_symbol_kind { TS_SYM_FUNCTION, TS_SYM_VARIABLE, TS_SYM_CLASS, TS_SYM_ALIAS, TS_SYM_ENUM, TS_SYM_ENUMERATOR };

struct ts_function;
struct ts_class;

struct ts_symbol {
    enum ts_symbol_kind kind;
    const char *name;
    struct ts_symbol *next; /* of the same name, later in the text first */
    TSNode node;            /* the declaration; ENUMERATOR: the enumerator */
    TSNode declarator;      /* VARIABLE, ALIAS: of this name */
    TSNode tmpl;            /* ALIAS: template_parameter_list, or null */
    struct ts_class *owner; /* the class it is a member of, or NULL */
    struct ts_function *function;
    struct ts_class *cls;
    int64_t value;          /* ENUMERATOR */
    uint8_t state;          /* ENUMERATOR, VARIABLE: 0 not evaluated, 1 being evaluated, 2 known, 3 unknown */
};

struct ts_class {
    const char *name;
    TSNode node, tmpl, arguments; /* arguments: of a specialisation */
    struct ts_class *owner;
    struct ts_class *primary;  /* of a specialisation */
    TSNode defaults;           /* parameters of an earlier declaration, which may have them, or null */
    bool is_union, is_read;
    bool has_odd_members;      /* some member has a body of its own in some instance */
    CW_VEC(struct ts_symbol *) members;   /* variables (static), functions, types, enumerators */
    CW_VEC(struct ts_class *) specialisations;
    CW_VEC(struct ts_record *) instances;
    struct ts_record *rest;    /* stands for the instances that are too many: nothing is known of it */
};

struct ts_field {
    const char *name; /* "" for an anonymous struct or union */
    const struct ts_type *type;
    uint64_t offset;
    TSNode init; /* default initialiser or null */
    bool is_bit_field, is_base;
};

/* A class with its template arguments. */
struct ts_record {
    struct ts_class *cls;
    const struct ts_env *env;
    const struct ts_env *given; /* the primary template's arguments; of a specialisation, env holds what it deduced */
    const char *arguments; /* text of the template arguments, "" for none */
    CW_VEC(struct ts_field) fields; /* bases first */
    uint64_t size;
    uint32_t align;
    bool is_laid_out, is_open; /* is_open: the layout is being worked out */
    bool is_known;             /* every part has a size */
};

struct ts_function {
    const char *name;
    TSNode node, tmpl;      /* function_definition; template_parameter_list or null */
    TSNode declarator;      /* the function_declarator */
    TSNode pack;            /* `Args... args` behind the other parameters, or null */
    struct ts_class *owner;
    bool never_returns;     /* [[noreturn]] and the like */
    bool is_specialisation; /* template <> … f<32>(…) */
    bool is_kernel, is_device, is_host, is_static, is_main, is_constructor, is_variadic, is_deleted, is_static_scope;
    bool is_wanted;         /* in a partial unit */
    uint32_t nparams, nrequired;
    uint32_t index;         /* in unit->functions */
    uint32_t ninstances;
};

/* A function with its template arguments: what is lowered. */
struct ts_instance {
    struct ts_function *f;
    const struct ts_env *env;
    struct ts_record *record; /* of a method */
    const char *key, *display, *pattern_key; /* pattern_key: the template's, or NULL */
    bool is_pattern, is_queued, is_device_by_use;
    struct cw_fn *fn;
};

/* Where a name is looked up. */
struct ts_scope {
    struct ts_unit *u;
    const struct ts_env *env;
    struct ts_record *record; /* enclosing class */
    struct ts_class *cls;     /* the same without arguments, for declarations */
    struct ts_body *body;     /* NULL outside functions */
};

/* ---- values ---- */

struct ts_value {
    const struct ts_type *type;
    cw_ref ref;
    bool is_place;         /* ref is the address of it */
    cw_ref early;          /* of a place: its value, read before something else could change it */
    bool is_bit_field;
    struct ts_function *function; /* an unresolved function's name */
};

struct ts_local {
    const char *name;
    cw_ref addr;
    const struct ts_type *type;
    bool is_type;      /* an alias or a class */
    bool is_function;  /* a kernel's name kept in a variable */
    bool is_pack;      /* `value` parameters, which are locals named by ts_element_name */
    bool has_value;    /* a constant, for array bounds */
    int64_t value;
    TSNode init;       /* of a variable, or null */
};

/* A field of a closure: a copy, made where the lambda stands, or a variable's place. */
struct ts_capture {
    struct ts_local variable; /* as the function that wrote the lambda has it; no name: `this` */
    uint64_t offset;
    bool is_reference;
};

struct ts_closure {
    TSNode node;
    struct ts_scope s;        /* where it was written */
    const struct cw_fn *fn;
    CW_VEC(struct ts_capture) captures;
    CW_VEC(struct ts_local) names; /* what else its body may name: types, constants, variables with one place */
    uint64_t size;
    uint32_t align, depth;    /* depth: locals visible where it was written */
    uint32_t nesting;         /* closures among the template arguments of who wrote it, and of who wrote those */
    bool is_running;
};

struct ts_case {
    uint32_t block;
    bool is_known;
    int64_t value;
};

struct ts_switch {
    enum cw_type type;
    uint32_t default_to;
    CW_VEC(struct ts_case) cases;
};

struct ts_loop {
    struct ts_loop *outer;
    uint32_t break_to, continue_to; /* TS_NO_BLOCK: none */
    struct ts_switch *sw;
};
#define TS_NO_BLOCK UINT32_MAX

struct ts_label {
    const char *name;
    uint32_t block;
};

/* ---- the unit ---- */

struct ts_unit {
    struct cw_arena *arena; /* the module's */
    struct cw_arena scratch;
    struct cw_module *module;
    const struct cw_front_options *options;
    struct ts_preproc preproc;
    struct ts_part *main_part, *prelude; /* prelude: read when a name of it is asked for */
    uint8_t kinds[1024]; /* of grammar symbols */
    struct cw_map symbols;   /* interned name -> struct ts_symbol* */
    struct cw_map namespaces; /* interned alias -> interned name */
    struct cw_map instances; /* interned key -> struct ts_instance* */
    struct cw_map places;    /* cache of file indices */
    struct cw_map classes;   /* node -> struct ts_class* */
    struct cw_map aliases;   /* of an alias and the record it is a member of -> its const struct ts_type* */
    uint32_t nclosures;
    uint32_t depth;          /* of declarations and types being read */
    /* of types that are classes, enumerations or aliases: aliases of aliases can ask for any number */
    uint32_t names_read;
    uint32_t steps;          /* expressions lowered, for a bound on the whole unit */
    uint32_t evaluations;    /* of constants, for a bound */
    bool uses_cg;            /* using namespace cooperative_groups */
    CW_VEC(const char *) used; /* namespaces that `using namespace` opens */
    CW_VEC(struct ts_function *) functions;
    CW_VEC(struct ts_instance *) queue;
    uint32_t next;
    bool is_cut; /* there are more of them than are lowered */
    const struct ts_type *scalars[CW_NTYPES][2];
    const struct ts_type *void_type, *unknown_type;
    CW_VEC(TSNode) instantiations; /* `template __global__ void k<32>(int *);` */
    CW_VEC(const char *) launchers;
    const char *key_prefix; /* keeps keys apart from those of another front end's module */
    bool is_reading_prelude, is_indexed;
    bool is_partial;         /* only what is wanted, into a module of another front end */
};

struct ts_body {
    struct ts_scope s; /* s.body points back */
    struct ts_unit *u;
    struct cw_fn *fn;
    struct ts_instance *self;
    struct cw_at at;
    CW_VEC(struct ts_local) locals;
    CW_VEC(struct ts_label) labels;
    struct ts_loop *loop;
    cw_ref this_ptr, sret;
    const struct ts_type *result;
    uint32_t depth, lambda_depth;
    int32_t unroll;
    bool is_degraded;
    bool is_in_lambda;           /* return leaves the lambda, not the function */
    uint32_t lambda_done;
    cw_ref lambda_slot;
    const struct ts_type *lambda_result;
    uint32_t ntemporaries;
};

/* Packs that one pattern names, elements of one pack. */
enum { TS_MAX_PACKS = 8, TS_MAX_ELEMENTS = 64 };

/* Nested deeper than this, an expression, statement or type becomes opaque: the stack must hold. */
enum {
    TS_MAX_DEPTH = 200,
    TS_MAX_FUNCTIONS = 5000,
    TS_MAX_INSTANCES = 16,
    TS_MAX_HELPERS = 100,
    TS_MAX_STEPS = 3000000,
    TS_MAX_INS = 200000
};

/* node.c */
void ts_kinds_init(struct ts_unit *u);
enum ts_kind ts_kind(const struct ts_unit *u, TSNode n);
bool ts_is(const struct ts_unit *u, TSNode n, enum ts_kind k);
TSNode ts_none(void);
TSNode ts_field(TSNode n, const char *name);
TSNode ts_child_of(const struct ts_unit *u, TSNode n, enum ts_kind k); /* first named child of the kind, or null */
bool ts_has_word(const struct ts_unit *u, TSNode n,
                 const char *word); /* an unnamed or specifier child with this text */
struct ts_part *ts_part_of(const struct ts_unit *u, TSNode n);
cw_str ts_text(const struct ts_unit *u, TSNode n);
cw_str ts_raw(const struct ts_unit *u, uint32_t from, uint32_t to, TSNode like);
const char *ts_name(struct ts_unit *u, TSNode n); /* interned text */
struct cw_loc ts_place(struct ts_unit *u, TSNode n);
struct cw_loc ts_place_between(struct ts_unit *u, TSNode n,
                               TSNode until); /* from the start of one to the end of the other */
bool ts_same(TSNode a, TSNode b);
uint32_t ts_operator(const struct ts_unit *u, TSNode n, char *out,
                     uint32_t size); /* text of an operator without blanks */

/* index.c */
void ts_index(struct ts_unit *u, struct ts_part *part);
struct ts_symbol *ts_symbols(struct ts_unit *u, const char *name); /* interned */
void ts_class_read(struct ts_unit *u, struct ts_class *c);
struct ts_class *ts_class_make(struct ts_unit *u, TSNode node, TSNode tmpl, struct ts_class *owner);
TSNode ts_declarator_name(const struct ts_unit *u, TSNode declarator);
const char *ts_declared_name(struct ts_unit *u, TSNode declarator);
TSNode ts_function_declarator(const struct ts_unit *u, TSNode declarator);
void ts_index_declaration(struct ts_unit *u, TSNode node, TSNode tmpl, struct ts_class *owner);
#define TS_CONVERSION "operator T" /* the name of all `operator int()`, `operator float *()` */
cw_str ts_head(const struct ts_unit *u, TSNode function); /* raw text before the body, masked words included */

/* types.c */
const struct ts_type *ts_scalar(struct ts_unit *u, enum cw_type t, bool is_signed);
const struct ts_type *ts_pointer_to(struct ts_unit *u, const struct ts_type *t);
const struct ts_type *ts_reference_to(struct ts_unit *u, const struct ts_type *t);
const struct ts_type *ts_array_of(struct ts_unit *u, const struct ts_type *t, int64_t n);
const struct ts_type *ts_qualified(struct ts_unit *u, const struct ts_type *t, bool is_const, bool is_volatile);
const struct ts_type *ts_group_type(struct ts_unit *u, const char *name, int64_t tile);
const struct ts_type *ts_record_type(struct ts_unit *u, struct ts_record *r);
const struct ts_type *ts_type_node(struct ts_scope *s, TSNode type);       /* a specifier or a type_descriptor */
const struct ts_type *ts_declaration_type(struct ts_scope *s, TSNode declaration); /* base type with its qualifiers */
const struct ts_type *ts_declarator_type(struct ts_scope *s, const struct ts_type *base, TSNode declarator);
const struct ts_type *ts_param_type(struct ts_scope *s, TSNode parameter);  /* arrays decayed */
const struct ts_type *ts_named_type(struct ts_scope *s, TSNode name);       /* NULL: no type of this name */
bool ts_type_same(const struct ts_type *a, const struct ts_type *b);
const struct ts_type *ts_plain(const struct ts_type *t); /* without a reference */
const char *ts_type_text(struct ts_unit *u, const struct ts_type *t);
bool ts_is_object(const struct ts_type *t); /* lives in memory */
uint32_t ts_align(const struct ts_type *t);
uint64_t ts_size(const struct ts_type *t); /* bytes; 0 unknown */
/* From the words of a table: "unsigned long long", "const float *", "T *". `t`: what T means. NULL: not understood. */
const struct ts_type *ts_type_of_words(struct ts_unit *u, cw_str words, const struct ts_type *t);
const char *ts_qualified_name(struct ts_scope *s,
                              TSNode name); /* "cooperative_groups::sync", template arguments gone */
TSNode ts_last_name(const struct ts_unit *u, TSNode name);      /* last part of a qualified name */
TSNode ts_template_arguments(const struct ts_unit *u, TSNode name); /* of the last part, or null */

/* record.c */
struct ts_record *ts_record_of(struct ts_scope *s, struct ts_class *c,
                               TSNode arguments); /* NULL: which specialisation is open */
struct ts_record *ts_record_plain(struct ts_unit *u, struct ts_class *c, const struct ts_env *env);
void ts_layout(struct ts_unit *u, struct ts_record *r);
/* A field, through bases and anonymous members; false when there is none. */
bool ts_find_field(struct ts_unit *u, struct ts_record *r, const char *name, const struct ts_field **field,
                   uint64_t *offset);
struct ts_symbol *ts_find_member(struct ts_unit *u, struct ts_record *r, const char *name, struct ts_record **home,
                                 uint64_t *offset);
struct ts_leaf { uint64_t offset; const struct ts_type *type; };
struct ts_leaves { struct ts_leaf *at; uint32_t n, cap, steps; bool is_split; };
struct ts_leaves ts_leaves_of(struct ts_unit *u, const struct ts_type *t);
bool ts_is_base_of(struct ts_unit *u, struct ts_record *base, struct ts_record *derived, uint64_t *offset);

/* walk.c: all nodes below one, itself first, in the order of the text.
 *
 *     struct ts_walk w = ts_walk_of(root, 400);
 *     while (ts_walk_next(&w, &node))
 *         w.is_closed = …;
 *     ts_walk_end(&w); */
struct ts_walk {
    TSTreeCursor cursor;
    uint32_t depth, left;
    bool is_begun, is_closed; /* is_closed: nothing of what is below the present node */
    bool is_cut;              /* more than `most` nodes: the rest was not looked at */
};
struct ts_walk ts_walk_of(TSNode root, uint32_t most);
bool ts_walk_next(struct ts_walk *w, TSNode *node);
void ts_walk_end(struct ts_walk *w);

/* eval.c */
bool ts_eval(struct ts_scope *s, TSNode e, int64_t *value);
bool ts_number(cw_str text, int64_t *value, struct cw_kind *kind, double *real);
bool ts_enumerator(struct ts_unit *u, struct ts_symbol *e, int64_t *value);
bool ts_int_words(struct ts_scope *s, cw_str text, int64_t *value); /* arguments of attributes and pragmas */
/* The integers of "a, b)", at most three, from behind the parenthesis; 0: some of them cannot be evaluated. */
uint32_t ts_int_list(struct ts_scope *s, cw_str text, int64_t values[3]);

/* env.c */
const struct ts_binding *ts_find_binding(const struct ts_env *env, const char *name);
/* Bindings for a template's parameters from written arguments (null: none) and, for calls, from argument types. */
struct ts_env *ts_env_make(struct ts_scope *s, TSNode tmpl, TSNode arguments, const struct ts_env *outer);
void ts_env_defaults(struct ts_scope *s, struct ts_env *env, TSNode tmpl); /* tmpl may be null */
bool ts_env_is_complete(const struct ts_env *env);
struct ts_env *ts_env_copy(struct ts_unit *u, const struct ts_env *env); /* outer ones are shared */
const char *ts_env_text(struct ts_unit *u, const struct ts_env *env); /* "256, float" */
struct ts_instance *ts_instance_of(struct ts_unit *u, struct ts_function *f, const struct ts_env *env,
                                   struct ts_record *record);
void ts_queue(struct ts_unit *u, struct ts_instance *i);

/* match.c */
enum ts_match { TS_MATCH_NO, TS_MATCH_UNSURE, TS_MATCH_YES };
void ts_env_deduce(struct ts_scope *s, struct ts_env *env, const struct ts_function *f, const struct ts_value *args,
                   uint32_t nargs);
/* Is the specialisation of its primary meant by these arguments? `found`: its own parameters, NULL of a full one. */
enum ts_match ts_match_class(struct ts_scope *s, const struct ts_class *special, const struct ts_env *env,
                             struct ts_env **found);
bool ts_match_function(struct ts_scope *s, const struct ts_function *special, const struct ts_env *env);

/* pack.c */
struct ts_each {
    struct ts_scope *s;
    TSNode list;
    const struct ts_env *env; /* of the scope outside of expansions */
    uint32_t locals, next, element, count;
};
/* The nodes of a list without comments, `pattern...` as one for each element; while one is looked at, the scope knows
 * what its packs stand for. An expansion of unknown length is given as it is. A walk that is left early needs
 * ts_each_end. */
struct ts_each ts_each_of(struct ts_scope *s, TSNode list);
bool ts_each_next(struct ts_each *e, TSNode *node);
void ts_each_end(struct ts_each *e);
uint32_t ts_each_count(struct ts_scope *s, TSNode list);
int64_t ts_pack_length(struct ts_scope *s, TSNode pattern); /* -1: unknown, or no pack */
void ts_pick(struct ts_scope *s, TSNode pattern, uint32_t index); /* until the caller puts env and locals back */
const char *ts_element_name(struct ts_unit *u, const char *pack, uint32_t index);
uint32_t ts_packs_of_env(struct ts_scope *s, struct ts_env *env, TSNode pattern,
                         struct ts_binding **out); /* TS_MAX_PACKS */

/* body.c */
const struct ts_type *ts_result_type(struct ts_scope *s, struct ts_function *f);
void ts_lower(struct ts_unit *u, struct ts_instance *i);
uint32_t ts_loc(struct ts_body *b, TSNode n);
void ts_bail(struct ts_body *b, enum cw_bail why);
void ts_degrade(struct ts_body *b, enum cw_bail why);
enum cw_bail ts_why(const struct ts_body *b, enum cw_bail why); /* DEPENDENT in a pattern */

/* alias.c */
cw_ref ts_load(struct ts_body *b, cw_ref addr, const struct ts_type *t);
void ts_store(struct ts_body *b, cw_ref value, cw_ref addr, const struct ts_type *t);
void ts_copy(struct ts_body *b, cw_ref to, cw_ref from, const struct ts_type *t);
void ts_zero(struct ts_body *b, cw_ref to, const struct ts_type *t);
cw_ref ts_temp(struct ts_body *b, const struct ts_type *t, const char *name);
struct ts_value ts_unknown(struct ts_body *b, const struct ts_type *t, enum cw_bail why, const cw_ref *args,
                           uint32_t n);

/* vars.c */
void ts_declare(struct ts_body *b, TSNode declaration);
void ts_declare_one(struct ts_body *b, TSNode declaration, TSNode declarator, const struct ts_type *base);
void ts_bind(struct ts_body *b, const char *name, cw_ref addr, const struct ts_type *t);
const struct ts_local *ts_find_local(const struct ts_body *b, const char *name);
bool ts_name_value(struct ts_body *b, TSNode name, struct ts_value *out); /* false: nobody knows the name */
bool ts_is_variable(struct ts_scope *s, TSNode name); /* a field of the own class or a variable outside functions */
struct cw_object ts_object(struct ts_body *b, const char *name, const struct ts_type *t, enum cw_space space);

/* init.c */
void ts_init(struct ts_body *b, TSNode value, cw_ref dest, const struct ts_type *t);
void ts_default_init(struct ts_body *b, cw_ref dest, const struct ts_type *t);
bool ts_copy_by_user(struct ts_body *b, cw_ref to, cw_ref from,
                     const struct ts_type *t); /* false: no copy constructor */
void ts_construct(struct ts_body *b, TSNode arguments, cw_ref dest, const struct ts_type *t);
void ts_member_inits(struct ts_body *b, TSNode function);

/* expr.c, operators.c */
struct ts_value ts_expr(struct ts_body *b, TSNode e);
struct ts_value ts_rvalue(struct ts_body *b, struct ts_value v); /* loads a scalar; arrays decay; objects stay places */
struct ts_value ts_scalar_of(struct ts_body *b, TSNode e);       /* an rvalue */
cw_ref ts_convert(struct ts_body *b, struct ts_value v, const struct ts_type *to);
cw_ref ts_number_of(struct ts_body *b, TSNode e,
                    const struct ts_type *t);                    /* opaque where the expression has no such value */
cw_ref ts_address(struct ts_body *b, struct ts_value v);         /* a temporary's when it is no place */
struct ts_value ts_glvalue(struct ts_body *b, TSNode e); /* of `c ? a : b` the place, where both are places */
void ts_cond(struct ts_body *b, TSNode e, uint32_t yes, uint32_t no, enum cw_origin origin);
struct ts_value ts_rvalue_of(cw_ref r, const struct ts_type *t);
struct ts_value ts_place_of(cw_ref addr, const struct ts_type *t);
struct ts_value ts_binary(struct ts_body *b, TSNode e);
struct ts_value ts_fold(struct ts_body *b, TSNode e);
struct ts_value ts_unary(struct ts_body *b, TSNode e);
struct ts_value ts_pointer(struct ts_body *b, TSNode e);
struct ts_value ts_update(struct ts_body *b, TSNode e);
struct ts_value ts_assign(struct ts_body *b, TSNode e);
struct ts_value ts_conditional(struct ts_body *b, TSNode e);
struct ts_value ts_subscript(struct ts_body *b, TSNode e);
struct ts_value ts_member(struct ts_body *b, TSNode e);
struct ts_value ts_cast(struct ts_body *b, TSNode e);
struct ts_value ts_cast_to(struct ts_body *b, struct ts_value v, const struct ts_type *to);
struct ts_value ts_arith(struct ts_body *b, enum cw_arith op, struct ts_value x, struct ts_value y);
bool ts_arith_of(const char *op, enum cw_arith *out);
const struct ts_type *ts_common(struct ts_unit *u, const struct ts_type *a, const struct ts_type *b);
const struct ts_type *ts_promoted(struct ts_unit *u, const struct ts_type *t);
const struct ts_type *ts_infer(struct ts_scope *s, TSNode e); /* of names, members and elements; NULL of others */
const struct ts_type *ts_type_of_expr(struct ts_scope *s, TSNode e); /* without evaluating it; NULL unknown */

/* call.c, api.c, method.c, launch.c, lambda.c, asm.c */
struct ts_value ts_call(struct ts_body *b, TSNode e, cw_ref dest);
struct ts_arguments { struct ts_value *at; TSNode *node; uint32_t n; };
struct ts_arguments ts_arguments(struct ts_body *b, TSNode list);
struct ts_value ts_call_function(struct ts_body *b, struct ts_function *f, const struct ts_env *env,
                                 struct ts_record *record, cw_ref object, const struct ts_arguments *args, cw_ref dest);
/* The full specialisation that the callee's arguments mean, or f. is_open: there are some, and the arguments are
 * unknown. */
struct ts_function *ts_specialised(struct ts_body *b, struct ts_function *f, struct ts_scope *callee, bool *is_open);
struct ts_function *ts_choose(struct ts_body *b, struct ts_symbol *first, const struct ts_arguments *args,
                              bool has_list);
struct ts_value ts_opaque_call(struct ts_body *b, const char *name, const struct ts_type *result, enum cw_bail why,
                               cw_ref first, const struct ts_arguments *args);
bool ts_api_call(struct ts_body *b, TSNode callee, const char *qualified, TSNode list, struct ts_value *out);
bool ts_api_method(struct ts_body *b, struct ts_value object, const char *name, const struct ts_arguments *args,
                   struct ts_value *out);
bool ts_is_api_scope(const char *qualified); /* a namespace of the device API */
bool ts_launch(struct ts_body *b, TSNode e);
bool ts_runtime_launch(struct ts_body *b, TSNode e, const char *name);
bool ts_helper_launch(struct ts_body *b, TSNode node, const char *name);
bool ts_launches(struct ts_unit *u, const struct ts_function *f);
struct ts_value ts_lambda(struct ts_body *b, TSNode e);
struct ts_value ts_call_closure(struct ts_body *b, struct ts_value closure, const struct ts_arguments *args);
void ts_closure_refer(struct ts_body *b, cw_ref closure, const struct ts_type *t); /* before it is handed on */
void ts_run_lambda_maybe(struct ts_body *b, TSNode lambda);
void ts_asm(struct ts_body *b, TSNode e);

/* stmt.c, loop.c, switch.c */
void ts_stmt(struct ts_body *b, TSNode s);
void ts_for(struct ts_body *b, TSNode s);
void ts_while(struct ts_body *b, TSNode s);
void ts_do(struct ts_body *b, TSNode s);
void ts_range_for(struct ts_body *b, TSNode s);
void ts_switch(struct ts_body *b, TSNode s);
void ts_case(struct ts_body *b, TSNode s);
void ts_condition_clause(struct ts_body *b, TSNode clause, uint32_t yes, uint32_t no, enum cw_origin origin);
void ts_broken(struct ts_body *b, TSNode s);

/* collect.c */
void ts_collect(struct ts_unit *u);

/* What `.` or `->` is applied to, as the place of an object. */
struct ts_value ts_object_of(struct ts_body *b, TSNode e);
/* Is it `threadIdx.x` and the like? */
bool ts_sreg(struct ts_body *b, TSNode e, cw_ref *value);

#endif
