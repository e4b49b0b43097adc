#include "bench.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace measure {

void require_success(cudaError_t status, const char *what, const char *file, int line)
{
    if (status == cudaSuccess)
        return;
    std::fprintf(stderr, "%s:%d: %s: %s\n", file, line, what, cudaGetErrorString(status));
    std::exit(3);
}

namespace {

FILE *results = stdout;

// Slow work gets fewer samples: none are begun after this time, once there are enough for a median.
constexpr double most_microseconds = 0.4e6;

// Keeps the device busy while the processor puts the events and the work behind it: the time between the events then holds
// no time of the processor.
__global__ void wait_a_while(long long cycles)
{
    long long start = clock64();
    while (clock64() - start < cycles) {
    }
}

struct event_pair {
    cudaEvent_t start;
    cudaEvent_t stop;

    event_pair()
    {
        MEASURE_CHECK(cudaEventCreate(&start));
        MEASURE_CHECK(cudaEventCreate(&stop));
    }
    ~event_pair()
    {
        cudaEventDestroy(start);
        cudaEventDestroy(stop);
    }
    event_pair(const event_pair &) = delete;
    event_pair &operator=(const event_pair &) = delete;

    double microseconds() const
    {
        float milliseconds = 0;
        MEASURE_CHECK(cudaEventSynchronize(stop));
        MEASURE_CHECK(cudaEventElapsedTime(&milliseconds, start, stop));
        return 1e3 * milliseconds;
    }
};

template <class Work> double time_once(cudaStream_t stream, Work &&work)
{
    event_pair events;
    wait_a_while<<<1, 1, 0, stream>>>(100000);
    MEASURE_CHECK(cudaEventRecord(events.start, stream));
    work();
    MEASURE_CHECK(cudaEventRecord(events.stop, stream));
    return events.microseconds();
}

double at_rank(const std::vector<double> &sorted, double rank)
{
    return sorted[static_cast<std::size_t>(std::lround(rank * static_cast<double>(sorted.size() - 1)))];
}

timing summary(std::vector<double> samples, int calls)
{
    std::sort(samples.begin(), samples.end());
    return {at_rank(samples, 0.5), at_rank(samples, 0.1), at_rank(samples, 0.9), static_cast<int>(samples.size()), calls};
}

cudaGraphExec_t capture(const launch &work, int calls, cudaStream_t stream)
{
    cudaGraph_t graph;
    cudaGraphExec_t ready;
    MEASURE_CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    for (int turn = 0; turn < calls; turn++)
        work(turn, stream);
    MEASURE_CHECK(cudaStreamEndCapture(stream, &graph));
    MEASURE_CHECK(cudaGraphInstantiate(&ready, graph, 0));
    MEASURE_CHECK(cudaGraphDestroy(graph));
    return ready;
}

int calls_of_a_batch(const launch &work, int turns, double batch_seconds, cudaStream_t stream)
{
    int round = turns % 2 ? 2 * turns : turns;
    auto all_turns = [&] {
        for (int turn = 0; turn < round; turn++)
            work(turn, stream);
    };
    time_once(stream, all_turns);
    double once = time_once(stream, all_turns);
    double rounds = std::ceil(1e6 * batch_seconds / std::max(once, 1.0));
    return round * static_cast<int>(std::clamp(rounds, 1.0, std::max(1.0, 2000.0 / round)));
}

} // namespace

timing time_in_a_row(const launch &work, int turns, const effort &how)
{
    cudaStream_t stream;
    MEASURE_CHECK(cudaStreamCreate(&stream));
    int calls = calls_of_a_batch(work, turns, how.batch_seconds, stream);
    cudaGraphExec_t batch = capture(work, calls, stream);
    MEASURE_CHECK(cudaGraphLaunch(batch, stream));
    std::vector<double> samples;
    double spent = 0;
    while (static_cast<int>(samples.size()) < how.samples && (samples.size() < 5 || spent < most_microseconds)) {
        double time = time_once(stream, [&] { MEASURE_CHECK(cudaGraphLaunch(batch, stream)); });
        samples.push_back(time / calls);
        spent += time;
    }
    MEASURE_CHECK(cudaGraphExecDestroy(batch));
    MEASURE_CHECK(cudaStreamDestroy(stream));
    return summary(std::move(samples), calls);
}

timing time_alone(const launch &work, int turns, int count)
{
    cudaStream_t stream;
    MEASURE_CHECK(cudaStreamCreate(&stream));
    std::vector<double> samples;
    double spent = 0;
    int warm_up = turns % 2 ? 2 * turns : turns;
    // An even number of calls, for work that alternates between two accumulators.
    for (int turn = 0; turn < count + warm_up && (turn % 2 || turn < warm_up + 6 || spent < most_microseconds); turn++) {
        double time = time_once(stream, [&] { work(turn, stream); });
        spent += time;
        if (turn >= warm_up)
            samples.push_back(time);
    }
    MEASURE_CHECK(cudaStreamDestroy(stream));
    return summary(std::move(samples), 1);
}

bool open_results(const char *path)
{
    results = std::strcmp(path, "-") ? std::fopen(path, "w") : stdout;
    return results != nullptr;
}

void close_results()
{
    if (results != stdout)
        std::fclose(results);
}

void write_record(const record &line)
{
    std::fprintf(results, "%s\t%s\t%s\t%s\t%zu\t%.0f\t%.4f\t%.4f\t%.4f\t%d\t%d\t%s\n", line.group.c_str(), line.name.c_str(),
                 line.series.c_str(), line.variant.c_str(), line.size, line.bytes, line.time.median, line.time.low,
                 line.time.high, line.time.samples, line.time.calls, line.right ? "right" : "wrong");
    std::fflush(results);
}

} // namespace measure
