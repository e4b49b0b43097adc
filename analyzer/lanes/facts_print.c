#include "lanes/facts_print.h"

#include "base/str.h"
#include "lanes/lanes_internal.h"
#include "lanes/undef_flow.h"

#include <inttypes.h>

void cw_facts_lanes(const struct cw_facts_print *to, const char *label, uint32_t warp, uint32_t lanes) {
    cw_buf_printf(to->out, ", %s%swarp %" PRIu32 " 0x%08" PRIx32, label, *label ? " " : "", warp, lanes);
}

void cw_facts_thread(const struct cw_facts_print *to, const char *label, uint32_t thread) {
    cw_buf_printf(to->out, ", %s%sthread %" PRIu32 " in warp %" PRIu32 " 0x%08" PRIx32, label, *label ? " " : "",
                  thread, thread / 32, UINT32_C(1) << thread % 32);
}

void cw_facts_context(const struct cw_facts_print *to, const struct cw_context *context) {
    for (const struct cw_context *c = context; c; c = c->outer)
        cw_buf_printf(to->out, "%s%" PRIu32, c == context ? ", iteration " : " of ", c->iteration);
}

void cw_facts_presence(const struct cw_facts_print *to, const struct cw_participation *participation, uint32_t warp) {
    if (!participation)
        return;
    uint32_t threads = 0, masks[CW_UNSURE + 1] = {0};
    for (uint32_t what = 0; what <= CW_UNSURE; what++)
        threads += participation->count[what];
    for (uint32_t t = warp * 32; t < threads && t < warp * 32 + 32; t++)
        masks[participation->presence[t]] |= UINT32_C(1) << t % 32;
    cw_buf_printf(to->out, ", warp %" PRIu32, warp);
    for (uint32_t what = 0; what <= CW_UNSURE; what++)
        if (masks[what])
            cw_buf_printf(to->out, " %s 0x%08" PRIx32, cw_presence_text((enum cw_presence)what), masks[what]);
}

void cw_facts_use(const struct cw_facts_print *to, uint32_t warp, const struct cw_use *use) {
    if (use->ins != UINT32_MAX)
        cw_facts_ins(to, use->certain ? "used by" : "perhaps used by", use->ins);
    else
        cw_facts_loc(to, use->certain ? "used by branch" : "perhaps used by branch", use->loc);
    cw_facts_lanes(to, "in", warp, use->lanes);
}

static void put_launch(const struct cw_facts_print *to, const struct cw_launch *launch, uint32_t sample) {
    const uint32_t *block = launch->block;
    cw_buf_printf(to->out, ", block (%" PRIu32 ",%" PRIu32 ",%" PRIu32 ") sample %" PRIu32, block[0], block[1],
                  block[2], sample);
}

void cw_facts_launch(const struct cw_facts_print *to, uint32_t launch, uint32_t sample) {
    if (launch < to->launches->n)
        put_launch(to, &to->launches->at[launch], sample);
}

void cw_facts_evaluator(const struct cw_facts_print *to, const struct cw_lanes *lanes) {
    if (lanes)
        put_launch(to, lanes->launch, lanes->sample);
}
