#!/usr/bin/env python3
"""Every member of CUB's collectives that the linter knows, with each algorithm, used right and used wrong.

    collective_table.py --bin CUWARP_LINT [--show]

USES has a row for each class and member of analyzer/cuda/models/collectives.def. Of each row kernels are made: right ones, for
all algorithms, numbers of items and block shapes; and wrong ones, one for each clause of the contract in the row of the model.
They are linted with the built-in headers and, where there is a toolkit, with CUB itself. Right uses have no finding at all,
wrong ones the finding of their clause, with both. A row of the model without uses fails. Exit status 77 without a toolkit.
"""

import argparse
import collections
import itertools
import json
import pathlib
import re
import subprocess
import sys
import tempfile

from real_headers import SKIPPED, toolkit

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
MODEL = ROOT / "analyzer/cuda/models/collectives.def"
ROW = re.compile(r"^CW_(EXCHANGES|COLLECTIVE)\((\w+), (\w+), (.*)\)$", re.M)
HEADER = """#include <cub/block/block_shuffle.cuh>
#include <cub/cub.cuh>
struct Larger { template <class A> __device__ A operator()(const A &a, const A &b) const { return a < b ? b : a; } };
struct Less { template <class A> __device__ bool operator()(const A &a, const A &b) const { return a < b; } };
struct Differs { template <class A> __device__ bool operator()(const A &a, const A &b) const { return a != b; } };
struct Minus { template <class A> __device__ A operator()(const A &a, const A &b) const { return a - b; } };
struct Digits { __device__ unsigned Digit(unsigned key) const { return key & 15; } };
"""
REDUCE = ["BLOCK_REDUCE_RAKING", "BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY", "BLOCK_REDUCE_WARP_REDUCTIONS"]
SCAN = ["BLOCK_SCAN_RAKING", "BLOCK_SCAN_RAKING_MEMOIZE", "BLOCK_SCAN_WARP_SCANS"]
MOVES = ["DIRECT", "STRIPED", "VECTORIZE", "TRANSPOSE", "WARP_TRANSPOSE", "WARP_TRANSPOSE_TIMESLICED"]
HISTOGRAM = ["BLOCK_HISTO_SORT", "BLOCK_HISTO_ATOMIC"]
WARP_MOVES = ["DIRECT", "STRIPED", "VECTORIZE", "TRANSPOSE"]


class Use:
    """type: the class with {x} {y} for the block, {i} items, {a} algorithm, {w} lanes; call: behind the object."""

    def __init__(self, klass, members, type_, algorithms=("",), constructor="({s})"):
        self.klass, self.members, self.type, self.algorithms = klass, members, type_, algorithms
        self.constructor = constructor

    @property
    def is_warp(self):
        return self.klass.startswith("Warp")


SORTS = {"Sort": "Sort(k)", "SortDescending": "SortDescending(k)", "SortBlockedToStriped": "SortBlockedToStriped(k)",
         "SortDescendingBlockedToStriped": "SortDescendingBlockedToStriped(k)"}
SCANS = {"InclusiveSum": "InclusiveSum(v, r)", "ExclusiveSum": "ExclusiveSum(v, r)",
         "InclusiveScan": "InclusiveScan(v, r, Larger())", "ExclusiveScan": "ExclusiveScan(v, r, 0, Larger())"}
REDUCES = {"Sum": "r = {o}.Sum(v)", "Reduce": "r = {o}.Reduce(v, Larger())", "Max": "r = {o}.Max(v)", "Min": "r = {o}.Min(v)"}
MERGES = {"Sort": "Sort(k, Less())", "StableSort": "StableSort(k, Less())"}
RANKS = {"RankKeys": "RankKeys(lengths, q, Digits())"}
FLAGS = {"FlagHeads": "FlagHeads(q, k, Differs())", "FlagTails": "FlagTails(q, k, Differs())",
         "FlagHeadsAndTails": "FlagHeadsAndTails(q, p, k, Differs())"}
USES = [
    Use("BlockReduce", REDUCES, "cub::BlockReduce<int, {x}, cub::{a}, {y}>", REDUCE),
    Use("BlockScan", SCANS, "cub::BlockScan<int, {x}, cub::{a}, {y}>", SCAN),
    Use("BlockRadixSort", SORTS, "cub::BlockRadixSort<int, {x}, {i}, cub::NullType, 4, true, cub::BLOCK_SCAN_WARP_SCANS, cudaSharedMemBankSizeFourByte, {y}>"),
    Use("BlockRadixRank", RANKS, "cub::BlockRadixRank<{x}, 4, false, true, cub::BLOCK_SCAN_WARP_SCANS, cudaSharedMemBankSizeFourByte, {y}>"),
    Use("BlockRadixRankMatch", RANKS, "cub::BlockRadixRankMatch<{x}, 4, false, cub::BLOCK_SCAN_WARP_SCANS, {y}>"),
    Use("BlockMergeSort", MERGES, "cub::BlockMergeSort<int, {x}, {i}, cub::NullType, {y}>"),
    Use("BlockExchange", {
        "StripedToBlocked": "StripedToBlocked(k, q)", "BlockedToStriped": "BlockedToStriped(k, q)",
        "WarpStripedToBlocked": "WarpStripedToBlocked(k, q)", "BlockedToWarpStriped": "BlockedToWarpStriped(k, q)",
        "ScatterToBlocked": "ScatterToBlocked(k, q, ranks)", "ScatterToStriped": "ScatterToStriped(k, q, ranks)",
        "ScatterToStripedGuarded": "ScatterToStripedGuarded(k, q, ranks)",
        "ScatterToStripedFlagged": "ScatterToStripedFlagged(k, q, ranks, ranks)"}, "cub::BlockExchange<int, {x}, {i}, false, {y}>"),
    Use("BlockDiscontinuity", FLAGS, "cub::BlockDiscontinuity<int, {x}, {y}>"),
    Use("BlockAdjacentDifference", {
        "SubtractLeft": "SubtractLeft(k, q, Minus())", "SubtractRight": "SubtractRight(k, q, Minus())",
        "SubtractLeftPartialTile": "SubtractLeftPartialTile(k, q, Minus(), 5)",
        "SubtractRightPartialTile": "SubtractRightPartialTile(k, q, Minus(), 5)"},
        "cub::BlockAdjacentDifference<int, {x}, {y}>"),
    Use("BlockShuffle", {"Offset": "Offset(v, r, 1)", "Rotate": "Rotate(v, r, 1)", "Up": "Up(k, q)", "Down": "Down(k, q)"},
        "cub::BlockShuffle<int, {x}, {y}>"),
    Use("BlockLoad", {"Load": "Load(in, k)"}, "cub::BlockLoad<int, {x}, {i}, cub::BLOCK_LOAD_{a}, {y}>", MOVES),
    Use("BlockStore", {"Store": "Store(out + {n}, k)"}, "cub::BlockStore<int, {x}, {i}, cub::BLOCK_STORE_{a}, {y}>", MOVES),
    Use("BlockHistogram", {"Histogram": "Histogram(bytes, bins)", "Composite": "Composite(bytes, bins)",
                           "InitHistogram": "InitHistogram(bins)"},
        "cub::BlockHistogram<unsigned char, {x}, {i}, 256, cub::{a}, {y}>", HISTOGRAM),
    Use("BlockRunLengthDecode", {"RunLengthDecode": "RunLengthDecode(q, 0)"}, "cub::BlockRunLengthDecode<int, {x}, {i}, {i}, unsigned, {y}>",
        constructor="({s}, k, lengths, total)"),
    Use("WarpReduce", {**REDUCES, "HeadSegmentedSum": "r = {o}.HeadSegmentedSum(v, v & 1)",
                       "TailSegmentedSum": "r = {o}.TailSegmentedSum(v, v & 1)",
                       "HeadSegmentedReduce": "r = {o}.HeadSegmentedReduce(v, v & 1, Larger())",
                       "TailSegmentedReduce": "r = {o}.TailSegmentedReduce(v, v & 1, Larger())"}, "cub::WarpReduce<int, {w}>"),
    Use("WarpScan", {**SCANS, "Scan": "Scan(v, r, p[0], Larger())", "Broadcast": "r = {o}.Broadcast(v, 0)"},
        "cub::WarpScan<int, {w}>"),
    Use("WarpLoad", {"Load": "Load(in, k)"}, "cub::WarpLoad<int, {i}, cub::WARP_LOAD_{a}, {w}>", WARP_MOVES),
    Use("WarpStore", {"Store": "Store(out + {n} + {n} * {i} * (threadIdx.x / {w}), k)"},
        "cub::WarpStore<int, {i}, cub::WARP_STORE_{a}, {w}>", WARP_MOVES),
    Use("WarpMergeSort", MERGES, "cub::WarpMergeSort<int, {i}, {w}>"),
    Use("WarpExchange", {"BlockedToStriped": "BlockedToStriped(k, q)", "StripedToBlocked": "StripedToBlocked(k, q)",
                         "ScatterToStriped": "ScatterToStriped(k, q, ranks)"}, "cub::WarpExchange<int, {i}, {w}>"),
]

ELSEWHERE = {
    ("BlockAdjacentDifference", "FlagHeads"): "gone from CUB since 2.0, deprecated in favour of BlockDiscontinuity",
    ("BlockAdjacentDifference", "FlagTails"): "the same",
    ("BlockAdjacentDifference", "FlagHeadsAndTails"): "the same",
    ("BlockRunLengthDecode", "InitWithRunLengths"): "called by the constructor, which RunLengthDecode's use has",
    ("BlockRunLengthDecode", "InitWithRunOffsets"): "the same, by the other constructor",
}
# What a wrong use has at most, and why it is not definite.
POSSIBLE = {
    ("BlockStore", "collective-storage-reuse"): "what was read from the storage goes to memory by a call that is not entered",
    ("WarpStore", "collective-storage-reuse"): "the same",
    ("BlockHistogram", "collective-storage-reuse"): "the same",
    ("WarpScan", "collective-storage-reuse"): "Broadcast: which lane's value is taken is not followed",
    ("WarpReduce", "collective-storage-reuse"): "the toolkit's storage is empty for whole warps: the document asks, nothing happens",
}
# With which headers a wrong use has no finding, and why.
SILENT = {
    ("WarpReduce", "Segmented", "partial-collective-result", ""): "which lanes are heads is data",
}
SHAPES = [(32, 1, 1), (96, 1, 3), (256, 1, 4), (16, 8, 2)]  # x, y, items
WIDTHS = {(32, 1, 1): 32, (96, 1, 3): 8, (256, 1, 4): 32, (16, 8, 2): 16}
KERNEL = """__global__ void {name}(const int *in, int *out) {{
    using C = {type};
    __shared__ typename C::TempStorage storage{count};
    __shared__ unsigned bins[256];
    bins[threadIdx.y * {x} + threadIdx.x] = 0;
    __syncthreads();
    int t = threadIdx.y * {x} + threadIdx.x, v = in[t], r = 0, sum = 0, k[{i}], q[{i}], p[{i}], ranks[{i}];
    unsigned lengths[{i}], total = 0;
    unsigned char bytes[{i}];
    for (int j = 0; j < {i}; j++) {{
        k[j] = p[j] = in[t * {i} + j];
        q[j] = 0;
        ranks[j] = t * {i} + j;
        lengths[j] = 1;
        bytes[j] = k[j];
    }}
{body}
    for (int j = 0; j < {i}; j++)
        r += k[j] + q[j] + p[j] + total;
    __syncthreads();
    out[t] = r + bins[t];
}}
"""


def model():
    """{class: {member: (valid, storage, alone, warps)}} of collectives.def."""
    rows = collections.defaultdict(dict)
    for macro, klass, member, rest in ROW.findall(MODEL.read_text(encoding="utf-8")):
        fields = [field.strip() for field in rest.split(",")]
        rows[klass][member] = ("ALL", "EXCHANGE", "0", "0") if macro == "EXCHANGES" else tuple(fields[2:6])
    return rows


class Kernel:
    def __init__(self, use, algorithm, shape, body, wants, name):
        x, y, items = shape
        lanes = WIDTHS[shape]
        values = {"x": x, "y": y, "n": x * y, "i": items, "a": algorithm, "w": lanes}
        self.wants, self.shape = wants, (x, y)
        storage = f"storage[t / {lanes}]" if use.is_warp else "storage"
        object_ = "C" + use.constructor.format(s=storage)
        self.text = KERNEL.format(name=name, type=use.type.format(**values), x=x, i=items,
                                  count=f"[{x * y // lanes}]" if use.is_warp else "", body=body(values, object_))
        self.name = name


def call_of(use, member, values, object_):
    text = use.members[member].format(o=object_, **values)
    return text if text.startswith("r = ") else f"{object_}.{text}"


def barrier_of(use):
    return "__syncwarp()" if use.is_warp else "__syncthreads()"


def keep(use, values):
    """Takes the result where it is valid."""
    return f"    if (t % {values['w'] if use.is_warp else values['n']} == 0) out[4096 + t] += r;\n    r = 0;"


def is_partial(row):
    return row[0] != "ALL"


def right_body(use, rows):
    def body(values, object_):
        lines = ["    for (int round = 0; round < 2; round++) {"]
        for member in use.members:
            kept = keep(use, values) if is_partial(rows.get(member, ("ALL",))) else ""
            lines += [f"        {call_of(use, member, values, object_)};", kept, f"        {barrier_of(use)};"]
        return "\n".join(line for line in [*lines, "    }"] if line)
    return body


def wrong_bodies(use, row, member):
    """(the finding that is wanted, body) of each clause of the row's contract."""
    def twice(values, object_):
        call, kept = call_of(use, member, values, object_), keep(use, values) if is_partial(row) else "    sum += r;"
        return f"    {call};\n{kept}\n    {call};\n{kept}\n    {barrier_of(use)};\n    r = sum;"

    def alone(values, object_):
        few = values["w"] // 4 if use.is_warp else 8
        return (f"    if (t % {values['w'] if use.is_warp else values['n']} < {few}) {call_of(use, member, values, object_)};"
                f"\n    {barrier_of(use)};" + ("\n    r = 0;" if is_partial(row) else ""))

    def everywhere(values, object_):
        return f"    {call_of(use, member, values, object_)};"

    if row[1] == "EXCHANGE":
        yield "collective-storage-reuse", twice
        yield "mask-names-absent-lane" if use.is_warp else "divergent-barrier", alone
    if is_partial(row):
        yield "partial-collective-result", everywhere


def is_set(bits, use, algorithm):
    return bool(int(bits, 0) >> use.algorithms.index(algorithm) & 1)


def kernels(rows, uses):
    number = itertools.count()
    for use in uses:
        for algorithm, shape in itertools.product(use.algorithms, SHAPES):
            yield Kernel(use, algorithm, shape, right_body(use, rows[use.klass]), None, f"right_{next(number)}")
        for member, algorithm in itertools.product(use.members, use.algorithms):
            row = rows[use.klass].get(member)
            if row is None or is_set(row[2], use, algorithm) or is_set(row[3], use, algorithm):
                continue
            for wanted, body in wrong_bodies(use, row, member):
                yield Kernel(use, algorithm, SHAPES[2], body, (wanted, f"{use.klass}::{member} {algorithm}"),
                             f"wrong_{next(number)}")


def unit_of(made):
    lines, origin = HEADER.splitlines(), {}
    for kernel in made:
        for line in kernel.text.splitlines():
            lines.append(line)
            origin[len(lines)] = kernel
    lines.append("void run(const int *in, int *out) {")
    lines += [f"    {kernel.name}<<<1, dim3({kernel.shape[0]}, {kernel.shape[1]})>>>(in, out);" for kernel in made]
    return "\n".join([*lines, "}"]) + "\n", origin


def findings(tool, text, origin, options):
    with tempfile.TemporaryDirectory() as scratch:
        unit = pathlib.Path(scratch, "unit.cu")
        unit.write_text(text, encoding="utf-8")
        done = subprocess.run([tool, unit, "--isolated", "--preview", "--possible", "--no-cache", "--exit-zero", "--output", "json",
                               "--time-limit", "300", *options],
                              capture_output=True, text=True, check=False)
    report = json.loads(done.stdout)
    found = collections.defaultdict(set)
    for finding in report["findings"]:
        kernel = origin.get(finding["line"])
        found[kernel.name if kernel else "elsewhere"].add((finding["rule"], finding["confidence"]))
    return found, report["coverage"]


def is_as_wanted(rule, what, which, got):
    klass = what.split("::")[0]
    if any(klass == of and part in what and rule == name and headers in which for of, part, name, headers in SILENT):
        return not any(found == rule for found, _ in got)
    return any(found == rule and (how == "definite" or (klass, rule) in POSSIBLE) for found, how in got)


def judge(made, found, which):
    for kernel in made:
        got = found.pop(kernel.name, set())
        if kernel.wants is None and got:
            yield f"{which}: {kernel.name} is right: {sorted(got)}\n{kernel.text}"
        elif kernel.wants and not is_as_wanted(*kernel.wants, which, got):
            yield f"{which}: {kernel.wants[1]}: no {kernel.wants[0]}: {sorted(got)}"
    yield from (f"{which}: {name}: {sorted(got)}" for name, got in found.items())


def missing(rows):
    used = collections.defaultdict(set)
    for use in USES:
        used[use.klass].update(use.members)
    return [f"{klass}::{member}: neither a use here nor a reason" for klass, members in rows.items() for member in members
            if member not in used[klass] and (klass, member) not in ELSEWHERE]


def has_member(folder, klass, member):
    """Is the member declared in the toolkit's header of the class, or in that of its base?"""
    kind = "block" if klass.startswith("Block") else "warp"
    name = re.sub(r"(?<!^)(?=[A-Z])", "_", klass).lower()
    for below in ("cccl", ""):
        for file in (f"{kind}/{name}.cuh", "block/block_merge_sort.cuh" if "MergeSort" in klass else ""):
            header = pathlib.Path(folder, "include", below, "cub", file)
            if file and header.exists() and re.search(rf"\b{member}\(", header.read_text(encoding="utf-8")):
                return True
    return False


def uses_in(folder):
    """USES without the members that this CUB does not have."""
    for use in USES:
        members = {name: text for name, text in use.members.items() if folder is None or has_member(folder, use.klass, name)}
        left = sorted(set(use.members) - set(members))
        if left:
            print(f"{use.klass}: not in this toolkit: {', '.join(left)}")
        yield Use(use.klass, members, use.type, use.algorithms, use.constructor)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True)
    parser.add_argument("--show", action="store_true")
    args = parser.parse_args()
    rows, folder = model(), toolkit()
    if args.show:
        print(unit_of(list(kernels(rows, USES)))[0])
        return 0
    wrong = missing(rows)
    for which, options in (("built in", []), ("toolkit", ["--cuda-path", folder])):
        if options and folder is None:
            continue
        made = list(kernels(rows, list(uses_in(folder if options else None))))
        text, origin = unit_of(made)
        found, coverage = findings(args.bin, text, origin, options)
        wrong += judge(made, found, which)
        print(f"{which}: {len(made)} kernels, {coverage['kernels']}")
    print("\n".join(wrong) or "all as the models say")
    return 1 if wrong else 0 if folder else SKIPPED


if __name__ == "__main__":
    sys.exit(main())
