/* What --generate prints, all of it from the tables of options, commands and rules. */
#ifndef CW_CLI_GENERATE_H
#define CW_CLI_GENERATE_H

#include "base/str.h"
#include "cli/options.h"
#include "config/config.h"

enum cw_value_kind { CW_VALUE_ANY, CW_VALUE_WORDS, CW_VALUE_LIST, CW_VALUE_RULES, CW_VALUE_FORMATS, CW_VALUE_DUMPS,
                     CW_VALUE_PATH, CW_VALUE_FOLDER };

/* What can stand behind an option; words are separated by blanks (arena text). */
struct cw_values {
    enum cw_value_kind kind;
    const char *words;
};
struct cw_values cw_values_of(struct cw_arena *a, enum cw_option_id id);
/* What can stand as an operand of a command, separated by blanks; NULL: files (arena text). */
const char *cw_operand_words(struct cw_arena *a, enum cw_command command);

/* The option that a key of the configuration (enum cw_key) stands for, -1: none. */
int cw_option_of_key(enum cw_key key);

void cw_generate_man(struct cw_arena *a, struct cw_buf *out);
void cw_generate_bash(struct cw_arena *a, struct cw_buf *out);
void cw_generate_zsh(struct cw_arena *a, struct cw_buf *out);
void cw_generate_fish(struct cw_arena *a, struct cw_buf *out);
void cw_generate_schema(struct cw_arena *a, struct cw_buf *out);

#endif
