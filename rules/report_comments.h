/* What rules on comments share: the names of rules in comments. */
#ifndef CW_RULES_REPORT_COMMENTS_H
#define CW_RULES_REPORT_COMMENTS_H

#include "rules/hook_comments.h"

/* Does a rule or a category go by the name? */
bool cw_comment_name_is_known(cw_str name);
/* Does a rule go by it, and is it no category? */
bool cw_comment_name_is_rule(cw_str name);
/* The rule or category that was perhaps meant; NULL: none is near. */
const char *cw_comment_name_near(const char *name);
/* Of a suppression that was of no use: would it have been, if there were something? The rules that the name stands for
 * ran (of a category, those that are on by default), and they are not on comments themselves. */
bool cw_comment_name_has_run(const struct cw_comments_ctx *, cw_str name);
/* The slice as arena text. */
const char *cw_comment_text(struct cw_comments_ctx *, cw_str slice);

#endif
