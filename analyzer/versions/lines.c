#include "versions/lines.h"

#include "git/git.h"

#include <string.h>

static int take_line(const git_diff_delta *delta, const git_diff_hunk *hunk, const git_diff_line *line, void *ctx) {
    struct cw_lines *l = ctx;
    (void)delta;
    (void)hunk;
    if (line->origin == GIT_DIFF_LINE_CONTEXT && line->old_lineno > 0 && (uint32_t)line->old_lineno <= l->n)
        l->now[line->old_lineno] = (uint32_t)line->new_lineno;
    return 0;
}

bool cw_lines_match(struct cw_arena *a, const struct cw_source *before, const struct cw_source *now,
                    struct cw_lines *out) {
    const struct cw_git *git = cw_git_load();
    git_diff_options o;
    out->n = cw_source_lines(before);
    out->now = CW_NEW_ARRAY(a, uint32_t, out->n + 1);
    if (!git || git->diff_options_init(&o, GIT_DIFF_OPTIONS_VERSION))
        return false;
    if (before->size == now->size && !memcmp(before->text, now->text, now->size)) { /* no hunks at all then */
        for (uint32_t i = 1; i <= out->n; i++)
            out->now[i] = i;
        return true;
    }
    o.context_lines = UINT32_MAX / 4;
    o.flags = GIT_DIFF_FORCE_TEXT | GIT_DIFF_IGNORE_WHITESPACE;
    return git->diff_buffers(before->text, before->size, "a", now->text, now->size, "a", &o, NULL, NULL, NULL,
                             take_line, out) == 0;
}
