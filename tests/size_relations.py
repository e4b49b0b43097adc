#!/usr/bin/env python3
"""Rows of an unknown length in a pitch of unknown length: no race, as a row is no longer than its pitch.

The host's sizes are parameters that nobody knows, and the linter chooses values for them. A conflict that only some relations
of the values show is not definite. So kernels are made in which threads fill rows, for several ways to come to the number of
rows, to the place of an element and to the grid, with the parameters in each order and at several positions, on which the
values depend; none may have a definite finding about races. The same kernels with rows that do overlap, whatever the sizes
are, have one each.

usage: size_relations.py --bin build/release/cuwarp-lint"""
import argparse
import itertools
import json
import os
import subprocess
import sys
import tempfile

ROWS = {
    "quotient": "n / pitch",
    "quotient_of_row": "n / columns",
    "rounded_up": "(n + pitch - 1) / pitch",
    "given": "n",
    "limited": "min(n, 64)",
    "half": "n / 2",
    "by_block": "n - blockIdx.x * 32",
}
PLACES = {"pitch": "r * pitch + c", "border": "r * (pitch + 1) + c", "offset": "n + r * pitch + c"}
OVERLAPPING = {"one_row": "c"}
BEFORE = (0, 3, 4, 8)
RACES = {"missing-syncthreads", "implicit-warp-sync", "scratch-reuse", "collective-as-fence"}

KERNEL = """__global__ void rows(const float *in, float *out, %(parameters)s) {
    extern __shared__ float s[];
    int count = %(rows)s;
    for (int r = threadIdx.x; r < count; r += blockDim.x)
        for (int c = 0; c < columns; c++)
            s[%(place)s] %(op)s in[r * columns + c];
    __syncthreads();
    for (int r = threadIdx.x; r < count; r += blockDim.x)
        for (int c = 0; c < columns; c++)
            out[r * columns + c] = s[%(place)s];
}

void run(const float *in, float *out, %(parameters)s, int blocks) {
    rows<<<%(grid)s, 128, n * pitch * sizeof(float)>>>(in, out, %(arguments)s);
}
"""


def write_kernels(folder, places):
    for rows, (place, expression), op, grid, before, order in itertools.product(
            ROWS, places.items(), ("=", "+="), ("1", "blocks"), BEFORE, itertools.permutations(("n", "pitch", "columns"))):
        if place not in ("pitch", "one_row") and rows not in ("quotient", "given"):
            continue
        names = ["other%d" % k for k in range(before)] + list(order)
        name = "_".join((rows, place, "set" if op == "=" else "add", grid, str(before), *order))
        with open(os.path.join(folder, name + ".cu"), "w", encoding="utf-8") as file:
            file.write(KERNEL % {"parameters": ", ".join("int " + n for n in names), "arguments": ", ".join(names),
                                 "rows": ROWS[rows], "place": expression, "op": op, "grid": grid})


def with_races(binary, places):
    """(the kernels with a definite race, how many there are)"""
    with tempfile.TemporaryDirectory() as folder:
        write_kernels(folder, places)
        done = subprocess.run([binary, "--isolated", "--no-cache", "--exit-zero", "--output", "json", folder], capture_output=True,
                              text=True, check=True)
        found = {os.path.basename(f["file"]) for f in json.loads(done.stdout)["findings"]
                 if f["confidence"] == "definite" and f["rule"] in RACES}
        return sorted(found), len(os.listdir(folder))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", required=True)
    binary = os.path.abspath(parser.parse_args().bin)
    found, count = with_races(binary, PLACES)
    for name in found:
        print("%s: definite, though a row is no longer than its pitch" % name)
    overlapping, of = with_races(binary, OVERLAPPING)
    print("%d kernels without a race, %d reported; %d with one, %d reported" % (count, len(found), of, len(overlapping)))
    return 1 if found or len(overlapping) < of else 0


if __name__ == "__main__":
    sys.exit(main())
