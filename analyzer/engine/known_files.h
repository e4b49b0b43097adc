/* What earlier runs over the same operands found in files that have not changed since: so that a run whose results are
 * all kept opens none of them.
 *
 * A file is the one it was when device, inode, size, and the times of its last change of content and of state are. That
 * is believed only of files whose state had been settled for a while when the run began that read them, as git does
 * with its index: one that is written twice within a tick of the clock may look the same both times. */
#ifndef CW_ENGINE_KNOWN_FILES_H
#define CW_ENGINE_KNOWN_FILES_H

#include "compdb/includes.h"
#include "engine/cache.h"

struct cw_known_files;

/* Never NULL; knows nothing when the cache is off. To be opened before any of the files is looked at. */
struct cw_known_files *cw_known_files_open(struct cw_cache *c, struct cw_arena *a, const char *const *operands,
                                           uint32_t n);

/* What a file holds: the words of device code, or those of host code that asks for kernels by name. */
enum cw_file_marks { CW_MARKS_NONE, CW_MARKS_DEVICE, CW_MARKS_HOST };

/* Which of them the file holds. False when that is not known. */
bool cw_known_files_has_marks(struct cw_known_files *k, const char *path, enum cw_file_marks *marks);
/* To be told only after the question above, and about what was read after it. */
void cw_known_files_note_marks(struct cw_known_files *k, const char *path, enum cw_file_marks marks);

/* The same for a text's directives and content, as compdb/includes.h asks. `ctx` is a struct cw_known_files. */
bool cw_known_files_recall(void *ctx, const char *path, struct cw_directives *out, struct cw_hash128 *content);
void cw_known_files_note(void *ctx, const char *path, const struct cw_directives *d, struct cw_hash128 content);

/* Keeps what is known now, when it is more than before. */
void cw_known_files_close(struct cw_known_files *k);

#endif
