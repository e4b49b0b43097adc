/* What holds for a kernel, asked launch by launch: the first launch that shows it is the witness; it is definite when
 * the launches are facts, or when every guessed one shows it.
 *
 *     struct cw_survey s = cw_survey_of(launches, 32);
 *     while (cw_survey_next(&s))
 *         if (shows(s.launch, &now) && cw_survey_shown(&s))
 *             first = now;
 *     first.definite = cw_survey_definite(&s); */
#ifndef CW_LAUNCH_FOR_EACH_LAUNCH_H
#define CW_LAUNCH_FOR_EACH_LAUNCH_H

#include "launch/launch.h"

enum { CW_SURVEY_LAUNCHES = 6 }; /* looked at per kernel: more of them seldom say more */

struct cw_survey {
    const struct cw_launches *launches;
    uint32_t threads, limit; /* launches with fewer threads a block are not asked; nor more launches than that */
    uint32_t launch;         /* the one to ask now; an index of launches->at */
    bool counts;             /* that it does not show it says something */
    uint32_t next, asked, shown, agreed;
};

struct cw_survey cw_survey_of(const struct cw_launches *launches, uint32_t threads);
/* Asks all launches, of what part of a warp may show and the whole of it hide: guessed blocks of one warp may give the
 * witness, but do not count, unless the guesses stand for any block. */
struct cw_survey cw_survey_of_warps(const struct cw_launches *launches);
/* The next launch to ask, in `launch`; false when there is none. */
bool cw_survey_next(struct cw_survey *s);
/* Nobody executes under the launch what is asked about: it says nothing. */
void cw_survey_unreached(struct cw_survey *s);
/* The launch shows it. True for the first that does. */
bool cw_survey_shown(struct cw_survey *s);
bool cw_survey_definite(const struct cw_survey *s);

#endif
