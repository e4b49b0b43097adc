/* A worker: a child process that analyses one file and writes its result, as JSON, to a pipe. */
#ifndef CW_ENGINE_WORKER_H
#define CW_ENGINE_WORKER_H

#include "engine/run.h"

#include <sys/types.h>

/* How a worker ends that could not load libclang. */
enum { CW_NO_PARSER_STATUS = 78 };

/* Starts one for `path`, looked at as `unit` says; *fd is the pipe to read. The result is -1 when no process or pipe
 * can be made. */
pid_t cw_worker_start(const struct cw_run_options *o, const struct cw_unit_options *unit, struct cw_sources *sources,
                      const char *path, int *fd);

/* Files for one process, by index in `paths` and `units`. */
struct cw_worker_batch {
    const char *const *paths;
    const struct cw_unit_options *const *units;
    const uint32_t *files;
    uint32_t n;
};

/* The same for a process that scans the files, see scout.c for what it writes. */
pid_t cw_worker_start_batch(const struct cw_run_options *o, const struct cw_worker_batch *batch,
                            struct cw_sources *sources, int *fd);

/* What a worker wrote and how it ended, as a result. Never fails: whatever went wrong becomes result->failure.
 * `killed`: why the parent ended it, or NULL. `peak`: its largest resident set in bytes. */
void cw_worker_result(struct cw_arena *a, const char *path, const struct cw_buf *wire, int status, const char *killed,
                      uint64_t memory_limit, uint64_t peak, struct cw_file_result *out, struct cw_buf *dump);

/* Is a peak so close to the limit that memory was what lacked? */
bool cw_is_near_limit(uint64_t limit, uint64_t peak);
/* Bytes of memory a process holds now, 0 when it cannot be told. */
uint64_t cw_process_memory(pid_t pid);
/* Does it run, or wait for nothing but a processor? */
bool cw_process_is_runnable(pid_t pid);

#endif
