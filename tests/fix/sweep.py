#!/usr/bin/env python3
"""Fixes a copy of a tree and says what became of it.

    sweep.py --bin PATH [--unsafe] [--all] [--sample N] [--keep COPY] DIR [SUB...]     SUB: only these folders of DIR

Counts: findings that offer a fix (safe, other), fixes that stayed, fixes that the proof dropped, files changed. With --sample,
that many hunks of the diff, chosen by a fixed seed. Exit status 1 when a property (properties.py) does not hold.
"""

import argparse
import collections
import difflib
import pathlib
import random
import shutil
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import properties  # noqa: E402


def copy_tree(source, subs, target):
    for sub in subs or ["."]:
        shutil.copytree(source / sub, target / sub, symlinks=True, dirs_exist_ok=True,
                        ignore=shutil.ignore_patterns("*.bin", "*.mtx", "*.pgm", "*.ppm", "*.zip", "*.gz", "*.png"))


def hunks(old, new):
    for path in sorted(old):
        if old[path] == new.get(path):
            continue
        text = list(difflib.unified_diff(properties.lines(old[path]), properties.lines(new[path]), path, path, n=6))
        start = [i for i, line in enumerate(text) if line.startswith("@@")] + [len(text)]
        for first, last in zip(start, start[1:]):
            yield path, "".join(text[first:last])


def by_rule(title, counter):
    print(f"{title}: {sum(counter.values())}")
    for rule, n in sorted(counter.items(), key=lambda x: (-x[1], x[0])):
        print(f"  {n:5} {rule}")


def report(before, fix, old, new):
    shown = [f for f in before.findings if f["confidence"] == "definite"]
    safe = [f for f in shown if any(x["safe"] for x in f["fixes"])]
    print(f"{len(old)} files, {before.coverage['kernels']} kernels, {len(shown)} definite findings")
    by_rule("findings with a safe fix", collections.Counter(f["rule"] for f in safe))
    by_rule("findings with another fix only",
            collections.Counter(f["rule"] for f in shown if f["fixes"] and not any(x["safe"] for x in f["fixes"])))
    print(f"fixed: {fix.findings} findings in {fix.files} files")
    by_rule("dropped by the proof", collections.Counter(d["rule"] for d in fix.dropped))
    for d in fix.dropped:
        print(f"    {d['file']}:{d['line']}: {d['fix']}: {d['reason']}")
    print(f"files that differ: {sum(old[p] != new.get(p) for p in old)}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--bin", required=True)
    parser.add_argument("--unsafe", action="store_true")
    parser.add_argument("--all", action="store_true", help="all rules, those that are off by default included")
    parser.add_argument("--sample", type=int, default=0)
    parser.add_argument("--keep", type=pathlib.Path)
    parser.add_argument("dir", type=pathlib.Path)
    parser.add_argument("subs", nargs="*")
    options = parser.parse_args()
    root = options.keep or pathlib.Path(tempfile.mkdtemp(prefix="cuwarp-sweep-"))
    copy_tree(options.dir, options.subs, root)
    tool = properties.Tool(options.bin, ["--unsafe-fixes"] if options.unsafe else [])
    arguments = ["--select", "all", "--preview"] if options.all else []
    problems, before, fix, old, new = properties.check(tool, arguments, ["."], root)
    report(before, fix, old, new)
    chosen = list(hunks(old, new))
    random.Random(1).shuffle(chosen)
    for path, hunk in chosen[:options.sample]:
        print(f"---- {path}\n{hunk}")
    for p in problems:
        print("PROBLEM", p)
    if not options.keep:
        shutil.rmtree(root)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
