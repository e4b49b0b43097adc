/* See for_each_launch.h. */
#include "launch/for_each_launch.h"

struct cw_survey cw_survey_of(const struct cw_launches *launches, uint32_t threads) {
    return (struct cw_survey){.launches = launches, .threads = threads, .limit = CW_SURVEY_LAUNCHES};
}

struct cw_survey cw_survey_of_warps(const struct cw_launches *launches) {
    return (struct cw_survey){.launches = launches, .limit = UINT32_MAX};
}

bool cw_survey_next(struct cw_survey *s) {
    while (s->next < s->launches->n && s->next < s->limit) {
        s->launch = s->next++;
        uint32_t threads = cw_launch_threads(&s->launches->at[s->launch]);
        if (threads < s->threads)
            continue;
        s->counts = s->threads || s->launches->from_facts || s->launches->any_block || threads > 32;
        s->asked += s->counts;
        return true;
    }
    return false;
}

void cw_survey_unreached(struct cw_survey *s) {
    s->asked -= s->counts;
    s->counts = false;
}

bool cw_survey_shown(struct cw_survey *s) {
    s->agreed += s->counts;
    return s->shown++ == 0;
}

bool cw_survey_definite(const struct cw_survey *s) {
    return s->shown > 0 && (s->launches->from_facts || (s->asked > 0 && s->agreed == s->asked));
}
