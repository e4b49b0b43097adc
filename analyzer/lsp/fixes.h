/* Changes of the documents that get rid of findings, as WorkspaceEdits. */
#ifndef CW_LSP_FIXES_H
#define CW_LSP_FIXES_H

#include "lsp/server.h"

/* Work of jobs. Subject: {"paths", "action"} and what the action wants; sends {"edits": [WorkspaceEdit or null]}.
 *
 *     "prove"     "findings": one edit for each, its safe fix, when the fix stands the proof (fix/prove/repair.h)
 *     "fix"       "findings" of one, "fix": the message of one of its fixes, safe or not; the same proof
 *     "fixRule"   "rule": the safe fixes of all its findings in the paths
 *     "fixAll"    the safe fixes of all findings
 *     "suppress"  "findings" of one file, "reason": a comment that silences them */
void cw_lsp_repair(struct cw_lsp_channel *out, void *server, const json_t *subject);

#endif
