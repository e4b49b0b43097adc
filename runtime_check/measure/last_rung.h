// The last rung's configurations.
#pragma once

#include "wide.cuh"

#include <string>
#include <vector>

namespace measure {

// One compiled form of the last rung.
struct form {
    int block;
    int loads;        // vectors of a thread under way; stages of a warp's ring for the copy engine
    int stage_bytes;  // 0: loads into registers
    bool queued;      // tiles are handed out in order
    bool overlaps;    // a call begins while the one before it ends
    ladder::load load;
    ladder::finish finish;
    const void *kernel;
    std::size_t dynamic_bytes; // of shared memory
    std::size_t tile;          // floats that a block (copy engine without a queue: a warp) takes at a time

    std::string name() const;
    // Threads of a block: of those that add, and the warp that fills their ring.
    int threads() const { return queued && stage_bytes ? block + 32 : block; }
};

// A form with its grid.
struct configuration {
    const form *what;
    ladder::mapping how;
    int blocks;

    std::string name() const;
};

const std::vector<form> &all_forms();

// The grids worth trying for `size` floats: 1, 2, 4, … blocks for each multiprocessor as far as they fit, and many
// short blocks.
std::vector<configuration> configurations_of(const form &what, std::size_t size);

// The configurations that were among the best for some size in the sweep on an H200
// (docs/measurements/reduction-ladder.md). `overlapping`: those whose calls overlap, else those whose calls follow one
// another.
std::vector<configuration> good_configurations(std::size_t size, bool overlapping);

// Device memory that the last rung needs, cleared.
class last_rung_memory {
  public:
    explicit last_rung_memory(int most_blocks);
    ~last_rung_memory();
    last_rung_memory(const last_rung_memory &) = delete;
    last_rung_memory &operator=(const last_rung_memory &) = delete;

    const ladder::workspace &space() const { return space_; }
    void clear();
    // The sum that the call number `turn` left.
    float result(const form &what, int turn) const;

  private:
    std::size_t blocks_;
    ladder::workspace space_;
};

void run_last_rung(const configuration &, const float *in, std::size_t size, const ladder::workspace &, int turn,
                   cudaStream_t stream);

} // namespace measure
