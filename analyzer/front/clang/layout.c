/* Where the parts of a class lie. Fields come from libclang; offsets of bases are worked out here for the cases that
 * the Itanium C++ ABI leaves no choice in, and are "unknown" otherwise. */
#include "front/clang/lower.h"

enum {
    UNKNOWN_FIELD_SIZE = 64,
    UNKNOWN_FIELD_ALIGN = 8,
    MAX_LEAVES = 32,
    MAX_MEMBERS = 128,    /* integers and pointers in a parameter of class type */
    MEMBER_ELEMENTS = 8,  /* of an array among them */
    MAX_NESTING = 16,
    MAX_STEPS = 1000,
    MAX_BASES = 1000
};

static enum CXVisitorResult collect_field(CXCursor cursor, CXClientData data) {
    struct cw_kids *kids = data;
    kids->at[kids->n++] = cursor;
    return CXVisit_Continue;
}

static enum CXVisitorResult count_field(CXCursor cursor, CXClientData data) {
    (void)cursor;
    ++*(uint32_t *)data;
    return CXVisit_Continue;
}

/* libclang visits no fields of a class that it calls invalid. */
static struct cw_kids fields_of_invalid(struct cw_unit *unit, CXCursor class) {
    struct cw_kids all = cw_clang_kids(unit, class), fields = {CW_NEW_ARRAY(&unit->scratch, CXCursor, all.n), 0};
    for (uint32_t i = 0; i < all.n; i++)
        if (clang_getCursorKind(all.at[i]) == CXCursor_FieldDecl)
            fields.at[fields.n++] = all.at[i];
    return fields;
}

struct cw_kids cw_clang_fields(struct cw_unit *unit, CXType record) {
    uint32_t n = 0;
    CXType t = clang_getCanonicalType(record);
    CXCursor class = clang_getTypeDeclaration(t);
    if (clang_isInvalidDeclaration(class))
        return fields_of_invalid(unit, class);
    clang_Type_visitFields(t, count_field, &n);
    struct cw_kids kids = {CW_NEW_ARRAY(&unit->scratch, CXCursor, n), 0};
    clang_Type_visitFields(t, collect_field, &kids);
    return kids;
}

/* libclang does not visit the bases of an implicit instantiation; its template's are the same in number and order. */
struct cw_kids cw_clang_bases(struct cw_unit *unit, CXType record) {
    CXCursor decl = clang_getTypeDeclaration(clang_getCanonicalType(record));
    CXCursor pattern = clang_getSpecializedCursorTemplate(decl);
    struct cw_kids all = cw_clang_kids(unit, decl), bases = {NULL, 0};
    if (!all.n && !clang_Cursor_isNull(pattern))
        all = cw_clang_kids(unit, pattern);
    bases.at = CW_NEW_ARRAY(&unit->scratch, CXCursor, all.n);
    for (uint32_t i = 0; i < all.n; i++)
        if (clang_getCursorKind(all.at[i]) == CXCursor_CXXBaseSpecifier)
            bases.at[bases.n++] = all.at[i];
    return bases;
}

static CXCursor declaration_of(CXType type) {
    return clang_getTypeDeclaration(clang_getCanonicalType(type));
}

/* ---- classes that clang could not lay out ---- */

static uint64_t round_up(uint64_t n, uint64_t align) {
    return (n + align - 1) / align * align;
}

/* Places a part behind what is there; returns its offset. */
static uint64_t place_part(struct cw_unit *unit, CXType type, uint64_t *end, uint32_t *align) {
    const struct cw_ctype *part = cw_clang_type(unit, type);
    uint32_t part_align = part->size && part->align ? part->align : UNKNOWN_FIELD_ALIGN;
    uint64_t at = round_up(*end, part_align), size = part->is_made_up ? part->room : part->size;
    *end = at + (size ? size : UNKNOWN_FIELD_SIZE);
    if (part_align > *align)
        *align = part_align;
    return at;
}

/* A layout for a class with a member of unknown type: its members lie one behind the other. Sizes and distances are not
 * those of the program; that members are distinct, and that a member is the same one at each access, is. */
static struct cw_made_layout made_layout(struct cw_unit *unit, CXCursor class, CXCursor field) {
    struct cw_made_layout layout = {.align = 1};
    CXType type = clang_getCursorType(class);
    struct cw_kids bases = cw_clang_bases(unit, type), fields = cw_clang_fields(unit, type);
    uint64_t end = 0;
    for (uint32_t i = 0; i < bases.n; i++)
        place_part(unit, clang_getCursorType(bases.at[i]), &end, &layout.align);
    uint64_t begin = end;
    for (uint32_t i = 0; i < fields.n; i++) {
        end = clang_getCursorKind(class) == CXCursor_UnionDecl ? begin : end;
        uint64_t at = place_part(unit, clang_getCursorType(fields.at[i]), &end, &layout.align);
        if (clang_equalCursors(fields.at[i], field))
            layout.offset = at, layout.has_field = true;
        if (end > layout.size)
            layout.size = end;
    }
    layout.size = round_up(layout.size ? layout.size : 1, layout.align);
    return layout;
}

struct cw_made_layout cw_clang_made_layout(struct cw_unit *unit, CXType class) {
    return made_layout(unit, declaration_of(class), clang_getNullCursor());
}

static bool any_is_made_up(struct cw_unit *unit, const struct cw_kids *parts) {
    for (uint32_t i = 0; i < parts->n; i++)
        if (cw_clang_type_of(unit, parts->at[i])->is_made_up)
            return true;
    return false;
}

bool cw_clang_needs_made_layout(struct cw_unit *unit, CXType class) {
    if (clang_isInvalidDeclaration(declaration_of(class)) || cw_clang_is_made_up(declaration_of(class)))
        return true;
    struct cw_kids fields = cw_clang_fields(unit, class), bases = cw_clang_bases(unit, class);
    return any_is_made_up(unit, &fields) || any_is_made_up(unit, &bases);
}

/* Bytes from the beginning of its class; false: unknown. */
static bool offset_in_class(struct cw_unit *unit, CXCursor field, uint64_t *offset) {
    CXCursor class = clang_getCursorSemanticParent(field);
    if (cw_clang_type_of(unit, class)->is_made_up) {
        struct cw_made_layout made = made_layout(unit, class, field);
        *offset = made.offset;
        return made.has_field;
    }
    long long bits = clang_Cursor_getOffsetOfField(field);
    *offset = (uint64_t)bits / 8;
    return bits >= 0;
}

/* The class that a member of an anonymous struct or union is named in: the innermost enclosing one with a name. *offset
 * grows by the place of each anonymous record in the next outer one. */
static bool leave_anonymous_records(struct cw_unit *unit, CXCursor *owner, uint64_t *offset) {
    for (int depth = 0; clang_Cursor_isAnonymousRecordDecl(*owner); depth++) {
        CXCursor outer = clang_getCursorSemanticParent(*owner);
        struct cw_kids fields = cw_clang_fields(unit, clang_getCursorType(outer));
        uint64_t in_outer = 0;
        bool is_found = false;
        for (uint32_t i = 0; i < fields.n && !is_found; i++)
            is_found = clang_equalCursors(declaration_of(clang_getCursorType(fields.at[i])), *owner) &&
                       offset_in_class(unit, fields.at[i], &in_outer);
        if (!is_found || depth == MAX_NESTING)
            return false;
        *offset += in_outer;
        *owner = outer;
    }
    return true;
}

bool cw_clang_field_offset(struct cw_unit *unit, CXType record, CXCursor field, uint64_t *offset) {
    CXCursor owner = clang_getCursorSemanticParent(field);
    uint64_t to_base = 0;
    if (!offset_in_class(unit, field, offset))
        return false;
    if (record.kind == CXType_Record && cw_clang_same_type(record, clang_getCursorType(owner)))
        return true;
    if (!leave_anonymous_records(unit, &owner, offset))
        return false;
    CXType named = clang_getCursorType(owner);
    if (record.kind == CXType_Record && !cw_clang_same_type(record, named) &&
        !cw_clang_base_offset(unit, record, named, &to_base))
        return false;
    *offset += to_base;
    return true;
}

static bool is_empty_class(struct cw_unit *unit, CXType type) {
    return cw_clang_type(unit, type)->size == 1 && !cw_clang_fields(unit, type).n;
}

/* True when nothing may be placed into the class's tail, so that what follows it starts at its size. */
static bool fills_its_size(struct cw_unit *unit, CXType type) {
    struct cw_kids fields = cw_clang_fields(unit, type);
    if (!fields.n)
        return false;
    CXCursor last = fields.at[fields.n - 1];
    long long offset = clang_Cursor_getOffsetOfField(last);
    uint64_t size = cw_clang_type_of(unit, last)->size;
    return offset >= 0 && size && (uint64_t)offset / 8 + size == cw_clang_type(unit, type)->size;
}

static bool is_polymorphic(struct cw_unit *unit, CXType type) {
    struct cw_kids fields = cw_clang_fields(unit, type);
    struct cw_kids kids = cw_clang_kids(unit, clang_getTypeDeclaration(clang_getCanonicalType(type)));
    for (uint32_t i = 0; i < kids.n; i++)
        if (clang_getCursorKind(kids.at[i]) == CXCursor_CXXMethod && clang_CXXMethod_isVirtual(kids.at[i]))
            return true;
    return fields.n && clang_Cursor_getOffsetOfField(fields.at[0]) >= 64 && !kids.n;
}

/* Offset of the i-th direct base. */
static bool direct_base(struct cw_unit *unit, CXType derived, const struct cw_kids *bases, uint32_t i,
                        uint64_t *offset) {
    uint64_t at = 0;
    for (uint32_t k = 0; k <= i; k++) {
        CXType base = clang_getCanonicalType(clang_getCursorType(bases->at[k]));
        uint64_t size = cw_clang_type(unit, base)->size, align = cw_clang_type(unit, base)->align;
        if (clang_isVirtualBase(bases->at[k]) || !size || !align)
            return false;
        bool is_empty = is_empty_class(unit, base);
        if (!is_empty)
            at = (at + align - 1) / align * align;
        *offset = is_empty ? 0 : at;
        if (k == i)
            break;
        if (!is_empty && !fills_its_size(unit, base))
            return false;
        at += is_empty ? 0 : size;
    }
    return !is_polymorphic(unit, derived) || bases->n == 0 ||
           is_polymorphic(unit, clang_getCursorType(bases->at[0]));
}

/* left: bases of bases may be met on more ways than anybody can follow. */
static bool find_base(struct cw_unit *unit, CXType derived, CXType base, uint64_t *offset, int depth, uint32_t *left) {
    if (cw_clang_same_type(derived, base)) {
        *offset = 0;
        return true;
    }
    if (depth > MAX_NESTING || !*left)
        return false;
    --*left;
    struct cw_kids bases = cw_clang_bases(unit, derived);
    for (uint32_t i = 0; i < bases.n; i++) {
        uint64_t here, below;
        CXType t = clang_getCanonicalType(clang_getCursorType(bases.at[i]));
        if (find_base(unit, t, base, &below, depth + 1, left) && direct_base(unit, derived, &bases, i, &here)) {
            *offset = here + below;
            return true;
        }
    }
    return false;
}

/* With a pointer to virtual functions in front of the base, the first field would begin beyond the base's size: of an
 * object that is aligned to 8 bytes at most, less than that is padding at its end. */
static bool begins_with_base(struct cw_unit *unit, CXType derived, CXType base) {
    const struct cw_ctype *of = cw_clang_type(unit, base);
    struct cw_kids fields = cw_clang_fields(unit, derived);
    long long first = fields.n ? clang_Cursor_getOffsetOfField(fields.at[0]) : -1;
    return of->align && of->align <= 8 && first >= 0 && (uint64_t)first / 8 <= of->size;
}

/* A template's bases may be written in terms of its parameters; then only "the single, first base" is known. */
static bool single_base_at_zero(struct cw_unit *unit, CXType derived, CXType base) {
    struct cw_kids bases = cw_clang_bases(unit, derived);
    return bases.n == 1 && !clang_isVirtualBase(bases.at[0]) &&
           (!is_polymorphic(unit, derived) || begins_with_base(unit, derived, base)) &&
           !clang_Cursor_isNull(clang_getSpecializedCursorTemplate(clang_getTypeDeclaration(base)));
}

bool cw_clang_base_offset(struct cw_unit *unit, CXType derived, CXType base, uint64_t *offset) {
    derived = clang_getCanonicalType(derived);
    base = clang_getCanonicalType(base);
    uint32_t left = MAX_BASES;
    if (find_base(unit, derived, base, offset, 0, &left))
        return true;
    *offset = 0;
    return single_base_at_zero(unit, derived, base);
}

struct splitting {
    struct cw_unit *u;
    CW_VEC(struct cw_leaf) leaves;
    uint32_t steps; /* empty elements and bases are no leaves */
    bool is_loose;  /* what cannot be split is left out, instead of all */
    uint32_t arrays; /* around the type that is split now */
    const char *name; /* of the field that it is */
};

static bool split_type(struct splitting *s, CXType t, uint64_t offset, int depth);

static bool split_array(struct splitting *splitting, CXType type, uint64_t offset, int depth) {
    long long n = clang_getArraySize(type);
    CXType element = clang_getArrayElementType(type);
    uint64_t size = cw_clang_type(splitting->u, element)->size;
    if (n < 0 || !size || (splitting->is_loose && n > MEMBER_ELEMENTS))
        return false;
    splitting->arrays++;
    for (long long i = 0; i < n; i++)
        if (!split_type(splitting, element, offset + (uint64_t)i * size, depth + 1))
            return false;
    splitting->arrays--;
    return true;
}

static bool split_bases(struct splitting *splitting, CXType type, uint64_t offset, int depth) {
    struct cw_kids bases = cw_clang_bases(splitting->u, type);
    for (uint32_t i = 0; i < bases.n; i++) {
        uint64_t at;
        CXType base = clang_getCanonicalType(clang_getCursorType(bases.at[i]));
        bool is_split = direct_base(splitting->u, type, &bases, i, &at) &&
                        split_type(splitting, base, offset + at, depth + 1);
        if (!is_split && !splitting->is_loose)
            return false;
    }
    return true;
}

static bool split_field(struct splitting *splitting, CXCursor field, uint64_t offset, int depth) {
    uint64_t at;
    if (!offset_in_class(splitting->u, field, &at) || clang_Cursor_isBitField(field))
        return false;
    splitting->name = cw_clang_text(splitting->u, clang_getCursorSpelling(field));
    return split_type(splitting, clang_getCanonicalType(clang_getCursorType(field)), offset + at, depth + 1);
}

static bool split_record(struct splitting *splitting, CXType type, uint64_t offset, int depth) {
    struct cw_kids fields = cw_clang_fields(splitting->u, type);
    if (clang_getCursorKind(clang_getTypeDeclaration(type)) == CXCursor_UnionDecl || is_polymorphic(splitting->u, type))
        return false;
    if (!split_bases(splitting, type, offset, depth))
        return false;
    for (uint32_t i = 0; i < fields.n; i++) {
        uint32_t arrays = splitting->arrays;
        bool is_split = split_field(splitting, fields.at[i], offset, depth);
        splitting->arrays = arrays;
        if (!is_split && !splitting->is_loose)
            return false;
    }
    return true;
}

/* Is it an integer or a pointer, and short enough a way from the beginning? */
static bool is_member_parameter(const struct cw_leaf *leaf) {
    enum cw_type type = leaf->kind.type;
    return (cw_type_is_int(type) || type == CW_PTR) && leaf->size == cw_type_bytes(type) &&
           leaf->offset <= UINT32_MAX;
}

static bool split_type(struct splitting *splitting, CXType type, uint64_t offset, int depth) {
    const struct cw_ctype *c = cw_clang_type(splitting->u, type);
    uint32_t most = splitting->is_loose ? MAX_MEMBERS : MAX_LEAVES;
    if (depth > MAX_NESTING || splitting->leaves.n > most || splitting->steps++ >= MAX_STEPS)
        return false;
    if (c->shape == CW_SHAPE_SCALAR) {
        struct cw_leaf leaf = {offset, c->kind, (uint32_t)c->size, splitting->arrays > 0, splitting->name,
                               type};
        if (!splitting->is_loose || is_member_parameter(&leaf))
            cw_vec_push(&splitting->u->scratch, &splitting->leaves, leaf);
        return c->size && splitting->leaves.n <= most;
    }
    if (c->shape != CW_SHAPE_OBJECT || !c->size)
        return false;
    return c->is_array ? split_array(splitting, c->canonical, offset, depth)
                       : split_record(splitting, c->canonical, offset, depth);
}

static const struct cw_leaves *split_once(struct cw_unit *unit, struct cw_map *known, CXType type, bool is_loose) {
    CXType c = clang_getUnqualifiedType(clang_getCanonicalType(type));
    uint64_t found, key = (uint64_t)(uintptr_t)c.data[0];
    if (cw_map_get(known, key, &found))
        return (const struct cw_leaves *)(uintptr_t)found;
    struct splitting s = {.u = unit, .is_loose = is_loose};
    struct cw_leaves *out = CW_NEW(&unit->scratch, struct cw_leaves);
    out->is_split = split_type(&s, c, 0, 0);
    out->at = s.leaves.at;
    out->n = s.leaves.n;
    cw_map_put(known, key, (uint64_t)(uintptr_t)out);
    return out;
}

const struct cw_leaves *cw_clang_leaves(struct cw_unit *unit, CXType type) {
    return split_once(unit, &unit->leaves, type, false);
}

const struct cw_leaves *cw_clang_member_parameters(struct cw_unit *unit, CXType type) {
    return split_once(unit, &unit->members, type, true);
}
