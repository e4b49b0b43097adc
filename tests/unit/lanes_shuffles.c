/* The lane that a shuffle reads, against what an H200 did: tests/analyses/shuffle_lanes.txt, printed by
 * shuffle_lanes.cu. */
#include "check.h"
#include "support/files.h"

#include "lanes/shuffle_sources.h"

static enum cw_shfl mode_of(const char *name) {
    static const char *const names[] = {
        [CW_SHFL_IDX] = "idx", [CW_SHFL_UP] = "up", [CW_SHFL_DOWN] = "down", [CW_SHFL_XOR] = "xor"};
    for (unsigned k = 0; k < sizeof names / sizeof *names; k++)
        if (strcmp(names[k], name) == 0)
            return (enum cw_shfl)k;
    fprintf(stderr, "unknown mode: %s\n", name);
    exit(1);
}

/* Of the operand the hardware takes the low five bits, as cw_shuffle_source does. */
static void check_line(const char *line) {
    char mode[8];
    unsigned width;
    int by, at = 0, used;
    CHECK_INT(sscanf(line, "w%u %7s by %d:%n", &width, mode, &by, &at), 3);
    for (uint32_t lane = 0; lane < 32; lane++, at += used) {
        unsigned read = 99;
        used = 0;
        CHECK_INT(sscanf(line + at, " %u%n", &read, &used), 1);
        uint32_t source = cw_shuffle_lane(mode_of(mode), lane, (uint32_t)by & 31, width);
        if (source != read)
            fprintf(stderr, "lane %u, width %u, %s by %d:\n", lane, width, mode, by);
        CHECK_INT(source, read);
    }
}

int main(void) {
    char *text = read_whole(CW_TEST_DIR "/analyses/shuffle_lanes.txt", NULL);
    int lines = 0;
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"), lines++)
        check_line(line);
    CHECK_INT(lines, 160);
    free(text);
    return check_report();
}
