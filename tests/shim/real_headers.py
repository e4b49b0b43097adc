#!/usr/bin/env python3
"""CUB's collectives, asynchronous copies, cuda::ptx and cuda::atomic give the same findings with the built-in headers and with those of a CUDA toolkit.

All fixtures of one kind are put into one unit, each in a namespace of its own, and linted both ways: a parse of the real
headers takes seconds. The parser refuses `__shared__` objects with constructors, such as the toolkit's cuda::barrier: fixtures
that have one are left out. Exit status 77 (skipped) where there is no toolkit with CUB."""
import argparse
import json
import os
import re
import subprocess
import sys
import tempfile

SKIPPED = 77
KINDS = {
    "cub::": ["cub/cub.cuh", "cub/block/block_shuffle.cuh"],
    "cuda::ptx": ["cuda/ptx"],
    "<cuda/atomic>": ["cuda/atomic", "cuda/std/atomic"],
    "memcpy_async": ["cooperative_groups.h", "cooperative_groups/memcpy_async.h", "cuda/pipeline", "cuda_pipeline.h"],
}
OPTIONS = {"cuda::ptx": ["--arch", "90"]}
REFUSED = "__shared__ cuda::"


def toolkit():
    for folder in (os.environ.get("CUDA_HOME"), os.environ.get("CUDA_PATH"), "/usr/local/cuda"):
        if folder and any(os.path.exists(os.path.join(folder, "include", below, "cub/cub.cuh")) for below in ("cccl", "")):
            return folder
    return None


def below(place):
    if not os.path.isdir(place):
        return [place]
    return [os.path.join(place, name) for name in sorted(os.listdir(place)) if name.endswith(".cu")]


def sources(places, kind):
    for path in (path for place in places for path in below(place)):
        with open(path, encoding="utf-8") as file:
            text = file.read()
        if kind in text and REFUSED not in text and all(kind == other or other not in text for other in KINDS):
            yield path, text


def one_unit(files, headers):
    """The text, and for each of its lines the file and line that it comes from."""
    lines, origin = [f"#include <{name}>" for name in headers], [None for _ in headers]
    for number, (path, text) in enumerate(files):
        lines.append(f"namespace file{number} {{")
        origin.append(None)
        for at, line in enumerate(text.splitlines(), 1):
            lines.append(re.sub(r"^#include.*", "", line))
            origin.append((path, at))
        lines.append("}")
        origin.append(None)
    return "\n".join(lines) + "\n", origin


def findings(tool, unit, options, origin):
    run = subprocess.run([tool, unit, "--isolated", "--possible", "--preview", "--no-cache", "--output", "json", *options],
                         capture_output=True, text=True, timeout=120, check=False)
    report = json.loads(run.stdout)
    found = set()
    for f in report["findings"]:
        place = origin[f["line"] - 1] if os.path.samefile(f["file"], unit) else None
        found.add((place or (f["file"], f["line"])) + (f["rule"], f["confidence"]))
    return found


def compare(tool, folder, files, headers, options):
    text, origin = one_unit(files, headers)
    with tempfile.TemporaryDirectory() as scratch:
        unit = os.path.join(scratch, "unit.cu")
        with open(unit, "w", encoding="utf-8") as file:
            file.write(text)
        built_in = findings(tool, unit, options, origin)
        real = findings(tool, unit, [*options, "--cuda-path", folder], origin)
    for missing in sorted(built_in - real):
        print("with the built-in headers only:", *missing)
    for extra in sorted(real - built_in):
        print("with the toolkit's headers only:", *extra)
    print(f"{len(files)} files, {len(built_in)} findings, {len(built_in ^ real)} differ")
    return 0 if built_in == real and built_in else 1


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True)
    parser.add_argument("places", nargs="+")
    args = parser.parse_args()
    folder = toolkit()
    if folder is None:
        print("no CUDA toolkit with CUB on this machine")
        return SKIPPED
    return max([compare(args.bin, folder, list(sources(args.places, kind)), headers, OPTIONS.get(kind, []))
                for kind, headers in KINDS.items()])


if __name__ == "__main__":
    sys.exit(main())
