#include "flow/survey.h"

struct cw_survey cw_survey_of(const struct cw_launches *launches, uint32_t threads) {
    return (struct cw_survey){.launches = launches, .threads = threads};
}

bool cw_survey_next(struct cw_survey *s) {
    while (s->next < s->launches->n && s->next < CW_SURVEY_LAUNCHES) {
        s->launch = s->next++;
        if (cw_launch_threads(&s->launches->at[s->launch]) < s->threads)
            continue;
        s->asked++;
        return true;
    }
    return false;
}

bool cw_survey_shown(struct cw_survey *s) {
    return s->shown++ == 0;
}

bool cw_survey_definite(const struct cw_survey *s) {
    return s->shown > 0 && (s->launches->from_facts || s->shown == s->asked);
}
