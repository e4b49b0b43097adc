#!/usr/bin/env python3
"""What one category of rules costs: processor time of the analysis with it and without it, over whole trees.

    share.py --tool build/release/cuwarp-lint [--category blocks] [--runs 3] NAME=DIR...

The tool runs in turn with the category and without it, with rules in preview and one job, and keeps nothing between runs. Of
each kind the least time counts, which other programs on the machine disturb least. Prints Markdown. Exit status 1 when the
share is above the limit in some tree.
"""

import argparse
import re
import subprocess
import sys

LIMIT = 0.10
ANALYSE = re.compile(r"analyse +([\d.]+) ms")


def analyse(tool, tree, options):
    command = [tool, tree, "--isolated", "--no-cache", "-j1", "--preview", "--profile", "--exit-zero", "--output", "json", *options]
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=True)
    return float(ANALYSE.search(done.stderr)[1])


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--tool", required=True)
    parser.add_argument("--category", default="blocks")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("trees", nargs="+", metavar="NAME=DIR")
    options = parser.parse_args()
    exceeded = False
    print("| tree | analyse ms with `%s` | without | share |" % options.category)
    print("|---|---|---|---|")
    for tree in options.trees:
        name, _, folder = tree.partition("=")
        kinds = [[], ["--ignore", options.category]]
        times = [[analyse(options.tool, folder, kind) for kind in kinds] for _ in range(options.runs)]
        whole, rest = (min(column) for column in zip(*times))
        share = max(0.0, (whole - rest) / whole)
        exceeded |= share > LIMIT
        print("| %s | %.0f | %.0f | %.1f %% |" % (name, whole, rest, 100 * share), flush=True)
    return exceeded


if __name__ == "__main__":
    sys.exit(main())
