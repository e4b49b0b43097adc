#!/usr/bin/env python3
"""Makes the skewed sources of the registered kernels, by `cuwarp-lint perturb`.

    prepare.py --bin cuwarp-lint --out DIR

DIR/flagged gets the hazards, delayed at their findings; DIR/everywhere all registered kernels, delayed at every collective and
shared access. DIR/claims.json is what the linter says of them (claims.py). Nothing of it needs a linter any more, so a machine
without one can be given the folder (CUWARP_SKEWED_SOURCES).
"""

import argparse
import json
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import claims  # noqa: E402
import registry  # noqa: E402
from headers import FIXTURES, Malformed  # noqa: E402

ARGUMENTS = re.compile(r"^// cuwarp-args: (.*)$", re.M)
HEADER = "cuwarp_skew.h"


def groups_of(paths):
    """Files of one folder that are linted with the same arguments: {(folder, arguments): [path]}"""
    groups = {}
    for path in sorted(paths):
        found = ARGUMENTS.search(path.read_text(encoding="utf-8"))
        groups.setdefault((path.parent, tuple(shlex.split(found[1])) if found else ()), []).append(path)
    return groups


def perturb(tool, extra, paths, target, each=None):
    """Skewed copies of `paths`, as target/<folder>/<file>; returns those in which nothing was put. Calls each(path, arguments,
    manifest) for every file."""
    untouched = []
    for (folder, arguments), members in groups_of(paths).items():
        with tempfile.TemporaryDirectory() as scratch:
            out = pathlib.Path(scratch) / "out"
            done = subprocess.run([tool, "perturb", *arguments, *extra, "--preview", "--isolated", "--quiet", "--no-cache", "--out",
                                   str(out), *map(str, members)], capture_output=True, text=True)
            if done.returncode not in (0, 1) or not (out / HEADER).is_file():
                raise Malformed("cuwarp-lint perturb failed on %s:\n%s" % (folder, done.stderr))
            place = target / folder.relative_to(FIXTURES)
            place.mkdir(parents=True, exist_ok=True)
            for common in (place, target):
                shutil.copy(out / HEADER, common / HEADER)
            for path in members:
                shutil.copy(out / path.name, place / path.name)
                if "CUWARP_SKEW(" not in (out / path.name).read_text(encoding="utf-8"):
                    untouched.append(path)
                if each:
                    each(path, arguments, json.loads((out / "cuwarp_skew.json").read_text(encoding="utf-8")))
    return untouched


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--bin", required=True, help="the cuwarp-lint to use")
    parser.add_argument("--out", type=pathlib.Path, required=True)
    options = parser.parse_args()
    _, cases = registry.load()
    hazards = {case.path for case in cases.values() if case.role == "hazard"}
    for name in ("flagged", "everywhere"):
        shutil.rmtree(options.out / name, ignore_errors=True)
    for path in perturb(options.bin, [], hazards, options.out / "flagged"):
        print("not skewed: %s (no place for a delay at its findings)" % path.relative_to(FIXTURES))
    said = {}

    def note(path, arguments, manifest):
        said[str(path.relative_to(FIXTURES).with_suffix(""))] = claims.of_file(options.bin, arguments, path, manifest)

    perturb(options.bin, ["--all"], {case.path for case in cases.values()}, options.out / "everywhere", note)
    claims.write(options.out / "claims.json", said)
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Malformed as e:
        print("prepare: %s" % e, file=sys.stderr)
        sys.exit(2)
