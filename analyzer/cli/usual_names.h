/* What other programs call our commands and options. */
#ifndef CW_CLI_USUAL_NAMES_H
#define CW_CLI_USUAL_NAMES_H

/* The option without its dashes, or the command, that goes by this name elsewhere; NULL: none is known. */
const char *cw_usual_option(const char *name);
const char *cw_usual_command(const char *name);

#endif
