#!/usr/bin/env python3
"""The table of docs/measurements/lint-speed.md: processor time of the tool and of the bare parse, file by file and tree by tree.

    ratios.py --tool build/release/cuwarp-lint --bare build/release/tests/bench/cuwarp-bare-parse [--runs 3] [--worst 10] NAME=DIR...

The bare parse reads what cuwarp-arguments (beside it) says that the tool infers: the same headers; finding them is not in
its time. Each file is a process of its own for either, in turn; what counts is the least processor time (user and system, children
included) of the runs, which other programs on the machine disturb least. Then each tree in one run, as somebody makes it: seconds on the clock, processor seconds and their ratio to the
bare parse of the same files, and the largest process. --tree-only leaves out the tool's runs over single files. Prints Markdown.
"""

import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

SOURCES = (".cu", ".cuh")
LIMIT = 3.0


def run(command, cwd=None):
    """Processor seconds, seconds on the clock, megabytes of the largest process."""
    start = time.monotonic()
    pid = os.fork()
    if pid == 0:
        null = os.open(os.devnull, os.O_RDWR)
        for fd in range(3):
            os.dup2(null, fd)
        if cwd:
            os.chdir(cwd)
        os.execv(command[0], command)
    _, status, usage = os.wait4(pid, 0)
    if os.WIFSIGNALED(status):
        sys.exit(f"{' '.join(command)}: ended by signal {os.WTERMSIG(status)}")
    return usage.ru_utime + usage.ru_stime, time.monotonic() - start, usage.ru_maxrss / 1024


def cuda_files(folder):
    return sorted(p for p in folder.rglob("*") if p.suffix in SOURCES and p.is_file())


def write_list(options, path, to):
    """The file's name and arguments, for the bare parse."""
    with open(to, "w", encoding="utf-8") as out:
        subprocess.run([os.path.join(os.path.dirname(options.bare), "cuwarp-arguments"), str(path)], stdout=out, check=True)


def measure(options, path):
    tool, bare, memory = [], [], []
    listed = os.path.join(options.scratch, "list")
    write_list(options, path, listed)
    for _ in range(options.runs):
        cpu, _, megabytes = run([options.tool, "--no-cache", "-j1", str(path)])
        tool.append(cpu)
        memory.append(megabytes)
        bare.append(run([options.bare, "--list", listed])[0])
    return min(tool), min(bare), max(memory), path


def ratio(row):
    return row[0] / row[1]


def bare_seconds(options, path):
    listed = os.path.join(options.scratch, "list")
    write_list(options, path, listed)
    return min(run([options.bare, "--list", listed])[0] for _ in range(options.runs))


def whole_tree(options, folder):
    """Of the runs over the tree, the one that took the least processor time."""
    command = [options.tool, "--no-cache", "--isolated", "-q", "--exit-zero", "."]
    return min(run(command, cwd=folder) for _ in range(options.runs))


def slowest_file(options, folder):
    """The most that a worker says it took for a file, in seconds."""
    command = [options.tool, "--no-cache", "--isolated", "-q", "--exit-zero", "--profile", "-j1", "."]
    said = subprocess.run(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=True).stderr.decode()
    times = [float(ms) for ms in re.findall(r"^cuwarp-lint: +([0-9.]+) ms +[0-9.]+ MB ", said, re.M)]
    return max(times, default=0.0) / 1000


def tree_row(options, name, folder, files):
    bare = sum(bare_seconds(options, path) for path in files)
    cpu, wall, memory = whole_tree(options, folder)
    print(f"| {name} | {len(files)} | {cpu:.1f} | {bare:.1f} | {cpu / max(bare, 1e-9):.2f} | {wall:.1f} | "
          f"{slowest_file(options, folder):.1f} | {memory:.0f} |", flush=True)


def tree_table(options, trees):
    print("| tree | files | tool s | bare parse s | ratio | on the clock, s | slowest file, s | largest process, MB |")
    print("|---|---|---|---|---|---|---|---|", flush=True)
    for name, folder in trees.items():
        tree_row(options, name, folder, cuda_files(folder))


def table(options, trees):
    print("| tree | files | tool s | bare parse s | ratio | over 3 times | whole tree in one run, s | largest process, MB |")
    print("|---|---|---|---|---|---|---|---|")
    rows = []
    for name, folder in trees.items():
        own = [measure(options, p) for p in cuda_files(folder)]
        rows += own
        tool, bare = sum(r[0] for r in own), sum(r[1] for r in own)
        _, wall, memory = run([options.tool, "--no-cache", "-q", "--exit-zero", "."], cwd=folder)
        over = sum(ratio(r) > LIMIT for r in own)
        print(f"| {name} | {len(own)} | {tool:.1f} | {bare:.1f} | {tool / max(bare, 1e-9):.2f} | {over} | {wall:.1f} | {memory:.0f} |",
              flush=True)
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--tool", required=True)
    parser.add_argument("--bare", required=True)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--worst", type=int, default=10)
    parser.add_argument("--tree-only", action="store_true")
    parser.add_argument("trees", nargs="+", metavar="NAME=DIR")
    options = parser.parse_args()
    options.tool, options.bare = os.path.abspath(options.tool), os.path.abspath(options.bare)
    trees = {name: pathlib.Path(folder).resolve() for name, _, folder in (t.partition("=") for t in options.trees)}
    missing = [str(f) for f in trees.values() if not f.is_dir()]
    if missing:
        sys.exit(f"ratios.py: no such folder: {', '.join(missing)}")
    with tempfile.TemporaryDirectory() as options.scratch:
        if options.tree_only:
            tree_table(options, trees)
            return
        rows = table(options, trees)
    print("\n| worst files | tool s | bare parse s | ratio | MB |\n|---|---|---|---|---|")
    for row in sorted(rows, key=ratio, reverse=True)[: options.worst]:
        print(f"| `{'/'.join(row[3].parts[-3:])}` | {row[0]:.3f} | {row[1]:.3f} | {ratio(row):.2f} | {row[2]:.0f} |")


if __name__ == "__main__":
    main()
