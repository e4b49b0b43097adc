#!/usr/bin/env python3
"""The rows of groups, asynchronous operations, matrix fragments and random numbers mean the same with the toolkit's headers as with the built-in ones.

    row_table.py --bin CUWARP_LINT [--verbose]

Each statement of USES is a kernel of its own. Of its code, made with each kind of headers, the operations that concern several
threads or memory must be the same. A row of intrinsics_groups.def or intrinsics_async.def fails that is used nowhere: neither here,
nor in what real_headers.py compares (COMPARED), nor named in ELSEWHERE with a reason. Exit status 77 without a toolkit.
"""

import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

import real_headers

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
TABLES = ["analyzer/cuda/intrinsics_groups.def", "analyzer/cuda/intrinsics_async.def"]
COMPARED = ["collective-storage-reuse", "partial-collective-result", "divergent-barrier", "divergent-loop-barrier",
            "mask-names-absent-lane", "unwaited-async-copy", "missing-proxy-fence", "narrow-scope", "missing-fence",
            "lock-without-fence", "unlock-without-fence"]
HEADER = """#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda_awbarrier_primitives.h>
#include <cuda_pipeline.h>
#include <curand_kernel.h>
#include <mma.h>
namespace cg = cooperative_groups;
using barrier = cuda::barrier<cuda::thread_scope_block>;
"""
GROUPS = {
    "b": ("cg::thread_block b = cg::this_thread_block();", ["sync()", "thread_rank()", "size()", "num_threads()", "thread_index().x",
                                                            "group_index().x", "group_dim().x", "dim_threads().y"]),
    "g": ("cg::grid_group g = cg::this_grid();", ["sync()", "thread_rank()", "size()", "num_threads()", "num_blocks()", "block_rank()",
                                                  "dim_blocks().x", "block_index().x", "is_valid()", "group_dim().x"]),
    "c": ("cg::cluster_group c = cg::this_cluster();", ["sync()", "thread_rank()", "num_threads()", "num_blocks()", "block_rank()",
                                                        "dim_blocks().x", "block_index().x", "dim_threads().x", "thread_index().x"]),
    "t": ("auto t = cg::tiled_partition<16>(cg::this_thread_block());",
          ["sync()", "thread_rank()", "size()", "num_threads()", "meta_group_rank()", "meta_group_size()", "shfl(v, 3)",
           "shfl_up(v, 1)", "shfl_down(v, 1)", "shfl_xor(v, 4)", "any(v)", "all(v)", "ballot(v)", "match_any(v)"]),
    "a": ("cg::coalesced_group a = cg::coalesced_threads();",
          ["sync()", "thread_rank()", "size()", "num_threads()", "meta_group_rank()", "shfl(v, 1)", "shfl_up(v, 1)", "shfl_down(v, 1)",
           "any(v)", "all(v)", "ballot(v)", "match_any(v)"]),
}
TILE = "auto t = cg::tiled_partition<32>(cg::this_thread_block()); "
BAR = "barrier &bar = *reinterpret_cast<barrier *>(&room); "
OTHERS = [
    "out[threadIdx.x] = cg::tiled_partition(cg::this_thread_block(), 8).thread_rank();",
    TILE + "out[threadIdx.x] = cg::reduce(t, v, cg::plus<int>());",
    TILE + "out[threadIdx.x] = cg::reduce(t, v, cg::greater<int>());",
    TILE + "out[threadIdx.x] = cg::inclusive_scan(t, v, cg::plus<int>());",
    TILE + "out[threadIdx.x] = cg::exclusive_scan(t, v);",
    TILE + "auto part = cg::binary_partition(t, v > 0); out[threadIdx.x] = part.thread_rank();",
    TILE + "auto part = cg::labeled_partition(t, v); out[threadIdx.x] = part.thread_rank();",
    "cg::sync(cg::this_thread_block());",
    "out[0] = cg::thread_rank(cg::this_thread_block());",
    "out[0] = cg::group_size(cg::this_thread_block());",
    "auto b = cg::this_thread_block(); cg::memcpy_async(b, s, in, sizeof s); cg::wait(b);",
    "auto b = cg::this_thread_block(); cg::memcpy_async(b, s, in, sizeof s); cg::wait_prior<0>(b);",
    "__pipeline_memcpy_async(&s[threadIdx.x], &in[threadIdx.x], 4); __pipeline_commit(); __pipeline_wait_prior(0);",
    BAR + "if (threadIdx.x == 0) init(&bar, 64);",
    BAR + "bar.arrive_and_wait();",
    BAR + "auto token = bar.arrive(); bar.wait(std::move(token));",
    BAR + "bar.arrive_and_drop();",
    BAR + "bar.wait_parity(v > 0);",
    "__mbarrier_init(&room, 64);",
    "auto token = __mbarrier_arrive(&room); while (!__mbarrier_test_wait(&room, token)) {}",
    "__mbarrier_arrive_and_drop(&room);",
    "__mbarrier_inval(&room);",
    "auto token = __mbarrier_arrive(&room); while (!__mbarrier_try_wait(&room, token, 1000)) {}",
    "while (!__mbarrier_test_wait_parity(&room, false)) {}",
    "while (!__mbarrier_try_wait_parity(&room, false, 1000)) {}",
    "auto token = __mbarrier_arrive(&room); out[0] = __mbarrier_token_pending_count(token);",
    "__pipeline_memcpy_async(&s[threadIdx.x], &in[threadIdx.x], 4); __pipeline_arrive_on(&room);",
    "cg::cluster_group c = cg::this_cluster(); c.barrier_arrive(); c.barrier_wait();",
    "cg::cluster_group c = cg::this_cluster(); out[0] = *c.map_shared_rank(s, 1);",
    "cg::cluster_group c = cg::this_cluster(); out[0] = c.query_shared_rank(s);",
    "auto pipe = cuda::make_pipeline(); pipe.producer_acquire(); cuda::memcpy_async(&s[threadIdx.x], &in[threadIdx.x], 4, pipe); "
    "pipe.producer_commit(); cuda::pipeline_consumer_wait_prior<0>(pipe);",
    BAR + "auto token = cuda::device::barrier_arrive_tx(bar, 1, 64); bar.wait(std::move(token));",
    BAR + "cuda::device::barrier_expect_tx(bar, 64);",
    BAR + "cuda::device::memcpy_async_tx(s, in, cuda::aligned_size_t<16>(64), bar);",
]
FRAGMENTS = ("using namespace nvcuda; wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a; "
             "wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> b; "
             "wmma::fragment<wmma::accumulator, 16, 16, 16, float> c; const half *h = reinterpret_cast<const half *>(in); "
             "float *f = reinterpret_cast<float *>(out); ")
BITS = ("using namespace nvcuda; wmma::fragment<wmma::matrix_a, 8, 8, 128, wmma::experimental::precision::b1, wmma::row_major> a; "
        "wmma::fragment<wmma::matrix_b, 8, 8, 128, wmma::experimental::precision::b1, wmma::col_major> b; "
        "wmma::fragment<wmma::accumulator, 8, 8, 128, int> c; ")
MATRICES = [
    FRAGMENTS + "wmma::load_matrix_sync(a, h, 16); wmma::load_matrix_sync(b, h + 256, 16); "
    "wmma::load_matrix_sync(c, f, 16, wmma::mem_row_major); wmma::mma_sync(c, a, b, c); "
    "wmma::store_matrix_sync(f, c, 16, wmma::mem_row_major);",
    FRAGMENTS + "wmma::fill_fragment(c, 1.0f); wmma::store_matrix_sync(f, c, 16, wmma::mem_col_major);",
    FRAGMENTS + "if (threadIdx.x < 32) { wmma::load_matrix_sync(a, h, 16); wmma::fill_fragment(c, v); wmma::mma_sync(c, a, b, c); } "
    "for (int k = 0; k < c.num_elements; k++) c.x[k] *= 2; wmma::store_matrix_sync(reinterpret_cast<float *>(s), c, 16, wmma::mem_row_major);",
    BITS + "wmma::fill_fragment(c, 0); wmma::load_matrix_sync(a, in, 128); wmma::load_matrix_sync(b, in + 32, 128); "
    "wmma::bmma_sync(c, a, b, c); wmma::store_matrix_sync(out, c, 8, wmma::mem_row_major);",
    "out[threadIdx.x] = (int)nvcuda::wmma::__float_to_tf32((float)v);",
]
STATE = "{} state; curand_init(1234ull, threadIdx.x, 0, &state); "
RANDOM = [
    *(STATE.format("curandState") + f"out[threadIdx.x] = (int){call};" for call in (
        "curand(&state)", "curand_uniform(&state)", "curand_uniform_double(&state)", "curand_normal(&state)", "curand_normal2(&state).x",
        "curand_normal_double(&state)", "curand_normal2_double(&state).x", "curand_log_normal(&state, 0.0f, 1.0f)",
        "curand_log_normal_double(&state, 0.0, 1.0)", "curand_log_normal2(&state, 0.0f, 1.0f).x",
        "curand_log_normal2_double(&state, 0.0, 1.0).x", "curand_poisson(&state, 3.0)")),
    *(STATE.format("curandStatePhilox4_32_10_t") + f"out[threadIdx.x] = (int){call};" for call in (
        "curand(&state)", "curand4(&state).x", "curand_uniform4(&state).y", "curand_uniform2_double(&state).x", "curand_normal4(&state).z",
        "curand_log_normal4(&state, 0.0f, 1.0f).x", "curand_poisson4(&state, 3.0).x")),
    STATE.format("curandStateMRG32k3a") + "skipahead_subsequence(1ull, &state); out[threadIdx.x] = (int)curand(&state);",
    STATE.format("curandState") + "skipahead(5ull, &state); skipahead_sequence(1ull, &state); out[threadIdx.x] = (int)curand(&state);",
    "curandStateSobol32 state; curand_init((unsigned *)in, 3u, &state); out[threadIdx.x] = (int)curand(&state);",
]
# Rows of which no statement is compared, by the beginning of the name, and why.
ELSEWHERE = {
    "cuda.": "the name of a section", "cg.": "the name of a section", "mbarrier.": "the name of a section",
    "pipeline.": "the name of a section", "thrust.": "the name of a section", "wmma": "the name of a section",
    "const G &": "parameters of a row", "cuda::cuwarp_": "internal: what inline functions of the shim lead to",
    "cuda::std::__atomic_": "of the toolkit only; narrow-scope and missing-fence compare what they make",
    "multi_grid_group": "gone from CUDA 13", "this_multi_grid": "gone from CUDA 13",
    "thread_::": "one thread: nothing to synchronise", "this_thread": "the same",
    "thrust::": "random numbers of Thrust: opaque values without an effect on others",
    "elect_one": "internal: what invoke_one leads to",
    "consumer_wait_for": "waits with a time limit, like consumer_wait", "consumer_wait_until": "the same",
    "cuda::barrier::try_wait": "one turn of the loop that wait() is", "cuda::pipeline::quit": "leaves the pipeline: orders nothing",
    "cuda::pipeline_producer_commit": "the end of a copy by a barrier: unwaited-async-copy has it with the built-in headers",
    "grid_group::cluster_": "numbers of clusters: opaque values", "grid_group::dim_clusters": "the same",
    "grid_group::num_clusters": "the same",
}
WORDS_ELSEWHERE = {"cas", "compare_exchange", "exchange_n", "load_n", "store_n", "fetch_and", "fetch_or", "fetch_xor", "fetch_max", "fetch_min",
                   "fetch_sub", "max", "min", "sub", "xor"}  # parts of the names of atomics: one row each for the operations of one kind
# Statements whose operations differ, and why.
DIFFER = {
    "t.meta_group_rank()": "the toolkit's body is entered: the rank in the block over the size of the tile",
    "t.meta_group_size()": "the same for the sizes",
}
KEPT = re.compile(r"(barrier|gridsync|clustersync|syncwarp|shfl|vote|match|redux|scan|elect|group\w*|asynccopy|asynccommit|asyncwait|"
                  r"mbar\w+|frag\w+|fence|atomic|opcall|collective|asm|activemask)(\.[\w.\"]+)?(?= |$)")

OPAQUE = re.compile(r"opaque\S*(?= )")  # a number that is drawn


def statements():
    """(what it uses, the kernel's text) of each kernel."""
    for name, (make, members) in GROUPS.items():
        for member in members:
            text = f"{name}.{member};" if member == "sync()" else f"out[threadIdx.x] = {name}.{member};"
            yield f"{name}.{member}", f"{make} {text}"
    yield from ((text, text) for text in (*OTHERS, *MATRICES, *RANDOM))


def unit():
    lines = HEADER.splitlines()
    for number, (_, text) in enumerate(statements()):
        lines.append(f"__global__ void k{number}(int *out, const int *in) {{ __shared__ alignas(16) int s[64]; "
                     "__shared__ unsigned long long room; int v = in[threadIdx.x]; " + text + " out[0] = s[1] + room; }")
    return "\n".join(lines) + "\n"


def operations(tool, options):
    """{kernel: sorted operations} of the unit's code."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "rows.cu")
        path.write_text(unit(), encoding="utf-8")
        done = subprocess.run([tool, "--isolated", "--no-cache", "--arch", "90", "--dump", "ir", *options, str(path)],
                              capture_output=True, text=True, check=False)
    found, kernel = {}, None
    random = {f"k{number}" for number, (_, text) in enumerate(statements()) if text in RANDOM}
    for line in done.stdout.splitlines():
        head = re.match(r'kernel @"[^"]*" "(k\d+)"', line)
        kernel = head[1] if head else kernel
        if kernel and line.startswith("  ") and "!implicit" not in line and not re.match(r"  (span|name|flags|bails|site|local|shared|launch)", line):
            rest = re.sub(r"^ *(%\S+ = )?", "", line)
            word = KEPT.match(rest) or (kernel in random and OPAQUE.match(rest))
            found.setdefault(kernel, []).extend([word[0]] if word else [])
    return {kernel: sorted(words) for kernel, words in found.items()}


def names():
    for table in TABLES:
        text = re.sub(r"/\*.*?\*/", "", (ROOT / table).read_text(encoding="utf-8"), flags=re.S)
        yield from re.findall(r'^\s*CW_\w+\((?:CG )?"([^"]+)"', text, re.M)


def unused():
    used = " ".join(f"{use} {text}" for use, text in statements())
    places = [str(ROOT / "fixtures" / folder) for folder in COMPARED]
    used += " ".join(text for kind in real_headers.KINDS for _, text in real_headers.sources(places, kind))
    for name in sorted(set(names())):
        last = name.split("::")[-1]
        if not re.search(rf"\b{re.escape(last)}\b", used) and last not in WORDS_ELSEWHERE and not any(
                name.startswith(begin) for begin in ELSEWHERE):
            yield f"{name}: neither a use here nor a reason"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True)
    parser.add_argument("--verbose", action="store_true")
    args = parser.parse_args()
    wrong, folder = list(unused()), real_headers.toolkit()
    built_in = operations(args.bin, [])
    real = operations(args.bin, ["--cuda-path", folder]) if folder else {}
    for number, (use, text) in enumerate(statements()):
        one, other = built_in.get(f"k{number}"), real.get(f"k{number}")
        if args.verbose:
            print(use, one, other)
        if one is None or (folder and other is None):
            wrong.append(f"{use}: no code")
        elif folder and (one != other) != (use in DIFFER):
            wrong.append(f"{use}: {one} with the built-in headers, {other} with the toolkit's")
    print("\n".join(wrong) or f"{len(built_in)} statements, all the same")
    return 1 if wrong else 0 if folder else real_headers.SKIPPED


if __name__ == "__main__":
    sys.exit(main())
