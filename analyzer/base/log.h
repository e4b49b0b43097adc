/* Messages for the person at the terminal: stderr only, prefixed with the tool's name. Each is one line of
 * printable text (base/printable.h), so that callers may pass names and texts from elsewhere as they are. */
#ifndef CW_BASE_LOG_H
#define CW_BASE_LOG_H

enum cw_log_level { CW_LOG_QUIET, CW_LOG_NORMAL, CW_LOG_VERBOSE };

extern enum cw_log_level cw_log_level;

/* Called before each message, and before output goes to a terminal: erases what is drawn there. NULL: nothing is. */
extern void (*cw_log_before)(void);

/* Environment or usage errors; always shown. */
void cw_error(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* What an option asks for by its name (--statistics): shown whatever the level. */
void cw_tell(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Facts a user may want; shown at normal level. */
void cw_note(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Shown with -v only. */
void cw_verbose(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Prints the message and exits with status 2: for out of memory and broken installations, never for user code. */
void cw_die(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));

#endif
