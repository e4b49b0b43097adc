/* Runs a fuzz target without libFuzzer: every file below the given paths, as it is, cut short, and with bytes damaged.
 *
 * The damage follows from the file alone, so a failure repeats. Also the way to look at an input that libFuzzer found.
 */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { CUTS = 24, DAMAGES = 24, MAX_BYTES = 1 << 20 };

static int runs, files;

static void run_one(const uint8_t *data, size_t size) {
    /* An exact allocation lets AddressSanitizer see a read past the end. */
    uint8_t *copy = malloc(size ? size : 1);
    if (!copy)
        abort();
    memcpy(copy, data, size);
    LLVMFuzzerTestOneInput(copy, size);
    free(copy);
    runs++;
}

static void run_all(uint8_t *data, size_t size) {
    static const uint8_t bytes[] = {0, '{', '}', '(', ')', '"', '\'', '\n', '\\', '<', '>', '#', '/', '*', 0xFF, '%'};
    run_one(data, size);
    for (size_t i = 0; i < CUTS && i < size; i++)
        run_one(data, size * i / CUTS);
    uint32_t state = (uint32_t)size;
    for (size_t i = 0; i < DAMAGES && size; i++) {
        state = state * 1664525u + 1013904223u;
        size_t at = (state >> 8) % size;
        uint8_t old = data[at];
        data[at] = bytes[i % sizeof bytes];
        run_one(data, size);
        data[at] = old;
    }
}

static void replay_file(const char *path) {
    FILE *f = fopen(path, "rb");
    uint8_t *data = malloc(MAX_BYTES);
    if (!f || !data) {
        perror(path);
        exit(1);
    }
    size_t size = fread(data, 1, MAX_BYTES, f);
    fclose(f);
    files++;
    run_all(data, size);
    free(data);
}

/* The depth bound is against links that lead in circles. */
static void replay_path(const char *path, int depth) {
    struct stat st;
    if (stat(path, &st) != 0) {
        perror(path);
        exit(1);
    }
    DIR *folder = S_ISDIR(st.st_mode) && depth < 16 ? opendir(path) : NULL;
    if (!folder) {
        if (S_ISREG(st.st_mode))
            replay_file(path);
        return;
    }
    for (struct dirent *e; (e = readdir(folder));) {
        char inner[4096];
        int n = snprintf(inner, sizeof inner, "%s/%s", path, e->d_name);
        if (e->d_name[0] != '.' && n > 0 && (size_t)n < sizeof inner)
            replay_path(inner, depth + 1);
    }
    closedir(folder);
}

int main(int argc, char **argv) {
    for (int i = 1; i < argc; i++)
        replay_path(argv[i], 0);
    printf("%d files, %d runs\n", files, runs);
    return files ? 0 : 1;
}
