#include "last_rung.h"

#include "bench.h"
#include "bulk.cuh"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace measure {

namespace {

using ladder::finish;
using ladder::load;
using ladder::mapping;

template <int Block, int Loads, load Load, finish Finish> form wide_form(bool overlaps = false)
{
    return {Block, Loads, 0, false, overlaps, Load, Finish, reinterpret_cast<const void *>(&ladder::wide_loads<Block, Loads, Load, Finish>), 0,
            static_cast<std::size_t>(Block) * Loads * 4};
}

template <int Block, int Loads, load Load, finish Finish> form queued_form()
{
    return {Block, Loads, 0, true, false, Load, Finish, reinterpret_cast<const void *>(&ladder::queued_loads<Block, Loads, Load, Finish>),
            0, static_cast<std::size_t>(Block) * Loads * 4};
}

template <int Block, int Loads> void add_wide(std::vector<form> &forms)
{
    forms.push_back(wide_form<Block, Loads, load::plain, finish::atomic>());
    forms.push_back(wide_form<Block, Loads, load::read_only, finish::last_block>());
    forms.push_back(wide_form<Block, Loads, load::read_only, finish::atomic>());
    forms.push_back(wide_form<Block, Loads, load::evict_first, finish::atomic>());
    forms.push_back(queued_form<Block, Loads, load::read_only, finish::last_block>());
    forms.push_back(queued_form<Block, Loads, load::read_only, finish::atomic>());
}

template <int Block, int Stages, int StageBytes, finish Finish> form bulk_form()
{
    return {Block, Stages, StageBytes, false, false, load::plain, Finish,
            reinterpret_cast<const void *>(&ladder::bulk_loads<Block, Stages, StageBytes, Finish>),
            ladder::bulk_bytes(Block, Stages, StageBytes), StageBytes / sizeof(float)};
}

template <int Block, int Stages, int StageBytes, finish Finish> form queued_bulk_form()
{
    return {Block, Stages, StageBytes, true, false, load::plain, Finish,
            reinterpret_cast<const void *>(&ladder::queued_bulk<Block, Stages, StageBytes, Finish>),
            static_cast<std::size_t>(Stages) * StageBytes, StageBytes / sizeof(float)};
}

template <int Block, int Stages, int StageBytes> void add_queued_bulk(std::vector<form> &forms)
{
    forms.push_back(queued_bulk_form<Block, Stages, StageBytes, finish::last_block>());
    forms.push_back(queued_bulk_form<Block, Stages, StageBytes, finish::atomic>());
}

template <int Block, int Stages, int StageBytes> void add_bulk(std::vector<form> &forms)
{
    forms.push_back(bulk_form<Block, Stages, StageBytes, finish::last_block>());
    forms.push_back(bulk_form<Block, Stages, StageBytes, finish::atomic>());
}

// The copy engine, and calls that overlap.
bool is_hopper_or_later()
{
    int device = 0;
    int major = 0;
    MEASURE_CHECK(cudaGetDevice(&device));
    MEASURE_CHECK(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device));
    return major >= 9;
}

std::vector<form> make_forms()
{
    std::vector<form> forms;
    add_wide<256, 4>(forms);
    add_wide<256, 8>(forms);
    add_wide<512, 2>(forms);
    add_wide<512, 4>(forms);
    add_wide<512, 8>(forms);
    add_wide<1024, 4>(forms);
    if (is_hopper_or_later()) {
        forms.push_back(wide_form<256, 4, load::read_only, finish::atomic>(true));
        forms.push_back(wide_form<256, 8, load::read_only, finish::atomic>(true));
        forms.push_back(wide_form<512, 4, load::read_only, finish::atomic>(true));
        forms.push_back(wide_form<512, 8, load::read_only, finish::atomic>(true));
        forms.push_back(wide_form<1024, 4, load::read_only, finish::atomic>(true));
        add_bulk<256, 4, 2048>(forms);
        add_bulk<256, 4, 4096>(forms);
        add_bulk<512, 4, 2048>(forms);
        add_queued_bulk<256, 4, 16384>(forms);
        add_queued_bulk<256, 6, 16384>(forms);
        add_queued_bulk<256, 8, 16384>(forms);
        add_queued_bulk<256, 12, 16384>(forms);
        add_queued_bulk<256, 3, 32768>(forms);
        add_queued_bulk<256, 4, 32768>(forms);
        add_queued_bulk<256, 6, 32768>(forms);
        add_queued_bulk<512, 4, 32768>(forms);
        add_queued_bulk<512, 6, 32768>(forms);
        add_queued_bulk<256, 16, 8192>(forms);
        add_queued_bulk<256, 3, 65536>(forms);
    }
    for (const form &one : forms) {
        if (one.dynamic_bytes > 48 * 1024)
            MEASURE_CHECK(cudaFuncSetAttribute(one.kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                               static_cast<int>(one.dynamic_bytes)));
    }
    return forms;
}

int multiprocessors()
{
    int device = 0;
    int count = 0;
    MEASURE_CHECK(cudaGetDevice(&device));
    MEASURE_CHECK(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device));
    return count;
}

int blocks_that_fit(const form &what)
{
    int blocks = 0;
    MEASURE_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, what.kernel, what.threads(), what.dynamic_bytes));
    return blocks;
}

} // namespace

std::string form::name() const
{
    std::string text = stage_bytes ? "bulk/" + std::to_string(block) + "x" + std::to_string(loads) + "x" +
                                         std::to_string(stage_bytes)
                                   : std::string(ladder::name_of(load)) + "/" + std::to_string(block) + "x" +
                                         std::to_string(loads);
    return (queued ? "queue/" : overlaps ? "overlapping/" : "") + text + (finish == finish::atomic ? "/atomic" : "/last_block");
}

std::string configuration::name() const
{
    return what->name() + (how == mapping::chunked ? "/chunked/" : "/strided/") + std::to_string(blocks);
}

const std::vector<form> &all_forms()
{
    static const std::vector<form> forms = make_forms();
    return forms;
}

// Blocks of a few neighbouring tiles each, which the hardware begins in order.
static void add_short_blocks(const form &what, std::size_t size, std::size_t least, std::vector<configuration> &all)
{
    for (std::size_t tiles = 1; tiles <= 8; tiles *= 2) {
        std::size_t blocks = size / what.tile / tiles;
        if (blocks > least && blocks <= 1u << 16)
            all.push_back({&what, mapping::chunked, static_cast<int>(blocks)});
    }
}

std::vector<configuration> configurations_of(const form &what, std::size_t size)
{
    std::vector<configuration> all;
    int most = blocks_that_fit(what);
    if (what.overlaps) {
        add_short_blocks(what, size, static_cast<std::size_t>(multiprocessors()), all);
        return all;
    }
    for (int per = 1; per <= most; per *= 2) {
        all.push_back({&what, mapping::strided, per * multiprocessors()});
        if (!what.stage_bytes && !what.queued)
            all.push_back({&what, mapping::chunked, per * multiprocessors()});
    }
    if (most > 1 && (most & (most - 1)))
        all.push_back({&what, mapping::strided, most * multiprocessors()});
    if (!what.stage_bytes && !what.queued)
        add_short_blocks(what, size, static_cast<std::size_t>(most) * static_cast<std::size_t>(multiprocessors()), all);
    return all;
}

std::vector<configuration> good_configurations(std::size_t size, bool overlapping)
{
    std::vector<configuration> good;
    for (const form &what : all_forms()) {
        if (what.overlaps != overlapping || what.finish != finish::atomic ||
            (!what.queued && !what.overlaps && (what.load != load::read_only || what.block < 512)))
            continue;
        for (const configuration &one : configurations_of(what, size)) {
            if (what.queued || one.how == mapping::chunked || one.blocks == blocks_that_fit(what) * multiprocessors())
                good.push_back(one);
        }
    }
    return good;
}

last_rung_memory::last_rung_memory(int most_blocks) : blocks_(static_cast<std::size_t>(most_blocks)), space_{}
{
    MEASURE_CHECK(cudaMalloc(&space_.sums, sizeof(float) * blocks_));
    MEASURE_CHECK(cudaMalloc(&space_.ticket, sizeof(unsigned)));
    MEASURE_CHECK(cudaMalloc(&space_.results, 2 * sizeof(float)));
    MEASURE_CHECK(cudaMalloc(&space_.queue, 2 * sizeof(unsigned)));
    clear();
}

last_rung_memory::~last_rung_memory()
{
    cudaFree(space_.sums);
    cudaFree(space_.ticket);
    cudaFree(space_.results);
    cudaFree(space_.queue);
}

void last_rung_memory::clear()
{
    MEASURE_CHECK(cudaMemset(space_.sums, 0, sizeof(float) * blocks_));
    MEASURE_CHECK(cudaMemset(space_.ticket, 0, sizeof(unsigned)));
    MEASURE_CHECK(cudaMemset(space_.results, 0, 2 * sizeof(float)));
    MEASURE_CHECK(cudaMemset(space_.queue, 0, 2 * sizeof(unsigned)));
}

float last_rung_memory::result(const form &what, int turn) const
{
    float sum = 0;
    const float *from = space_.results + (what.finish == finish::atomic ? turn % 2 : 0);
    MEASURE_CHECK(cudaMemcpy(&sum, from, sizeof sum, cudaMemcpyDeviceToHost));
    return sum;
}

void run_last_rung(const configuration &config, const float *in, std::size_t size, const ladder::workspace &space, int turn,
                   cudaStream_t stream)
{
    mapping how = config.how;
    ladder::workspace work = space;
    bool maps = !config.what->stage_bytes && !config.what->queued;
    void *with_mapping[] = {&in, &size, &how, &work, &turn};
    void *without[] = {&in, &size, &work, &turn};
    cudaLaunchAttribute may_overlap = {};
    may_overlap.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    may_overlap.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t how_to = {};
    how_to.gridDim = dim3(static_cast<unsigned>(config.blocks));
    how_to.blockDim = dim3(static_cast<unsigned>(config.what->threads()));
    how_to.dynamicSmemBytes = config.what->dynamic_bytes;
    how_to.stream = stream;
    how_to.attrs = &may_overlap;
    how_to.numAttrs = config.what->overlaps ? 1 : 0;
    MEASURE_CHECK(cudaLaunchKernelExC(&how_to, config.what->kernel, maps ? with_mapping : without));
}

} // namespace measure
