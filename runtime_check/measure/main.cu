// cuwarp-measure: see usage().
#include "bench.h"
#include "suites.h"

#include <cstdio>
#include <cstring>
#include <string>

namespace {

int usage(const char *program)
{
    std::fprintf(stderr,
                 "usage: %s [--ladder] [--tune] [--pairs] [--primitives] [--filter NAME] [--quick] [--out FILE]\n"
                 "Measures on the first CUDA device and writes tab-separated records (bench.h); without a choice, the\n"
                 "ladder and the pairs.\n",
                 program);
    return 2;
}

// The machine, as records' companions: "# name<TAB>value".
void describe_device(const char *path)
{
    cudaDeviceProp properties;
    int driver = 0;
    int runtime = 0;
    MEASURE_CHECK(cudaGetDeviceProperties(&properties, 0));
    MEASURE_CHECK(cudaDriverGetVersion(&driver));
    MEASURE_CHECK(cudaRuntimeGetVersion(&runtime));
    FILE *out = std::fopen((std::string(path) + ".device").c_str(), "w");
    if (!out)
        return;
    std::fprintf(out, "device\t%s\ncompute_capability\t%d.%d\nmultiprocessors\t%d\nl2_bytes\t%d\n", properties.name,
                 properties.major, properties.minor, properties.multiProcessorCount, properties.l2CacheSize);
    std::fprintf(out, "memory_bus_bits\t%d\ncuda_driver\t%d.%d\ncuda_runtime\t%d.%d\n", properties.memoryBusWidth,
                 driver / 1000, driver % 1000 / 10, runtime / 1000, runtime % 1000 / 10);
    std::fclose(out);
}

} // namespace

int main(int argc, char **argv)
{
    measure::options what;
    const char *path = "-";
    bool ladder = false;
    bool tune = false;
    bool pairs = false;
    bool primitives = false;
    for (int i = 1; i < argc; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : nullptr;
        if (!std::strcmp(argv[i], "--ladder"))
            ladder = true;
        else if (!std::strcmp(argv[i], "--tune"))
            tune = true;
        else if (!std::strcmp(argv[i], "--pairs"))
            pairs = true;
        else if (!std::strcmp(argv[i], "--primitives"))
            primitives = true;
        else if (!std::strcmp(argv[i], "--quick"))
            what.quick = true;
        else if (!std::strcmp(argv[i], "--filter") && value)
            what.filter = argv[++i];
        else if (!std::strcmp(argv[i], "--out") && value)
            path = argv[++i];
        else
            return usage(argv[0]);
    }
    int devices = 0;
    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
        std::fprintf(stderr, "%s: no CUDA device found\n", argv[0]);
        return 3;
    }
    if (!measure::open_results(path)) {
        std::fprintf(stderr, "%s: cannot write %s\n", argv[0], path);
        return 2;
    }
    if (std::strcmp(path, "-"))
        describe_device(path);
    bool chosen = ladder || tune || pairs || primitives;
    if (ladder || !chosen)
        measure::measure_ladder(what);
    if (primitives)
        measure::measure_primitives(what);
    if (pairs || !chosen)
        measure::measure_pairs(what);
    if (tune)
        measure::tune_last_rung(what);
    measure::close_results();
    return 0;
}
