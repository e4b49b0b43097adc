/* The build ID in memory is the one that the program's file holds. */
#include "base/build_id.h"
#include "check.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* The linker's note as it stands in the file: sizes of name and description, type, name. */
static const unsigned char head[] = {4, 0, 0, 0, 20, 0, 0, 0, 3, 0, 0, 0, 'G', 'N', 'U', 0};

static bool file_holds(const uint8_t *id, size_t n) {
    static unsigned char start[4096]; /* notes stand among the first sections */
    FILE *file = fopen("/proc/self/exe", "rb");
    size_t bytes = file ? fread(start, 1, sizeof start, file) : 0;
    if (file)
        fclose(file);
    for (size_t at = 0; at + sizeof head + n <= bytes; at++)
        if (memcmp(start + at, head, sizeof head) == 0)
            return memcmp(start + at + sizeof head, id, n) == 0;
    return false;
}

int main(void) {
    size_t n = 0;
    const uint8_t *id = cw_build_id(&n);
    CHECK(id != NULL);
    CHECK_INT(n, 20); /* SHA-1 */
    CHECK(id && file_holds(id, n));
    return check_report();
}
