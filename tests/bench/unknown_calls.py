#!/usr/bin/env python3
"""Calls in kernels whose callee is not known, as Markdown: how many, why, and what they are taken for.

    unknown_calls.py --bin PATH [--arguments "..."] [--names N] FOLDER...

All .cu files of a folder are read by `--dump=calls`, which has a line for each call that is left after inlining. A call is
counted once for a kernel and a place, however many instances and files show it. A kernel counts by the best reading that some
file gives of it: instances that the code makes, else those with chosen arguments, else the template itself; --all-readings
counts all. Known is a callee of which a model, or a walk over its body, says whether it orders threads. --names lists the N
most frequent callees of each cause.
"""

import argparse
import collections
import os
import pathlib
import shlex
import subprocess
import sys

CAUSES = {
    "unresolved_name": "a name from a missing header or of a template's parameter",
    "broken_code": "a name from a missing header or of a template's parameter",
    "unknown_type": "a name from a missing header or of a template's parameter",
    "dependent": "depends on a parameter of a template that nothing instantiates",
    "stand_in": "depends on a parameter of a template that nothing instantiates",
    "indirect_call": "a value is called: a pointer, a lambda or a functor of an unknown type, a virtual method",
    "unknown_call": "declared, without a body and without a model",
    "recursion": "recursion",
    "inline_budget": "beyond the budget of inlining",
}
OTHER = "an expression that is not lowered"
HEAD = ("repository", "kernels", "with unknown calls", "unknown calls", "taken for a barrier", "may order", "order nothing",
        "known calls")


READINGS = ("kernel", "assumed", "template")


def with_plain_paths(field):
    """A header is one file, by whichever way it is included."""
    return [os.path.normpath(text) if at in (2, 8) else text for at, text in enumerate(field)]


def calls_of(tool, arguments, folder, is_every_reading):
    """(kernel, reason, known, order, callee, place) of each call; a kernel is its name, file and line."""
    files = sorted(str(path) for path in pathlib.Path(folder).rglob("*.cu"))
    command = [tool, "--isolated", "--no-cache", *arguments, *files]
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
    lines = [with_plain_paths(field) for field in map(lambda line: line.split("\t"), done.stdout.splitlines())
             if field[0] in READINGS]
    best = collections.defaultdict(lambda: len(READINGS))
    for field in lines:
        best[tuple(field[1:4])] = min(best[tuple(field[1:4])], READINGS.index(field[0]))
    for field in lines:
        kernel = tuple(field[1:4])
        if len(field) >= 11 and (is_every_reading or READINGS.index(field[0]) == best[kernel]):
            yield (kernel, *field[4:8], tuple(field[8:11]))


def kernels_of(tool, folder):
    done = subprocess.run([tool, "--isolated", "--no-cache", "--dump=syncs", *sorted(map(str, pathlib.Path(folder).rglob("*.cu")))],
                          capture_output=True, text=True, errors="replace", check=False)
    return {(field[1], os.path.normpath(field[6]), field[7]) for field in map(lambda line: line.split("\t"), done.stdout.splitlines())
            if len(field) > 7 and field[4] == "root"}


def row_of(folder, roots, calls):
    unknown = {(kernel, place) for kernel, _, known, _, _, place in calls if known == "unknown"}
    taken = {order: {(kernel, place) for kernel, _, known, is_taken, _, place in calls if is_taken == order and known == "unknown"}
             for order in ("orders", "may", "nothing")}
    known = {(kernel, place) for kernel, _, known, _, _, place in calls if known == "known"}
    return (pathlib.Path(folder).name, len(roots), len({kernel for kernel, _ in unknown}), len(unknown), len(taken["orders"]),
            len(taken["may"] - taken["orders"]), len(taken["nothing"] - taken["may"] - taken["orders"]), len(known - unknown))


def print_names(calls, count):
    places, names = collections.Counter(), collections.defaultdict(collections.Counter)
    for kernel, reason, name, place in {(kernel, reason, name, place) for kernel, reason, known, _, name, place in calls
                                        if known == "unknown"}:
        cause = CAUSES.get(reason, OTHER)
        places[cause] += 1
        names[cause][name] += 1
    print("\n| cause | calls | most frequent |\n|---|---|---|")
    for cause, total in places.most_common():
        listed = ", ".join(f"`{name}` {n}" for name, n in names[cause].most_common(count) if name != "-")
        print(f"| {cause} | {total} | {listed} |")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True)
    parser.add_argument("--arguments", default="--dump=calls")
    parser.add_argument("--names", type=int, default=0)
    parser.add_argument("--all-readings", action="store_true")
    parser.add_argument("folders", nargs="+")
    args = parser.parse_args()
    print("| " + " | ".join(HEAD) + " |\n|" + "---|" * len(HEAD))
    found = []
    for folder in args.folders:
        calls = set(calls_of(args.bin, shlex.split(args.arguments), folder, args.all_readings))
        print("| " + " | ".join(map(str, row_of(folder, kernels_of(args.bin, folder), calls))) + " |", flush=True)
        found += calls
    if args.names:
        print_names(set(found), args.names)
    return 0


if __name__ == "__main__":
    sys.exit(main())
