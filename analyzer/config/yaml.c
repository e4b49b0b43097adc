#include "config/yaml.h"

#include <string.h>
#include <yaml.h>

struct reading {
    struct cw_arena *arena;
    yaml_parser_t parser;
    struct cw_yaml_error *error;
    uint32_t nodes;
    CW_VEC(struct cw_yaml *) open; /* lists and mappings, outermost first */
    struct cw_yaml *root;
    uint32_t documents;
};

static void set_error(struct reading *reading, uint32_t line, uint32_t col, const char *message) {
    if (!reading->error->message)
        *reading->error = (struct cw_yaml_error){message, line, col};
}

static uint32_t from_one(size_t n) {
    return n < UINT32_MAX - 1 ? (uint32_t)n + 1 : UINT32_MAX;
}

static void fail_at(struct reading *reading, const yaml_event_t *e, const char *message) {
    set_error(reading, from_one(e->start_mark.line), from_one(e->start_mark.column), message);
}

/* What libyaml says of malformed text. Its reader counts bytes only. */
static void report_malformed(struct reading *reading) {
    const yaml_parser_t *p = &reading->parser;
    yaml_mark_t mark = p->problem_mark;
    if (p->error == YAML_READER_ERROR)
        mark = p->mark;
    const char *problem = p->problem ? p->problem : "malformed";
    set_error(reading, from_one(mark.line), from_one(mark.column),
              p->context ? cw_arena_printf(reading->arena, "%s (%s)", problem, p->context)
                         : cw_arena_strdup(reading->arena, problem));
}

static bool is_at_key(const struct reading *reading) {
    const struct cw_yaml *top = reading->open.n ? cw_vec_last(&reading->open) : NULL;
    return top && top->kind == CW_YAML_MAPPING && top->items.n % 2 == 0;
}

static void check_key(struct reading *reading, const struct cw_yaml *key) {
    const struct cw_yaml *top = cw_vec_last(&reading->open);
    for (uint32_t i = 0; i < top->items.n; i += 2)
        if (!strcmp(top->items.at[i]->text, key->text)) {
            set_error(reading, key->line, key->col,
                      cw_arena_printf(reading->arena, "'%s' is given twice, first in line %u", key->text,
                                      top->items.at[i]->line));
            return;
        }
}

/* A new node where the text has come to. */
static struct cw_yaml *add_node(struct reading *reading, const yaml_event_t *e, enum cw_yaml_kind kind) {
    struct cw_yaml *y = CW_NEW(reading->arena, struct cw_yaml);
    *y = (struct cw_yaml){.kind = kind, .text = "", .line = from_one(e->start_mark.line),
                          .col = from_one(e->start_mark.column)};
    if (++reading->nodes > CW_YAML_MAX_NODES || reading->open.n >= CW_YAML_MAX_DEPTH) {
        fail_at(reading, e, reading->open.n >= CW_YAML_MAX_DEPTH ? "nested too deeply" : "too many entries");
        return y;
    }
    if (kind != CW_YAML_SCALAR && is_at_key(reading))
        fail_at(reading, e, "a key must be a name");
    return y;
}

static void place_node(struct reading *reading, struct cw_yaml *yaml) {
    if (reading->error->message)
        return;
    if (reading->open.n)
        cw_vec_push(reading->arena, &cw_vec_last(&reading->open)->items, yaml);
    else
        reading->root = yaml;
}

static bool has_control(const char *text, size_t n) {
    for (size_t i = 0; i < n; i++)
        if ((unsigned char)text[i] < 0x20 || text[i] == 0x7f)
            return true;
    return false;
}

static void read_scalar(struct reading *reading, const yaml_event_t *e) {
    const char *text = (const char *)e->data.scalar.value;
    size_t n = e->data.scalar.length;
    struct cw_yaml *y = add_node(reading, e, CW_YAML_SCALAR);
    if (n > CW_YAML_MAX_SCALAR || has_control(text, n)) {
        fail_at(reading, e,
                n > CW_YAML_MAX_SCALAR ? "a value is too long" : "a value holds line ends or control characters");
        return;
    }
    y->text = cw_arena_strndup(reading->arena, text, n);
    y->is_plain = e->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
    if (is_at_key(reading))
        check_key(reading, y);
    place_node(reading, y);
}

static void open_node(struct reading *reading, const yaml_event_t *e, enum cw_yaml_kind kind) {
    struct cw_yaml *y = add_node(reading, e, kind);
    place_node(reading, y);
    if (!reading->error->message)
        cw_vec_push(reading->arena, &reading->open, y);
}

static void refuse_extras(struct reading *reading, const yaml_event_t *e, const yaml_char_t *anchor,
                          const yaml_char_t *tag) {
    if (anchor)
        fail_at(reading, e, "anchors are not supported");
    else if (tag)
        fail_at(reading, e, "tags are not supported");
}

static void take_event(struct reading *reading, const yaml_event_t *e) {
    switch (e->type) {
    case YAML_DOCUMENT_START_EVENT:
        if (reading->documents++)
            fail_at(reading, e, "a second document; there can be one only");
        break;
    case YAML_ALIAS_EVENT:
        fail_at(reading, e, "aliases are not supported");
        break;
    case YAML_SCALAR_EVENT:
        refuse_extras(reading, e, e->data.scalar.anchor, e->data.scalar.tag);
        read_scalar(reading, e);
        break;
    case YAML_SEQUENCE_START_EVENT:
        refuse_extras(reading, e, e->data.sequence_start.anchor, e->data.sequence_start.tag);
        open_node(reading, e, CW_YAML_LIST);
        break;
    case YAML_MAPPING_START_EVENT:
        refuse_extras(reading, e, e->data.mapping_start.anchor, e->data.mapping_start.tag);
        open_node(reading, e, CW_YAML_MAPPING);
        break;
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT:
        reading->open.n--;
        break;
    default:
        break;
    }
}

static void read_events(struct reading *reading) {
    bool done = false;
    while (!done && !reading->error->message) {
        yaml_event_t e;
        if (!yaml_parser_parse(&reading->parser, &e)) {
            report_malformed(reading);
            return;
        }
        take_event(reading, &e);
        done = e.type == YAML_STREAM_END_EVENT;
        yaml_event_delete(&e);
    }
}

struct cw_yaml *cw_yaml_parse(struct cw_arena *a, cw_str text, struct cw_yaml_error *error) {
    struct reading *r = CW_NEW(a, struct reading);
    *error = (struct cw_yaml_error){0};
    *r = (struct reading){.arena = a, .error = error};
    if (text.n > CW_YAML_MAX_BYTES) {
        set_error(r, 1, 1, "the file is too large");
        return NULL;
    }
    if (!yaml_parser_initialize(&r->parser)) {
        set_error(r, 1, 1, "out of memory");
        return NULL;
    }
    yaml_parser_set_encoding(&r->parser, YAML_UTF8_ENCODING); /* no guessing: UTF-16 is refused */
    yaml_parser_set_input_string(&r->parser, (const unsigned char *)(text.n ? text.at : ""), text.n);
    read_events(r);
    yaml_parser_delete(&r->parser);
    return error->message ? NULL : r->root;
}

const char *cw_yaml_kind_text(const struct cw_yaml *yaml) {
    switch (yaml->kind) {
    case CW_YAML_LIST: return "a list";
    case CW_YAML_MAPPING: return "a mapping";
    default: return "a single value";
    }
}
