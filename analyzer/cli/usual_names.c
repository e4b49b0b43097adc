#include "cli/usual_names.h"

#include <stddef.h>
#include <string.h>

struct usual { const char *theirs, *ours; };

static const struct usual options[] = {
    {"o", "output"},
    {"f", "output"},
    {"format", "output"},
    {"output-file", "output"},
    {"output-format", "output"},
    {"reporter", "output"},
    {"disable", "ignore"},
    {"enable", "extend-select"},
    {"checks", "select"},
    {"autofix", "fix"},
    {"fix-errors", "fix"},
    {"dry-run", "diff"},
    {"max-warnings", "fail-on"},
    {"warnings-as-errors", "fail-on"},
    {"config-file", "config"},
    {"compile-commands", "build"},
    {"threads", "jobs"},
    {"stats", "statistics"},
    {"gencode", "arch"},
    {"gpu-arch", "arch"},
    {"gpu-architecture", "arch"},
    {"cuda-gpu-arch", "arch"},
};

static const struct usual commands[] = {
    {"lint", "check"},       {"run", "check"},         {"analyze", "check"},
    {"list", "rules"},       {"list-rules", "rules"}, {"list-checks", "rules"},
    {"rule", "explain"},     {"server", "lsp"},        {"language-server", "lsp"},
};

static const char *find_usual(const struct usual *list, size_t n, const char *name) {
    for (size_t i = 0; i < n; i++)
        if (!strcmp(name, list[i].theirs))
            return list[i].ours;
    return NULL;
}

const char *cw_usual_option(const char *name) {
    return find_usual(options, sizeof options / sizeof options[0], name);
}

const char *cw_usual_command(const char *name) {
    return find_usual(commands, sizeof commands / sizeof commands[0], name);
}
