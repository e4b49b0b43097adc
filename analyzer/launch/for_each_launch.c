/* See for_each_launch.h. */
#include "launch/for_each_launch.h"

struct cw_survey cw_survey_of(const struct cw_launches *launches, uint32_t threads) {
    return (struct cw_survey){.launches = launches, .threads = threads, .limit = CW_SURVEY_LAUNCHES};
}

struct cw_survey cw_survey_of_warps(const struct cw_launches *launches) {
    return (struct cw_survey){.launches = launches, .limit = UINT32_MAX};
}

bool cw_survey_next(struct cw_survey *survey) {
    while (survey->next < survey->launches->n && survey->next < survey->limit) {
        survey->launch = survey->next++;
        uint32_t threads = cw_launch_threads(&survey->launches->at[survey->launch]);
        if (threads < survey->threads)
            continue;
        survey->counts = survey->threads || survey->launches->from_facts || survey->launches->any_block || threads > 32;
        survey->asked += survey->counts;
        return true;
    }
    return false;
}

void cw_survey_unreached(struct cw_survey *survey) {
    survey->asked -= survey->counts;
    survey->counts = false;
}

bool cw_survey_shown(struct cw_survey *survey) {
    survey->agreed += survey->counts;
    return survey->shown++ == 0;
}

bool cw_survey_definite(const struct cw_survey *survey) {
    return survey->shown > 0 &&
           (survey->launches->from_facts || (survey->asked > 0 && survey->agreed == survey->asked));
}
