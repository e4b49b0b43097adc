#!/usr/bin/env python3
"""All figures of docs/measurements/lint-speed.md that matter to somebody who waits, in one run on one machine.

    figures.py --tool build/release/cuwarp-lint --bare build/release/tests/bench/cuwarp-bare-parse
               [--tidy clang-tidy-19] [--nvcc nvcc] [--cuda-path DIR] [--include DIR] [--runs 5] [--sample 8] NAME=DIR…

For each tree: a run without kept results, one with, the bare libclang parse of the same CUDA files, and one changed file of
about 500 lines as a pre-commit hook names it (in a copy of the tree). For a sample of files, spread over the trees and only
those that nvcc compiles as they stand: the tool, clang-tidy and nvcc. Prints Markdown, with the load before and after.
"""

import argparse
import os
import pathlib
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

SOURCES = (".cu", ".cuh")


class Measure:
    """Medians over several runs of a command: seconds on the clock, and of all processors."""

    def __init__(self, command, runs, before=lambda: None, cwd=None, env=None):
        wall, cpu, self.status = [], [], 0
        for _ in range(runs):
            before()
            used, at = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
            done = subprocess.run(command, cwd=cwd, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
            wall.append(time.monotonic() - at)
            now = resource.getrusage(resource.RUSAGE_CHILDREN)
            cpu.append(now.ru_utime + now.ru_stime - used.ru_utime - used.ru_stime)
            self.status = done.returncode
        self.wall, self.cpu = statistics.median(wall), statistics.median(cpu)

    def __str__(self):
        return f"{self.wall:.3f} ({self.cpu:.3f})"


def cuda_files(folder):
    return sorted(p for p in folder.rglob("*") if p.suffix in SOURCES and p.is_file())


def lines_of(path):
    return path.read_bytes().count(b"\n")


def with_kernels(files):
    return [p for p in files if b"__global__" in p.read_bytes()]


def bare_parse(options, files, listed, cwd=None):
    """The yardstick's command: libclang alone, with the include folders that the tool infers, which its time does not hold."""
    with listed.open("w", encoding="utf-8") as out:
        subprocess.run([str(options.bare.parent / "cuwarp-arguments"), *map(str, files)], stdout=out, cwd=cwd, check=True)
    return [str(options.bare), "--list", str(listed)]


def tree_rows(options, name, folder, kept):
    tool = [str(options.tool), ".", "-q", "--exit-zero", "--cache-dir", str(kept), "--output", "concise"]
    cold = Measure(tool, options.cold_runs, before=lambda: shutil.rmtree(kept, ignore_errors=True), cwd=folder)
    warm = Measure(tool, options.runs, cwd=folder)
    files = cuda_files(folder)
    bare = Measure(bare_parse(options, files, kept.parent / "list", cwd=folder), 1, cwd=folder)
    size = sum(p.stat().st_size for p in files) / 1e6
    print(f"| {name} | {len(files)} ({len(with_kernels(files))} with kernels, {size:.1f} MB) | {cold} | {warm} | {bare} |", flush=True)


def changed_file(options, name, folder, work):
    """A copy of the tree, all of it known; then one file gets a new line and is linted as the hook does it."""
    candidates = with_kernels(cuda_files(folder))
    if not candidates:
        return
    chosen = min(candidates, key=lambda p: abs(lines_of(p) - 500))
    copy, kept = work / "tree", work / "kept"
    shutil.rmtree(copy, ignore_errors=True)
    shutil.rmtree(kept, ignore_errors=True)
    shutil.copytree(folder, copy, symlinks=True, ignore_dangling_symlinks=True)
    target = copy / chosen.relative_to(folder)
    command = [str(options.tool), str(target.relative_to(copy)), "-q", "--exit-zero", "--cache-dir", str(kept)]
    numbers = iter(range(1000))

    def edit():
        with target.open("a", encoding="utf-8") as f:
            f.write(f"\n// edit {next(numbers)}\n")
        time.sleep(0.05)

    Measure(command, 1, cwd=copy)
    changed = Measure(command, options.runs, before=edit, cwd=copy)
    unchanged = Measure(command, options.runs, cwd=copy)
    bare = Measure(bare_parse(options, [target], work / "list", cwd=copy), options.runs, cwd=copy)
    print(f"| {name}, `{chosen.relative_to(folder)}` | {lines_of(chosen)} | {changed} | {unchanged} | {bare} |", flush=True)


def compiles(options, path, out):
    return subprocess.run(nvcc(options, path, out), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False,
                          timeout=300).returncode == 0


def includes(options, path):
    return [word for folder in (path.parent, *options.include) for word in ("-I", str(folder))]


def nvcc(options, path, out):
    return [options.nvcc, "-c", "-arch=sm_75", *includes(options, path), "-o", str(out), str(path)]


def tidy(options, path):
    cuda = [f"--cuda-path={options.cuda_path}"] if options.cuda_path else ["-nocudainc", "-nocudalib"]
    return [options.tidy, "--quiet", str(path), "--", "-xcuda", "--cuda-gpu-arch=sm_75", "--cuda-device-only", *cuda,
            *includes(options, path)]


def sample_of(options, trees, out):
    """Every n-th file of each tree that nvcc takes."""
    share = max(1, options.sample // max(1, len(trees)))
    for folder in trees.values():
        files = [p for p in with_kernels(cuda_files(folder)) if p.suffix == ".cu"]
        found, step = 0, max(1, len(files) // (12 * share))
        for path in files[::step]:
            if found < share and compiles(options, path, out):
                found += 1
                yield path


def compare(options, trees, work):
    sample = list(sample_of(options, trees, work / "out.o"))
    if not sample:
        print("\nnvcc compiles none of the files as they stand.")
        return
    tool = [Measure([str(options.tool), str(p), "-q", "--exit-zero", "--no-cache"], options.runs) for p in sample]
    bare = [Measure(bare_parse(options, [p], work / "list"), options.runs) for p in sample]
    rows = {"cuwarp-lint, each file in a run of its own": tool, "bare libclang parse": bare}
    if options.tidy:
        rows["clang-tidy"] = [Measure(tidy(options, p), 1) for p in sample]
    rows["nvcc -c"] = [Measure(nvcc(options, p, work / "out.o"), 1) for p in sample]
    total = sum(m.wall for m in tool)
    print(f"\n| {len(sample)} files that nvcc compiles as they stand | seconds (processor) | times cuwarp-lint |\n|---|---|---|")
    for name, all_of in rows.items():
        wall, cpu = sum(m.wall for m in all_of), sum(m.cpu for m in all_of)
        print(f"| {name} | {wall:.2f} ({cpu:.2f}) | {wall / total:.1f} |", flush=True)


def load():
    return ", ".join(f"{x:.1f}" for x in os.getloadavg())


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--tool", type=pathlib.Path, required=True)
    parser.add_argument("--bare", type=pathlib.Path, required=True)
    parser.add_argument("--tidy")
    parser.add_argument("--nvcc", help="without it, no sample is compared")
    parser.add_argument("--cuda-path")
    parser.add_argument("--include", type=pathlib.Path, action="append", default=[], help="for nvcc and clang-tidy")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--cold-runs", type=int, default=1)
    parser.add_argument("--sample", type=int, default=8)
    parser.add_argument("trees", nargs="+", metavar="NAME=DIR")
    options = parser.parse_args()
    options.tool, options.bare = options.tool.resolve(), options.bare.resolve()
    trees = {name: pathlib.Path(folder).resolve() for name, _, folder in (t.partition("=") for t in options.trees)}
    missing = [str(f) for f in trees.values() if not f.is_dir()]
    if missing:
        sys.exit(f"figures.py: no such folder: {', '.join(missing)}")
    print(f"{os.cpu_count()} processors, load before {load()}; seconds on the clock (of all processors), medians of {options.runs}\n")
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        print("| tree | CUDA files | nothing kept | all kept | bare parse |\n|---|---|---|---|---|")
        for name, tree in trees.items():
            tree_rows(options, name, tree, work / "kept")
        print("\n| one changed file | lines | changed | unchanged | bare parse |\n|---|---|---|---|---|")
        for name, tree in trees.items():
            changed_file(options, name, tree, work)
        if options.nvcc:
            compare(options, trees, work)
    print(f"\nload after {load()}")


if __name__ == "__main__":
    main()
