// Timing of device work, and the records that come of it.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

namespace measure {

// Ends the program with a message when `status` is an error. Used through MEASURE_CHECK.
void require_success(cudaError_t status, const char *what, const char *file, int line);
#define MEASURE_CHECK(call) measure::require_success((call), #call, __FILE__, __LINE__)

// Puts one piece of work on `stream`. `turn` counts the calls: the work takes its buffers by it, so that no call finds
// in the cache what the call before it read.
using launch = std::function<void(int turn, cudaStream_t stream)>;

// Microseconds of one call.
struct timing {
    double median;
    double low;  // 10th percentile
    double high; // 90th percentile
    int samples;
    int calls; // of the work in one sample
};

struct effort {
    int samples;          // timed batches
    double batch_seconds; // least time of a batch
};

// Calls in a row, as a program runs them: batches of calls are captured into one graph, so that neither the processor
// nor the way a call is launched decides, and a sample is a batch's time over its calls. `turns`: number of different
// buffers that `work` goes through; a batch is a multiple of it, and even.
timing time_in_a_row(const launch &work, int turns, const effort &how);

// One call alone on an idle device, from the event before it to the event after it.
timing time_alone(const launch &work, int turns, int samples);

// One line of the results, tab-separated on the output that main() opened:
// group, name, series, variant, size, bytes of one call, median, low, high, samples, calls, result right or wrong.
struct record {
    std::string group;   // "ladder", "pair", …
    std::string name;    // the rung, or the rule whose advice a pair measures
    std::string series;  // which of a rule's experiments; empty elsewhere
    std::string variant; // one way to do it
    std::size_t size;    // elements
    double bytes; // that one call has to move between the device's memory and the chip; 0: memory is not the point
    timing time;
    bool right;
};
void write_record(const record &line);

// The results go to `path` from now on ("-": standard output).
bool open_results(const char *path);
void close_results();

} // namespace measure
