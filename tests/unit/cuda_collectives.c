/* The table of CUB's collectives agrees with itself, and its rows are found under the names that headers give them. */
#include "cuda/intrinsics.h"
#include "cuda/models.h"

#include "check.h"

#include <string.h>

struct text {
    const char *of, *member, *header;
};

static const struct text members[] = {
#define CW_COLLECTIVE(class, member, result, roles, valid, storage, alone, warps) {#class, #member, NULL},
#include "cuda/models/collectives.def"
};
static const struct text classes[] = {
#define CW_COLLECTIVE_CLASS(name, scope, header, x, y, z, algorithm) {#name, NULL, header},
#include "cuda/models/collectives.def"
};
enum { MEMBERS = sizeof members / sizeof members[0], CLASSES = sizeof classes / sizeof classes[0] };

static const char *header_of(const char *name) {
    for (uint32_t k = 0; k < CLASSES; k++)
        if (strcmp(classes[k].of, name) == 0)
            return classes[k].header;
    return "";
}

/* Is template parameter `index` of the header called so? */
static bool is_called(const char *header, int index, const char *name) {
    const char *at = header;
    for (int k = 0; k < index && at; k++)
        at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL;
    if (!at)
        return false;
    size_t n = strcspn(at, ",=");
    while (n && at[n - 1] == ' ')
        n--;
    size_t size = strlen(name);
    return n > size && strncmp(at + n - size, name, size) == 0 && at[n - size - 1] == ' ';
}

static void check_class(const struct cw_collective_class *of) {
    const char *header = header_of(of->name);
    bool is_block = of->scope == CW_SCOPE_BLOCK;
    CHECK(is_called(header, of->dims[0], is_block ? "X" : "N"));
    CHECK(is_block ? is_called(header, of->dims[1], "Y") && is_called(header, of->dims[2], "Z")
                   : of->dims[1] < 0 && of->dims[2] < 0);
    CHECK(of->algorithm < 0 || is_called(header, of->algorithm, "R"));
}

static void check_row(const struct text *t) {
    char name[128];
    snprintf(name, sizeof name, "cub::%s::%s", t->of, t->member);
    const struct cw_collective *c = cw_collective_find(name);
    CHECK(c != NULL);
    if (c == NULL)
        return;
    CHECK(strcmp(c->member, t->member) == 0 && strcmp(c->of->name, t->of) == 0);
    CHECK(cw_collective_at(cw_collective_id(c)) == c);
    CHECK(cw_intrinsic_at(cw_collective_id(c)) == NULL);
    CHECK(c->roles[0] != '\0' && strspn(c->roles, "ionxvabwh") == strlen(c->roles));
    CHECK((c->alone == 0 && c->warps == 0) || c->of->algorithm >= 0);
    CHECK((c->alone & c->warps) == 0);
    check_class(c->of);
}

int main(void) {
    for (uint32_t k = 0; k < MEMBERS; k++)
        check_row(&members[k]);
    const struct cw_collective *sum = cw_collective_find("cub::BlockReduce::Sum");
    CHECK(sum && sum->valid == CW_VALID_FIRST && sum->of->scope == CW_SCOPE_BLOCK);
    CHECK(cw_collective_find("hipcub::BlockReduce::Sum") == sum);
    CHECK(cw_collective_find("at_cuda_detail::cub::BlockReduce::Sum") == sum);
    CHECK(cw_collective_find("mycub::BlockReduce::Sum") == NULL);
    CHECK(cw_collective_find("BlockReduce::Sum") == NULL);
    CHECK(cw_collective_find("cub::BlockReduce::Sums") == NULL);
    CHECK(cw_collective_find("cub::BlockReduceLike::Sum") == NULL);
    CHECK(cw_collective_find("cub::detail::BlockReduce::Sum") == NULL);
    CHECK(cw_collective_at(0) == NULL && cw_collective_at(1) == NULL && cw_collective_at(UINT32_MAX) == NULL);
    const struct cw_collective *scan = cw_collective_find("cub::BlockScan::ExclusiveScan");
    CHECK(scan && cw_collective_role(scan, 0) == 'i' && cw_collective_role(scan, 1) == 'o');
    CHECK(scan && cw_collective_role(scan, 2) == 'b' && cw_collective_role(scan, 4) == 'b');
    return check_report();
}
